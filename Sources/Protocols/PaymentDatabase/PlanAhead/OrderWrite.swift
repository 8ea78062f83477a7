package import PaymentModel
package import PaymentPrimitives

/// The writes about orders, their data at WeChat Pay, refunds, complaints and the comparison with bills.
package enum OrderWrite: Hashable, Sendable {
  case insert(Order)
  case update(Order)
  case move(Order, to: UserIdentifier, keepsReference: Bool)
  case insertWeChatPay(WeChatPayOrder)
  case updateWeChatPay(WeChatPayOrder)
  case insertRefund(Refund)
  case updateRefund(Refund)
  case putReconciliation(ReconciliationRecord)
  case putComplaint(Complaint)

  func apply(to transaction: any DatabaseTransaction) throws {
    switch self {
    case .insert(let order): try transaction.insert(order)
    case .update(let order): try transaction.update(order)
    case .move(let order, let user, let keepsReference):
      try transaction.move(order, to: user, keepsReference: keepsReference)
    case .insertWeChatPay(let order): try transaction.insert(order)
    case .updateWeChatPay(let order): try transaction.update(order)
    case .insertRefund(let refund): try transaction.insert(refund)
    case .updateRefund(let refund): try transaction.update(refund)
    case .putReconciliation(let record): try transaction.put(record)
    case .putComplaint(let complaint): try transaction.put(complaint)
    }
  }

  func addKeys(to keys: inout LockKeys) {
    switch self {
    case .insert(let order):
      Self.addKeys(of: order, to: &keys)
      Self.addNamingKeys(of: order, to: &keys)
    case .move(let order, let user, _):
      Self.addKeys(of: order, to: &keys)
      Self.addNamingKeys(of: order, to: &keys)
      keys.insert(.user(user, order.key.appEnvironment))
    // What names an order does not change.
    case .update(let order): Self.addKeys(of: order, to: &keys)
    case .insertWeChatPay(let order), .updateWeChatPay(let order): keys.insert(.order(order.order))
    case .insertRefund(let refund), .updateRefund(let refund):
      keys.insert(.refund(refund.number, refund.appEnvironment))
      keys.insert(.payment(refund.payment))
    case .putReconciliation(let record):
      keys.insert(.reconciliation(day: record.day, record.store, record.appEnvironment))
    case .putComplaint(let complaint): keys.insert(.complaint(complaint.id, complaint.appEnvironment))
    }
  }

  private static func addKeys(of order: Order, to keys: inout LockKeys) {
    keys.insert(.order(order.key))
    keys.insert(.user(order.user, order.key.appEnvironment))
  }

  private static func addNamingKeys(of order: Order, to keys: inout LockKeys) {
    let appEnvironment = order.key.appEnvironment
    if let reference = order.reference { keys.insert(.reference(reference.text, appEnvironment)) }
    if let idempotency = order.idempotency {
      keys.insert(.idempotency(idempotency.key, caller: idempotency.caller, appEnvironment))
    }
  }
}
