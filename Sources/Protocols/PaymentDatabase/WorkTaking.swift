package import PaymentModel
package import PaymentPrimitives

/// Due work, taken for one worker: what the read of the same subject finds at `now`, without the rows that another
/// transaction holds at this moment.
///
/// The rows stay with this transaction until its end, so no two nodes take one. The caller writes into each row, in the
/// same transaction, when it is due again. Whatever else the transaction reads must concern the taken rows; a
/// transaction that reads more is run while no other writes.
///
/// A database with one writer needs nothing but the read.
package protocol WorkTaking: DatabaseReader {
  /// The database's clock, for leases and due times; it is constant for the whole run of the closure.
  var now: Timestamp { get }

  func takeDeliveries(in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery]
  func takeForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward]
  func takeOrdersToExpire(limit: Int) throws -> [Order]
  func takeWeChatPayOrders(limit: Int) throws -> [WeChatPayOrder]
  func takeRefunds(limit: Int) throws -> [Refund]
  func takeAppStoreTasks(limit: Int) throws -> [AppStoreTask]
}

extension WorkTaking {
  package func takeDeliveries(in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery] {
    try dueDeliveries(at: now, in: appEnvironment, limit: limit)
  }

  package func takeForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    try dueForwards(at: now, of: app, limit: limit)
  }

  package func takeOrdersToExpire(limit: Int) throws -> [Order] { try ordersToExpire(at: now, limit: limit) }

  package func takeWeChatPayOrders(limit: Int) throws -> [WeChatPayOrder] {
    try weChatPayOrdersToAsk(at: now, limit: limit)
  }

  package func takeRefunds(limit: Int) throws -> [Refund] { try refundsToAsk(at: now, limit: limit) }

  package func takeAppStoreTasks(limit: Int) throws -> [AppStoreTask] { try appStoreTasks(dueAt: now, limit: limit) }
}
