import Cryptography
package import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The id of an event, and a place in the feed: `evt_`, the number of the entry, and a digest of its content.
///
/// By the digest a database notices an id that it did not give: after it was restored to an earlier moment, its numbers
/// begin again there, for other events.
package struct EventIdentifier: Hashable, Sendable {
  private static let prefix = "evt_"
  private static let digestBytes = 8

  package let number: Int64
  package let text: String

  package init(of numbered: NumberedJournalEntry) {
    let entry = numbered.entry
    let content = StableBytes.of([
      "event", entry.appEnvironment.app.text, entry.appEnvironment.environment.rawValue, "\(entry.at.milliseconds)",
      entry.what, entry.order?.description ?? "", entry.payment?.store.rawValue ?? "",
      entry.payment?.transaction.text ?? "", entry.details,
    ])
    number = numbered.number
    text = "\(Self.prefix)\(number)_\(Array(SHA256.hash(content).prefix(Self.digestBytes)).hexadecimal)"
  }

  /// Nil if no event can have that id. Whether one has it, its content decides.
  package init?(_ text: String) {
    let parts = text.dropFirst(Self.prefix.count).split(separator: "_", omittingEmptySubsequences: false)
    guard text.hasPrefix(Self.prefix), parts.count == 2, let number = Int64(parts[0]), number > 0 else { return nil }
    self.number = number
    self.text = text
  }
}
