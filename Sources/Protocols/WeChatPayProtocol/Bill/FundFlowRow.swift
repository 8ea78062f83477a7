package import PaymentPrimitives

/// One row of a fund-flow bill: one change of the balance of a merchant's account.
package struct FundFlowRow: Hashable, Sendable {
  /// The reason of the change. WeChat Pay does not list its words, so a word that this version does not know is kept.
  package enum Kind: Hashable, Sendable {
    /// A payer's payment.
    case payment
    /// A refund that was accepted.
    case refund
    /// The amount of a refund that was closed.
    case returnedRefund
    /// The fee of a payment.
    case fee
    /// The fee that a refund gives back.
    case returnedFee
    /// Money that the merchant paid in.
    case topUp
    /// Money that went to the merchant's bank account.
    case withdrawal
    /// Any other word, unchanged.
    case other(String)

    /// The kind of a word in 业务类型.
    init(word: String) {
      switch word {
      case "交易": self = .payment
      case "退款": self = .refund
      case "退款退回": self = .returnedRefund
      case "扣除交易手续费": self = .fee
      case "退还交易手续费": self = .returnedFee
      case "充值": self = .topUp
      case "提现": self = .withdrawal
      default: self = .other(word)
      }
    }
  }

  /// The line number in the file, from 1.
  package var line: Int
  /// The time of the entry: 记账时间.
  package var date: Timestamp
  /// WeChat Pay's number of the payment, the refund or the transfer: 微信支付业务单号.
  package var number: String
  /// The number of the entry: 资金流水单号.
  package var flowNumber: String
  package var kind: Kind
  /// In fen; negative if the money leaves the account.
  package var amount: Int64
  /// The balance of the account after it, in fen.
  package var balance: Int64
  /// The merchant's own number: 业务凭证号.
  package var voucher: String
  /// 备注, unchanged.
  package var note: String
}

/// The column names of a fund-flow bill.
enum FundFlowColumn: String, CaseIterable {
  case date = "记账时间"
  case number = "微信支付业务单号"
  case flowNumber = "资金流水单号"
  case name = "业务名称"
  case kind = "业务类型"
  case direction = "收支类型"
  case amount = "收支金额(元)"
  case balance = "账户结余(元)"
  case applicant = "资金变更提交申请人"
  case note = "备注"
  case voucher = "业务凭证号"
}
