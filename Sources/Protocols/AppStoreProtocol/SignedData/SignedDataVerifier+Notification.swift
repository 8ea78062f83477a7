import Cryptography
import PaymentPrimitives

// A notification is verified like all signed data, and each signed part inside is verified separately. In all of
// Apple's libraries, the outer signature does not replace that.
//
// The first notifications of 2022 have no `signedDate`. At the current time, their certificates would all be expired.
// So such a notification is judged at the newest signing date of its verified parts. Apple signed those at the same
// time with the same certificate. If there is none, the current time applies. The verdict says so. An attacker gains
// nothing by leaving out the date. The parts are then judged at their own dates. The notification is judged at one of
// those dates, or at the current time.

extension SignedDataVerifier {
  func examineNotification(
    _ token: UnsafeRawBufferPointer, _ expectations: SignedDataExpectations, now: Timestamp, sender: String?
  ) -> NotificationVerdict {
    var examination = SignedDataVerification<ResponseBodyV2DecodedPayload>(
      self, expectations, at: now, from: sender)
    var inside = SignedInside()
    do throws(FailedCheck) {
      let parts = try examination.readClaims(token)
      let stated = examination.effectiveDate
      try examination.checkChain(validAt: stated)
      try examination.checkSignature(token, parts)
      inside = SignedInside(examination.payload, verifiedBy: self, expectations, now: now, sender: sender)
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
      try examination.checkStatus()
      return inside.verdict(examination.verdict(nil, bytes: token.count))
    } catch {
      return inside.verdict(examination.verdict(error, bytes: token.count))
    }
  }
}

/// The signed parts of a notification, with their verdicts.
private struct SignedInside {
  var transaction: SignedDataVerdict<JWSTransactionDecodedPayload>?
  var renewalInfo: SignedDataVerdict<JWSRenewalInfoDecodedPayload>?
  var appTransaction: SignedDataVerdict<AppTransaction>?

  init() {}

  init(
    _ notification: ResponseBodyV2DecodedPayload?, verifiedBy verifier: SignedDataVerifier,
    _ expectations: SignedDataExpectations, now: Timestamp, sender: String?
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

  /// The newest date of the verified parts.
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
      throw FailedCheck(nil, failure.code, details: "\(name): \(failure.details)")
    }
    if let (name, failure) = failures.first(where: { $0.1.code == .certificateRevoked }) {
      throw FailedCheck(.revocation, .certificateRevoked, details: "\(name): \(failure.details)")
    }
    try examination.check(
      .nested, .invalidNestedData, holds: failures.isEmpty,
      failures.map { "\($0): \($1.code.rawValue). \($1.details)" }.joined(separator: " "))
    let names = [
      transaction.map { _ in "signedTransactionInfo" }, renewalInfo.map { _ in "signedRenewalInfo" },
      appTransaction.map { _ in "signedAppTransactionInfo" },
    ].compactMap { $0 }
    examination.note(
      .nested, names.isEmpty ? "nothing is signed inside" : "verified on their own: " + names.joined(separator: ", "))
  }

  /// Requires that the signed parts belong to the notification's app and environment. Otherwise an envelope for one app
  /// could carry a purchase of another app, or a sandbox purchase into production.
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
        .nested, .invalidNestedData, holds: Self.isSame(outer.bundleId, inner.bundleId),
        "\(name) is of the app \(inner.bundleId?.shown ?? "none"), the notification of "
          + "\(outer.bundleId?.shown ?? "none")."
      )
      // A part without an environment contradicts none: it stays pending until Apple has named the environment.
      let isSameWorld =
        environment == examination.environment || inner.environment == nil || outer.environment == nil
      try examination.check(
        .nested, .invalidNestedData, holds: isSameWorld && Self.isSame(outer.environment, inner.environment),
        "\(name) is of \(environment.rawValue), and says \(inner.environment?.shown ?? "nothing"). "
          + "The notification says \(outer.environment?.shown ?? "nothing").")
    }
  }

  /// Whether two names are equal; an absent name equals any other.
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
