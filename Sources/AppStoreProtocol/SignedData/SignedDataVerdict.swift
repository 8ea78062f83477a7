import Cryptography
public import PaymentVocabulary

/// What became of one check.
public struct SignedDataCheckResult: Hashable, Sendable {
  /// How it ended.
  public enum Outcome: String, Sendable {
    /// It holds.
    case passed
    /// It does not hold; the data is refused.
    case failed
    /// It was not made: not asked for, without meaning for this kind, or an earlier one failed.
    case notRun
  }

  /// Which check.
  public let check: SignedDataCheck
  /// How it ended.
  public let outcome: Outcome
  /// What was seen, or why it was not made.
  public let detail: String
}

/// Signed data whose signature and claims hold. Only a verifier makes one.
public struct VerifiedSignedData<Payload: SignedPayload>: Sendable {
  /// What it says.
  public let payload: Payload
  /// The exact bytes that were signed, decoded: with members that this version does not know.
  public let payloadBytes: [UInt8]
  /// The environment: the payload's word, limited by the root.
  public let environment: StoreEnvironment
  /// The app that it is for, of those that were expected; nil when that was not asked, or this kind names none.
  public let app: AppIdentity?
  /// The moment at which the certificates were judged.
  public let effectiveDate: Timestamp
  /// The certificates behind it; nil for data of Xcode, which nobody vouches for.
  public let chain: CertificateChain?
}

/// The judgement on signed data, check by check.
public struct SignedDataVerdict<Payload: SignedPayload>: Sendable {
  /// The data, if all checks hold.
  public internal(set) var verified: VerifiedSignedData<Payload>?
  /// Why it is refused, if it is.
  public internal(set) var failure: Refusal<SignedDataErrorCode>?
  /// Which check did not hold; nil also when none was to blame, because we are busy.
  public internal(set) var failedCheck: SignedDataCheck?
  /// What refused data claims of itself, as far as it could be read. Nobody vouches for it.
  public internal(set) var unverifiedPayload: Payload?
  /// The same as bytes.
  public internal(set) var unverifiedPayloadBytes: [UInt8]?

  var passed = SignedDataCheckSet()
  var notes: [SignedDataCheck: String] = [:]
  var bytes = 0
  var chain: CertificateChain?
  var effectiveDate: Timestamp?

  /// Whether all checks hold.
  public var isValid: Bool { verified != nil }

  /// Each check in its order, with what was seen.
  public var checks: [SignedDataCheckResult] {
    SignedDataCheck.allCases.compactMap { check in
      if check == .nested, Payload.kind != .notification { return nil }
      if check == failedCheck {
        return SignedDataCheckResult(check: check, outcome: .failed, detail: failure?.particulars ?? "")
      }
      if passed.contains(check) {
        return SignedDataCheckResult(check: check, outcome: .passed, detail: notes[check] ?? detail(of: check))
      }
      return SignedDataCheckResult(
        check: check, outcome: .notRun,
        detail: notes[check]
          ?? (failedCheck == nil ? failure?.particulars ?? "" : "An earlier check failed."))
    }
  }

  private func detail(of check: SignedDataCheck) -> String {
    let claims = (verified?.payload ?? unverifiedPayload)?.claims
    switch check {
    case .size: return "\(bytes) bytes"
    case .form: return "three parts of Base64URL, strict JSON"
    case .algorithm: return "ES256"
    case .keyHeaders: return "no key but the certificates"
    case .payload: return "every known member is of its type"
    case .kind: return Payload.kind.rawValue
    case .appIdentifier:
      return claims?.bundleId?.shown ?? claims?.appAppleId.map { String($0) } ?? "none"
    case .signedDate: return claims?.signedDate?.iso8601 ?? "not stated"
    case .chainLength: return "three certificates"
    case .certificates:
      return chain.map { "leaf \($0.leaf.serialNumber), intermediate \($0.intermediate.serialNumber)" }
        ?? "leaf and intermediate can be read"
    case .anchor, .path:
      switch chain?.anchor {
      case .apple(let name): return "\(name), pinned by its SHA-256"
      case .configured(let name): return "\(name), from configuration"
      case nil: return "its name is trusted"
      }
    case .authority: return "the intermediate may certify"
    case .leafUsage: return "the leaf may sign, and may not certify"
    case .criticalExtensions: return "none that is not known"
    case .intermediateMarker: return CertificateChainExamination.intermediateMarker.text
    case .leafMarker: return CertificateChainExamination.leafMarker.text
    case .leafKey: return "P-256"
    case .validity: return "judged at \(effectiveDate?.iso8601 ?? "the present moment")"
    case .environment: return verified?.environment.rawValue ?? claims?.environment?.shown ?? "not stated"
    case .signature: return "ES256 over header and payload"
    case .nested: return "nothing is signed inside"
    }
  }
}

/// The judgement on a notification: on itself, and on each thing that is signed inside.
public struct NotificationVerdict: Sendable {
  /// On the notification; it is valid only if everything inside is valid too.
  public internal(set) var notification: SignedDataVerdict<ResponseBodyV2DecodedPayload>
  /// On `data.signedTransactionInfo`.
  public internal(set) var transaction: SignedDataVerdict<JWSTransactionDecodedPayload>?
  /// On `data.signedRenewalInfo`.
  public internal(set) var renewalInfo: SignedDataVerdict<JWSRenewalInfoDecodedPayload>?
  /// On `appData.signedAppTransactionInfo`.
  public internal(set) var appTransaction: SignedDataVerdict<AppTransaction>?

  /// Whether notification and inside are valid.
  public var isValid: Bool { notification.isValid }
}
