package import Cryptography
package import PaymentPrimitives
import StrictJSON

/// The credentials for the App Store Server API: an In-App Purchase key and its app.
package struct AppStoreServerCredentials: Sendable {
  /// The issuer id of the team, a UUID (App Store Connect, Users and Access, Integrations).
  package let issuerId: String
  /// The id of the key: ten letters and digits, also part of the file name.
  package let keyId: String
  package let bundleId: String

  private let privateKey: ECDSAPrivateKey

  /// The lifetime of a token. Apple allows an hour; its own libraries use five minutes.
  static let lifetime = TimeSpan.minutes(5)
  /// Backdates the token, because Apple rejects a token from the future by its own clock.
  static let backdate = TimeSpan.seconds(60)

  /// Credentials as App Store Connect shows them.
  ///
  /// - Throws: a value does not have the documented form. Only Apple can tell whether key and ids belong together.
  package init(
    issuerId: String, keyId: String, bundleId: String, privateKey: ECDSAPrivateKey
  ) throws(CodedError<AppStoreKeyErrorCode>) {
    guard Self.isUUID(issuerId) else { throw CodedError(.issuerId) }
    guard (1...32).contains(keyId.utf8.count), keyId.utf8.allSatisfy(Self.isLetterOrDigit) else {
      throw CodedError(.keyId)
    }
    guard privateKey.curve == .p256 else { throw CodedError(.keyCurve, "It lies on \(privateKey.curve.rawValue).") }
    self.issuerId = issuerId
    self.keyId = keyId
    self.bundleId = bundleId
    self.privateKey = privateKey
  }

  /// A token for one request; Apple requires a new one for each.
  ///
  /// Source: "Generating JSON Web Tokens for API requests". All times are whole seconds.
  package func token(at now: Timestamp) -> String {
    token(
      of: .members([
        ("iss", .string(issuerId)), ("iat", .integer((now - Self.backdate).seconds)),
        ("exp", .integer((now + Self.lifetime).seconds)), ("aud", .string("appstoreconnect-v1")),
        ("bid", .string(bundleId)),
      ]))
  }

  func token(of claims: JSONValue) -> String {
    let header = JSONValue.members([
      ("alg", .string("ES256")), ("kid", .string(keyId)), ("typ", .string("JWT")),
    ])
    return CompactJWS.token(header: header.bytes, payload: claims.bytes) { privateKey.signature(for: $0).raw }
  }

  /// The key's signature of a message.
  func signature(for message: [UInt8]) -> ECDSASignature { privateKey.signature(for: message) }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isUUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)
    let isHexadecimal = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
    return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(isHexadecimal) }
  }
}

extension AppStoreServerCredentials: CustomStringConvertible, CustomReflectable {
  package var description: String { "key \(keyId) of issuer \(issuerId) for \(bundleId)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The errors of a key for the App Store Server API.
package enum AppStoreKeyErrorCode: String, ErrorCode {
  /// The issuer id is not a UUID.
  case issuerId = "app_store_issuer_id_malformed"
  /// The key id does not consist of letters and digits.
  case keyId = "app_store_key_id_malformed"
  /// The key is not on the curve P-256.
  case keyCurve = "app_store_key_curve"

  package var meaning: BilingualText {
    switch self {
    case .issuerId: .init("The issuer id is not a UUID.", "issuer id 不是 UUID。")
    case .keyId: .init("The key id is not made of letters and digits.", "key id 不是由字母和数字组成。")
    case .keyCurve: .init("The key does not lie on P-256.", "密钥不在 P-256 曲线上。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .issuerId, .keyId:
      .init(
        "Copy it from App Store Connect: Users and Access, Integrations, In-App Purchase.",
        "请从 App Store Connect 的“用户和访问 - 集成 - App 内购买项目”复制。")
    case .keyCurve:
      .init(
        "Use the SubscriptionKey_….p8 file of an In-App Purchase key.", "请使用“App 内购买项目”密钥的 SubscriptionKey_….p8 文件。")
    }
  }

  package var retry: RetryAdvice { .never }
}
