import Cryptography
import StrictJSON

/// The header of a token that is not in the cache.
struct SignedDataHeader {
  /// Members with which a token would choose its own key, or require unknown features (RFC 7515 §4.1). Only the
  /// certificates in `x5c` lead to a key. `kid` and `typ` are allowed and have no effect.
  private static let refusedMembers = [
    "jwk", "jku", "x5u", "x5t", "x5t#S256", "crit", "b64", "enc", "zip",
  ]

  /// The maximum of certificates that are read; more are only counted.
  private static let certificatesMax = 8

  /// The algorithm; nil if it is not a text.
  let algorithm: String?
  /// A member that is not allowed.
  let refusedMember: String?
  /// The certificates unchanged, leaf first.
  let certificates: [String]

  /// Reads a header; nil unless it is an object in strict JSON. If `x5c` is present, it must be a list of texts.
  init?(_ encoded: UnsafeRawBufferPointer) {
    guard let bytes = Base64URL.decode(encoded),
      let value = try? JSONReader.read(bytes, limits: JSONLimits(bytesMax: bytes.count)),
      case .object(let members) = value
    else { return nil }
    algorithm = value["alg"]?.string
    refusedMember = members.first { Self.refusedMembers.contains($0.name) }?.name
    let chain = value["x5c"].map { $0.array ?? [] } ?? []
    guard value["x5c"] == nil || value["x5c"]?.array != nil, chain.allSatisfy({ $0.string != nil })
    else { return nil }
    certificates = chain.prefix(Self.certificatesMax).compactMap(\.string)
  }
}
