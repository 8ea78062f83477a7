import PaymentDatabase
import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// The authenticated caller of an operation.
package enum Caller: Hashable, Sendable {
  /// A user of the app, by their token.
  case user(UserIdentifier)
  /// The app itself, by its publishable key: no user is signed in.
  case publishableKey
  /// The app's backend, by a secret key.
  case backend(CredentialIdentifier)

  /// The scope of idempotency keys: the keys of two callers never conflict. A backend is one caller, also across a
  /// change of its secret key.
  var idempotencyScope: String {
    switch self {
    case .user(let user): "user:" + user.text
    case .publishableKey: "publishable"
    case .backend: "backend"
    }
  }
}

/// The data from which an order is created.
package struct OrderRequest: Hashable, Sendable {
  package var user: UserIdentifier
  package var product: ProductIdentifier
  package var quantity: Int
  package var store: Store
  package var platform: String?
  /// The trade type of WeChat Pay: `APP` (default), `JSAPI`, `H5` or `NATIVE`.
  package var tradeType: String?
  /// The payer's `openid` at the app id of JSAPI; only that trade type needs it.
  package var openid: String?
  /// The payer's public address; only H5 needs it.
  package var payerAddress: String?
  /// The place in the app where it began.
  package var scene: String?
  package var reference: String?
  /// The app's own data, as canonical JSON text.
  package var metadata: String?
  /// The caller's idempotency key with the digest of their request.
  package var idempotency: IdempotencyKey?

  /// A key by which a repeated request is recognised.
  package struct IdempotencyKey: Hashable, Sendable {
    package let key: String
    /// A digest of the request.
    package let digest: String

    package init(key: String, digest: String) {
      self.key = key
      self.digest = digest
    }
  }

  package init(user: UserIdentifier, product: ProductIdentifier, quantity: Int, store: Store) {
    self.user = user
    self.product = product
    self.quantity = quantity
    self.store = store
  }
}

extension PaymentEngine {
  /// Stores an order before money can move.
  ///
  /// A repetition with the same idempotency key returns the order in its present state; `isNew` tells the two apart.
  package func createOrder(
    _ request: OrderRequest, for app: AppPolicy, by caller: Caller
  ) async throws -> (order: OrderDetails, isNew: Bool) {
    let step = traces.begin("CreateOrder")
    let order = try newOrder(request, for: app, by: caller)
    let isRetired = app.isRetired(order.product.id)
    let opening = try integration(of: request.store)?.opening(of: order, for: request, in: app)
    let limits = limits
    let answer = try await transact { [made = order] transaction in
      // A server is asked all at once.
      _ = transaction.foresee(made.key)
      transaction.foresee(mergeOf: made.user, in: made.key.appEnvironment)
      transaction.foresee(limitsOf: made.user, in: made.key.appEnvironment)
      transaction.foresee(erasureOf: made.user, in: made.key.appEnvironment)
      var order = made
      var open = try transaction.openOrders(of: order.user, in: order.key.appEnvironment)
      let present = try transaction.present(order.user, in: order.key.appEnvironment)
      if present != order.user {
        order.user = present
        open = try transaction.openOrders(of: present, in: order.key.appEnvironment)
      }
      if let known = try Self.repeated(order, in: transaction) {
        return (order: try OrderDetails(known, in: transaction), isNew: false)
      }
      // A repetition for an order made while the product was sold is answered above.
      guard !isRetired else { throw CodedError<EngineErrorCode>(.productRetired) }
      // Its payment would go to the alias, and the customer would get nothing.
      guard try transaction.erasure(of: order.user, in: order.key.appEnvironment) == nil else {
        throw CodedError<EngineErrorCode>(.userBeingErased)
      }
      try Self.checkReference(order, in: transaction)
      try Self.checkSpending(of: order, in: transaction)
      try Self.makeRoom(for: order, of: app, beside: open, limits, in: transaction)
      try transaction.insert(order)
      if let opening { try transaction.insert(opening) }
      try transaction.insert(
        JournalEntry(
          .orderCreated, in: order.key.appEnvironment, at: order.createdAt, order: order.key.id,
          payment: nil, details: Self.details(order)))
      return (order: OrderDetails(new: order), isNew: true)
    }
    if let step { noteCreation(step, of: answer.order.order, isNew: answer.isNew) }
    if answer.isNew {
      metrics.count(
        .ordersCreatedTotal,
        [
          ("app", order.key.appEnvironment.app.text), ("store", order.store.rawValue),
          ("environment", order.key.appEnvironment.environment.rawValue),
        ])
      log(
        LogEvent(
          .info, "order.created",
          [("app", app.id.text), ("order", order.key.id.description), ("product", order.product.id.text)]
        ))
    }
    guard let store = integration(of: request.store) else { return answer }
    return (order: try await store.open(answer.order, for: app, in: self), isNew: answer.isNew)
  }

