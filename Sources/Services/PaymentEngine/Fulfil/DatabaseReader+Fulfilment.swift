import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension DatabaseReader {
  /// The order of a payment as its owner may see it.
  func order(paidBy payment: Payment, of user: UserIdentifier?) throws -> Order? {
    guard let user, payment.owner == user, let id = payment.order else { return nil }
    return try order(OrderKey(appEnvironment: payment.key.appEnvironment, id: id))
  }

  /// Whether a grant was taken back completely; looked up only after a reversal.
  func nothingIsLeft(of payment: Payment) throws -> Bool {
    guard case .reversed = payment.state, let grant = try grant(payment.key) else { return false }
    return !grant.isInForce
  }

  /// Whether a refund was requested from here, and it is not known yet whether it is done or failed.
  func isRefundUnderWay(_ payment: Payment) throws -> Bool {
    guard payment.key.store.opensOrders else { return false }
    return try refunds(of: payment.key).contains { !$0.state.isFinal }
  }

  /// The refunds requested from here that are done: the money is returned.
  func refundsDone(of payment: Payment) throws -> [Refund] {
    guard payment.key.store.opensOrders else { return [] }
    return try refunds(of: payment.key).filter { if case .done = $0.state { true } else { false } }
  }
}
