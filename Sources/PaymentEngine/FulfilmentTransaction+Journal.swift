import PaymentModel
import PaymentStore
import PaymentVocabulary
import StrictJSON

extension FulfilmentTransaction {
  /// Keeps what the store said.
  func keepEvidence(of payment: PaymentKey) throws {
    try transaction.insert(
      Evidence(
        payment: payment, text: news.evidence, origin: news.origin, receivedAt: transaction.now))
  }

  /// Tells the story of a payment.
  func journal(_ what: String, _ payment: Payment, details: KeyValuePairs<String, JSONValue>) throws {
    try transaction.insert(
      JournalEntry(
        realm: payment.key.realm, at: transaction.now, what: what, order: payment.order,
        payment: payment.key,
        details: JSONValue.object(details.map { JSONMember($0.key, $0.value) }).text))
  }
}
