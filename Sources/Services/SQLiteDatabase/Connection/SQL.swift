import Synchronization

/// One statement of this module. Each connection prepares it once, at its first use, and finds it again by its slot.
struct SQL: Sendable {
  let text: String
  /// Its index in the list of prepared statements of every connection.
  let slot: Int

  private static let slotsTaken = Atomic<Int>(0)

  /// Creates a statement, once, as a static constant.
  init(_ text: String) {
    self.text = text
    self.slot = Self.slotsTaken.add(1, ordering: .relaxed).oldValue
  }
}
