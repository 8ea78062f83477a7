/// The checks of receipts, in the order of an app receipt: cheap ones first.
///
/// The certificate checks have the same names as those of signed data. Source of the rules: Apple's "Validating
/// receipts on the device", with additions from stricter verifiers of others.
package enum ReceiptCheck: String, CaseIterable, Sendable {
  /// At most 8 MiB of text; genuine receipts of long-time subscribers reach some hundred kB.
  case size
  /// Base64, after the known repairs (`ReceiptRepair`).
  case transport
  /// The expected kind of receipt, with a valid form up to the last byte.
  case form
  /// SHA-1 or SHA-256 with RSA.
  case algorithm
  /// Every known attribute has the documented type and occurs once.
  case payload
  /// The bundle id, and in production Apple's number of the app.
  case appIdentifier
  /// The creation date exists and is at most one minute in the future.
  case creationDate
  /// The receipt contains the certificate that the signer names.
  case signer
  /// Signer and intermediate are DER certificates, signed with RSA.
  case certificates
  /// The intermediate names a pinned or configured root.
  case anchor
  case authority
  /// The signer's certificate allows signing and does not allow certifying.
  case leafUsage
  /// No unknown critical extension.
  case criticalExtensions
  case intermediateMarker
  case leafMarker
  /// The signer's key is an RSA key of at least 2048 bits.
  case leafKey
  /// The root signed the intermediate, and the intermediate signed the signer's certificate.
  case path
  /// All three certificates were valid at the receipt's creation.
  case validity
  /// The environment, limited by the root, is an accepted one.
  case environment
  /// Signed attributes, if present, contain the digest of the content.
  case signedAttributes
  /// The signer's key signed the content.
  case signature
  /// The receipt was made on the expected device.
  case device

  /// The checks with a result that depends only on the certificates, not on the signed content.
  static let ofChain: [ReceiptCheck] = [
    .signer, .certificates, .anchor, .authority, .leafUsage, .criticalExtensions, .intermediateMarker, .leafMarker,
    .leafKey, .path,
  ]

  /// The checks of a transaction receipt of iOS 6, in their order. The signature comes before the certificates, because
  /// those may be unavailable.
  static let ofTransactionReceipts: [ReceiptCheck] = [
    .size, .transport, .form, .payload, .appIdentifier, .creationDate, .certificates, .signature, .anchor, .authority,
    .leafUsage, .criticalExtensions, .intermediateMarker, .leafMarker, .leafKey, .path, .validity, .environment,
  ]
}

/// A damage from transport that could be repaired without doubt.
package enum ReceiptRepair: String, CaseIterable, Sendable {
  /// Form encoding turned each `+` into a space.
  case spacesToPlus
  /// Line breaks, or white space around the text.
  case lineEnds
  /// The URL-safe alphabet with `-` and `_`.
  case urlAlphabet
  /// The `=` padding at the end was missing.
  case padding
  /// The text was Base64-encoded twice.
  case doubledBase64
}

/// A failed check of a receipt; `check` is nil if the verifier is busy.
struct FailedReceiptCheck: Error {
  let check: ReceiptCheck?
  let code: ReceiptErrorCode
  let details: String

  init(_ check: ReceiptCheck?, _ code: ReceiptErrorCode, details: String) {
    self.check = check
    self.code = code
    self.details = details
  }

  /// Converts a failed certificate check: both kinds of checks have the same names.
  init(_ failure: FailedCheck) {
    let code: ReceiptErrorCode =
      switch failure.code {
      case .invalidChain: .untrusted
      case .missingOID: .markerMissing
      case .expired: .certificateExpired
      default: .certificateUnusable
      }
    self.init(failure.check.flatMap { ReceiptCheck(rawValue: $0.rawValue) }, code, details: failure.details)
  }
}
