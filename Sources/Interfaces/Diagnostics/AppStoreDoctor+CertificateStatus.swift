import AppStoreProtocol
import Cryptography
import PaymentPrimitives

// Whether the certificates of what Apple signed can be asked about, and whether they hold.
extension AppStoreDoctor {
  mutating func checkCertificateStatus() async {
    let check = "app_store.certificate_status"
    guard trust.revocationCheck != .off else {
      return findings.append(
        .notApplicable(
          check, BilingualText("ocsp is off: Apple is not asked about revocations.", "ocsp 为 off：不查询证书吊销状态。")))
    }
    guard let verifier = try? SignedDataVerifier(trust) else { return }
    let now = dependencies.now()
    for (_, token) in signed {
      _ = verifier.verifyNotification(token, expecting: SignedDataExpectations(), at: now)
    }
    let questions = verifier.statuses.questions(at: now)
    guard !questions.isEmpty || trust.revocationCheck == .hard && !signed.isEmpty else {
      return findings.append(
        .notApplicable(
          check,
          BilingualText("No certificate that names a responder arrived.", "没有收到注明 OCSP 地址的证书。")))
    }
    // In hard, what such a certificate signs would wait for ever.
    if questions.isEmpty { return findings.append(silence(check, "No certificate names a responder.")) }
    for question in questions {
      let outcome = await CertificateStatusExchange.ask(question, by: exchange, at: dependencies.now())
      if let finding = finding(check, on: outcome, about: question) { return findings.append(finding) }
    }
    findings.append(
      .passed(check, BilingualText("Apple has revoked none of its certificates.", "Apple 的证书均未被吊销。")))
  }

  /// Nil for a certificate that holds.
  private func finding(
    _ check: String, on outcome: CertificateStatusExchange.Outcome, about question: CertificateStatusQuestion
  ) -> DoctorFinding? {
    let name = question.certificate.subject.description
    switch outcome {
    case .answered(let status) where status.answer == .good: return nil
    case .answered(let status):
      let isRevoked = if case .revoked = status.answer { true } else { false }
      guard isRevoked else { return silence(check, "\(name): unknown to its responder") }
      return .failed(
        check, SignedDataErrorCode.certificateRevoked.meaning.followed(by: name),
        remedy: SignedDataErrorCode.certificateRevoked.remedy)
    case .silent(_, let why): return silence(check, "\(name): \(why)")
    }
  }

  private func silence(_ check: String, _ details: String) -> DoctorFinding {
    let cause = BilingualText("Apple did not say whether a certificate is revoked.", "Apple 未说明证书是否被吊销。")
      .followed(by: details)
    let remedy = SignedDataErrorCode.certificateStatusUnknown.remedy
    return trust.revocationCheck == .hard
      ? .failed(check, cause, remedy: remedy) : .warned(check, cause, remedy: remedy)
  }
}
