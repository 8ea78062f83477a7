package import CounterfoilAPI
import Cryptography
package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// Makes the events that an app's backend is told (record 276). They stand in the journal, so they are committed with
/// the change that they tell.
///
/// An id is made of what is told, never of a number or the arrival: a restored database makes the same again.
package struct EventMaking {
  let app: AppPolicy
  let now: Timestamp

  /// Nil if the app's events have no reader.
  package init?(_ app: AppPolicy, at now: Timestamp) {
    guard app.makesEvents else { return nil }
    self.app = app
    self.now = now
  }

  static func identifier(_ type: EventType, in appEnvironment: AppEnvironment, cause: [String]) -> String {
    let content = ["event", appEnvironment.app.text, appEnvironment.environment.rawValue, type.rawValue] + cause
    return "event_" + DeliveryMaking.base32(SHA256.hash(StableBytes.of(content)))
  }

  func body(_ type: EventType, in appEnvironment: AppEnvironment, cause: [String]) -> EventBody {
    EventBody(type, id: Self.identifier(type, in: appEnvironment, cause: cause), in: appEnvironment, at: now)
  }

  /// An event about a payment.
  ///
  /// - Parameter cause: what tells it from others of that type about the same payment.
  func body(
    _ type: EventType, of payment: Payment, cause: [String] = [], order: Order?, product: ProductIdentifier?
  ) -> EventBody {
    let key = payment.key
    var body = body(type, in: key.appEnvironment, cause: [key.store.rawValue, key.transaction.text] + cause)
    body.user = payment.owner
    body.payment = payment.facts
    body.product = product ?? order?.product.id ?? app.catalog.product(for: payment.facts.storeProduct)?.id
    if let order, order.user == payment.owner { body.note(order) }
    return body
  }
}

// MARK: payments

extension EventMaking {
  /// What a change of a payment tells, in order: the charge first.
  func bodies(from before: Payment?, to payment: Payment, order: Order?, grant: Grant?) -> [EventBody] {
    let product = grant?.promise.product
    func body(_ type: EventType, _ cause: [String] = []) -> EventBody {
      self.body(type, of: payment, cause: cause, order: order, product: product)
    }
    var bodies: [EventBody] = []
    // The period of a subscription is told with the subscription. The earlier system told what is imported.
    if before == nil, payment.facts.kind != .autoRenewable, payment.state != .imported {
      bodies.append(body(.purchaseCompleted))
    }
    if payment.state != before?.state {
      switch payment.state {
      case .unclaimed: bodies.append(body(.paymentUnclaimed, Self.returning(from: before)))
      case .held(let reason):
        var held = body(.paymentHeld, [reason.rawValue] + Self.returning(from: before))
        held.reason = reason.rawValue
        bodies.append(held)
      default:
        guard let before, before.awaitsOwner, payment.state.wasGranted else { break }
        bodies.append(body(.paymentClaimed))
      }
    }
    if let before, payment.facts.kind == .autoRenewable, let end = payment.facts.expiresDate,
      end != before.facts.expiresDate
    {
      bodies.append(body(.periodChanged, ["\(end.milliseconds)"]))
    }
    guard !payment.key.store.opensOrders else { return bodies }
    if let refund = Self.refund(from: before?.facts.revocation, to: payment.facts.revocation) {
      var refunded = body(refund.type, ["\(refund.at.seconds)", "\(refund.percentage)"])
      refunded.refund = EventBody.Refund(at: refund.at, percentage: refund.percentage)
      bodies.append(refunded)
    }
    return bodies
  }

  /// What tells a payment that waits again from the first time: a refund may come and be reversed between, more than
  /// once. Without it, the second event would have the id of the first, and a receiver would drop it.
  private static func returning(from before: Payment?) -> [String] {
    guard let before else { return [] }
    let end: Timestamp? =
      switch before.state {
      case .revoked: before.facts.revocation?.date
      case .setAside(let record): record.at
      default: nil
      }
    return [before.state.name, "\((end ?? before.facts.signedDate).milliseconds)"]
  }

  private typealias RefundChange = (type: EventType, at: Timestamp, percentage: Int64)

  /// A change of the money that the App Store gave back.
  private static func refund(from before: Revocation?, to after: Revocation?) -> RefundChange? {
    switch (before?.givesMoneyBack, after?.givesMoneyBack) {
    case (let old, let new?) where old != new: (.purchaseRefunded, new.date, new.percentage ?? 100_000)
    case (let old?, nil): (.purchaseRefundUndone, old.date, 0)
    default: nil
    }
  }

  /// A refund at WeChat Pay in its state; nil if the state is told by no event.
  func refund(_ refund: Refund, of payment: Payment, reading reader: any DatabaseReader) throws -> EventBody? {
    let type: EventType
    var (moment, reason) = (refund.createdAt, refund.reason)
    switch refund.state {
    case .asked: type = .refundAsked
    case .done(let at): (type, moment) = (.purchaseRefunded, at)
    case .failed(let word): (type, reason) = (.refundDeclined, word)
    case .underWay, .stuck: return nil
    }
    var body = try body(type, of: payment, cause: [refund.number], reading: reader)
    body.refund = EventBody.Refund(at: moment, number: refund.number, amount: refund.amount)
    body.reason = reason
    return body
  }

