import Cryptography

/// A store's statement as an operator can read it.
enum SignedText {
  /// More characters than a transaction has; a receipt of a year is longer.
  private static let charactersMax = 8_000

  /// The payload of a JWS; any other text as it is, and no more of it than fits on a page.
  static func readable(_ text: String) -> String {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])),
      let payload = String(validating: bytes, as: UTF8.self)
    else { return String(text.prefix(charactersMax)) }
    return String(payload.prefix(charactersMax))
  }
}
