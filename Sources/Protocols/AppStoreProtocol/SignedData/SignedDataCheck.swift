/// The checks of signed data in their order: cheap ones first, so that forged data costs little.
///
/// Source of the rules: Apple's server libraries, with the additions of the stricter ones.
package enum SignedDataCheck: String, CaseIterable, Sendable {
  /// At most 256 KiB; genuine notifications reach 19 kB.
  case size
  /// Three parts of Base64URL, strict JSON in header and payload.
  case form
  /// `alg` is ES256; not `none`, and not HMAC with a public key.
  case algorithm
  /// No `jwk`, `jku`, `x5u` or similar members, and no `crit`.
  case keyHeaders
  /// Every member of the payload has the documented type.
  case payload
  /// The payload is of the expected kind.
  case kind
  /// The bundle id, and in production Apple's number of the app.
  case appIdentifier
  /// The signing date is at most one minute in the future.
  case signedDate
  case chainLength
  /// Leaf and intermediate are DER certificates in Base64, signed with SHA-2.
  case certificates
  /// The intermediate names a pinned or configured root.
  case anchor
  case authority
  /// The leaf's certificate allows signing and does not allow certifying.
  case leafUsage
  /// No unknown critical extension.
  case criticalExtensions
  case intermediateMarker
  case leafMarker
  /// The leaf's key is on P-256, as ES256 requires.
  case leafKey
  /// All three certificates were valid at the time of signing.
  case validity
  /// The root signed the intermediate, and the intermediate signed the leaf.
  case path
  /// The environment, limited by the root, is an accepted one.
  case environment
  /// The leaf's key signed header and payload.
  case signature
  /// No issuer has revoked its certificate; made only if the configuration asks for it.
  case revocation
  /// Each signed part inside a notification is valid on its own.
  case nested
}

/// A set of checks as bits. Each token needs a verdict, and each verdict holds two sets.
struct SignedDataCheckSet: Hashable, Sendable {
  private var bits: UInt32 = 0

  mutating func insert(_ check: SignedDataCheck) { bits |= 1 << check.position }
  func contains(_ check: SignedDataCheck) -> Bool { bits >> check.position & 1 == 1 }
}

extension SignedDataCheck {
  /// The position of the check in the order; a search in `allCases` would cost more than the check itself.
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
    case .revocation: 22
    }
  }
}
