import Cryptography
import PaymentPrimitives
import StrictJSON

/// The signed-in user, from a JWT that the app's backend has signed (docs/specification/http.md, rule 1): `alg` HS256
/// or ES256, required `kid`, `sub` (1–255 bytes), `iat`, `exp` (at most 24 h after `iat`), `aud` = app id; 60 s of
/// clock difference.
struct UserToken: Hashable, Sendable {
  static let clockSkew = TimeSpan.seconds(60)
  static let lifetimeMax = TimeSpan.hours(24)
  static let bytesMax = 4096

  let app: AppIdentifier
  let user: UserIdentifier

  /// What a token with a valid signature says.
  struct Claims: Sendable {
    let token: UserToken
    let issued: Timestamp
    let expires: Timestamp
    let notBefore: Timestamp?
  }

  /// Verifies a token, cheap checks first. The key decides the algorithm; the header must agree with it.
  ///
  /// - Parameters:
  ///   - known: tokens that were valid before; only their times are checked again.
  ///   - mayCheck: called before an expensive signature check; throws if the check is not allowed.
  static func verify(
    _ text: String, keys: CurrentTokenKeys.Generation, known: VerifiedTokenCache, at now: Timestamp,
    mayCheck: () throws(CodedError<ServerErrorCode>) -> Void
  ) throws(CodedError<ServerErrorCode>) -> UserToken {
    guard text.utf8.count <= bytesMax else { throw invalid("It is longer than 4,096 bytes.") }
    let digest = SHA256.hash(text.utf8)
    if let claims = known.claims(digest, generation: keys.number) {
      try claims.checkTimes(at: now)
      return claims.token
    }
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = json(parts[0]), let claims = json(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw invalid("It is not a JWT of three parts.") }
    guard let kid = header["kid"]?.string, let key = keys.keys[CredentialIdentifier(kid)] else {
      throw invalid("Its kid names no key that is configured.")
    }
    guard header["crit"] == nil else { throw invalid("Its header demands what is not known.") }
    guard header["alg"]?.string == key.method.algorithm else {
      throw invalid("Its alg is not \(key.method.algorithm), by which that key signs.")
    }
    guard isFor(key.app, claims["aud"]) else { throw invalid("Its aud is not the app of its key.") }
    guard let user = claims["sub"]?.string, (1...255).contains(user.utf8.count) else {
      throw invalid("Its sub must be a text of 1 to 255 bytes.")
    }
    let read = try times(claims, of: UserToken(app: key.app, user: UserIdentifier(user)))
    try read.checkTimes(at: now)
    let signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
    guard try isSigned(signed, signature, by: key.method, mayCheck) else {
      throw invalid("Its signature is not by that key.")
    }
    known.remember(digest, read, generation: keys.number)
    return read.token
  }

  private static func isSigned(
    _ text: [UInt8], _ signature: [UInt8], by method: UserTokenKey.Method,
    _ mayCheck: () throws(CodedError<ServerErrorCode>) -> Void
  ) throws(CodedError<ServerErrorCode>) -> Bool {
    switch method {
    case .hs256(let secret): return HMACSHA256.isValid(signature, for: text, key: secret)
    case .es256(let key):
      guard let parsed = ECDSASignature(raw: signature, curve: .p256) else { return false }
      try mayCheck()
      return key.isValid(parsed, for: text)
    }
  }

  private static func invalid(_ details: String) -> CodedError<ServerErrorCode> {
    CodedError(.credentialInvalid, details)
  }

  private static func json(_ part: Substring.UTF8View) -> JSONValue? {
    guard let bytes = Base64URL.decode(part) else { return nil }
    return try? JSONReader.read(
      bytes, limits: JSONLimits(bytesMax: bytesMax, depthMax: 4, valuesMax: 100))
  }

  /// Whether the token is for that app alone: its id, or a list with nothing else (some libraries always write a
  /// list).
  private static func isFor(_ app: AppIdentifier, _ audience: JSONValue?) -> Bool {
    let names = audience?.array ?? audience.map { [$0] } ?? []
    return names.count == 1 && names[0].string.map { AppIdentifier($0) } == app
  }

  /// Reads the times in seconds. They may have a fraction (RFC 7519, section 2), which is dropped.
  private static func times(
    _ claims: JSONValue, of token: UserToken
  ) throws(CodedError<ServerErrorCode>) -> Claims {
    guard let issued = claims["iat"]?.flooredInteger.map({ Timestamp(seconds: $0) }),
      let expires = claims["exp"]?.flooredInteger.map({ Timestamp(seconds: $0) })
    else { throw invalid("Its iat and exp must be seconds since 1970.") }
    guard expires - issued <= lifetimeMax else {
      throw invalid("Its exp is more than 24 hours after its iat.")
    }
    guard let notBefore = claims["nbf"] else {
      return Claims(token: token, issued: issued, expires: expires, notBefore: nil)
    }
    guard let begin = notBefore.flooredInteger.map({ Timestamp(seconds: $0) }) else {
      throw invalid("Its nbf must be seconds since 1970.")
    }
    return Claims(token: token, issued: issued, expires: expires, notBefore: begin)
  }
}

extension UserToken.Claims {
  fileprivate func checkTimes(at now: Timestamp) throws(CodedError<ServerErrorCode>) {
    guard issued <= now + UserToken.clockSkew else {
      throw CodedError(.tokenExpired, "Its iat lies in the future.")
    }
    guard expires > now - UserToken.clockSkew else { throw CodedError(.tokenExpired, "Its exp has passed.") }
    guard let notBefore, notBefore > now + UserToken.clockSkew else { return }
    throw CodedError(.tokenExpired, "Its nbf lies in the future.")
  }
}

extension UserTokenKey.Method {
  /// The `alg` value of the header for this key.
  var algorithm: String {
    switch self {
    case .hs256: "HS256"
    case .es256: "ES256"
    }
  }
}
