import Synchronization

/// One statement. Each connection prepares it once, at its first use, and finds it again by its slot.
package struct SQL: Sendable {
  let text: SQLText
  /// Its index in the list of prepared statements of every connection.
  package let slot: Int

  private static let slotsTaken = Atomic<Int>(0)

  /// Creates a statement, once, as a static constant. Its parameters are question marks.
  package init(_ text: SQLText) {
    self.text = text
    self.slot = Self.slotsTaken.add(1, ordering: .relaxed).oldValue
  }

  /// The text for a database.
  package func text(in dialect: SQLDialect) -> String { text.spelled(in: dialect) }
}
