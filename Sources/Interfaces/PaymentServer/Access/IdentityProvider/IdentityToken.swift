import Cryptography
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Why the token of an identity provider is not taken. The word stands in the audit log; the caller learns no
/// difference.
package enum IdentityTokenProblem: String, Error, Hashable, CaseIterable, Sendable {
  /// The connection does not come from the proxy.
  case senderUntrusted = "identity_sender_untrusted"
  case missing = "identity_token_missing"
  /// Too large, sent twice, no JWT of three parts, or with claims of another form.
  case malformed = "identity_token_malformed"
  case keyUnknown = "identity_key_unknown"
  /// Another algorithm than that of its key, or one that the configuration leaves out.
  case algorithmRefused = "identity_algorithm_refused"
  case signatureInvalid = "identity_signature_invalid"
  case otherIssuer = "identity_other_issuer"
  case otherAudience = "identity_other_audience"
  case expired = "identity_token_expired"
  case notYetValid = "identity_token_not_yet_valid"
  /// It was issued too long ago, whatever its own end.
  case tooOld = "identity_token_too_old"
}

/// A JWT of an identity provider, read and not yet verified.
struct IdentityToken {
  /// Providers list the groups of a person in it; proxies pass on at most so much in one field.
  static let bytesMax = 8192
  /// The clock of the provider may differ by so much.
  static let clockSkew = TimeSpan.seconds(60)
  /// Roles of a token that is older may have been taken away.
  static let ageMax = TimeSpan.hours(24)
  private static let subjectBytesMax = 255

  let kid: CredentialIdentifier
  private let algorithm: String
  private let claims: JSONValue
  private let token: CompactJWS

  init(_ text: String) throws(IdentityTokenProblem) {
    guard let token = CompactJWS(text.utf8, bytesMax: Self.bytesMax), let header = Self.json(token.header),
      let claims = Self.json(token.payload), let kid = header["kid"]?.string,
      let algorithm = header["alg"]?.string, header["crit"] == nil, claims.object != nil
    else { throw .malformed }
    self.kid = CredentialIdentifier(kid)
    self.algorithm = algorithm
    self.claims = claims
    self.token = token
  }

  private static func json(_ bytes: [UInt8]) -> JSONValue? {
    try? JSONReader.read(
      bytes, limits: JSONLimits(bytesMax: bytesMax, depthMax: 8, valuesMax: 1000, allowsNullCharacter: false))
  }

  /// Who the token is about, if everything about it is right. The key decides the algorithm; the header must agree.
  func identity(
    by key: JSONWebKeySet.Key, for provider: IdentityProvider, at now: Timestamp
  ) throws(IdentityTokenProblem) -> ProviderIdentity {
    guard algorithm == key.algorithm.rawValue, provider.algorithms.contains(key.algorithm) else {
      throw .algorithmRefused
    }
    guard key.isValid(token.signature, for: token.signed) else { throw .signatureInvalid }
    guard Self.isEqual(claims["iss"]?.string, provider.issuer) else { throw .otherIssuer }
    // A token that is also for others could have been passed on by them.
    let audience = claims["aud"]?.array ?? claims["aud"].map { [$0] } ?? []
    guard audience.count == 1, Self.isEqual(audience[0].string, provider.audience) else { throw .otherAudience }
    try checkTimes(at: now)
    guard let subject = claims["sub"]?.string, (1...Self.subjectBytesMax).contains(subject.utf8.count) else {
      throw .malformed
    }
    let authenticated = try moment("auth_time")
    if let authenticated, authenticated > now + Self.clockSkew { throw .notYetValid }
    return ProviderIdentity(
      issuer: provider.issuer, subject: subject, roles: provider.rolesGiven(by: roleValues(provider.rolesClaim)),
      authenticatedAt: authenticated, hasSecondFactor: texts("amr").contains { provider.secondFactors.contains($0) })
  }

  private static func isEqual(_ claim: String?, _ expected: String) -> Bool {
    claim.map { $0.utf8.elementsEqual(expected.utf8) } ?? false
  }

  private func checkTimes(at now: Timestamp) throws(IdentityTokenProblem) {
    guard let issued = try moment("iat"), let expires = try moment("exp") else { throw .malformed }
    guard expires > now - Self.clockSkew else { throw .expired }
    guard issued <= now + Self.clockSkew else { throw .notYetValid }
    guard now - issued <= Self.ageMax else { throw .tooOld }
    if let begin = try moment("nbf"), begin > now + Self.clockSkew { throw .notYetValid }
  }

  /// A time in seconds, which may have a fraction (RFC 7519, section 2); nil if there is none.
  private func moment(_ name: String) throws(IdentityTokenProblem) -> Timestamp? {
    guard let value = claims[name] else { return nil }
    guard let seconds = value.flooredInteger else { throw .malformed }
    return Timestamp(seconds: seconds)
  }

  private func texts(_ name: String) -> [String] {
    claims[name]?.array?.compactMap(\.string) ?? claims[name]?.string.map { [$0] } ?? []
  }

  /// An address that its owner has not confirmed is anybody's.
  private func roleValues(_ claim: String) -> [String] {
    let isConfirmed = claims["email_verified"].map { $0 == .bool(true) } ?? true
    return claim == "email" && !isConfirmed ? [] : texts(claim)
  }
}
