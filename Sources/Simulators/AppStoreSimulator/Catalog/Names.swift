/// The formats of user-defined names. Each function returns the name if it has the format, otherwise nil.
enum Names {
  /// `CFBundleIdentifier`: Apple allows letters, digits, hyphens and points.
  static func bundleId(_ text: String) -> String? {
    has(text, 1...155) { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E } ? text : nil
  }

  /// App Store Connect allows letters, digits, underscores and points; hyphens come from bundle ids as prefixes.
  static func productId(_ text: String) -> String? {
    has(text, 1...100) { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F } ? text : nil
  }

  /// The simulator's own account names, often e-mail addresses.
  static func account(_ text: String) -> String? {
    has(text, 1...64) { isAlphanumeric($0) || [0x2B, 0x2D, 0x2E, 0x40, 0x5F].contains($0) } ? text : nil
  }

  /// Apple's transaction ids: numbers as text.
  static func number(_ text: String) -> String? { has(text, 1...32, isDigit) ? text : nil }

  static func keyId(_ text: String) -> String? {
    has(text, 10...10) { isDigit($0) || (0x41...0x5A).contains($0) } ? text : nil
  }

  /// A currency, ISO 4217.
  static func currency(_ text: String) -> String? {
    has(text, 3...3) { (0x41...0x5A).contains($0) } ? text : nil
  }

  /// A notification URL; the network decides whether it may be called.
  static func url(_ text: String) -> String? {
    let isPrintable = has(text, 8...2048) { (0x21...0x7E).contains($0) }
    return isPrintable && (text.hasPrefix("http://") || text.hasPrefix("https://")) ? text : nil
  }

  private static func has(
    _ text: String, _ lengths: ClosedRange<Int>, _ allows: (UInt8) -> Bool
  ) -> Bool {
    lengths.contains(text.utf8.count) && text.utf8.allSatisfy(allows)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
