package import PaymentDatabase
package import PaymentModel
import PaymentPrimitives

// While a store is asked about a payment and does not answer, the order shows `pending`. So a reader learns that a
// payment may be in progress. An earlier verdict stays.
extension PaymentEngine {
  /// Shows `pending` with the orders that have no verdict yet.
  package static func noteSilence(
    of orders: [Order], because reason: String, _ transaction: any DatabaseTransaction
  ) throws {
    for var order in orders where order.state.isUnpaid && order.lastVerdict == nil {
      order.lastVerdict = LastVerdict(.pending, reason: reason, at: transaction.now)
      try transaction.update(order)
    }
  }

  /// Shows the result with the orders that show `pending`.
  package static func endSilence(
    of orders: [Order], by state: PaymentState?, _ transaction: any DatabaseTransaction
  ) throws {
    for var order in orders where order.lastVerdict?.verdict == .pending {
      order.lastVerdict = state.flatMap { LastVerdict(namedByPaymentIn: $0, at: transaction.now) }
      try transaction.update(order)
    }
  }
}
