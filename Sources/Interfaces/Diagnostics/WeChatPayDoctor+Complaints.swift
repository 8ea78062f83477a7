import PaymentEngine
import PaymentPrimitives
import WeChatPayIntegration
import WeChatPayProtocol

// Complaints of customers: whether the merchant may read them, and whether one has waited too long.
extension WeChatPayDoctor {
  /// A first answer is due after 24 hours.
  private static let answeredSoon = TimeSpan.hours(16)

  mutating func checkComplaints() async {
    let check = "wechat_pay.complaints"
    let now = dependencies.now()
    let days = (BeijingTime.day(now - .days(Int64(ListedComplaints.daysMax - 1))), BeijingTime.day(now))
    do throws(CodedError<WeChatPayRequestErrorCode>) {
      let call = try WeChatPayCall<ListedComplaints>.complaints(
        from: days.0, to: days.1, offset: 0, mchid: settings.merchant.mchid)
      switch await ask(call, at: settings.hosts[0]).outcome.result {
      case .answered(let page): findings.append(Self.finding(check, page, at: now))
      case .refused(let error), .unknown(.undecided(let error)):
        findings.append(.failed(check, error.code.meaning.followed(by: error.message), remedy: error.code.remedy))
      case .unknown(.unverified(let error, _, _)): findings.append(.failed(check, error))
      case .unknown:
        findings.append(.notApplicable(check, BilingualText("WeChat Pay did not answer.", "微信支付没有应答。")))
      }
    } catch { findings.append(.failed(check, error)) }
  }

  private static func finding(_ check: String, _ page: ListedComplaints, at now: Timestamp) -> DoctorFinding {
    let pending = page.complaints.filter { $0.state == .known(.pending) }
    let cause = BilingualText(
      "\(page.total) complaints in 30 days; \(pending.count) of the \(page.complaints.count) newest have no answer.",
      "30 天内 \(page.total) 笔投诉；最新 \(page.complaints.count) 笔中 \(pending.count) 笔未回复。")
    // A customer may complain again under an old number: then only the first moment is known here.
    guard pending.contains(where: { now - $0.time > answeredSoon }) else { return .passed(check, cause) }
    return .warned(
      check, cause,
      remedy: BilingualText(
        "Answer them within 24 hours: in the console, or with `counterfoil complaints`.",
        "请在 24 小时内回复：在控制台处理，或使用 `counterfoil complaints`。"))
  }
}
