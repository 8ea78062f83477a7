package import PaymentModel
package import PaymentDatabase
import PaymentPrimitives

/// Everything that the journal tells of an order: its own entries, those of its payment from before they found each
/// other, and of a subscription those of all its periods.
package enum OrderTimeline {
  package static func entries(of order: Order, in store: any DatabaseReader) throws -> [JournalEntry] {
    var entries = try store.journal(of: order.key)
    guard let payment = try store.payment(paying: order.key) else { return entries }
    var payments = [payment.key]
    if payment.facts.kind == .autoRenewable {
      let line = payment.facts.line
      payments += [line] + (try store.payments(ofOriginal: line)).map(\.key)
    }
    for key in Set(payments).sorted() {
      entries += try store.journal(of: key).filter { $0.order != order.key.id || $0.realm != order.key.realm }
    }
    // A stable order: of two of one moment the order's own come first, each payment's as they were written.
    return entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}
