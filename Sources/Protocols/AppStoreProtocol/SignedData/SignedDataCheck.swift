/// The checks of signed data, in the order in which they run: cheap ones first, so that forged data costs us little.
///
/// Source of the rules: Apple's server libraries, with what the stricter of them adds.
package enum SignedDataCheck: String, CaseIterable, Sendable {
  /// At most 256 KiB; genuine notifications reach 19 kB.
  case size
  /// Three parts of Base64URL, strict JSON in header and payload.
  case form
  /// `alg` is ES256: no `none`, no HMAC with a public key.
  case algorithm
  /// No `jwk`, `jku`, `x5u` or the like, and no `crit`.
  case keyHeaders
  /// Every member of the payload is of the documented type.
  case payload
  /// It is of the kind that was asked for.
  case kind
  /// Bundle id, and in production Apple's number of the app.
  case appIdentifier
  /// Not signed later than now, with a minute's allowance.
  case signedDate
  case chainLength
  /// Leaf and intermediate are Base64 of DER certificates, signed with SHA-2.
  case certificates
  /// The intermediate names a root that is pinned or configured.
  case anchor
  case authority
  /// The leaf may sign, and may not certify.
  case leafUsage
  /// No critical extension that we do not know.
  case criticalExtensions
  case intermediateMarker
  case leafMarker
  /// The leaf's key is on P-256, as ES256 demands.
  case leafKey
  /// All three certificates were valid when the data was signed.
  case validity
  /// The root signed the intermediate, the intermediate the leaf.
  case path
  /// The environment, limited by the root, is accepted here.
  case environment
  /// The leaf's key signed header and payload.
  case signature
  /// What is signed inside a notification is valid on its own.
  case nested
}

/// A set of checks as bits: a verdict carries two of them, and one verdict is made for each token.
struct SignedDataCheckSet: Hashable, Sendable {
  private var bits: UInt32 = 0

  mutating func insert(_ check: SignedDataCheck) { bits |= 1 << check.position }
  func contains(_ check: SignedDataCheck) -> Bool { bits >> check.position & 1 == 1 }
}

extension SignedDataCheck {
  /// The place in the order; looking along `allCases` would cost more than the check itself.
  fileprivate var position: UInt32 {
    switch self {
    case .size: 0
    case .form: 1
    case .algorithm: 2
    case .keyHeaders: 3
    case .payload: 4
    case .kind: 5
    case .appIdentifier: 6
    case .signedDate: 7
    case .chainLength: 8
    case .certificates: 9
    case .anchor: 10
    case .authority: 11
    case .leafUsage: 12
    case .criticalExtensions: 13
    case .intermediateMarker: 14
    case .leafMarker: 15
    case .leafKey: 16
    case .validity: 17
    case .path: 18
    case .environment: 19
    case .signature: 20
    case .nested: 21
    }
  }
}
