import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

extension DatabaseTransaction {
  /// Adds an entry about a payment to the journal.
  func journal(_ event: JournalEvent, _ payment: Payment, details: KeyValuePairs<String, JSONValue>) throws {
    try journal(event, payment, details: .object(details.map { JSONMember($0.key, $0.value) }))
  }

  /// The same with details that are built elsewhere.
  func journal(_ event: JournalEvent, _ payment: Payment, details: JSONValue) throws {
    try journal(event, payment, detailsText: details.text)
  }

  /// The same with the text of the details: several entries may have the same.
  func journal(_ event: JournalEvent, _ payment: Payment, detailsText: String) throws {
    try insert(
      JournalEntry(
        event, in: payment.key.appEnvironment, at: now, order: payment.order, payment: payment.key,
        details: detailsText))
  }

  /// Adds an entry about an order, and the payment that caused it.
  func journal(
    _ event: JournalEvent, _ order: OrderKey, payment: PaymentKey? = nil,
    details: KeyValuePairs<String, JSONValue> = [:]
  ) throws {
    try insert(
      JournalEntry(
        event, in: order.appEnvironment, at: now, order: order.id, payment: payment,
        details: JSONValue.object(details.map { JSONMember($0.key, $0.value) }).text))
  }
}
