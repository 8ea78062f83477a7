package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func takeDeliveries(in appEnvironment: AppEnvironment, limit: Int) throws -> [Delivery] {
    try take { try $0.takeDeliveries(in: appEnvironment, limit: limit) }
  }

  package func takeForwards(of app: AppIdentifier, limit: Int) throws -> [NotificationForward] {
    try take { try $0.takeForwards(of: app, limit: limit) }
  }

  package func takeOrdersToExpire(limit: Int) throws -> [Order] { try take { try $0.takeOrdersToExpire(limit: limit) } }

  package func takeWeChatPayOrders(limit: Int) throws -> [WeChatPayOrder] {
    try take { try $0.takeWeChatPayOrders(limit: limit) }
  }

  package func takeRefunds(limit: Int) throws -> [Refund] { try take { try $0.takeRefunds(limit: limit) } }

  package func takeAppStoreTasks(limit: Int) throws -> [AppStoreTask] {
    try take { try $0.takeAppStoreTasks(limit: limit) }
  }
}
