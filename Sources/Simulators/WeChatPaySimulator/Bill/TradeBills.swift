import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// Makes the bill of a day, with the planned fault.
struct TradeBills {
  let call: MerchantCall
  let snapshot: WeChatPaySnapshot

  /// Kinds that a merchant can ask for, and that have no rows here: refunds of topped-up coupons, and the bills of a
  /// contract of its own.
  private static let emptyKinds: Set<String> = ["RECHARGE_REFUND", "ALL_SPECIAL", "SUC_SPECIAL", "REF_SPECIAL"]

  /// The bill that the call asks for; the answer has its download URL and its hash.
  func bill() throws(APIProblem) -> (ReadyBill, answer: JSONValue) {
    let common = BillFile(call: call, snapshot: snapshot)
    try call.refusePartnerQuery()
    let word = call.route.target["bill_type"] ?? "ALL"
    let kind = TradeBillKind(rawValue: word)
    guard kind != nil || Self.emptyKinds.contains(word) else {
      throw .parameter("bill_type", "账单类型不合法", location: "query")
    }
    let isCompressed = try common.isCompressed()
    let day = try common.day()
    guard let kind else { throw BillFile.missing }
    var bill = SimulatedBill(
      kind: kind, isVaried: snapshot.state.behaviours.isOn(.variedBills),
      madeAt: min(snapshot.now, BillFile.making(day)))
    for line in lines(from: day, kind) { bill.add(line) }
    guard !bill.lines.isEmpty else { throw BillFile.missing }
    switch call.fault {
    case .missingRow: bill.removeFirst()
    case .additionalRow: bill.addInvention()
    case .alteredAmount: bill.alterFirst()
    case .doubledRow: bill.doubleFirst()
    case .swappedRows: bill.swapFirst()
    case .missingRefunds: bill.removeRefunds()
    case .unknownRow: bill.renameFirst(NotificationDecision.unknownWord)
    case .alteredFee: bill.alterFirstFee()
    default: break
    }
    return common.ready(bill.file, isCompressed: isCompressed)
  }

  private func lines(from midnight: Timestamp, _ kind: TradeBillKind) -> [SimulatedBill.Line] {
    let (state, mchid) = (snapshot.state, call.merchant.mchid)
    let end = midnight + .days(1)
    let isOfDay = { (moment: Timestamp) in midnight <= moment && moment < end }
    var lines: [SimulatedBill.Line] = []
    if kind != .refund {
      for key in state.orderSequence where key.mchid == mchid {
        guard let order = state.orders[key], let paidAt = order.paidAt, isOfDay(paidAt) else { continue }
        let fee = MerchantFee.of(fen: order.total - order.couponTotal)
        lines.append(.init(date: paidAt, order: order, refund: nil, amount: order.total, fee: fee))
      }
    }
    if kind != .success {
      for key in state.refundSequence where key.mchid == mchid {
        guard let refund = state.refunds[key], isOfDay(refund.createdAt), let order = state.orders[refund.order]
        else { continue }
        let fee = MerchantFee.givenBack(by: refund, of: order, in: state)
        lines.append(.init(date: refund.createdAt, order: order, refund: refund, amount: refund.refund, fee: -fee))
      }
    }
    return lines
  }
}
