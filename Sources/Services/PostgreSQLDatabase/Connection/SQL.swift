import Synchronization

/// One statement of this module. Each connection prepares it once, at its first use, and finds it again by its slot.
struct SQL: Sendable {
  let text: String
  /// Its index in the list of prepared statements of every connection.
  let slot: Int

  private static let slotsTaken = Atomic<Int>(0)

  /// Creates a statement, once, as a static constant. Its parameters are question marks; PostgreSQL numbers them.
  init(_ text: String) {
    self.text = Self.numbered(text)
    self.slot = Self.slotsTaken.add(1, ordering: .relaxed).oldValue
  }

  /// The name under which a connection prepares it.
  var name: String { "s\(slot)" }

  private static func numbered(_ text: String) -> String {
    var bytes: [UInt8] = []
    var (number, isQuoted) = (0, false)
    for byte in text.utf8 {
      if byte == UInt8(ascii: "'") { isQuoted.toggle() }
      guard byte == UInt8(ascii: "?"), !isQuoted else {
        bytes.append(byte)
        continue
      }
      number += 1
      bytes += Array("$\(number)".utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
