import Cryptography
import PaymentPrimitives

// A notification is verified like everything else, and what is signed inside once more on its own: the outer
// signature does not replace that in any of Apple's libraries.
//
// The first notifications of 2022 have no `signedDate`. Judged at the present moment they would all have expired
// since. So such a notification is judged at the newest signing date of its verified parts, which Apple signed at the
// same time and with the same certificate; if there is none, at the present moment. The verdict says so. Nobody gains
// by leaving the date out: the parts are then judged at their own dates, and the notification at none that its
// signers did not sign.

extension SignedDataVerifier {
  func examineNotification(
    _ token: UnsafeRawBufferPointer, _ expectations: SignedDataExpectations, _ now: Timestamp, _ sender: String?
  ) -> NotificationVerdict {
    var examination = SignedDataVerification<ResponseBodyV2DecodedPayload>(
      self, expectations, at: now, from: sender)
    var inside = SignedInside()
    do throws(FailedCheck) {
      let parts = try examination.readClaims(token)
      let stated = examination.effectiveDate
      try examination.checkChain(validAt: stated)
      try examination.checkSignature(token, parts)
      inside = SignedInside(examination.payload, verifiedBy: self, expectations, now, sender)
      if stated == nil {
        let date = inside.newestSignedDate
        try examination.judgeValidity(
          at: date ?? now,
          note: date.map {
            "The notification states no signedDate; judged at \($0.iso8601), the newest of its verified parts."
          } ?? "The notification states no signedDate and has no verified part; judged at the present moment.")
      }
      try inside.judge(&examination)
      try inside.compare(&examination)
      return inside.verdict(examination.verdict(nil, bytes: token.count))
    } catch {
      return inside.verdict(examination.verdict(error, bytes: token.count))
    }
  }
}

/// What is signed inside a notification, with the judgements on it.
private struct SignedInside {
  var transaction: SignedDataVerdict<JWSTransactionDecodedPayload>?
  var renewalInfo: SignedDataVerdict<JWSRenewalInfoDecodedPayload>?
  var appTransaction: SignedDataVerdict<AppTransaction>?

  init() {}

  init(
    _ notification: ResponseBodyV2DecodedPayload?, verifiedBy verifier: SignedDataVerifier,
    _ expectations: SignedDataExpectations, _ now: Timestamp, _ sender: String?
  ) {
    transaction = notification?.data?.signedTransactionInfo.map {
      verifier.verify($0, expecting: expectations, at: now, from: sender)
    }
    renewalInfo = notification?.data?.signedRenewalInfo.map {
      verifier.verify($0, expecting: expectations, at: now, from: sender)
    }
    appTransaction = notification?.appData?.signedAppTransactionInfo.map {
      verifier.verify($0, expecting: expectations, at: now, from: sender)
    }
  }

  /// The newest date that a verified part states.
  var newestSignedDate: Timestamp? {
    [
      transaction?.verified?.payload.claims.signedDate,
      renewalInfo?.verified?.payload.claims.signedDate,
      appTransaction?.verified?.payload.claims.signedDate,
    ].compactMap { $0 }.max()
  }

  func judge(
    _ examination: inout SignedDataVerification<ResponseBodyV2DecodedPayload>
  ) throws(FailedCheck) {
    let failures: [(String, CodedError<SignedDataErrorCode>)] = [
      ("signedTransactionInfo", transaction?.failure), ("signedRenewalInfo", renewalInfo?.failure),
      ("signedAppTransactionInfo", appTransaction?.failure),
    ].compactMap { name, failure in failure.map { (name, $0) } }
    if let (name, failure) = failures.first(where: { $0.1.code.retry == .later }) {
      throw FailedCheck(nil, .verificationBusy, "\(name): \(failure.details)")
    }
    try examination.check(
      .nested, .invalidNestedData, failures.isEmpty,
      failures.map { "\($0): \($1.code.rawValue). \($1.details)" }.joined(separator: " "))
    let names = [
      transaction.map { _ in "signedTransactionInfo" }, renewalInfo.map { _ in "signedRenewalInfo" },
      appTransaction.map { _ in "signedAppTransactionInfo" },
    ].compactMap { $0 }
    examination.note(
      .nested, names.isEmpty ? "nothing is signed inside" : "verified on their own: " + names.joined(separator: ", "))
  }

  /// What is signed inside belongs to the app and the environment that the notification names: otherwise an envelope
  /// for one app would carry another app's purchase, or a sandbox purchase into production.
  func compare(
    _ examination: inout SignedDataVerification<ResponseBodyV2DecodedPayload>
  ) throws(FailedCheck) {
    let parts: [(String, SignedDataClaims, StoreEnvironment)] = [
      transaction?.verified.map { ("signedTransactionInfo", $0.payload.claims, $0.environment) },
      renewalInfo?.verified.map { ("signedRenewalInfo", $0.payload.claims, $0.environment) },
      appTransaction?.verified.map { ("signedAppTransactionInfo", $0.payload.claims, $0.environment) },
    ].compactMap { $0 }
    let outer = examination.claims
    for (name, inner, environment) in parts {
      try examination.check(
        .nested, .invalidNestedData, Self.isSame(outer.bundleId, inner.bundleId),
        "\(name) is of the app \(inner.bundleId?.shown ?? "none"), the notification of "
          + "\(outer.bundleId?.shown ?? "none")."
      )
      // What states no environment contradicts none: it is held until Apple has named it.
      let isSameWorld =
        environment == examination.environment || inner.environment == nil || outer.environment == nil
      try examination.check(
        .nested, .invalidNestedData, isSameWorld && Self.isSame(outer.environment, inner.environment),
        "\(name) is of \(environment.rawValue), and says \(inner.environment?.shown ?? "nothing"). "
          + "The notification says \(outer.environment?.shown ?? "nothing").")
    }
  }

  /// Whether two names are the same as far as both are stated.
  private static func isSame(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return true }
    return one.utf8.elementsEqual(other.utf8)
  }

  func verdict(_ notification: SignedDataVerdict<ResponseBodyV2DecodedPayload>) -> NotificationVerdict {
    NotificationVerdict(
      notification: notification, transaction: transaction, renewalInfo: renewalInfo,
      appTransaction: appTransaction)
  }
}
