import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// A refund of an order's payment, done or in progress.
package struct OrderRefund: Hashable, Sendable {
  /// Its progress: the word of `Refund.State`. A refund of the App Store is always done.
  package let state: String
  /// Our number of it at WeChat Pay; nil for the App Store.
  package let number: String?
  /// The refunded money, if the store states it: WeChat Pay does, the App Store states a percentage.
  package let amount: Money?
  /// Thousandths of a percent of the purchase, if the App Store states them: 100,000 is all of it.
  package let percentage: Int64?
  /// When it was requested, or learned of; for the App Store, when it revoked the purchase.
  package let createdAt: Timestamp
  package let doneAt: Timestamp?

  init(_ refund: Refund) {
    state = refund.state.name
    number = refund.number
    amount = refund.amount
    percentage = nil
    createdAt = refund.createdAt
    if case .done(let moment) = refund.state { doneAt = moment } else { doneAt = nil }
  }

  /// The App Store's present statement; nil if it refunded no money.
  init?(_ revocation: Revocation) {
    guard revocation.type != "FAMILY_REVOKE" else { return nil }
    state = "done"
    number = nil
    amount = nil
    percentage = revocation.percentage ?? 100_000
    createdAt = revocation.date
    doneAt = revocation.date
  }

  /// The refunds of an order's payment, by the store's latest statement.
  static func all(of payment: Payment, in reader: any DatabaseReader) throws -> [OrderRefund] {
    payment.key.store.opensOrders
      ? try reader.refunds(of: payment.key).map { OrderRefund($0) }
      : payment.facts.revocation.flatMap { OrderRefund($0) }.map { [$0] } ?? []
  }
}

extension OrderDetails {
  /// The refunded share of the payment.
  package enum RefundState: String, CaseIterable, Sendable {
    case none
    case partial
    case full
  }

  /// The share of the payment refunded so far.
  package var refundState: RefundState {
    let done = refunds.filter { $0.doneAt != nil }
    guard !done.isEmpty else { return .none }
    if done.contains(where: { ($0.percentage ?? 0) >= 100_000 }) { return .full }
    guard let back = refundedAmount, let paid = paidAmount else { return .partial }
    return back.minorUnits >= paid.minorUnits ? .full : .partial
  }

  /// The money refunded so far; nil if there is none, or if the amount is not known. For the App Store it is a
  /// percentage of the signed price, rounded down to whole units of the currency.
  package var refundedAmount: Money? {
    let done = refunds.filter { $0.doneAt != nil }
    guard let first = done.first else { return nil }
    if let currency = first.amount?.currency {
      return Money(
        minorUnits: done.reduce(0) { $0 + ($1.amount?.minorUnits ?? 0) }, currency: currency)
    }
    // It is not documented whether the price is that of one piece or of all.
    guard order.quantity == 1, let price = payment?.facts.price, let share = first.percentage else { return nil }
    return price.money(thousandthsOfPercent: share)
  }

  /// What the payer paid, as the store states it.
  private var paidAmount: Money? { payment?.facts.price?.money(thousandthsOfPercent: 100_000) }
}
