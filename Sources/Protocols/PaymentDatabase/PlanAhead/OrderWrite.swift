package import PaymentModel
import PaymentPrimitives

/// The writes about orders, their data at WeChat Pay, refunds and the comparison with bills.
package enum OrderWrite: Hashable, Sendable {
  case insert(Order)
  case update(Order)
  case insertWeChatPay(WeChatPayOrder)
  case updateWeChatPay(WeChatPayOrder)
  case insertRefund(Refund)
  case updateRefund(Refund)
  case putReconciliation(ReconciliationRecord)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .insert(let order): try transaction.insert(order)
    case .update(let order): try transaction.update(order)
    case .insertWeChatPay(let order): try transaction.insert(order)
    case .updateWeChatPay(let order): try transaction.update(order)
    case .insertRefund(let refund): try transaction.insert(refund)
    case .updateRefund(let refund): try transaction.update(refund)
    case .putReconciliation(let record): try transaction.put(record)
    }
  }

  var keys: [LockKey] {
    switch self {
    case .insert(let order): Self.keys(of: order) + Self.namingKeys(of: order)
    // What names an order never changes.
    case .update(let order): Self.keys(of: order)
    case .insertWeChatPay(let order), .updateWeChatPay(let order): [.order(order.order)]
    case .insertRefund(let refund), .updateRefund(let refund):
      [.refund(refund.number, refund.appEnvironment), .payment(refund.payment)]
    case .putReconciliation(let record): [.reconciliation(day: record.day, record.store, record.appEnvironment)]
    }
  }

  private static func keys(of order: Order) -> [LockKey] {
    [.order(order.key), .user(order.user, order.key.appEnvironment)]
  }

  private static func namingKeys(of order: Order) -> [LockKey] {
    let appEnvironment = order.key.appEnvironment
    var keys: [LockKey] = []
    if let reference = order.reference { keys.append(.reference(reference.text, appEnvironment)) }
    if let idempotency = order.idempotency {
      keys.append(.idempotency(idempotency.key, caller: idempotency.caller, appEnvironment))
    }
    return keys
  }
}