  /// The same as `body(_:of:cause:order:product:)`, with what the database has of the order and the grant.
  package func body(
    _ type: EventType, of payment: Payment, cause: [String] = [], reading reader: any DatabaseReader
  ) throws -> EventBody {
    let order = try payment.order.flatMap {
      try reader.order(OrderKey(appEnvironment: payment.key.appEnvironment, id: $0))
    }
    let product = try reader.grant(payment.key)?.promise.product
    return body(type, of: payment, cause: cause, order: order, product: product)
  }
}

// MARK: subscriptions

extension EventMaking {
  /// A period of a subscription that is seen first; nil if the earlier system told it.
  func period(_ payment: Payment, _ reader: any DatabaseReader) throws -> EventBody? {
    guard payment.state != .imported else { return nil }
    return try body(
      payment.facts.isRenewal ? .subscriptionRenewed : .subscriptionPurchased, of: payment, reading: reader)
  }

  /// The first period under an offer.
  func redeemedOffer(_ payment: Payment, _ reader: any DatabaseReader) throws -> EventBody? {
    guard let offer = payment.facts.offer, payment.state != .imported else { return nil }
    let isRepeated = try reader.payments(ofOriginal: payment.facts.originalKey).contains { other in
      other.key != payment.key && other.facts.offer.map { $0.isSame(as: offer) } ?? false
    }
    return isRepeated ? nil : try body(.offerRedeemed, of: payment, reading: reader)
  }

  /// What the store says of the next renewal; nil if that entry of the journal is told by no event.
  ///
  /// - Parameter payment: the newest payment of the subscription.
  func renewal(
    _ renewal: VerifiedRenewal, as event: JournalEvent, of payment: Payment?, reading reader: any DatabaseReader
  ) throws -> EventBody? {
    guard let type = Self.renewalTypes[event.name] else { return nil }
    let subscription = renewal.subscription
    let cause = [subscription.store.rawValue, subscription.transaction.text, "\(renewal.signedDate.milliseconds)"]
    var body = body(type, in: subscription.appEnvironment, cause: cause)
    if let payment {
      let product = try reader.grant(payment.key)?.promise.product
      body.product = product ?? app.catalog.product(for: payment.facts.storeProduct)?.id
      body.user = payment.owner
      body.payment = payment.facts
    }
    body.nextRenewal = renewal
    return body
  }

  private static let renewalTypes: [String: EventType] = Dictionary(
    [
      (JournalEvent.subscriptionRenews, EventType.renewalTurnedOn),
      (.subscriptionEndsWithItsPeriod, .renewalTurnedOff),
      (.subscriptionRenewsToAnother, .planChanged), (.subscriptionInGracePeriod, .gracePeriodBegan),
      (.subscriptionInBillingRetry, .billingRetryBegan), (.subscriptionBillingRecovered, .billingRecovered),
      (.subscriptionExpired, .subscriptionExpired), (.priceIncreasePending, .priceIncreaseAsked),
      (.priceIncreaseAccepted, .priceIncreaseAccepted),
    ].map { ($0.0.name, $0.1) }
  ) { first, _ in first }
}

// MARK: orders and balances

extension EventMaking {
  func closed(_ order: Order, _ reason: CloseReason) -> EventBody {
    var body = body(.orderClosed, in: order.key.appEnvironment, cause: [order.key.id.description, reason.rawValue])
    body.user = order.user
    body.product = order.product.id
    body.note(order)
    body.reason = reason.rawValue
    return body
  }

  /// Units that a user spent or was given.
  ///
  /// - Parameter balance: the balance after it.
  func booked(_ booking: Booking, leaving balance: Int64) -> EventBody {
    let type: EventType = booking.kind == .credit ? .balanceCredited : .balanceDebited
    var body = body(type, in: booking.appEnvironment, cause: [booking.key])
    body.user = booking.user
    body.units = EventBody.Units(unit: booking.unit, amount: booking.amount, balance: balance, booking: booking.key)
    body.reason = booking.reason
    return body
  }
}

extension EventMaking {
  func merged(_ merge: UserMerge) -> EventBody {
    var body = body(.userMerged, in: merge.appEnvironment, cause: [merge.user.text, merge.into.text])
    body.user = merge.into
    body.mergedUser = merge.user
    return body
  }

  func erased(_ erasure: UserErasure) -> EventBody {
    var body = body(.userErased, in: app.homeEnvironment, cause: [erasure.alias.text])
    body.user = erasure.alias
    return body
  }
}

extension EventBody {
  fileprivate mutating func note(_ order: Order) {
    let reference = order.reference ?? order.derivation?.reference
    self.order = order.key.id
    self.reference = reference?.text
    referenceFrom = reference?.origin == .app ? "app" : nil
  }
}

extension Revocation {
  /// Nil for the end of family sharing, which gives no money back. Only the date and the part make a refund another.
  fileprivate var givesMoneyBack: Revocation? {
    type == "FAMILY_REVOKE" ? nil : Revocation(date: date, percentage: percentage ?? 100_000)
  }
}

extension StatedOffer {
  /// Whether a further period of the same offer bears it.
  fileprivate func isSame(as other: StatedOffer) -> Bool { type == other.type && id == other.id }
}

extension DatabaseTransaction {
  /// Tells an event that no entry of the journal about an order or a payment carries.
  package func tell(_ body: EventBody) throws {
    var entry = JournalEntry(
      .eventTold, in: body.appEnvironment, at: now, order: body.order, payment: body.payment?.key)
    entry.event = body.json.text
    try insert(entry)
  }
}
