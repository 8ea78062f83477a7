package import PaymentModel

/// A list of texts in one column: one per line, with `\` and the line end escaped, so that every text is restored
/// exactly.
///
/// A missing list is null; a list of one empty text is the empty text.
package enum TextList {
  package static func encode(_ texts: [String]) -> String? {
    // By far the most common case: one product id without characters to escape.
    if let only = texts.first, texts.count == 1, !only.utf8.contains(where: isSpecial) { return only }
    guard !texts.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for (index, text) in texts.enumerated() {
      if index > 0 { bytes.append(lineEnd) }
      for byte in text.utf8 {
        if isSpecial(byte) { bytes.append(backslash) }
        bytes.append(byte == lineEnd ? letterN : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  package static func decode(_ column: String?) -> [String] {
    guard let column else { return [] }
    guard column.utf8.contains(where: isSpecial) else { return [column] }
    var texts: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in column.utf8 {
      switch (isEscaped, byte) {
      case (true, letterN): texts[texts.count - 1].append(lineEnd)
      case (true, _): texts[texts.count - 1].append(byte)
      case (false, backslash):
        isEscaped = true
        continue
      case (false, lineEnd): texts.append([])
      case (false, _): texts[texts.count - 1].append(byte)
      }
      isEscaped = false
    }
    return texts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Flags as their words in alphabetical order, with commas.
  package static func encode(_ flags: Set<MatchFlag>) -> String {
    flags.isEmpty ? "" : flags.map(\.rawValue).sorted().joined(separator: ",")
  }

  private static func isSpecial(_ byte: UInt8) -> Bool { byte == backslash || byte == lineEnd }

  private static let backslash = UInt8(ascii: "\\")
  private static let lineEnd = UInt8(ascii: "\n")
  private static let letterN = UInt8(ascii: "n")
}
