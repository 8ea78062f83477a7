package import Cryptography
package import PaymentPrimitives
package import PaymentServer
import SigningAuthorities
package import StrictJSON

/// Signs user tokens as the backends of both apps do, and as attackers do.
package struct TokenMaker: Sendable {
  package static let sharedSecret = "a token secret made for tests, 32+ bytes"
  package static let otherSecret = "the other app's secret made for tests, 32+"
  package static let privateKey = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 0x21, count: 48))
  package static let newerPrivateKey = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 0x22, count: 48))

  /// The keys of the server's configuration.
  package static var keys: [CredentialIdentifier: UserTokenKey] {
    get throws {
      [
        "shop-hs": try UserTokenKey(app: "shop", method: .hs256(Secret(Array(sharedSecret.utf8)))),
        "shop-es": try UserTokenKey(app: "shop", method: .es256(privateKey.publicKey)),
        "shop-es-2": try UserTokenKey(app: "shop", method: .es256(newerPrivateKey.publicKey)),
        "other-hs": try UserTokenKey(app: "other", method: .hs256(Secret(Array(otherSecret.utf8)))),
        "gone-hs": try UserTokenKey(app: "gone", method: .hs256(Secret(Array(sharedSecret.utf8)))),
      ]
    }
  }

  /// How a token is signed.
  package enum Signer: Sendable {
    case hs256(String)
    case es256(ECDSAPrivateKey)
    case nobody

    var algorithm: String {
      switch self {
      case .hs256: "HS256"
      case .es256: "ES256"
      case .nobody: "none"
      }
    }
  }

  private let now: Timestamp

  package init(at now: Timestamp = EngineFixture.noon) { self.now = now }

  /// A good token of the shop with a shared secret.
  package func token(user: UserIdentifier = "alice") -> String { token(claims(user)) }

  /// The usual claims.
  package func claims(_ user: UserIdentifier = "alice", app: String = "shop") -> [(String, JSONValue?)] {
    [
      ("sub", .string(user.text)), ("aud", .string(app)), ("iat", .integer(now.seconds)),
      ("exp", .integer(now.seconds + 3600)),
    ]
  }

  /// A token of those claims.
  package func token(
    _ claims: [(String, JSONValue?)], kid: String? = "shop-hs", by signer: Signer = .hs256(sharedSecret),
    saying algorithm: String? = nil, header more: [(String, JSONValue?)] = []
  ) -> String {
    let header = JSONValue.members(
      [("alg", .string(algorithm ?? signer.algorithm)), ("kid", kid.map(JSONValue.string)), ("typ", "JWT")] + more)
    return Self.sign(header.text, JSONValue.members(claims).text, by: signer)
  }

  /// A token of any two texts.
  package static func sign(_ header: String, _ claims: String, by signer: Signer) -> String {
    let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
    let signature: [UInt8] =
      switch signer {
      case .hs256(let secret): HMACSHA256.code(for: signed.utf8, key: Secret(Array(secret.utf8)))
      case .es256(let key): key.deterministicSignature(for: Array(signed.utf8)).raw
      case .nobody: []
      }
    return signed + "." + Base64URL.encode(signature)
  }
}
