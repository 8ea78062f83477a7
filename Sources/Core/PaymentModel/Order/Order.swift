package import PaymentPrimitives

/// The intent to buy, written down before money can move.
package struct Order: Hashable, Sendable {
  /// (app, environment, id): a sandbox payment pays the sandbox twin of a production order.
  package var key: OrderKey
  /// Whom the purchase is for; it never changes.
  package var user: UserIdentifier
  /// The product as it was when the order was made.
  package var product: Product
  /// Pieces ordered.
  package var quantity: Int
  /// The store that is to be paid.
  package var store: Store
  /// The app's own number and who gave it.
  package var reference: Reference?
  /// The app's own data, as canonical JSON text of at most 2 kB.
  package var metadata: String?
  /// Where the customer stood: `ios`, `android`, …; recorded.
  package var platform: String?
  /// Free word of the app on where in it the purchase began; recorded.
  package var scene: String?
  /// Where the order stands.
  package var state: OrderState
  package var createdAt: Timestamp
  /// When it closes by itself; a closed order still takes a late payment.
  package var expiresAt: Timestamp
  /// Set when the customer waits for a parent's approval.
  package var approvalPendingSince: Timestamp?
  /// Set when no customer made this order but a payment did.
  package var derivation: Derivation?
  /// What the creating call gave for repeats of itself.
  package var idempotency: Idempotency?
  /// The last verdict that anybody was told about a payment for this order.
  package var lastVerdict: LastVerdict?
  /// Set when a broken invariant has stopped this order; an operator looks at it.
  package var frozenBecause: String?

  /// An order as it begins; what is optional is set afterwards.
  package init(
    key: OrderKey, user: UserIdentifier, product: Product, quantity: Int, store: Store,
    createdAt: Timestamp, expiresAt: Timestamp
  ) {
    self.key = key
    self.user = user
    self.product = product
    self.quantity = quantity
    self.store = store
    self.state = .awaitingPayment
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}

/// Names an order: (app, environment, id).
package struct OrderKey: Hashable, Comparable, Sendable {
  package let realm: AppEnvironment
  /// The order's id.
  package let id: OrderIdentifier

  package init(realm: AppEnvironment, id: OrderIdentifier) {
    self.realm = realm
    self.id = id
  }

  package static func < (a: OrderKey, b: OrderKey) -> Bool { (a.realm, a.id) < (b.realm, b.id) }
}

/// Where an order stands in a list: by the moment of its making, then by its id.
///
/// The id alone does not tell: that of an order derived from a payment is made of a hash.
package struct OrderPosition: Hashable, Comparable, Sendable {
  /// When the order was made.
  package let createdAt: Timestamp
  package let id: OrderIdentifier

  package init(createdAt: Timestamp, id: OrderIdentifier) {
    self.createdAt = createdAt
    self.id = id
  }

  package static func < (a: OrderPosition, b: OrderPosition) -> Bool { (a.createdAt, a.id) < (b.createdAt, b.id) }
}

extension Order {
  /// Where it stands in a list.
  package var position: OrderPosition { OrderPosition(createdAt: createdAt, id: key.id) }
}

/// The app's own number for an order.
package struct Reference: Hashable, Sendable {
  /// Who gave the number, and so whether a backend may book by it.
  package enum Origin: String, Hashable, Sendable {
    /// The app's backend, with a secret key: unique in the app.
    case backend
    /// The app on the phone, with a user token: unique for that user only; a backend must not book by it.
    case app
  }

  /// At most 64 characters.
  package let text: String
  package let origin: Origin

  /// A number and who gave it.
  package init(_ text: String, from origin: Origin) {
    self.text = text
    self.origin = origin
  }
}

/// Why an order exists that nobody made: a payment came that had none.
package struct Derivation: Hashable, Sendable {
  /// The payment that it was made for.
  package var payment: PaymentKey
  /// The order that the payment named but could not pay.
  package var from: OrderIdentifier?
  /// That order's number, by which the backend finds its own books again. Not unique: that order keeps it.
  package var reference: Reference?
  package var flags: Set<MatchFlag>

  package init(
    payment: PaymentKey, from: OrderIdentifier?, reference: Reference?, flags: Set<MatchFlag>
  ) {
    self.payment = payment
    self.from = from
    self.reference = reference
    self.flags = flags
  }
}

/// The creating call's idempotency key: unique for ever in (app, environment, caller).
package struct Idempotency: Hashable, Sendable {
  /// Which caller's keys these are: a user, or a secret key.
  package let caller: String
  package let key: String
  /// Hash of what was asked, so that the same key with another body is noticed.
  package let requestDigest: String

  /// A key of a caller with the digest of the request it came with.
  package init(caller: String, key: String, requestDigest: String) {
    self.caller = caller
    self.key = key
    self.requestDigest = requestDigest
  }
}

/// The last verdict about a payment for an order, as told to a client.
package struct LastVerdict: Hashable, Sendable {
  package let verdict: String
  /// Why, when the verdict has a reason.
  package let reason: String?
  package let at: Timestamp

  /// A verdict with its reason and time.
  package init(verdict: String, reason: String?, at: Timestamp) {
    self.verdict = verdict
    self.reason = reason
    self.at = at
  }
}
