package import PaymentPrimitives

/// Something that Apple is still to be asked or told about one transaction: kept until it is done, so that neither a
/// kill nor a silent Apple loses it.
package struct AppStoreTask: Hashable, Sendable {
  /// What it is for. Each at most once for a transaction.
  package enum Purpose: String, CaseIterable, Hashable, Sendable {
    /// What this transaction is: Get Transaction Info. Nothing is granted before the answer, or before the day is over
    /// within which it may come.
    case ask
    /// A consumable was granted, and no client has said that it finished the transaction: Finish Transaction.
    case finish
    /// The payment paid an order that its transaction does not name: Set App Account Token.
    case setToken
    /// Apple asks how far the purchase is used (`CONSUMPTION_REQUEST`): Send Consumption Information. It is created
    /// when Apple signed the question.
    case consumption
  }

  package let payment: PaymentKey
  package let purpose: Purpose
  package let createdAt: Timestamp
  package var dueAt: Timestamp
  package var tries: Int
  /// Who presents the transaction, and with what, as JSON text: it counts also when the phone is gone.
  package var claim: String?
  /// What is known of the transaction without Apple, as JSON text: where it goes on if Apple says nothing for a day.
  package var shown: String?

  /// An errand that is due at a moment.
  package init(payment: PaymentKey, purpose: Purpose, createdAt: Timestamp, dueAt: Timestamp) {
    self.payment = payment
    self.purpose = purpose
    self.createdAt = createdAt
    self.dueAt = dueAt
    self.tries = 0
  }

  /// Pauses between the tries of a question; the last one repeats.
  package static let pauses: [TimeSpan] = [
    .seconds(2), .seconds(5), .seconds(15), .minutes(1), .minutes(5), .minutes(15), .minutes(30), .hours(1),
  ]

  /// When it is tried again after so many tries.
  package static func next(after tries: Int, now: Timestamp) -> Timestamp {
    now + pauses[min(max(tries, 0), pauses.count - 1)]
  }
}
