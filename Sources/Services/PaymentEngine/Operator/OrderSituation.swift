package import PaymentModel
package import PaymentPrimitives

/// What an order's story comes down to: one of a closed list. `docs/console.md` lists the sentences.
package enum OrderSituation: Hashable, Sendable {
  case waitingForPayment
  /// A parent has to allow the purchase.
  case waitingForApproval
  case closedUnpaid
  /// The customer owns the product already.
  case alreadyOwned
  /// The store has not said yet whether it was paid.
  case pendingAtStore
  /// It is not known whether WeChat Pay has opened the order.
  case weChatUnknown
  case held(HoldReason)
  case setAside
  case unclaimed
  /// Refunded before it was granted.
  case revoked
  /// The earlier system delivered it.
  case imported
  /// The app only observes: the earlier system delivers.
  case observed
  case paidGrantedAcknowledged
  case paidGrantedNotTold(attempts: Int)
  case paidGrantedParked
  /// Another payment had paid the order before; this one was granted as an order of its own.
  case paidTwice
  case boughtSomethingElse
  case paidLate
  case sandboxCounterpart
  case reversed(whole: Bool)
  case reinstated
  case refundUnderWay
  case refundStuck
  /// The customer has asked Apple for their money; Apple waits for our information until then.
  case refundAskedAtApple(until: Timestamp)
  case contradicted
  case frozen

  /// How long Apple waits for an answer to a consumption request.
  package static let appleWaits = TimeSpan.hours(12)

  /// The situation of an order; the one that most needs somebody comes first.
  package init(_ story: OrderStory, at now: Timestamp) {
    let order = story.details.order
    if order.frozenBecause != nil {
      self = .frozen
    } else if let payment = story.details.payment {
      self = Self.paid(payment, story, at: now)
    } else {
      self = Self.unpaid(order, story)
    }
  }

  /// The situation of a payment that pays no order.
  package init(_ payment: Payment, grant: Grant?, deliveries: [Delivery]) {
    switch payment.state {
    case .held(let reason): self = .held(reason)
    case .setAside: self = .setAside
    case .unclaimed: self = .unclaimed
    case .verified: self = .pendingAtStore
    case .revoked: self = .revoked
    case .imported: self = payment.match?.flags.contains(.observed) == true ? .observed : .imported
    case .reversed: self = .reversed(whole: !(grant?.isInForce ?? false))
    case .reinstated: self = .reinstated
    case .fulfilled:
      let pending = deliveries.first { $0.state == .pending }
      self = pending.map { .paidGrantedNotTold(attempts: $0.attempts) } ?? .paidGrantedAcknowledged
    }
  }

  private static func paid(_ payment: Payment, _ story: OrderStory, at now: Timestamp) -> OrderSituation {
    let flags = payment.match?.flags ?? []
    let told = Set(story.journal.entries.map(\.what))
    if told.contains(JournalEvent.chargeContradicted.name) { return .contradicted }
    if story.relations.refunds.contains(where: { $0.state == .stuck }) { return .refundStuck }
    if story.relations.refunds.contains(where: { !$0.state.isFinal }) { return .refundUnderWay }
    switch payment.state {
    case .reversed: return .reversed(whole: !(story.relations.grant?.isInForce ?? false))
    case .held(let reason): return .held(reason)
    case .setAside: return .setAside
    case .unclaimed: return .unclaimed
    case .verified: return .pendingAtStore
    case .revoked: return .revoked
    case .imported: return flags.contains(.observed) ? .observed : .imported
    case .fulfilled, .reinstated: break
    }
    if let until = appleWaits(story), now < until { return .refundAskedAtApple(until: until) }
    if story.details.deliveries.contains(where: { if case .parked = $0.state { true } else { false } }) {
      return .paidGrantedParked
    }
    if let pending = story.details.deliveries.first(where: { $0.state == .pending }) {
      return .paidGrantedNotTold(attempts: pending.attempts)
    }
    if case .reinstated = payment.state { return .reinstated }
    if flags.contains(.paidTwice) { return .paidTwice }
    if flags.contains(.boughtSomethingElse) { return .boughtSomethingElse }
    if flags.contains(.late) || told.contains(JournalEvent.orderPaidLate.name) { return .paidLate }
    return payment.key.environment == .sandbox ? .sandboxCounterpart : .paidGrantedAcknowledged
  }

  private static func unpaid(_ order: Order, _ story: OrderStory) -> OrderSituation {
    if let waiting = story.unmatched.first {
      switch waiting.state {
      case .held(let reason): return .held(reason)
      case .setAside: return .setAside
      case .unclaimed: return .unclaimed
      case .revoked: return .revoked
      case .imported: return waiting.match?.flags.contains(.observed) == true ? .observed : .imported
      case .verified, .fulfilled, .reversed, .reinstated: return .pendingAtStore
      }
    }
    switch order.state {
    case .closed(.alreadyOwned, _): return .alreadyOwned
    case .closed: return .closedUnpaid
    case .awaitingPayment, .paid: break
    }
    if let verdict = order.lastVerdict {
      if verdict.verdict == .pending { return .pendingAtStore }
      if verdict.verdict == .held, let reason = verdict.reason.flatMap(HoldReason.init(rawValue:)) {
        return .held(reason)
      }
    }
    if order.approvalPendingSince != nil { return .waitingForApproval }
    let steps: Set = [JournalEvent.prepareUnknown.name, JournalEvent.prepared.name]
    let last = story.journal.entries.last { steps.contains($0.what) }
    return last?.what == JournalEvent.prepareUnknown.name ? .weChatUnknown : .waitingForPayment
  }

  /// Until when Apple waits for an answer that was not given.
  private static func appleWaits(_ story: OrderStory) -> Timestamp? {
    let ends = [
      JournalEvent.consumptionAskedTooLate, .consumptionAnswered, .consumptionNotAnswered, .consumptionRefused,
    ].map(\.name)
    let last = story.journal.entries.last { $0.what == JournalEvent.consumptionAsked.name || ends.contains($0.what) }
    guard let last, !ends.contains(last.what) else { return nil }
    return last.at + appleWaits
  }
}
