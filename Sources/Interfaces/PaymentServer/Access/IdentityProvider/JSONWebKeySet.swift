import Cryptography
import PaymentPrimitives
import StrictJSON

/// The public keys of an identity provider (RFC 7517), by their `kid`. Keys for encryption and of other algorithms are
/// left out.
package struct JSONWebKeySet: Hashable, Sendable {
  /// Providers publish two or three keys.
  package static let bytesMax = 64 << 10
  private static let keysMax = 64
  private static let kidBytesMax = 255

  /// The names of JOSE (RFC 7518). Neither a shared secret (`HS256`) nor `none` is accepted.
  package enum Algorithm: String, Hashable, CaseIterable, Sendable {
    case es256 = "ES256"
    case rs256 = "RS256"
  }

  /// Why a text is no such set.
  package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
  }

  enum Key: Hashable, Sendable {
    case es256(ECDSAPublicKey)
    case rs256(RSAPublicKey)

    var algorithm: Algorithm {
      switch self {
      case .es256: .es256
      case .rs256: .rs256
      }
    }

    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      switch self {
      case .es256(let key):
        ECDSASignature(raw: signature, curve: .p256).map { key.isValid($0, for: message) } ?? false
      case .rs256(let key): key.isValid(signature, for: message)
      }
    }
  }

  private let keys: [CredentialIdentifier: Key]

  package var count: Int { keys.count }

  subscript(_ kid: CredentialIdentifier) -> Key? { keys[kid] }

  /// Reads a set.
  package init(_ bytes: [UInt8]) throws(Problem) {
    let value: JSONValue
    do {
      value = try JSONReader.read(
        bytes, limits: JSONLimits(bytesMax: Self.bytesMax, depthMax: 8, valuesMax: 4000))
    } catch { throw Problem("It is no JSON that is read here: \(error).") }
    guard let items = value["keys"]?.array, items.count <= Self.keysMax else {
      throw Problem("It has no list `keys` of at most \(Self.keysMax) keys.")
    }
    var keys: [CredentialIdentifier: Key] = [:]
    for item in items {
      // The public half is all that is needed here; the other half would let its finder sign in as anybody.
      guard item["d"] == nil, item["k"] == nil else { throw Problem("It holds a private key or a shared secret.") }
      guard let kid = item["kid"]?.string, (1...Self.kidBytesMax).contains(kid.utf8.count), let key = Self.key(item)
      else { continue }
      guard keys.updateValue(key, forKey: CredentialIdentifier(kid)) == nil else {
        throw Problem("Two of its keys have the kid \(kid).")
      }
    }
    guard !keys.isEmpty else { throw Problem("It holds no key with a kid that signs by RS256 or ES256.") }
    self.keys = keys
  }

  /// The key, if it is one for signatures by one of the algorithms. The kind of the key decides which.
  private static func key(_ item: JSONValue) -> Key? {
    guard item["use"].map({ $0.string == "sig" }) ?? true else { return nil }
    func bytes(_ name: String) -> [UInt8]? { item[name]?.string.flatMap { Base64URL.decode($0) } }
    let key: Key?
    switch item["kty"]?.string {
    case "RSA":
      guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
      key = (try? RSAPublicKey(modulus: modulus, exponent: exponent)).map { .rs256($0) }
    case "EC":
      guard item["crv"]?.string == EllipticCurve.p256.rawValue, let x = bytes("x"), let y = bytes("y"),
        x.count == EllipticCurve.p256.byteCount
      else { return nil }
      key = (try? ECDSAPublicKey(curve: .p256, point: [4] + x + y)).map { .es256($0) }
    default: return nil
    }
    guard let key, item["alg"].map({ $0.string == key.algorithm.rawValue }) ?? true else { return nil }
    return key
  }
}
