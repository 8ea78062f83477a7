import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import Testing

private let realm = AppEnvironment(app: "shop", environment: .production)

/// The kinds of due work that the nodes over one database take from each other.
enum DueWork: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case deliveries
  case forwards
  case ordersToExpire
  case weChatPayOrders
  case refunds
  case appStoreTasks

  var testDescription: String { rawValue }

  /// Where the rows are that are due.
  var table: String {
    switch self {
    case .deliveries: "deliveries"
    case .forwards: "notification_forwards"
    case .ordersToExpire: "orders"
    case .weChatPayOrders: "wechat_pay_orders"
    case .refunds: "refunds"
    case .appStoreTasks: "app_store_errands"
    }
  }

  /// Makes that many rows that are due now. No two share a user or a payment: a taker holds these keys, too.
  func insert(_ count: Int, into database: PostgreSQLDatabase) async throws {
    try await database.transact { transaction in
      for number in 0..<count { try prepare(number, in: transaction) }
    }.get()
    try await database.transact { transaction in
      for number in 0..<count { try insert(number, in: transaction) }
    }.get()
  }

  /// Writes what a row of the work names.
  private func prepare(_ number: Int, in transaction: any DatabaseTransaction) throws {
    let now = transaction.now
    switch self {
    case .deliveries, .refunds:
      try transaction.insert(
        Payment(
          facts: VerifiedPayment(
            key: Self.payment(number), originalTransaction: Self.payment(number).transaction,
            storeProduct: "com.example.coins", kind: .consumable, quantity: 1, purchaseDate: now, signedDate: now),
          firstSeenAt: now))
    case .forwards:
      try transaction.insert(
        ReceivedNotification(
          appEnvironment: realm, id: "\(number)", type: "TEST", subtype: nil, signedDate: now, transaction: nil,
          signedPayload: "a.b.\(number)", receivedAt: now, effect: .applied))
    case .weChatPayOrders: try transaction.insert(Self.order(number, at: .weChatPay, now))
    case .ordersToExpire, .appStoreTasks: break
    }
  }

  private func insert(_ number: Int, in transaction: any DatabaseTransaction) throws {
    let now = transaction.now
    switch self {
    case .deliveries:
      try transaction.insert(
        Delivery(
          id: DeliveryIdentifier("due.\(number)"), payment: Self.payment(number), order: nil, kind: .created,
          sequence: 1, body: "{}", createdAt: now))
    case .forwards:
      try transaction.insert(
        NotificationForward(appEnvironment: realm, notification: "\(number)", body: "{}", createdAt: now))
    case .ordersToExpire: try transaction.insert(Self.order(number, at: .appStore, now))
    case .weChatPayOrders:
      try transaction.insert(
        WeChatPayOrder(
          order: Self.order(number, at: .weChatPay, now).key, merchant: "merchant", storeApp: "app", tradeType: "APP",
          amount: Money(minorUnits: 1, currency: .cny), prepayBody: "{}", nextQuestionAt: now))
    case .refunds:
      let amount = Money(minorUnits: 1, currency: .cny)
      var refund = Refund(
        appEnvironment: realm, number: "\(number)", order: nil, payment: Self.payment(number), amount: amount,
        total: amount, reason: nil, body: "{}", createdAt: now)
      refund.nextQuestionAt = now
      try transaction.insert(refund)
    case .appStoreTasks:
      try transaction.put(AppStoreTask(payment: Self.payment(number), purpose: .ask, createdAt: now, dueAt: now))
    }
  }

  /// Takes some of it as the engine does: each row is written, and is not due again before the lease ends.
  ///
  /// - Returns: the names of what was taken.
  func take(_ limit: Int, on node: PostgreSQLDatabase) async throws -> [String] {
    try await node.transact { try take(limit, in: $0) }.get()
  }

  private func take(_ limit: Int, in transaction: any DatabaseTransaction) throws -> [String] {
    switch self {
    case .deliveries, .forwards: try takeLeased(limit, transaction)
    case .ordersToExpire, .weChatPayOrders, .refunds, .appStoreTasks: try takePutOff(limit, transaction)
    }
  }

  /// Takes what has leases in its rows.
  private func takeLeased(_ limit: Int, _ transaction: any DatabaseTransaction) throws -> [String] {
    let end = transaction.now + .seconds(45)
    guard self == .deliveries else {
      return try transaction.takeForwards(of: realm.app, limit: limit).map { due in
        var forward = due
        forward.lease = Lease(until: end, fence: (due.lease?.fence ?? 0) + 1)
        try transaction.update(forward)
        return forward.notification
      }
    }
    return try transaction.takeDeliveries(in: realm, limit: limit).map { due in
      var delivery = due
      delivery.lease = Lease(until: end, fence: (due.lease?.fence ?? 0) + 1)
      try transaction.update(delivery)
      return delivery.id.text
    }
  }

  /// Takes what is due again later, or never.
  private func takePutOff(_ limit: Int, _ transaction: any DatabaseTransaction) throws -> [String] {
    let later = transaction.now + .minutes(1)
    switch self {
    case .deliveries, .forwards: return []
    case .ordersToExpire:
      return try transaction.takeOrdersToExpire(limit: limit).map { due in
        var order = due
        _ = try order.receive(.close(.expired), at: transaction.now)
        try transaction.update(order)
        return "\(order.key.id)"
      }
    case .weChatPayOrders:
      return try transaction.takeWeChatPayOrders(limit: limit).map { due in
        var order = due
        order.nextQuestionAt = later
        try transaction.update(order)
        return "\(order.order.id)"
      }
    case .refunds:
      return try transaction.takeRefunds(limit: limit).map { due in
        var refund = due
        refund.nextQuestionAt = later
        try transaction.update(refund)
        return refund.number
      }
    case .appStoreTasks:
      return try transaction.takeAppStoreTasks(limit: limit).map { due in
        var appStoreTask = due
        appStoreTask.dueAt = later
        try transaction.put(appStoreTask)
        return appStoreTask.payment.transaction.text
      }
    }
  }

  private static func payment(_ number: Int) -> PaymentKey {
    PaymentKey(
      app: realm.app, store: .appStore, environment: realm.environment, transaction: TransactionIdentifier("\(number)"))
  }

  private static func order(_ number: Int, at store: Store, _ now: Timestamp) -> Order {
    Order(
      key: OrderKey(appEnvironment: realm, id: OrderIdentifier(high: 0, low: UInt64(number) + 1)),
      user: UserIdentifier("user-\(number)"),
      product: Product(id: "coins", kind: .consumable, grant: .units("coin", perPiece: 100)), quantity: 1, store: store,
      createdAt: now, expiresAt: now)
  }
}
