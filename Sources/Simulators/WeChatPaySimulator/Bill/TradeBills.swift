import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// Makes the bill of a day, with the planned fault.
struct TradeBills {
  let call: MerchantCall
  let snapshot: WeChatPaySnapshot

  /// The bill that the call asks for; the answer has its download URL and its hash.
  func bill() throws(APIProblem) -> (ReadyBill, answer: JSONValue) {
    let target = call.route.target
    guard let kind = TradeBillKind(rawValue: target["bill_type"] ?? "ALL") else {
      throw .parameter("bill_type", "账单类型不合法", location: "query")
    }
    let isCompressed = target["tar_type"] == "GZIP"
    guard isCompressed || target["tar_type"] == nil else {
      throw .parameter("tar_type", "压缩类型不合法", location: "query")
    }
    let day = try billDay(target["bill_date"])
    var bill = SimulatedBill(kind: kind, isVaried: snapshot.state.behaviours.isOn(.variedBills))
    for line in lines(from: day, kind) { bill.add(line) }
    guard !bill.lines.isEmpty else { throw APIProblem(400, "NO_STATEMENT_EXIST", message: "账单文件不存在") }
    switch call.fault {
    case .missingRow: bill.removeFirst()
    case .additionalRow: bill.addInvention()
    case .alteredAmount: bill.alterFirst()
    case .doubledRow: bill.doubleFirst()
    case .swappedRows: bill.swapFirst()
    case .missingRefunds: bill.removeRefunds()
    default: break
    }
    let file = bill.file
    var hash = Hexadecimal.text(SHA1.hash(file))
    if call.fault == .wrongHash { hash = String(hash.reversed()) }
    let token = Base64URL.encode(snapshot.dependencies.randomBytes(48))
    let ready = ReadyBill(
      token: token, mchid: call.merchant.mchid, bytes: isCompressed ? Gzip.compress(file) : file,
      isCompressed: isCompressed, until: snapshot.now + WeChatPaySimulatorLimits.billLife)
    let url = "\(call.origin)/v3/billdownload/file?token=\(token)" + (isCompressed ? "&tartype=gzip" : "")
    let members = JSONValue.members([
      ("hash_type", "SHA1"), ("hash_value", .string(hash)), ("download_url", .string(url)),
    ])
    return (ready, members)
  }

  /// The start of the requested Beijing day, if its bill is ready.
  private func billDay(_ text: String?) throws(APIProblem) -> Timestamp {
    guard let text, text.utf8.count == 10, let midnight = Timestamp(iso8601: text + "T00:00:00+08:00") else {
      throw .parameter("bill_date", "日期格式应为 yyyy-MM-dd", location: "query")
    }
    let now = snapshot.now
    guard midnight <= now, now - midnight <= .days(WeChatPaySimulatorLimits.billDaysMax) else {
      throw APIProblem(400, "INVALID_REQUEST", message: "账单日期不合法")
    }
    if snapshot.state.behaviours.isOn(.billsAtOnce) { return midnight }
    guard now >= midnight + .days(1) else { throw APIProblem(400, "INVALID_REQUEST", message: "账单日期不合法") }
    // The bill is made at nine to ten o'clock of the next day.
    guard now >= midnight + .hours(34) else { throw APIProblem(400, "STATEMENT_CREATING", message: "账单生成中") }
    return midnight
  }

  private func lines(from midnight: Timestamp, _ kind: TradeBillKind) -> [SimulatedBill.Line] {
    let (state, mchid) = (snapshot.state, call.merchant.mchid)
    let end = midnight + .days(1)
    let isOfDay = { (moment: Timestamp) in midnight <= moment && moment < end }
    var lines: [SimulatedBill.Line] = []
    if kind != .refund {
      for key in state.orderSequence where key.mchid == mchid {
        guard let order = state.orders[key], let paidAt = order.paidAt, isOfDay(paidAt) else { continue }
        lines.append(.init(date: paidAt, order: order, refund: nil, amount: order.total))
      }
    }
    if kind != .success {
      for key in state.refundSequence where key.mchid == mchid {
        guard let refund = state.refunds[key], isOfDay(refund.createdAt), let order = state.orders[refund.order]
        else { continue }
        lines.append(.init(date: refund.createdAt, order: order, refund: refund, amount: refund.refund))
      }
    }
    return lines
  }
}
