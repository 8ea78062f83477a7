import Cryptography
import PaymentPrimitives

/// A signed text as the table `evidence` has it: the row of its header, the rest of it, and the SHA-256 of the whole.
package struct SplitEvidence: Sendable {
  let text: String
  package let header: Int64
  package let rest: String
  package let digest: [UInt8]

  init(_ text: String, header: Int64, rest: String) {
    self.text = text
    self.header = header
    self.rest = rest
    digest = SHA256.hash(text)
  }
}

/// The headers that a connection has found in committed rows. A header row never changes, so they stay true.
package struct KnownHeaders {
  /// A leaf certificate of Apple signs for months: few headers are in use at a time.
  private static let max = 8

  /// Headers with their rows.
  package typealias Found = [(header: String, row: Int64)]

  package init() {}

  private var all: [(text: [UInt8], row: Int64)] = []

  /// The parts of a text that begins with a known header.
  func split(_ text: String) -> SplitEvidence? {
    guard let known = all.first(where: { Self.begins(text, with: $0.text) }) else { return nil }
    let end = text.utf8.index(text.startIndex, offsetBy: known.text.count)
    return SplitEvidence(text, header: known.row, rest: String(text[end...]))
  }

  package mutating func note(_ header: String, row: Int64) {
    if all.count == Self.max { all.removeFirst() }
    all.append((Array(header.utf8), row))
  }

  private static func begins(_ text: String, with header: [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      bytes.count > header.count && bytes[header.count] == UInt8(ascii: ".")
        && header.withUnsafeBytes {
          haveSameBytes(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<$0.count]), $0)
        }
    }
  }
}
