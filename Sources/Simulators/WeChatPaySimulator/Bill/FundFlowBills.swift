import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// Makes the fund-flow bill of a day and an account, with the planned fault.
struct FundFlowBills {
  let call: MerchantCall
  let snapshot: WeChatPaySnapshot

  func bill() throws(APIProblem) -> (ReadyBill, answer: JSONValue) {
    let common = BillFile(call: call, snapshot: snapshot)
    let target = call.route.target
    try call.refusePartnerQuery()
    guard let account = FundAccount(rawValue: target["account_type"] ?? "BASIC") else {
      throw .parameter("account_type", "资金账户类型不合法", location: "query")
    }
    let isCompressed = try common.isCompressed()
    let day = try common.day()
    let state = snapshot.state
    var flows = state.fundFlows(of: call.merchant.mchid, account, until: day + .days(1)).filter { $0.at >= day }
    guard !flows.isEmpty else { throw BillFile.missing }
    switch call.fault {
    case .missingRow: flows.removeFirst()
    case .alteredAmount: flows[0].amount += 1
    case .doubledRow: flows.insert(flows[0], at: 0)
    case .missingRefunds: flows.removeAll { $0.name == "退款" }
    case .unknownRow: flows[0].name = NotificationDecision.unknownWord
    default: break
    }
    let bill = SimulatedFundFlowBill(isVaried: state.behaviours.isOn(.variedBills), flows: flows)
    return common.ready(bill.file, isCompressed: isCompressed)
  }
}
