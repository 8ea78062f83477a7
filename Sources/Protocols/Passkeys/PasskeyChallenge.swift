package import Cryptography
package import PaymentPrimitives

/// A challenge that nobody needs to keep: it contains its moment, and only this installation can have made it, for one
/// purpose and one browser.
package enum PasskeyChallenge {
  /// How long a browser may take to answer.
  package static let lifetime = TimeSpan.minutes(5)
  /// The moment in milliseconds, most significant byte first.
  private static let momentBytes = 8

  /// - Parameters:
  ///   - purpose: what the answer is for: an answer for one purpose is none for another.
  ///   - binding: names the browser: the digest of its cookie.
  package static func make(_ purpose: String, for binding: String, at moment: Timestamp, key: Secret) -> [UInt8] {
    let moment = (0..<momentBytes).map { UInt8(truncatingIfNeeded: moment.milliseconds >> (56 - 8 * Int64($0))) }
    let text = Array("counterfoil passkey \(purpose) \(binding) ".utf8)
    return moment + HMACSHA256.code(for: text + moment, key: key)
  }

  /// Whether this installation made it for that purpose and browser, at most `lifetime` ago.
  package static func isValid(
    _ challenge: [UInt8], _ purpose: String, for binding: String, at now: Timestamp, key: Secret
  ) -> Bool {
    guard challenge.count > momentBytes else { return false }
    let milliseconds = challenge.prefix(momentBytes).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let made = Timestamp(milliseconds: milliseconds)
    guard ConstantTime.isEqual(make(purpose, for: binding, at: made, key: key), challenge) else { return false }
    return made <= now && now - made < lifetime
  }
}
