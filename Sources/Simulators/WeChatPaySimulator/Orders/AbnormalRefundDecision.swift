import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// What WeChat Pay decides about a refund that could not reach the payer.
struct AbnormalRefundDecision: Sendable {
  /// WeChat Pay's number in the path.
  let refundId: String
  let body: JSONValue
  /// The decrypted number of the payer's card; nil for the merchant's own account.
  let cardNumber: String?
  let merchant: SimulatedMerchant

  /// The banks whose debit cards are allowed, from WeChat Pay's page of the call.
  static let banks: [String: String] = [
    "CMB_DEBIT": "招商银行", "COMM_DEBIT": "交通银行", "ABC_DEBIT": "农业银行", "CCB_DEBIT": "建设银行",
    "ICBC_DEBIT": "工商银行", "BOC_DEBIT": "中国银行", "PAB_DEBIT": "平安银行", "SPDB_DEBIT": "浦发银行",
    "CITIC_DEBIT": "中信银行", "CEB_DEBIT": "光大银行", "CMBC_DEBIT": "民生银行", "CIB_DEBIT": "兴业银行",
    "GDB_DEBIT": "广发银行", "PSBC_DEBIT": "邮储银行", "NBCB_DEBIT": "宁波银行",
  ]

  /// Sends the refund on its way once more. Repeating the call changes nothing.
  func decide(_ decision: inout CommandContext) throws(APIProblem) -> RefundFacts {
    guard merchant.mayRefund else { throw APIProblem(403, "NO_AUTH", message: "没有退款权限") }
    let key = RefundKey(mchid: merchant.mchid, outRefundNo: body["out_refund_no"]?.string ?? "")
    guard let stuck = decision.state.refunds[key], stuck.refundId == refundId else {
      throw APIProblem(404, "RESOURCE_NOT_EXISTS", message: "退款单不存在")
    }
    guard stuck.status == .abnormal else {
      guard stuck.history.contains(where: { $0.status == .abnormal }) else {
        throw APIProblem(400, "INVALID_REQUEST", message: "退款单状态不是退款异常")
      }
      return stuck.facts
    }
    guard stuck.history.count < WeChatPaySimulatorLimits.refundStepsMax else { throw .systemError }
    var refund = OrderRefundDecision.restarted(stuck, decision)
    refund.channel = "OTHER_BANKCARD"
    let bank = body["bank_type"]?.string.flatMap { Self.banks[$0] }
    refund.receivedAccount = cardNumber.map { "\(bank ?? "")借记卡\($0.suffix(4))" } ?? "商户结算银行账户"
    decision.put(.refund(refund))
    return refund.facts
  }
}
