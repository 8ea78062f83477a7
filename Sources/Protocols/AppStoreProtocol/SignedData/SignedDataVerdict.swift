import Cryptography
package import PaymentPrimitives

package struct SignedDataCheckResult: Hashable, Sendable {
  package enum Outcome: String, Sendable {
    case passed
    /// It does not hold; the data is refused.
    case failed
    /// It was not made: not asked for, without meaning for this kind, or an earlier one failed.
    case notRun
  }

  package let check: SignedDataCheck
  package let outcome: Outcome
  /// What was seen, or why it was not made.
  package let detail: String
}

/// Signed data whose signature and claims hold. Only a verifier makes one.
package struct VerifiedSignedData<Payload: SignedPayload>: Sendable {
  package let payload: Payload
  /// The exact bytes that were signed, decoded: with members that this version does not know.
  package let payloadBytes: [UInt8]
  /// The environment: the payload's word, limited by the root.
  package let environment: StoreEnvironment
  /// The app that it is for, of those that were expected; nil when that was not asked, or this kind names none.
  package let app: AppIdentity?
  /// The moment at which the certificates were judged.
  package let effectiveDate: Timestamp
  /// The certificates behind it; nil for data of Xcode, which nobody vouches for.
  package let chain: CertificateChain?
}

/// The judgement on signed data, check by check.
package struct SignedDataVerdict<Payload: SignedPayload>: Sendable {
  /// The data, if all checks hold.
  package internal(set) var verified: VerifiedSignedData<Payload>?
  /// Why it is refused, if it is.
  package internal(set) var failure: CodedError<SignedDataErrorCode>?
  /// Which check did not hold; nil also when none was to blame, because we are busy.
  package internal(set) var failedCheck: SignedDataCheck?
  /// What refused data claims of itself, as far as it could be read. Nobody vouches for it.
  package internal(set) var unverifiedPayload: Payload?
  /// The same as bytes.
  package internal(set) var unverifiedPayloadBytes: [UInt8]?

  var passed = SignedDataCheckSet()
  var notes: [SignedDataCheck: String] = [:]
  var bytes = 0
  var chain: CertificateChain?
  var effectiveDate: Timestamp?

  package var isValid: Bool { verified != nil }

  /// Each check in its order, with what was seen.
  package var checks: [SignedDataCheckResult] {
    SignedDataCheck.allCases.compactMap { check in
      if check == .nested, Payload.kind != .notification { return nil }
      if check == failedCheck {
        return SignedDataCheckResult(check: check, outcome: .failed, detail: failure?.details ?? "")
      }
      if passed.contains(check) {
        return SignedDataCheckResult(check: check, outcome: .passed, detail: notes[check] ?? detail(of: check))
      }
      return SignedDataCheckResult(
        check: check, outcome: .notRun,
        detail: notes[check]
          ?? (failedCheck == nil ? failure?.details ?? "" : "An earlier check failed."))
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
    case .intermediateMarker: return CertificateChainVerification.intermediateMarker.text
    case .leafMarker: return CertificateChainVerification.leafMarker.text
    case .leafKey: return "P-256"
    case .validity: return "judged at \(effectiveDate?.iso8601 ?? "the present moment")"
    case .environment: return verified?.environment.rawValue ?? claims?.environment?.shown ?? "not stated"
    case .signature: return "ES256 over header and payload"
    case .nested: return "nothing is signed inside"
    }
  }
}

/// The judgement on a notification: on itself, and on each thing that is signed inside.
package struct NotificationVerdict: Sendable {
  /// On the notification; it is valid only if everything inside is valid too.
  package internal(set) var notification: SignedDataVerdict<ResponseBodyV2DecodedPayload>
  /// On `data.signedTransactionInfo`.
  package internal(set) var transaction: SignedDataVerdict<JWSTransactionDecodedPayload>?
  /// On `data.signedRenewalInfo`.
  package internal(set) var renewalInfo: SignedDataVerdict<JWSRenewalInfoDecodedPayload>?
  /// On `appData.signedAppTransactionInfo`.
  package internal(set) var appTransaction: SignedDataVerdict<AppTransaction>?

  /// Whether notification and inside are valid.
  package var isValid: Bool { notification.isValid }
}
