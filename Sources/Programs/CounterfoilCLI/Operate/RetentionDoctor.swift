import Diagnostics
import PaymentModel
import PaymentPrimitives

/// Tells for how long the server keeps what money does not need, and what may be too short.
enum RetentionDoctor {
  private static let check = "retention"

  static func finding(_ policy: RetentionPolicy) -> DoctorFinding {
    guard !policy.isOff else {
      return .notApplicable(check, BilingualText("Everything is kept for ever.", "所有数据永久保留。"))
    }
    if let evidence = policy.evidence, evidence < RetentionPolicy.evidenceOfVouchers {
      let days = evidence.milliseconds / TimeSpan.days(1).milliseconds
      return .warned(
        check,
        BilingualText(
          "Evidence is kept for \(days) days. Where it is an accounting voucher, many countries want ten years.",
          "凭证保留 \(days) 天。如作为会计凭证，许多国家要求保留十年。"),
        remedy: BilingualText(
          "Ask your accountant, or write evidence = \"3650d\" under [retention].",
          "请咨询会计，或在 [retention] 中填写 evidence = \"3650d\"。"))
    }
    return .passed(
      check,
      BilingualText("What money still needs stays longer than [retention] says.", "资金处理仍需要的数据会超过 [retention] 所定期限继续保留。")
    )
  }
}
