package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  // MARK: orders

  package func foresee(_ order: OrderKey) -> Bool {
    guard ownOrders[order] == nil, base.foresee(order) else { return false }
    note([.order(order)])
    return true
  }

  package func order(_ key: OrderKey) throws -> Order? {
    try row(.order(key), own: ownOrders[key]) { try $0.order(key) }
  }

  package func orderWithPayment(
    _ id: OrderIdentifier, of app: AppIdentifier, in environments: [StoreEnvironment], user: UserIdentifier?
  ) throws -> OrderWithPayment? {
    let keys = environments.map { environment in
      LockKey.order(OrderKey(appEnvironment: AppEnvironment(app: app, environment: environment), id: id))
    }
    guard let last = keys.last else { return nil }
    // It also depends on the environments in which it is not.
    for key in keys.dropLast() { try read(key) { _ in } }
    let found = try read(last) { try $0.orderWithPayment(id, of: app, in: environments, user: user) }
    note(found?.payment.map { [.payment($0.key)] } ?? [])
    return found
  }

  package func order(referenceFromBackend text: String, in appEnvironment: AppEnvironment) throws -> Order? {
    let order = try read(.reference(text, appEnvironment)) {
      try $0.order(referenceFromBackend: text, in: appEnvironment)
    }
    return try current(order)
  }

  package func order(referenceFromApp text: String, of user: UserIdentifier, in appEnvironment: AppEnvironment) throws
    -> Order?
  {
    let order = try read(.reference(text, appEnvironment)) {
      try $0.order(referenceFromApp: text, of: user, in: appEnvironment)
    }
    return try current(order)
  }

  package func order(idempotencyKey key: String, of caller: String, in appEnvironment: AppEnvironment) throws -> Order?
  {
    let order = try read(.idempotency(key, caller: caller, appEnvironment)) {
      try $0.order(idempotencyKey: key, of: caller, in: appEnvironment)
    }
    return try current(order)
  }

  /// An order that was found by one of its numbers: those never change, so the rest of it is read by its key.
  private func current(_ found: Order?) throws -> Order? {
    guard let found else { return nil }
    return try row(.order(found.key), own: ownOrders[found.key]) { _ in found }
  }

  package func unpaidOrders(
    of user: UserIdentifier, for product: ProductIdentifier, at store: Store,
    madeIn range: ClosedRange<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [Order] {
    try read(.user(user, appEnvironment)) {
      try $0.unpaidOrders(of: user, for: product, at: store, madeIn: range, in: appEnvironment)
    }
  }

  package func openOrders(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [Order] {
    try read(.user(user, appEnvironment)) { try $0.openOrders(of: user, in: appEnvironment) }
  }

  package func orders(_ query: OrderQuery) throws -> [Order] { try readWithoutKey { try $0.orders(query) } }

  package func ordersToExpire(at now: Timestamp, limit: Int) throws -> [Order] {
    try readWithoutKey { try $0.ordersToExpire(at: now, limit: limit) }
  }

  package func orders(after key: OrderKey?, limit: Int) throws -> [Order] {
    try readWithoutKey { try $0.orders(after: key, limit: limit) }
  }

  // MARK: WeChat Pay

  package func weChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder? {
    try row(.order(key), own: ownWeChatPayOrders[key]) { try $0.weChatPayOrder(key) }
  }

  package func refund(_ number: String, in appEnvironment: AppEnvironment) throws -> Refund? {
    try read(.refund(number, appEnvironment)) { try $0.refund(number, in: appEnvironment) }
  }

  package func refunds(of payment: PaymentKey) throws -> [Refund] {
    try read(.payment(payment)) { try $0.refunds(of: payment) }
  }

  package func reconciliation(of day: String, at store: Store, in appEnvironment: AppEnvironment) throws
    -> ReconciliationRecord?
  {
    try read(.reconciliation(day: day, store, appEnvironment)) {
      try $0.reconciliation(of: day, at: store, in: appEnvironment)
    }
  }

  package func weChatPayOrdersToAsk(at now: Timestamp, limit: Int) throws -> [WeChatPayOrder] {
    try readWithoutKey { try $0.weChatPayOrdersToAsk(at: now, limit: limit) }
  }

  package func refundsToAsk(at now: Timestamp, limit: Int) throws -> [Refund] {
    try readWithoutKey { try $0.refundsToAsk(at: now, limit: limit) }
  }

  package func nextStoreQuestion() throws -> Timestamp? { try readWithoutKey { try $0.nextStoreQuestion() } }

  package func charges(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, transaction: TransactionIdentifier)?,
    in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try readWithoutKey { try $0.charges(madeIn: range, after: last, in: appEnvironment, limit: limit) }
  }

  package func refunds(
    madeIn range: Range<Timestamp>, after last: (date: Timestamp, number: String)?, in appEnvironment: AppEnvironment,
    limit: Int
  ) throws -> [Refund] {
    try readWithoutKey { try $0.refunds(madeIn: range, after: last, in: appEnvironment, limit: limit) }
  }

  // MARK: writes

  package func insert(_ order: Order) throws {
    try write(.order(.insert(order)))
    ownOrders[order.key] = order
  }

  package func update(_ order: Order) throws {
    try write(.order(.update(order)))
    ownOrders[order.key] = order
  }

  package func move(_ order: Order, to user: UserIdentifier, keepsReference: Bool) throws {
    try write(.order(.move(order, to: user, keepsReference: keepsReference)))
    ownOrders[order.key] = order.moved(to: user, keepsReference: keepsReference)
  }

  package func insert(_ order: WeChatPayOrder) throws {
    try write(.order(.insertWeChatPay(order)))
    ownWeChatPayOrders[order.order] = order
  }

  package func update(_ order: WeChatPayOrder) throws {
    try write(.order(.updateWeChatPay(order)))
    ownWeChatPayOrders[order.order] = order
  }

  package func insert(_ refund: Refund) throws { try write(.order(.insertRefund(refund))) }

  package func update(_ refund: Refund) throws { try write(.order(.updateRefund(refund))) }

  package func put(_ record: ReconciliationRecord) throws { try write(.order(.putReconciliation(record))) }
}
