package import PaymentPrimitives

/// The intent to buy, recorded before any money can move.
package struct Order: Hashable, Sendable {
  private var promise: Shared<OrderPromise>

  /// (app, environment, id): a sandbox payment pays the sandbox counterpart of a production order.
  package var key: OrderKey {
    get { promise.value.key }
    set { promise.change { $0.key = newValue } }
  }
  /// The user of the purchase. Only a merge of two users changes it.
  package var user: UserIdentifier {
    get { promise.value.user }
    set { promise.change { $0.user = newValue } }
  }
  /// The product as it was when the order was made.
  package var product: Product {
    get { promise.value.product }
    set { promise.change { $0.product = newValue } }
  }
  /// The number of pieces ordered.
  package var quantity: Int {
    get { promise.value.quantity }
    set { promise.change { $0.quantity = newValue } }
  }
  /// The store for the payment.
  package var store: Store {
    get { promise.value.store }
    set { promise.change { $0.store = newValue } }
  }
  /// The app's own number, and who assigned it.
  package var reference: Reference? {
    get { promise.value.reference }
    set { promise.change { $0.reference = newValue } }
  }
  /// The app's own data, as canonical JSON text of at most 2 kB.
  package var metadata: String? {
    get { promise.value.metadata }
    set { promise.change { $0.metadata = newValue } }
  }
  /// The platform of the customer: `ios`, `android`, …; recorded.
  package var platform: String? {
    get { promise.value.platform }
    set { promise.change { $0.platform = newValue } }
  }
  /// The app's free text on where in the app the purchase began; recorded.
  package var scene: String? {
    get { promise.value.scene }
    set { promise.change { $0.scene = newValue } }
  }
  package var createdAt: Timestamp {
    get { promise.value.createdAt }
    set { promise.change { $0.createdAt = newValue } }
  }
  /// Set when a payment, not a customer, created this order.
  package var derivation: Derivation? {
    get { promise.value.derivation }
    set { promise.change { $0.derivation = newValue } }
  }
  /// The data of the creating call that identifies its retries.
  package var idempotency: Idempotency? {
    get { promise.value.idempotency }
    set { promise.change { $0.idempotency = newValue } }
  }

  package var state: OrderState
  /// When it closes automatically; a closed order still accepts a late payment.
  package var expiresAt: Timestamp
  /// Set when the customer waits for a parent's approval.
  package var approvalPendingSince: Timestamp?
  /// The last verdict that a client received about a payment for this order.
  package var lastVerdict: LastVerdict?
  /// Set when a broken invariant froze this order; an operator handles it.
  package var frozenBecause: String?

  /// A new order; optional fields are set afterwards.
  package init(
    key: OrderKey, user: UserIdentifier, product: Product, quantity: Int, store: Store,
    createdAt: Timestamp, expiresAt: Timestamp
  ) {
    self.init(
      OrderPromise(key: key, user: user, product: product, quantity: quantity, store: store, createdAt: createdAt),
      expiresAt: expiresAt)
  }

  /// A new order with all that was promised at once: each change of a shared value copies it.
  package init(_ promise: OrderPromise, expiresAt: Timestamp) {
    self.promise = Shared(promise)
    state = .awaitingPayment
    self.expiresAt = expiresAt
  }

  /// Whether both are copies of one order, and what was promised was changed in neither.
  package func sharesPromise(with other: Order) -> Bool { promise.isSame(as: other.promise) }
}

/// What was promised when an order was made; all its copies share it. Only the state of an order changes later.
///
/// `Order` says what each field is.
package struct OrderPromise: Hashable, Sendable {
  package var key: OrderKey
  package var user: UserIdentifier
  package var product: Product
  package var quantity: Int
  package var store: Store
  package var reference: Reference?
  package var metadata: String?
  package var platform: String?
  package var scene: String?
  package var createdAt: Timestamp
  package var derivation: Derivation?
  package var idempotency: Idempotency?

  /// A promise; optional fields are set afterwards.
  package init(
    key: OrderKey, user: UserIdentifier, product: Product, quantity: Int, store: Store, createdAt: Timestamp
  ) {
    self.key = key
    self.user = user
    self.product = product
    self.quantity = quantity
    self.store = store
    self.createdAt = createdAt
  }
}

/// The identity of an order: (app, environment, id).
package struct OrderKey: Hashable, Comparable, Sendable {
  package let appEnvironment: AppEnvironment
  package let id: OrderIdentifier

  package init(appEnvironment: AppEnvironment, id: OrderIdentifier) {
    self.appEnvironment = appEnvironment
    self.id = id
  }

  package static func < (a: OrderKey, b: OrderKey) -> Bool { (a.appEnvironment, a.id) < (b.appEnvironment, b.id) }
}

/// The position of an order in a list: by creation time, then by id.
///
/// The id alone does not give this order: the id of a derived order comes from a hash.
package struct OrderPosition: Hashable, Comparable, Sendable {
  package let createdAt: Timestamp
  package let id: OrderIdentifier

  package init(createdAt: Timestamp, id: OrderIdentifier) {
    self.createdAt = createdAt
    self.id = id
  }

  package static func < (a: OrderPosition, b: OrderPosition) -> Bool { (a.createdAt, a.id) < (b.createdAt, b.id) }
}

extension Order {
  /// The position in a list.
  package var position: OrderPosition { OrderPosition(createdAt: createdAt, id: key.id) }
}

/// The app's own number for an order.
package struct Reference: Hashable, Sendable {
  /// Who assigned the number. It decides whether a backend may use the number for bookings.
  package enum Origin: String, Hashable, Sendable {
    /// The app's backend, with a secret key: unique in the app.
    case backend
    /// The app on the device, with a user token: unique for that user only. A backend must not use it for bookings.
    case app
  }

  /// At most 64 characters.
  package let text: String
  package let origin: Origin

  /// A number and who assigned it.
  package init(_ text: String, from origin: Origin) {
    self.text = text
    self.origin = origin
  }
}

/// Why an order exists that no customer created: a payment arrived without an order.
package struct Derivation: Hashable, Sendable {
  /// The payment that the order was created for.
  package var payment: PaymentKey
  /// The order that the payment named but could not pay.
  package var from: OrderIdentifier?
  /// The number of that order, by which the backend finds its own records. Not unique: that order keeps it, too.
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
  /// The owner of the keys: a user, or a secret key.
  package let caller: String
  package let key: String
  /// Hash of the request, so that the same key with another body is detected.
  package let requestDigest: String

  /// A caller's key with the digest of its request.
  package init(caller: String, key: String, requestDigest: String) {
    self.caller = caller
    self.key = key
    self.requestDigest = requestDigest
  }
}
