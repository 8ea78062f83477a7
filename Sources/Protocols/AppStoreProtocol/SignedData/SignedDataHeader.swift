import Cryptography
import StrictJSON

/// The header of a token that has not been seen before.
struct SignedDataHeader {
  /// Members by which a token would choose the key that it is checked with, or demand what we do not know (RFC 7515
  /// §4.1). The certificates in `x5c` are the one way to a key; `kid` and `typ` decide nothing and may stand there.
  private static let refusedMembers = [
    "jwk", "jku", "x5u", "x5t", "x5t#S256", "crit", "b64", "enc", "zip",
  ]

  /// Certificates of a chain that are looked at; more are only counted.
  private static let certificatesMax = 8

  /// The algorithm, if it is a text.
  let algorithm: String?
  /// A member that must not be there.
  let refusedMember: String?
  /// The certificates as they came, leaf first.
  let certificates: [String]

  /// Reads a header; nil unless it is strict JSON, an object, with `x5c` a list of texts if it is there.
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
