/// A value of a table as every database stores it. A copy moves and compares such values.
package enum StoredValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  /// Also an order id, which has 16 bytes.
  case bytes([UInt8])
}

/// What the rows of a table are, whatever their order.
package struct TableDigest: Hashable, Sendable {
  package var rows: Int64 = 0
  /// The sum, modulo 2⁶⁴, of the first eight bytes of each row's SHA-256.
  package var sum: UInt64 = 0

  package init() {}

  /// The bytes of a row that are digested: for each value its kind, its length unless it is a number, and itself.
  package static func bytes(of row: [StoredValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: Int64) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
    for value in row {
      switch value {
      case .null: bytes.append(0)
      case .integer(let number):
        bytes.append(1)
        append(number)
      case .text(let text):
        bytes.append(2)
        append(Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
      case .bytes(let blob):
        bytes.append(3)
        append(Int64(blob.count))
        bytes.append(contentsOf: blob)
      }
    }
    return bytes
  }

  /// Counts a row by its SHA-256.
  package mutating func add(_ digest: [UInt8]) {
    rows += 1
    sum &+= digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
