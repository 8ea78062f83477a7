import PaymentModel
import PaymentDatabase
package import PaymentPrimitives

/// What went back, or is going back, of an order's payment.
package struct OrderRefund: Hashable, Sendable {
  /// How far it is: the word of `Refund.State`. What the App Store tells is done.
  package let state: String
  /// Our number of it at WeChat Pay; the App Store states none.
  package let number: String?
  /// What goes back, where the store states money: WeChat Pay does, the App Store states a percentage.
  package let amount: Money?
  /// Thousandths of a percent of the purchase, where the App Store states them: 100,000 is all of it.
  package let percentage: Int64?
  /// When it was asked for, or learned of; of the App Store when it took the purchase back.
  package let createdAt: Timestamp
  package let doneAt: Timestamp?

  init(_ refund: Refund) {
    state = refund.state.word
    number = refund.number
    amount = refund.amount
    percentage = nil
    createdAt = refund.createdAt
    if case .done(let moment) = refund.state { doneAt = moment } else { doneAt = nil }
  }

  /// What the App Store says at present; nil where it gave no money back.
  init?(_ revocation: Revocation) {
    guard revocation.type != "FAMILY_REVOKE" else { return nil }
    state = "done"
    number = nil
    amount = nil
    percentage = revocation.percentage ?? 100_000
    createdAt = revocation.date
    doneAt = revocation.date
  }

  /// Of the payment of an order, as the store told it last.
  static func all(of payment: Payment, in store: any DatabaseReader) throws -> [OrderRefund] {
    switch payment.key.store {
    case .weChatPay: try store.refunds(of: payment.key).map { OrderRefund($0) }
    case .appStore: payment.facts.revocation.flatMap { OrderRefund($0) }.map { [$0] } ?? []
    }
  }
}

extension OrderStory {
  /// How much of what was paid has gone back.
  package enum RefundState: String, CaseIterable, Sendable {
    case none
    case partial
    case full
  }

  /// How much of what was paid has gone back so far.
  package var refundState: RefundState {
    let done = refunds.filter { $0.doneAt != nil }
    guard !done.isEmpty else { return .none }
    if done.contains(where: { ($0.percentage ?? 0) >= 100_000 }) { return .full }
    guard let back = refundedAmount, let paid = paidAmount else { return .partial }
    return back.minorUnits >= paid.minorUnits ? .full : .partial
  }

  /// The money that has gone back so far; nil where nothing has, or where nobody can tell how much. The App Store
  /// states a percentage: of the price that it signed, rounded down to whole units of the currency.
  package var refundedAmount: Money? {
    let done = refunds.filter { $0.doneAt != nil }
    guard let first = done.first else { return nil }
    switch order.store {
    case .weChatPay:
      guard let currency = first.amount?.currency else { return nil }
      return Money(
        minorUnits: done.reduce(0) { $0 + ($1.amount?.minorUnits ?? 0) }, currency: currency)
    case .appStore:
      // Whether the price is that of one piece or of all is not documented.
      guard order.quantity == 1, let price = payment?.facts.price, let share = first.percentage else { return nil }
      return price.money(thousandthsOfPercent: share)
    }
  }

  /// What the payer paid, as the store states it.
  private var paidAmount: Money? { payment?.facts.price?.money(thousandthsOfPercent: 100_000) }
}
