import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  // MARK: questions

  func order(_ key: OrderKey) throws -> Order? {
    try proceed()
    return rows.orders[key]
  }

  func orderWithPayment(
    _ id: OrderIdentifier, of app: AppIdentifier, in environments: [StoreEnvironment], user: UserIdentifier?
  ) throws -> OrderWithPayment? {
    for environment in environments {
      let key = OrderKey(appEnvironment: AppEnvironment(app: app, environment: environment), id: id)
      guard let order = try self.order(key), user == nil || order.user == user else { continue }
      guard let payment = order.state.payment else { return OrderWithPayment(order, payment: nil, deliveries: []) }
      return OrderWithPayment(
        order, payment: try self.payment(payment),
        deliveries: try deliveries(of: payment).filter { $0.order == id })
    }
    return nil
  }

  func order(referenceFromBackend text: String, in appEnvironment: AppEnvironment) throws -> Order? {
    try proceed()
    let key = ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(text))
    return rows.ordersByBackendReference[key].flatMap { rows.orders[$0] }
  }

  func order(
    referenceFromApp text: String, of user: UserIdentifier, in appEnvironment: AppEnvironment
  ) throws -> Order? {
    try proceed()
    let key = ScopedText(appEnvironment: appEnvironment, scope: ExactText(user.text), text: ExactText(text))
    return rows.ordersByAppReference[key].flatMap { rows.orders[$0] }
  }

  func order(idempotencyKey key: String, of caller: String, in appEnvironment: AppEnvironment) throws -> Order? {
    try proceed()
    let key = ScopedText(appEnvironment: appEnvironment, scope: ExactText(caller), text: ExactText(key))
    return rows.ordersByIdempotencyKey[key].flatMap { rows.orders[$0] }
  }

  func orders(_ query: OrderQuery) throws -> [Order] {
    try proceed()
    let candidates = query.user.map { orders(of: $0, in: query.appEnvironment) } ?? Array(rows.orders.values)
    return
      candidates
      .filter { order in
        order.key.appEnvironment == query.appEnvironment && (!query.openOnly || order.state == .awaitingPayment)
          && (query.before.map { order.position < $0 } ?? true)
      }
      .sorted { $0.position > $1.position }
      .limited(to: query.limit)
  }

  func unpaidOrders(
    of user: UserIdentifier, for product: ProductIdentifier, at store: Store,
    madeIn range: ClosedRange<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [Order] {
    try proceed()
    return orders(of: user, in: appEnvironment)
      .filter {
        $0.product.id == product && $0.store == store && $0.state.isUnpaid && range.contains($0.createdAt)
      }
      .sorted { ($0.createdAt, $0.key.id) < ($1.createdAt, $1.key.id) }
      .limited(to: DatabaseLimits.ordersPerUser)
  }

  func openOrders(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [Order] {
    try proceed()
    return orders(of: user, in: appEnvironment)
      .filter { $0.state == .awaitingPayment }
      .sorted { ($0.createdAt, $0.key.id) < ($1.createdAt, $1.key.id) }
      .limited(to: DatabaseLimits.ordersPerUser)
  }

  private func orders(of user: UserIdentifier, in appEnvironment: AppEnvironment) -> [Order] {
    (rows.ordersByUser[owner(user, appEnvironment)] ?? []).compactMap { rows.orders[$0] }
  }

  private func owner(_ user: UserIdentifier, _ appEnvironment: AppEnvironment) -> ScopedText {
    ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(user.text))
  }

  func ordersToExpire(at now: Timestamp, limit: Int) throws -> [Order] {
    try proceed()
    return rows.expiries.all.prefix { $0.at <= now }.limited(to: limit).compactMap { rows.orders[$0.key] }
  }

  func orders(after key: OrderKey?, limit: Int) throws -> [Order] {
    try proceed()
    return rows.orderKeys.after(key).limited(to: limit).compactMap { rows.orders[$0] }
  }

  // MARK: writes

  func insert(_ order: Order) throws {
    try proceed()
    try require(order.quantity >= 1, "An order is for nothing.")
    guard rows.orders[order.key] == nil else { throw conflict(on: "order") }
    if let reference = order.reference {
      let text = ExactText(reference.text)
      let scope = reference.origin == .app ? ExactText(order.user.text) : ""
      let key = ScopedText(appEnvironment: order.key.appEnvironment, scope: scope, text: text)
      switch reference.origin {
      case .backend:
        guard rows.ordersByBackendReference[key] == nil else {
          throw conflict(on: "order's reference from the backend")
        }
        set(\.ordersByBackendReference, key, value: order.key)
      case .app:
        guard rows.ordersByAppReference[key] == nil else {
          throw conflict(on: "order's reference from the app")
        }
        set(\.ordersByAppReference, key, value: order.key)
      }
    }
    if let idempotency = order.idempotency {
      let key = ScopedText(
        appEnvironment: order.key.appEnvironment, scope: ExactText(idempotency.caller), text: ExactText(idempotency.key)
      )
      guard rows.ordersByIdempotencyKey[key] == nil else {
        throw conflict(on: "order's idempotency key")
      }
      set(\.ordersByIdempotencyKey, key, value: order.key)
    }
    append(\.ordersByUser, owner(order.user, order.key.appEnvironment), element: order.key)
    move(\.orderKeys, from: nil, to: order.key)
    move(\.expiries, from: nil, to: expiry(of: order))
    set(\.orders, order.key, value: order)
  }

  func update(_ order: Order) throws {
    try proceed()
    guard let before = rows.orders[order.key], before.promisesTheSame(as: order) else {
      throw fail(.inconsistent, "An order to be updated is missing or promised something else.")
    }
    move(\.expiries, from: expiry(of: before), to: expiry(of: order))
    set(\.orders, order.key, value: order)
  }

  func move(_ order: Order, to user: UserIdentifier, keepsReference: Bool) throws {
    try proceed()
    guard let before = rows.orders[order.key], before.user == order.user else {
      throw fail(.inconsistent, "An order to be moved is missing or another user's.")
    }
    let place = order.key.appEnvironment
    if let reference = before.reference, reference.origin == .app {
      let text = ExactText(reference.text)
      let after = ScopedText(appEnvironment: place, scope: ExactText(user.text), text: text)
      remove(
        \.ordersByAppReference, ScopedText(appEnvironment: place, scope: ExactText(before.user.text), text: text))
      if keepsReference {
        guard rows.ordersByAppReference[after] == nil else { throw conflict(on: "order's reference from the app") }
        set(\.ordersByAppReference, after, value: order.key)
      }
    }
    let former = owner(before.user, place)
    set(\.ordersByUser, former, value: (rows.ordersByUser[former] ?? []).filter { $0 != order.key })
    append(\.ordersByUser, owner(user, place), element: order.key)
    set(\.orders, order.key, value: before.moved(to: user, keepsReference: keepsReference))
  }

  private func expiry(of order: Order) -> Moment<OrderKey>? {
    order.state == .awaitingPayment && order.store == .appStore ? Moment(at: order.expiresAt, key: order.key) : nil
  }
}
