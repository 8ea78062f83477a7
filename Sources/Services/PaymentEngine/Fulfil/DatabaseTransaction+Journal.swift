import CounterfoilAPI
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
  func journal(
    _ event: JournalEvent, _ payment: Payment, details: JSONValue, telling body: EventBody? = nil
  ) throws {
    try journal(event, payment, detailsText: details.text, telling: body)
  }

  /// The same with the text of the details: several entries may have the same.
  func journal(
    _ event: JournalEvent, _ payment: Payment, detailsText: String, telling body: EventBody? = nil
  ) throws {
    var entry = JournalEntry(
      event, in: payment.key.appEnvironment, at: now, order: payment.order, payment: payment.key, details: detailsText)
    entry.event = body?.json.text
    try insert(entry)
  }

  /// Adds an entry about an order, and the payment that caused it.
  func journal(
    _ event: JournalEvent, _ order: OrderKey, payment: PaymentKey? = nil,
    details: KeyValuePairs<String, JSONValue> = [:], telling body: EventBody? = nil
  ) throws {
    var entry = JournalEntry(
      event, in: order.appEnvironment, at: now, order: order.id, payment: payment,
      details: JSONValue.object(details.map { JSONMember($0.key, $0.value) }).text)
    entry.event = body?.json.text
    try insert(entry)
  }
}
