public import Cryptography
public import PaymentVocabulary
import StrictJSON

/// The key that an app's backend signs its user tokens with.
public struct UserTokenKey: Sendable {
  /// How it signs.
  public enum Method: Sendable {
    /// HMAC-SHA256 with a shared secret of at least 32 bytes.
    case hs256(Secret)
    /// ECDSA on P-256; we know the public half.
    case es256(ECDSAPublicKey)
  }

  /// The app whose users it names.
  public let app: AppIdentifier
  /// How it signs.
  public let method: Method

  /// A key of an app.
  public init(app: AppIdentifier, method: Method) {
    self.app = app
    self.method = method
  }
}

/// Who is signed in, by a JWT that the app's backend has signed (design §7): `alg` HS256 or ES256, required `kid`, `sub`
/// (1–255 bytes), `iat`, `exp` (at most 24 h after `iat`), `aud` = app id; 60 s of clock difference.
struct UserToken: Hashable, Sendable {
  static let clockSkew = TimeSpan.seconds(60)
  static let lifetimeMax = TimeSpan.hours(24)
  static let bytesMax = 4096

  let app: AppIdentifier
  let user: UserIdentifier

  /// Verifies a token. The key decides the algorithm; the header's word must agree with it.
  static func verify(
    _ text: String, keys: [CredentialIdentifier: UserTokenKey], at now: Timestamp
  ) throws(Refusal<ServerErrorCode>) -> UserToken {
    guard text.utf8.count <= bytesMax else { throw invalid("It is longer than 4,096 bytes.") }
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = json(parts[0]), let claims = json(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw invalid("It is not a JWT of three parts.") }
    guard let kid = header["kid"]?.string, let key = keys[CredentialIdentifier(kid)] else {
      throw invalid("Its kid names no key that is configured.")
    }
    guard header["crit"] == nil else { throw invalid("Its header demands what is not known.") }
    let signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
    guard isSigned(signed, signature, by: key.method, algorithm: header["alg"]?.string) else {
      throw invalid("Its signature is not by that key.")
    }
    guard claims["aud"]?.string == key.app.text else { throw invalid("Its aud is not the app of its key.") }
    guard let user = claims["sub"]?.string, (1...255).contains(user.utf8.count) else {
      throw invalid("Its sub must be a text of 1 to 255 bytes.")
    }
    try checkTimes(claims, at: now)
    return UserToken(app: key.app, user: UserIdentifier(user))
  }

  private static func invalid(_ particulars: String) -> Refusal<ServerErrorCode> {
    Refusal(.credentialInvalid, particulars)
  }

  private static func json(_ part: Substring.UTF8View) -> JSONValue? {
    guard let bytes = Base64URL.decode(part) else { return nil }
    return try? JSONReader.read(
      bytes, limits: JSONLimits(bytesMax: bytesMax, depthMax: 4, valuesMax: 100))
  }

  private static func isSigned(
    _ text: [UInt8], _ signature: [UInt8], by method: UserTokenKey.Method, algorithm: String?
  ) -> Bool {
    switch method {
    case .hs256(let secret):
      return algorithm == "HS256" && HMACSHA256.isValid(signature, for: text, key: secret)
    case .es256(let key):
      guard algorithm == "ES256", let signature = ECDSASignature(raw: signature, curve: .p256) else {
        return false
      }
      return key.isValid(signature, for: text)
    }
  }

  private static func checkTimes(
    _ claims: JSONValue, at now: Timestamp
  ) throws(Refusal<ServerErrorCode>) {
    guard let issued = claims["iat"]?.integer.map({ Timestamp(seconds: $0) }),
      let expires = claims["exp"]?.integer.map({ Timestamp(seconds: $0) })
    else { throw invalid("Its iat and exp must be whole seconds.") }
    guard expires - issued <= lifetimeMax else {
      throw invalid("Its exp is more than 24 hours after its iat.")
    }
    guard issued <= now + clockSkew else {
      throw Refusal(.tokenExpired, "Its iat lies in the future.")
    }
    guard expires > now - clockSkew else { throw Refusal(.tokenExpired, "Its exp has passed.") }
  }
}
