package import PaymentDatabase
package import PaymentModel
import PaymentPrimitives

/// All journal entries of an order: its own, and earlier ones of its payment from before the match. For a
/// subscription, those of all its periods are included.
package enum OrderTimeline {
  package static func entries(of order: Order, in reader: any DatabaseReader) throws -> [JournalEntry] {
    var entries = try reader.journal(of: order.key)
    guard let payment = try reader.payment(paying: order.key) else { return entries }
    var payments = [payment.key]
    if payment.facts.kind == .autoRenewable {
      let original = payment.facts.originalKey
      payments += [original] + (try reader.payments(ofOriginal: original)).map(\.key)
    }
    for key in Set(payments).sorted() {
      entries += try reader.journal(of: key).filter {
        $0.order != order.key.id || $0.appEnvironment != order.key.appEnvironment
      }
    }
    // A stable order: at the same time the order's own entries come first, then each payment's as they were written.
    return entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}
