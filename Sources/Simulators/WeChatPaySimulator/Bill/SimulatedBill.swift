import PaymentPrimitives
import WeChatPayProtocol

/// A trade bill of one merchant and one Beijing day, made from the orders and refunds of that day.
struct SimulatedBill {
  let kind: TradeBillKind
  /// Varied format: LF, counts like `3.0`, and an unknown column.
  let isVaried: Bool
  /// The bill shows the state of this moment, whenever it is downloaded.
  let madeAt: Timestamp

  private(set) var lines: [Line] = []

  /// One row: a payment or a refund.
  struct Line {
    let date: Timestamp
    var order: SimulatedOrder
    let refund: SimulatedRefund?
    /// In fen: the order's total for a payment, the refunded amount for a refund.
    var amount: Int64
    /// In whole fen; negative for a refund.
    var fee: Int64
    /// Another word than that of a payment or refund.
    var tradeState: String?

    /// The part of the amount that the merchant receives or gives back: without coupons that it has not paid in.
    var settled: Int64 { amount - (refund.map { $0.refund - $0.payerRefund } ?? order.couponTotal) }
  }

  init(kind: TradeBillKind, isVaried: Bool, madeAt: Timestamp) {
    self.kind = kind
    self.isVaried = isVaried
    self.madeAt = madeAt
  }

  mutating func add(_ line: Line) { lines.append(line) }
  mutating func removeFirst() { if !lines.isEmpty { lines.removeFirst() } }
  mutating func alterFirst() { if !lines.isEmpty { lines[0].amount += 1 } }

  mutating func alterFirstFee() { if !lines.isEmpty { lines[0].fee += 1 } }
  mutating func renameFirst(_ word: String) { if !lines.isEmpty { lines[0].tradeState = word } }

  mutating func removeRefunds() { lines.removeAll { $0.refund != nil } }
  mutating func doubleFirst() { if let first = lines.first { lines.insert(first, at: 0) } }

  mutating func swapFirst() {
    guard lines.count > 1 else { return }
    (lines[0].order.transactionId, lines[1].order.transactionId) =
      (lines[1].order.transactionId, lines[0].order.transactionId)
  }

  /// Adds a payment that does not exist, in the format of a real one.
  mutating func addInvention() {
    guard var order = lines.first?.order else { return }
    order.transactionId = order.transactionId.map { String($0.dropLast(4)) + "9999" }
    let invented = SimulatedOrder(
      key: OrderKey(mchid: order.mchid, outTradeNo: "NEVERORDERED0001"), tradeType: order.tradeType, fingerprint: "-",
      appid: order.appid, goods: order.goods, total: order.total, attach: nil, notifyURL: order.notifyURL, openid: nil,
      createdAt: order.createdAt, timeExpire: order.timeExpire)
    var paid = invented
    paid.transactionId = order.transactionId
    paid.payer = order.payer
    lines.append(Line(date: lines[0].date, order: paid, refund: nil, amount: order.total, fee: lines[0].fee))
  }

  // MARK: the file

  var file: [UInt8] {
    let end = isVaried ? "\n" : "\r\n"
    var text = "\u{FEFF}" + (columns.joined(separator: ",")) + end
    let sorted = lines.enumerated().sorted { ($0.element.date, $0.offset) < ($1.element.date, $1.offset) }
    for (_, line) in sorted { text += BillFile.row(columns.map { field($0, of: line) }) + end }
    let sums = summary
    text += sums.map(\.name).joined(separator: ",") + end + BillFile.row(sums.map(\.value)) + end
    return Array(text.utf8)
  }

  private var columns: [String] {
    let head = [
      "交易时间", "公众账号ID", "商户号", "特约商户号", "设备号", "微信订单号", "商户订单号", "用户标识", "交易类型", "交易状态",
      "付款银行", "货币种类", "应结订单金额", "代金券金额",
    ]
    let refund = ["微信退款单号", "商户退款单号", "退款金额", "充值券退款金额", "退款类型", "退款状态"]
    let goods = ["商品名称", "商户数据包", "手续费", "费率", "订单金额"]
    let known =
      switch kind {
      case .all: head + refund + goods + ["申请退款金额", "费率备注"]
      case .success: head + goods + ["费率备注"]
      case .refund: head + ["退款申请时间", "退款成功时间"] + refund + goods + ["申请退款金额", "费率备注"]
      }
    return isVaried ? known + ["明天的新列"] : known
  }

  private func field(_ column: String, of line: Line) -> String {
    let order = line.order
    let refund = line.refund
    switch column {
    case "交易时间": return BeijingTime.billText(line.date)
    case "公众账号ID": return order.appid
    case "商户号": return order.mchid
    case "特约商户号": return "0"
    case "设备号": return order.deviceId
    case "微信订单号": return order.transactionId ?? ""
    case "商户订单号": return order.outTradeNo
    case "用户标识": return order.payer ?? ""
    case "交易类型": return order.tradeType.rawValue
    case "交易状态": return line.tradeState ?? (refund == nil ? "SUCCESS" : "REFUND")
    case "付款银行": return "OTHERS"
    case "货币种类": return "CNY"
    case "应结订单金额": return BillAmount.text(fen: refund == nil ? line.settled : 0)
    case "订单金额": return BillAmount.text(fen: refund == nil ? line.amount : 0)
    case "代金券金额", "充值券退款金额": return "0.00"
    case "商品名称": return order.goods
    case "商户数据包": return order.attach ?? ""
    case "手续费": return BillAmount.text(feeUnits: line.fee * 1000)
    case "费率": return "0.60%"
    case "退款金额": return BillAmount.text(fen: refund == nil ? 0 : line.settled)
    case "申请退款金额": return BillAmount.text(fen: refund == nil ? 0 : line.amount)
    default: return refundField(column, of: line)
    }
  }

  private func refundField(_ column: String, of line: Line) -> String {
    guard let refund = line.refund else { return ["微信退款单号", "商户退款单号"].contains(column) ? "0" : "" }
    switch column {
    case "微信退款单号": return refund.refundId
    case "商户退款单号": return refund.key.outRefundNo
    case "退款类型": return "ORIGINAL"
    case "退款状态": return refund.status(at: madeAt).rawValue
    case "退款申请时间": return BeijingTime.billText(refund.createdAt)
    case "退款成功时间":
      guard let time = refund.successTime, refund.status(at: madeAt) == .success else { return "" }
      return BeijingTime.billText(time)
    default: return ""
    }
  }

  private var summary: [(name: String, value: String)] {
    func sum(_ isRefund: Bool, _ amount: (Line) -> Int64) -> String {
      BillAmount.text(fen: lines.reduce(Int64(0)) { ($1.refund != nil) == isRefund ? $0 + amount($1) : $0 })
    }
    let fees = lines.reduce(Int64(0)) { $0 + $1.fee * 1000 }
    let count = ("总交易单数", isVaried ? "\(lines.count).0" : "\(lines.count)")
    let settlement = ("应结订单总金额", sum(false, \.settled))
    let fee = ("手续费总金额", BillAmount.text(feeUnits: fees))
    let total = ("订单总金额", sum(false, \.amount))
    guard kind != .success else { return [count, settlement, fee, total] }
    return [
      count, settlement, ("退款总金额", sum(true, \.settled)), ("充值券退款总金额", "0.00"), fee, total,
      ("申请退款总金额", sum(true, \.amount)),
    ]
  }
}
