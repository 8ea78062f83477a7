/// The checks of receipts, in the order in which they run on an app receipt: cheap ones first.
///
/// Those of the certificates are the same as of signed data, by the same names. Source of the rules: Apple's
/// "Validating receipts on the device", with what the stricter of others' verifiers add.
package enum ReceiptCheck: String, CaseIterable, Sendable {
  /// At most 8 MiB of text; genuine receipts of old subscribers reach some hundred kB.
  case size
  /// Base64, after the repairs that are known (`ReceiptRepair`).
  case transport
  /// The kind of receipt that was asked for, of its form to the last byte.
  case form
  /// SHA-1 or SHA-256 under RSA.
  case algorithm
  /// Every attribute that we know is of the documented type, and stands there once.
  case payload
  /// Bundle id, and in production Apple's number of the app.
  case appIdentifier
  /// It says when it was made, and that is not later than now, with a minute's allowance.
  case creationDate
  /// The certificate that the signer names came along.
  case signer
  /// Signer and intermediate are certificates in DER, signed with RSA.
  case certificates
  /// The intermediate names a root that is pinned or configured.
  case anchor
  case authority
  /// The signer may sign, and may not certify.
  case leafUsage
  /// No critical extension that we do not know.
  case criticalExtensions
  case intermediateMarker
  case leafMarker
  /// The signer's key is an RSA key of at least 2048 bits.
  case leafKey
  /// The root signed the intermediate, the intermediate the signer.
  case path
  /// All three certificates were valid when the receipt was made.
  case validity
  /// The environment, limited by the root, is accepted here.
  case environment
  /// Attributes that are signed in place of the content state its digest.
  case signedAttributes
  /// The signer's key signed the content.
  case signature
  /// It was made on the device that is asked for.
  case device

  /// The checks that one set of certificates always passes or fails, whatever it signs.
  static let ofChain: [ReceiptCheck] = [
    .signer, .certificates, .anchor, .authority, .leafUsage, .criticalExtensions, .intermediateMarker, .leafMarker,
    .leafKey, .path,
  ]

  /// The checks of a transaction receipt of iOS 6, in their order: its signature is looked at before its certificates,
  /// because those may not be at hand.
  static let ofTransactionReceipts: [ReceiptCheck] = [
    .size, .transport, .form, .payload, .appIdentifier, .creationDate, .certificates, .signature, .anchor, .authority,
    .leafUsage, .criticalExtensions, .intermediateMarker, .leafMarker, .leafKey, .path, .validity, .environment,
  ]
}

/// What was wrong with the way a receipt was sent, and could be put right without doubt.
package enum ReceiptRepair: String, CaseIterable, Sendable {
  /// Form encoding had turned each `+` into a space.
  case spacesToPlus
  /// Line ends, or white space around the text.
  case lineEnds
  /// The alphabet of URLs, `-` and `_`.
  case urlAlphabet
  /// The `=` at the end were missing.
  case padding
  /// Base64 of Base64.
  case doubledBase64
}

/// A receipt's check that did not hold; none is named when we are busy.
struct FailedReceiptCheck: Error {
  let check: ReceiptCheck?
  let code: ReceiptErrorCode
  let details: String

  init(_ check: ReceiptCheck?, _ code: ReceiptErrorCode, _ details: String) {
    self.check = check
    self.code = code
    self.details = details
  }

  /// What was found at the certificates, in the words of receipts: the checks have the same names.
  init(_ failure: FailedCheck) {
    let code: ReceiptErrorCode =
      switch failure.code {
      case .invalidChain: .untrusted
      case .missingOID: .markerMissing
      case .expired: .certificateExpired
      default: .certificateUnusable
      }
    self.init(failure.check.flatMap { ReceiptCheck(rawValue: $0.rawValue) }, code, failure.details)
  }
}
