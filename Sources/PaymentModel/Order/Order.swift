public import PaymentVocabulary

/// The intent to buy, written down before money can move.
public struct Order: Hashable, Sendable {
  /// (app, environment, id): a sandbox payment pays the sandbox twin of a production order.
  public var key: OrderKey
  /// Whom the purchase is for; it never changes.
  public var user: UserIdentifier
  /// The product as it was when the order was made.
  public var product: Product
  /// Pieces ordered.
  public var quantity: Int
  /// The store that is to be paid.
  public var store: Store
  /// The app's own number and who gave it.
  public var reference: Reference?
  /// The app's own data, as canonical JSON text of at most 2 kB.
  public var metadata: String?
  /// Where the customer stood: `ios`, `android`, …; recorded.
  public var platform: String?
  /// Free word of the app on where in it the purchase began; recorded.
  public var scene: String?
  /// Where the order stands.
  public var state: OrderState
  /// When it was made.
  public var createdAt: Timestamp
  /// When it closes by itself; a closed order still takes a late payment.
  public var expiresAt: Timestamp
  /// Set when the customer waits for a parent's approval.
  public var approvalPendingSince: Timestamp?
  /// Set when no customer made this order but a payment did.
  public var derivation: Derivation?
  /// What the creating call gave for repeats of itself.
  public var idempotency: Idempotency?
  /// The last verdict that anybody was told about a payment for this order.
  public var lastVerdict: LastVerdict?
  /// Set when a broken invariant has stopped this order; an operator looks at it.
  public var frozenBecause: String?

  /// An order as it begins; what is optional is set afterwards.
  public init(
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
public struct OrderKey: Hashable, Comparable, Sendable {
  /// The app and environment.
  public let realm: Realm
  /// The order's id.
  public let id: OrderIdentifier

  /// A key from its parts.
  public init(realm: Realm, id: OrderIdentifier) {
    self.realm = realm
    self.id = id
  }

  public static func < (a: OrderKey, b: OrderKey) -> Bool { (a.realm, a.id) < (b.realm, b.id) }
}

/// Where an order stands in a list: by the moment of its making, then by its id.
///
/// The id alone does not tell: that of an order derived from a payment is made of a hash.
public struct OrderPosition: Hashable, Comparable, Sendable {
  /// When the order was made.
  public let createdAt: Timestamp
  /// Its id.
  public let id: OrderIdentifier

  /// A place in a list.
  public init(createdAt: Timestamp, id: OrderIdentifier) {
    self.createdAt = createdAt
    self.id = id
  }

  public static func < (a: OrderPosition, b: OrderPosition) -> Bool { (a.createdAt, a.id) < (b.createdAt, b.id) }
}

extension Order {
  /// Where it stands in a list.
  public var position: OrderPosition { OrderPosition(createdAt: createdAt, id: key.id) }
}

/// The app's own number for an order.
public struct Reference: Hashable, Sendable {
  /// Who gave the number, and so whether a backend may book by it.
  public enum Origin: String, Hashable, Sendable {
    /// The app's backend, with a secret key: unique in the app.
    case backend
    /// The app on the phone, with a user token: unique for that user only; a backend must not book by it.
    case app
  }

  /// At most 64 characters.
  public let text: String
  /// Who gave it.
  public let origin: Origin

  /// A number and who gave it.
  public init(_ text: String, from origin: Origin) {
    self.text = text
    self.origin = origin
  }
}

/// Why an order exists that nobody made: a payment came that had none.
public struct Derivation: Hashable, Sendable {
  /// The payment that it was made for.
  public var payment: PaymentKey
  /// The order that the payment named but could not pay.
  public var from: OrderIdentifier?
  /// That order's number, by which the backend finds its own books again. Not unique: that order keeps it.
  public var reference: Reference?
  /// What was unusual.
  public var flags: Set<MatchFlag>

  /// A derivation from a payment.
  public init(
    payment: PaymentKey, from: OrderIdentifier?, reference: Reference?, flags: Set<MatchFlag>
  ) {
    self.payment = payment
    self.from = from
    self.reference = reference
    self.flags = flags
  }
}

/// The creating call's idempotency key: unique for ever in (app, environment, caller).
public struct Idempotency: Hashable, Sendable {
  /// Which caller's keys these are: a user, or a secret key.
  public let caller: String
  /// What the caller gave.
  public let key: String
  /// Hash of what was asked, so that the same key with another body is noticed.
  public let requestDigest: String

  /// A key of a caller with the digest of the request it came with.
  public init(caller: String, key: String, requestDigest: String) {
    self.caller = caller
    self.key = key
    self.requestDigest = requestDigest
  }
}

/// The last verdict about a payment for an order, as told to a client.
public struct LastVerdict: Hashable, Sendable {
  /// The verdict's word.
  public let verdict: String
  /// Why, when the verdict has a reason.
  public let reason: String?
  /// When it was given.
  public let at: Timestamp

  /// A verdict with its reason and time.
  public init(verdict: String, reason: String?, at: Timestamp) {
    self.verdict = verdict
    self.reason = reason
    self.at = at
  }
}
