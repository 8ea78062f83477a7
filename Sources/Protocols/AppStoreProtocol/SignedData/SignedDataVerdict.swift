import Cryptography
package import PaymentPrimitives

package struct SignedDataCheckResult: Hashable, Sendable {
  package enum Outcome: String, Sendable {
    case passed
    /// The check failed, so the data is rejected.
    case failed
    /// The check was not made: not requested, meaningless for this kind, or after an earlier failure.
    case notRun
  }

  package let check: SignedDataCheck
  package let outcome: Outcome
  /// What the check saw, or why it was not made.
  package let detail: String
}

/// Signed data with a valid signature and valid claims. Only a verifier creates it.
package struct VerifiedSignedData<Payload: SignedPayload>: Sendable {
  package let payload: Payload
  /// The exact signed bytes, decoded, including members that this version does not know.
  package let payloadBytes: [UInt8]
  /// The environment that the payload claims, limited by the root.
  package let environment: StoreEnvironment
  /// The app of the data, one of the expected apps; nil if no app was expected, or if this kind names none.
  package let app: AppIdentity?
  /// The time at which the certificates were judged.
  package let effectiveDate: Timestamp
  /// The certificates of the data; nil for data of Xcode, which no authority certifies.
  package let chain: CertificateChain?
}

/// The result of verifying signed data, check by check.
package struct SignedDataVerdict<Payload: SignedPayload>: Sendable {
  /// The data, if all checks passed.
  package internal(set) var verified: VerifiedSignedData<Payload>?
  /// The error; nil if the data is valid.
  package internal(set) var failure: CodedError<SignedDataErrorCode>?
  /// The failed check; nil if all passed, and also if the verifier is busy.
  package internal(set) var failedCheck: SignedDataCheck?
  /// The claims of rejected data, as far as they are readable. They are unverified.
  package internal(set) var unverifiedPayload: Payload?
  /// The bytes of the unverified payload.
  package internal(set) var unverifiedPayloadBytes: [UInt8]?

  /// Data that passed all checks, but for a certificate whose status is not known and must be. It takes effect when the
  /// same text is verified again.
  package internal(set) var waiting: VerifiedSignedData<Payload>?
  /// Whether an issuer was to be asked and has not answered.
  package internal(set) var statusIsUnknown = false

  var passed = SignedDataCheckSet()
  var notes: [SignedDataCheck: String] = [:]
  var bytes = 0
  var chain: CertificateChain?
  var effectiveDate: Timestamp?

  package var isValid: Bool { verified != nil }

  /// The checks in their order, each with what it saw.
  package var checks: [SignedDataCheckResult] {
    SignedDataCheck.allCases.compactMap { check in
      if check == .nested, Payload.kind != .notification { return nil }
      if check == .revocation, failedCheck != check, !passed.contains(check), notes[check] == nil { return nil }
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
    case .revocation: return "its issuers have revoked no certificate"
    case .nested: return "nothing is signed inside"
    }
  }
}

/// The verdict on a notification: on itself, and on each signed part inside.
package struct NotificationVerdict: Sendable {
  /// The verdict on the notification itself; it is valid only if all signed parts are valid.
  package internal(set) var notification: SignedDataVerdict<ResponseBodyV2DecodedPayload>
  /// The verdict on `data.signedTransactionInfo`.
  package internal(set) var transaction: SignedDataVerdict<JWSTransactionDecodedPayload>?
  /// The verdict on `data.signedRenewalInfo`.
  package internal(set) var renewalInfo: SignedDataVerdict<JWSRenewalInfoDecodedPayload>?
  /// The verdict on `appData.signedAppTransactionInfo`.
  package internal(set) var appTransaction: SignedDataVerdict<AppTransaction>?

  /// Whether an issuer of any part was to be asked and has not answered.
  package var statusIsUnknown: Bool {
    notification.statusIsUnknown || transaction?.statusIsUnknown == true || renewalInfo?.statusIsUnknown == true
      || appTransaction?.statusIsUnknown == true
  }

  /// Whether the notification and all its signed parts are valid.
  package var isValid: Bool { notification.isValid }
}
