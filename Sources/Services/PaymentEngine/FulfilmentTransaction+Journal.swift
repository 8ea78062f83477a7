import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import StrictJSON

extension FulfilmentTransaction {
  func keepEvidence(of payment: PaymentKey) throws {
    try transaction.insert(
      Evidence(
        payment: payment, text: news.evidence, origin: news.origin, receivedAt: transaction.now))
  }

  /// Adds an entry about a payment to the journal.
  func journal(_ what: String, _ payment: Payment, details: KeyValuePairs<String, JSONValue>) throws {
    try journal(what, payment, .object(details.map { JSONMember($0.key, $0.value) }))
  }

  /// The same with details that are built elsewhere.
  func journal(_ what: String, _ payment: Payment, _ details: JSONValue) throws {
    try transaction.insert(
      JournalEntry(
        appEnvironment: payment.key.appEnvironment, at: transaction.now, what: what, order: payment.order,
        payment: payment.key,
        details: details.text))
  }
}
