import Console
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SigningAuthorities
import SimulationKit
import StrictJSON
import TestDoubles
import Testing

/// A console behind the proxy of an identity provider, whose tokens it signs as the provider and as attackers do.
struct ProviderFixture {
  static let issuer = "https://login.example.com"
  static let header = "X-Identity-Token"
  static let proxy = "10.0.0.1"
  static let ellipticKey = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 0x31, count: 48))
  static let strangeKey = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 0x32, count: 48))
  static let rsaKey = RSAPrivateKey(randomBytes: Array("an identity provider's key made for tests".utf8))

  /// How a token is signed.
  enum Signer {
    case es256(ECDSAPrivateKey)
    case rs256
    case hs256([UInt8])
    /// Some bytes that are no signature.
    case nobody

    var algorithm: String {
      switch self {
      case .es256: "ES256"
      case .rs256: "RS256"
      case .hs256: "HS256"
      case .nobody: "none"
      }
    }
  }

  let fixture: ConsoleFixture
  let log = EventLog()
  /// What the provider publishes now; nil: it does not answer.
  let keys = SharedValue<[UInt8]?>(Self.keySet([Self.elliptic("ec"), Self.rsa("rsa")]))
  let reads = SharedValue(0)

  var engine: PaymentEngine { fixture.shop.engine }
  var now: Timestamp { fixture.shop.now() }

  init(isSimulated: Bool = false, _ change: (inout IdentityProvider) -> Void = { _ in }) throws {
    var provider = IdentityProvider(
      issuer: Self.issuer, audience: "console", header: Self.header,
      proxies: [try #require(AddressBlock(Self.proxy))], keys: .url(Self.issuer + "/jwks"),
      roles: [
        .init(value: "payments-admin", role: .admin, app: "*"), .init(value: "help", role: .support, app: "shop"),
        .init(value: "books", role: .finance, app: "shop"), .init(value: "see", role: .viewer, app: "shop"),
      ])
    change(&provider)
    var settings = ConsoleSettings(
      origin: ConsoleFixture.origin, isSimulated: isSimulated, version: "1.0-test", approvals: nil)
    settings.identity = IdentityVerification(provider, log: log.log) { [keys, reads] in
      reads.value += 1
      guard let bytes = keys.value else { throw HTTPExchangeError.unreachable("the provider") }
      return bytes
    }
    fixture = ConsoleFixture(over: try EngineFixture(), settings: settings)
  }

  // MARK: keys

  static func elliptic(_ kid: String, _ key: ECDSAPrivateKey = ellipticKey) -> String {
    let point = key.publicKey.point
    let (x, y) = (Base64URL.encode(point[1...32]), Base64URL.encode(point[33...]))
    return #"{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"\#(kid)","x":"\#(x)","y":"\#(y)"}"#
  }

  static func rsa(_ kid: String) -> String {
    // The key ends with the modulus of 256 bytes, the head of the exponent, and the exponent.
    let end = rsaKey.publicKey.spki.suffix(261)
    let (modulus, exponent) = (Base64URL.encode(end.prefix(256)), Base64URL.encode(end.suffix(3)))
    return #"{"kty":"RSA","use":"sig","kid":"\#(kid)","n":"\#(modulus)","e":"\#(exponent)"}"#
  }

  static func keySet(_ keys: [String]) -> [UInt8] { Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8) }

  // MARK: tokens

  /// The usual claims of somebody who has just shown two factors to the provider; `changes` replaces some.
  func claims(
    _ subject: String = "lin", in groups: [String] = ["help"], _ changes: [(String, JSONValue?)] = []
  ) -> [(String, JSONValue?)] {
    let usual: [(String, JSONValue?)] = [
      ("iss", .string(Self.issuer)), ("sub", .string(subject)), ("aud", "console"), ("iat", .integer(now.seconds)),
      ("exp", .integer(now.seconds + 3600)), ("auth_time", .integer(now.seconds)), ("amr", .array(["pwd", "mfa"])),
      ("groups", .array(groups.map(JSONValue.string))),
    ]
    return usual.filter { claim in !changes.contains { $0.0 == claim.0 } } + changes
  }

  func token(
    _ claims: [(String, JSONValue?)], kid: String? = "ec", by signer: Signer = .es256(ellipticKey),
    saying algorithm: String? = nil, header more: [(String, JSONValue?)] = []
  ) -> String {
    let header = JSONValue.members(
      [("alg", .string(algorithm ?? signer.algorithm)), ("kid", kid.map(JSONValue.string))] + more)
    return CompactJWS.token(header: header.bytes, payload: JSONValue.members(claims).bytes) { text in
      switch signer {
      case .es256(let key): key.deterministicSignature(for: text).raw
      case .rs256: Self.rsaKey.signature(for: text)
      case .hs256(let secret): HMACSHA256.code(for: text, key: Secret(secret))
      case .nobody: [1, 2, 3]
      }
    }
  }

  // MARK: browsers

  /// A browser behind the proxy, which adds this token.
  func browser(_ token: String?, language: String = "en") -> Browser {
    var browser = Browser(fixture: fixture, language: language)
    browser.address = Self.proxy
    if let token { browser.fields = [(Self.header, token)] }
    return browser
  }

  func enter(_ browser: Browser) async -> Browser.Answer { await browser.post("/console/enter/provider", []) }

  /// A browser that has signed in.
  func signedIn(
    _ subject: String = "lin", in groups: [String] = ["help"], _ changes: [(String, JSONValue?)] = []
  ) async throws -> Browser {
    var browser = browser(token(claims(subject, in: groups, changes)))
    browser.cookie = try #require(await enter(browser).cookie)
    return browser
  }

  /// The account of a subject.
  func name(_ subject: String = "lin", at issuer: String = Self.issuer) -> OperatorName {
    PaymentEngine.accountName(
      of: ProviderIdentity(
        issuer: issuer, subject: subject, roles: [:], authenticatedAt: nil, hasSecondFactor: false))
  }

  func account(_ subject: String = "lin") async throws -> OperatorAccount? {
    let name = name(subject)
    return try await engine.read { try $0.operatorAccount(name) }
  }

  func wait(_ span: TimeSpan) { fixture.shop.clock.advance(by: span) }

  /// Why sign-ins were refused, the oldest first.
  func problems() async throws -> [String] {
    try await engine.auditLog(before: nil, limit: 500).reversed().filter { $0.action == "signIn.refused" }
      .map { $0.problem ?? "" }
  }
}
