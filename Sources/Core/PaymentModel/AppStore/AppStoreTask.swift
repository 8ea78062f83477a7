package import PaymentPrimitives

/// A request to Apple about one transaction. It is kept until it is done, so that no crash and no outage of Apple
/// loses it.
package struct AppStoreTask: Hashable, Sendable {
  /// The purpose of the request. A transaction has each purpose at most once.
  package enum Purpose: String, CaseIterable, Hashable, Sendable {
    /// Get Transaction Info: asks what this transaction is. Nothing is granted before the answer arrives or the day in
    /// which it may arrive is over.
    case ask
    /// Finish Transaction: a consumable was granted, and no client reported that it finished the transaction.
    case finish
    /// Set App Account Token: the payment paid an order that its transaction does not name.
    case setToken
    /// Send Consumption Information: Apple asks how far the purchase is used (`CONSUMPTION_REQUEST`). The creation
    /// time is the time when Apple signed the question.
    case consumption
  }

  package let payment: PaymentKey
  package let purpose: Purpose
  package let createdAt: Timestamp
  package var dueAt: Timestamp
  package var tries: Int
  /// Who presents the transaction, and with what, as JSON text. It counts even if the device is gone.
  package var claim: String?
  /// What is known of the transaction without Apple, as JSON text. Processing continues from it if Apple does not
  /// answer for a day.
  package var shown: String?

  /// A task that is due at a given time.
  package init(payment: PaymentKey, purpose: Purpose, createdAt: Timestamp, dueAt: Timestamp) {
    self.payment = payment
    self.purpose = purpose
    self.createdAt = createdAt
    self.dueAt = dueAt
    self.tries = 0
  }

  /// Pauses between the attempts of a task; the last one repeats.
  package static let pauses: [TimeSpan] = [
    .seconds(2), .seconds(5), .seconds(15), .minutes(1), .minutes(5), .minutes(15), .minutes(30), .hours(1),
  ]

  /// When the next attempt is due after that many attempts.
  package static func next(after tries: Int, now: Timestamp) -> Timestamp {
    now + pauses[min(max(tries, 0), pauses.count - 1)]
  }
}
