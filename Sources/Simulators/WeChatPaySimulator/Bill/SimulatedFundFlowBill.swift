import PaymentPrimitives
import WeChatPayProtocol

/// A fund-flow bill of one account and one Beijing day.
struct SimulatedFundFlowBill {
  /// Varied format: LF, and counts like `3.0`.
  let isVaried: Bool
  var flows: [FundFlow]

  private static let columns = [
    "记账时间", "微信支付业务单号", "资金流水单号", "业务名称", "业务类型", "收支类型", "收支金额(元)", "账户结余(元)",
    "资金变更提交申请人", "备注", "业务凭证号",
  ]

  var file: [UInt8] {
    let end = isVaried ? "\n" : "\r\n"
    var text = "\u{FEFF}" + Self.columns.joined(separator: ",") + end
    for (index, flow) in flows.enumerated() { text += BillFile.row(Self.fields(flow, index)) + end }
    text += "资金流水总笔数,收入笔数,收入金额,支出笔数,支出金额" + end + BillFile.row(summary) + end
    return Array(text.utf8)
  }

  private static func fields(_ flow: FundFlow, _ index: Int) -> [String] {
    [
      BeijingTime.billText(flow.at), flow.businessNumber, "\(flow.businessNumber)\(1 + index)", flow.name, flow.name,
      flow.amount < 0 ? "支出" : "收入", BillAmount.text(fen: abs(flow.amount)), BillAmount.text(fen: flow.balance),
      "system", flow.note, flow.voucher,
    ]
  }

  private var summary: [String] {
    let incomes = flows.filter { $0.amount > 0 }.map(\.amount)
    let expenses = flows.filter { $0.amount < 0 }.map { -$0.amount }
    func count(_ number: Int) -> String { isVaried ? "\(number).0" : "\(number)" }
    return [
      count(flows.count), count(incomes.count), BillAmount.text(fen: incomes.reduce(0, +)), count(expenses.count),
      BillAmount.text(fen: expenses.reduce(0, +)),
    ]
  }
}