  private func noteCreation(_ step: Span, of order: Order, isNew: Bool) {
    var step = step
    step.order = order.key.id
    step.note("counterfoil.app", order.key.appEnvironment.app.text)
    step.note("counterfoil.store", order.store.rawValue)
    step.note("counterfoil.product", order.product.id.text)
    if isNew { return traces.endCreation(step, of: order.key.id) }
    traces.learn(order.key.id)
    traces.end(step)
  }

  private func newOrder(
    _ request: OrderRequest, for app: AppPolicy, by caller: Caller
  ) throws(CodedError<EngineErrorCode>) -> Order {
    guard let product = app.catalog[request.product] else { throw CodedError(.productUnknown) }
    guard let store = integration(of: request.store) else { throw CodedError(.storeNotConfigured) }
    try store.check(product, for: request, of: app)
    guard product.quantityAllowed.contains(request.quantity) else {
      let range = product.quantityAllowed
      throw CodedError(
        .quantityNotAllowed,
        "Allowed are \(range.lowerBound) to \(range.upperBound), asked \(request.quantity).")
    }
    let now = now
    let lifetime = store.orderLifetime(of: app) ?? limits.orderLifetime
    var order = Order(
      key: OrderKey(appEnvironment: app.homeEnvironment, id: dependencies.makeOrderIdentifier()),
      user: request.user, product: product, quantity: request.quantity, store: request.store,
      createdAt: now, expiresAt: now + lifetime)
    order.platform = request.platform
    order.scene = request.scene
    order.idempotency = request.idempotency.map {
      Idempotency(caller: caller.idempotencyScope, key: $0.key, requestDigest: $0.digest)
    }
    if request.reference != nil || request.metadata != nil {
      if case .backend = caller {
        order.reference = request.reference.map { Reference($0, from: .backend) }
      } else {
        guard app.referenceFromApp else { throw CodedError(.referenceNotAllowed) }
        order.reference = request.reference.map { Reference($0, from: .app) }
      }
      order.metadata = request.metadata
    }
    return order
  }

  /// The order that this call, or an earlier run of it, already created.
  private static func repeated(
    _ order: Order, in transaction: any DatabaseTransaction
  ) throws -> Order? {
    if let written = try transaction.order(order.key) { return written }
    guard let idempotency = order.idempotency,
      let known = try transaction.order(
        idempotencyKey: idempotency.key, of: idempotency.caller, in: order.key.appEnvironment)
    else { return nil }
    guard known.idempotency?.requestDigest == idempotency.requestDigest else {
      throw CodedError<EngineErrorCode>(.idempotencyKeyReused)
    }
    return known
  }

  private static func checkReference(
    _ order: Order, in transaction: any DatabaseTransaction
  ) throws {
    guard let reference = order.reference else { return }
    let known =
      switch reference.origin {
      case .backend:
        try transaction.order(referenceFromBackend: reference.text, in: order.key.appEnvironment)
      case .app:
        try transaction.order(
          referenceFromApp: reference.text, of: order.user, in: order.key.appEnvironment)
      }
    if let known {
      throw CodedError<EngineErrorCode>(
        .referenceAlreadyUsed, "It is the reference of order \(known.key.id).")
    }
  }

  /// Closes the oldest open orders of a user who has too many; a closed one still accepts a late payment. An order
  /// that is opened at a store can be closed only there. While the customer may be paying one of too many, no further
  /// order is created.
  private static func makeRoom(
    for order: Order, of app: AppPolicy, beside open: [Order], _ limits: EngineLimits,
    in transaction: any DatabaseTransaction
  ) throws {
    var open = open
    var superfluous: [Order] = []
    if order.store.opensOrders {
      let sameStore = open.filter { $0.product.id == order.product.id && $0.store == order.store }
      if let last = sameStore.last, sameStore.count >= limits.openOrdersPerProduct {
        throw CodedError<EngineErrorCode>(.tooManyOpenOrders, "The newest of them is \(last.key.id).")
      }
    }
    var ofProduct = open.filter {
      $0.product.id == order.product.id && !$0.store.opensOrders && !order.store.opensOrders
    }
    while ofProduct.count >= limits.openOrdersPerProduct {
      superfluous.append(ofProduct.removeFirst())
    }
    open.removeAll { kept in superfluous.contains { $0.key == kept.key } }
    while open.count >= limits.openOrdersPerUser,
      let oldest = open.firstIndex(where: { !$0.store.opensOrders })
    {
      superfluous.append(open.remove(at: oldest))
    }
    if order.store.opensOrders, open.count >= limits.openOrdersPerUser, let last = open.last {
      throw CodedError<EngineErrorCode>(.tooManyOpenOrders, "The newest of them is \(last.key.id).")
    }
    for old in superfluous { try close(old, .replaced, of: app, at: order.createdAt, in: transaction) }
  }

  private static func details(_ order: Order) -> String {
    JSONValue.members([
      ("productId", .string(order.product.id.text)), ("quantity", .integer(order.quantity)),
      ("store", .string(order.store.rawValue)),
      ("reference", order.reference.map { .string($0.text) }),
      ("platform", order.platform.map(JSONValue.string)),
      ("scene", order.scene.map(JSONValue.string)),
    ]).text
  }
}
