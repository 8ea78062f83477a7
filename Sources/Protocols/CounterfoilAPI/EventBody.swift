package import PaymentPrimitives
package import StrictJSON

/// The message to the app's backend about something that changes no grant, or that says what was paid (docs/events.md).
///
/// It is the body of a webhook, and the member `event` of the feed. Facts are optional where the store may not state
/// them.
package struct EventBody: Hashable, Sendable {
  package let type: EventType
  /// Made from its content: the same by webhook and in the feed, on each node and after a restore.
  package let id: String
  package let appEnvironment: AppEnvironment
  package let occurredAt: Timestamp
  package var user: UserIdentifier?
  package var order: OrderIdentifier?
  package var reference: String?
  /// `app` if the number comes from the app on the device: do not use it for bookings.
  package var referenceFrom: String?
  package var product: ProductIdentifier?
  /// What the store states of the payment.
  package var payment: VerifiedPayment?
  /// What the store states of the subscription.
  package var nextRenewal: VerifiedRenewal?
  package var refund: Refund?
  /// The units that a booking moved.
  package var units: Units?
  /// The entitlement that was given without a payment.
  package var promotional: Promotional?
  /// The user who was merged into `user`.
  package var mergedUser: UserIdentifier?
  /// Why: of a held payment, a closed order, a declined refund, a booking.
  package var reason: String?

  /// A refund of the payment.
  package struct Refund: Hashable, Sendable {
    /// When the store gave the money back, or was asked for it.
    package var at: Timestamp
    /// Our number of it; the App Store has none.
    package var number: String?
    /// The money, where the store states it.
    package var amount: Money?
    /// The part of the price that is given back in total, in thousandths of a percent.
    package var percentage: Int64?

    package init(at moment: Timestamp, number: String? = nil, amount: Money? = nil, percentage: Int64? = nil) {
      self.at = moment
      self.number = number
      self.amount = amount
      self.percentage = percentage
    }
  }

  /// Units of a balance that were booked.
  package struct Units: Hashable, Sendable {
    package var unit: UnitName
    package var amount: Int64
    /// The balance just after it.
    package var balance: Int64
    /// The caller's own id of the booking.
    package var booking: String

    package init(unit: UnitName, amount: Int64, balance: Int64, booking: String) {
      self.unit = unit
      self.amount = amount
      self.balance = balance
      self.booking = booking
    }
  }

  /// An entitlement that was given until a date, without a payment.
  package struct Promotional: Hashable, Sendable {
    /// The caller's own id of it.
    package var id: String
    package var entitlement: EntitlementName
    package var until: Timestamp

    package init(id: String, entitlement: EntitlementName, until: Timestamp) {
      self.id = id
      self.entitlement = entitlement
      self.until = until
    }
  }

  package init(_ type: EventType, id: String, in appEnvironment: AppEnvironment, at moment: Timestamp) {
    self.type = type
    self.id = id
    self.appEnvironment = appEnvironment
    self.occurredAt = moment
  }
}

extension EventBody {
  /// The body as sent.
  package var json: JSONValue {
    .members(
      [
        ("type", .string(type.rawValue)), ("id", .string(id)), ("app", .string(appEnvironment.app.text)),
        ("environment", .string(appEnvironment.environment.rawValue)), ("userId", user.map { .string($0.text) }),
        ("mergedUserId", mergedUser.map { .string($0.text) }),
        ("orderId", order.map { .string($0.appAccountToken) }), ("reference", reference.map(JSONValue.string)),
        ("referenceFrom", referenceFrom.map(JSONValue.string)), ("productId", product.map { .string($0.text) }),
      ] + (payment.map(Self.members) ?? [])
        + [
          ("renewal", nextRenewal.map(Self.json)), ("refund", refund.map(Self.json)), ("units", units.map(Self.json)),
          ("promotionalEntitlement", promotional.map(Self.json)),
          ("reason", reason.map(JSONValue.string)), ("occurredAt", .string(occurredAt.iso8601)),
        ])
  }

  private static func members(_ payment: VerifiedPayment) -> [(String, JSONValue?)] {
    // Somebody else paid for what a family member or a seat has.
    let price = payment.ownership == .purchased ? payment.price : nil
    return [
      ("store", .string(payment.key.store.rawValue)), ("transactionId", .string(payment.key.transaction.text)),
      ("originalTransactionId", .string(payment.originalTransaction.text)),
      ("storeProductId", payment.storeProduct.text.isEmpty ? nil : .string(payment.storeProduct.text)),
      ("kind", .string(payment.kind.rawValue)), ("quantity", .integer(payment.quantity)),
      ("ownership", .string(payment.ownership.eventWord)), ("price", price.map(json)),
      ("storefront", payment.storefront.map(JSONValue.string)), ("offer", payment.offer.map(json)),
      ("purchaseDate", .string(payment.purchaseDate.iso8601)),
      ("expiresDate", payment.expiresDate.map { .string($0.iso8601) }),
    ]
  }

  private static func json(_ price: StatedPrice) -> JSONValue {
    .members([("milliunits", .integer(price.milliunits)), ("currency", .string(price.currency))])
  }

  private static func json(_ offer: StatedOffer) -> JSONValue {
    .members([
      ("type", .string(offer.type)), ("id", offer.id.map(JSONValue.string)),
      ("discountType", offer.discountType.map(JSONValue.string)), ("period", offer.period.map(JSONValue.string)),
    ])
  }

  private static func json(_ renewal: VerifiedRenewal) -> JSONValue {
    .members([
      ("willRenew", .bool(renewal.willRenew)), ("renewsToStoreProductId", renewal.renewsTo.map { .string($0.text) }),
      ("renewalDate", renewal.renewalDate.map { .string($0.iso8601) }),
      ("renewalPrice", renewal.renewalPrice.map(json)), ("isInBillingRetry", .bool(renewal.isInBillingRetry)),
      ("gracePeriodExpiresDate", renewal.gracePeriodExpiresDate.map { .string($0.iso8601) }),
      ("expiration", renewal.expiration.map { .string($0.rawValue) }),
      ("priceIncrease", renewal.priceIncrease.map { .string($0.rawValue) }),
      ("signedDate", .string(renewal.signedDate.iso8601)),
    ])
  }

  private static func json(_ refund: Refund) -> JSONValue {
    .members([
      ("at", .string(refund.at.iso8601)), ("number", refund.number.map(JSONValue.string)),
      ("amount", refund.amount.map { .integer($0.minorUnits) }),
      ("currency", refund.amount.map { .string($0.currency.code) }),
      ("percentage", refund.percentage.map { .integer($0) }),
    ])
  }

  private static func json(_ promotional: Promotional) -> JSONValue {
    .members([
      ("id", .string(promotional.id)), ("entitlement", .string(promotional.entitlement.text)),
      ("expiresAt", .string(promotional.until.iso8601)),
    ])
  }

  private static func json(_ units: Units) -> JSONValue {
    .members([
      ("unit", .string(units.unit.text)), ("amount", .integer(units.amount)), ("balance", .integer(units.balance)),
      ("bookingId", .string(units.booking)),
    ])
  }
}

extension Ownership {
  fileprivate var eventWord: String {
    switch self {
    case .purchased: "purchased"
    case .familyShared: "familyShared"
    case .assigned: "assigned"
    case .unknown: "unknown"
    }
  }
}
