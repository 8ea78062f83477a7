/// Text for a terminal. Much of what commands print comes from others: user ids, references of orders, answers of
/// stores and backends. Such text must not control the terminal or imitate other output.
enum TerminalText {
  /// The same text, with control characters and direction controls escaped as `\u001B`, as in JSON. Line ends and tabs
  /// stay.
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: isSuspect) else { return text }
    return written(text) { $0 == "\n" || $0 == "\t" }
  }

  /// The same for foreign text within a line: line ends and tabs are escaped too.
  static func line(_ text: String) -> String {
    guard text.utf8.contains(where: { isSuspect($0) || $0 == 0x0A || $0 == 0x09 }) else { return text }
    return written(text) { _ in false }
  }

  private static func written(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool) -> String {
    var output = String.UnicodeScalarView()
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      // The line ends of spreadsheets.
      let endsLine = scalar == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n" && isKept("\n")
      if isControl(scalar), !isKept(scalar), !endsLine {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        output.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
      } else {
        output.append(scalar)
      }
    }
    return String(output)
  }

  /// Unicode's category Cc, its line separators, and its direction controls; all have four digits.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The first bytes of such characters. Most text has none, so the log stays fast.
  private static func isSuspect(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
  }
}
