package import Cryptography
package import PaymentModel
package import PaymentPrimitives

/// One-time codes by time (RFC 6238), as every app for them makes them: six digits, HMAC with SHA-1, a new one every 30
/// seconds.
package enum OneTimeCode {
  package static let digits = 6
  package static let stepLength = TimeSpan.seconds(30)
  /// Clocks of phones differ: the codes of the step before and of the step after are taken, too.
  private static let stepsAround: Int64 = 1
  private static let secretBytes = 20

  package static func step(at moment: Timestamp) -> Int64 {
    moment.milliseconds / stepLength.milliseconds
  }

  package static func text(_ secret: Secret, step: Int64) -> String {
    let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
    let code = HMACSHA1.code(for: counter, key: secret)
    let offset = Int(code[19] & 0x0F)
    let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    return String(String(number % 1_000_000 + 1_000_000).dropFirst())
  }

  /// The step whose code that is; nil for a wrong one. White space within it does not count.
  static func step(of code: String, _ secret: Secret, at moment: Timestamp) -> Int64? {
    let given = Array(code.utf8.filter { $0 != 0x20 })
    let now = step(at: moment)
    var found: Int64?
    // Each is compared, so that the time shows nothing.
    for step in now - stepsAround...now + stepsAround
    where ConstantTime.isEqual(Array(text(secret, step: step).utf8), given) {
      found = step
    }
    return found
  }

  /// The secret of an account's codes. It is computed, so no row and no backup of a row holds it (record 270).
  package static func secret(of account: OperatorName, salt: String, installation: Secret) -> Secret {
    let text = Array("counterfoil one-time codes \(account.text) \(salt)".utf8)
    return Secret(HMACSHA256.code(for: text, key: installation).prefix(secretBytes))
  }

  /// A secret as people type it into an app: Base32 (RFC 4648) without padding.
  package static func base32(_ secret: Secret) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var text: [UInt8] = []
    // 20 bytes are four times five bytes, of which each gives eight digits.
    let bytes = secret.withBytes { Array($0) }
    for start in stride(from: 0, to: bytes.count - bytes.count % 5, by: 5) {
      let number = bytes[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      for place in 0..<8 { text.append(alphabet[Int(number >> UInt64(35 - 5 * place) & 31)]) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
