import AppStoreProtocol
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// Whether Apple has revoked a certificate is asked beside the verification, not in it: the first data of a certificate
// waits for the answer, at most as long as one question may last. All later data is judged by what is known.
extension PaymentEngine {
  static let revokedCertificatesSetting = "appStore.revokedCertificates"

  /// Verifies. If that shows a certificate whose issuer has not been asked, it asks and verifies once more.
  func withCertificateStatus<Verdict>(
    _ verify: () -> Verdict, isUnknown: (Verdict) -> Bool
  ) async -> Verdict {
    let first = verify()
    guard isUnknown(first), let appStore else { return first }
    var verdict = first
    if await appStore.statuses.learn() {
      await keepRevokedCertificates()
      verdict = verify()
    }
    if isUnknown(verdict) {
      metrics.count(.certificateStatusUnknownTotal, [("check", appStore.verifier.statuses.check.rawValue)])
    }
    return verdict
  }

  /// Asks Apple about the transaction in data that a revoked certificate signed. The data proves nothing, and its
  /// transaction may be genuine: signed before the revocation, and arrived after it. What Apple then signs decides.
  ///
  /// - Parameter claimed: the unverified content, which only names what to ask about.
  func askInstead(of claimed: JWSTransactionDecodedPayload?, for apps: [AppPolicy]) async throws {
    guard let appStore, let number = claimed?.transactionId.flatMap(Self.number),
      let app = apps.first(where: { appStore.identity(of: $0.id)?.bundleId == claimed?.bundleId }),
      appStore.gateways[app.id] != nil,
      // Who has the revoked key can name any number.
      await appStore.lookups.allows(
        Self.askerAboutRevoked, in: app.id, at: dependencies.now(), most: limits.bareQuestionsPerHour)
    else { return }
    let key = PaymentKey(app: app.id, store: .appStore, environment: .undetermined, transaction: number)
    try await transact { transaction in
      guard try transaction.appStoreTask(.ask, about: key) == nil else { return }
      try transaction.put(
        AppStoreTask(payment: key, purpose: .ask, createdAt: transaction.now, dueAt: transaction.now))
    }
    await storeSignal.signal(for: .appStore)
  }

  /// The name under which these questions are counted; no user has a name with a line break.
  private static let askerAboutRevoked = UserIdentifier("certificate\nrevoked")

  /// Asks again before answers end, and for the data that waits.
  func keepCertificateStatuses() async {
    guard let appStore, appStore.verifier.statuses.check != .off else { return }
    await repeatUntilDone(loggingErrors: "certificate.statusesFailed", pause: CertificateStatusBook.pauseAfterFailure) {
      _ = await appStore.statuses.learn()
      await keepRevokedCertificates()
      try await dependencies.sleep(CertificateStatusBook.pauseAfterFailure)
      return false
    }
  }

  /// Stores which certificates are revoked, if there are new ones: a restart must not forget it while a responder
  /// cannot be reached.
  private func keepRevokedCertificates() async {
    guard let book = appStore?.verifier.statuses, let revoked = book.takeNewRevocations() else { return }
    do {
      try await transact { transaction in
        var known = Self.revocations(in: try transaction.setting(Self.revokedCertificatesSetting) ?? "")
        for one in revoked where !known.contains(where: { $0.fingerprint == one.fingerprint }) { known.append(one) }
        try transaction.set(Self.revokedCertificatesSetting, to: Self.text(of: known.suffix(Self.revokedMax)))
      }
    } catch {
      book.keepNewRevocations()
      log(LogEvent(.warning, "certificates.notKept", [("error", "\(error)")]))
    }
  }

  func recallRevokedCertificates() async {
    guard let book = appStore?.verifier.statuses, book.check != .off else { return }
    do {
      book.recall(
        revocations: Self.revocations(in: try await read { try $0.setting(Self.revokedCertificatesSetting) } ?? ""))
    } catch {
      log(LogEvent(.warning, "certificates.notRecalled", [("error", "\(error)")]))
    }
  }

  /// Apple has revoked none of its signing certificates so far; a simulator's tester revokes some.
  private static let revokedMax = 128

  /// One a line: the fingerprint in hexadecimal digits, a space, the reason.
  private static func text(of revocations: some Sequence<(fingerprint: [UInt8], reason: String)>) -> String {
    revocations.map { $0.fingerprint.hexadecimal + " " + $0.reason }.joined(separator: "\n")
  }

  private static func revocations(in text: String) -> [(fingerprint: [UInt8], reason: String)] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let bytes = fingerprint(String(parts[0])) else { return nil }
      return (bytes, String(parts[1]))
    }
  }

  private static func fingerprint(_ digits: String) -> [UInt8]? {
    let bytes = stride(from: 0, to: digits.utf8.count - 1, by: 2).compactMap { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
    }
    return bytes.count == 32 ? bytes : nil
  }
}
