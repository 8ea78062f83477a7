import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// What WeChat Pay decides about refunds.
enum OrderRefundDecision {
  /// Accepts a refund, or reports the state of the existing refund with that number.
  static func refund(
    _ body: JSONValue, by merchant: SimulatedMerchant, _ decision: inout CommandContext
  ) throws(APIProblem) -> RefundFacts {
    guard merchant.mayRefund else { throw APIProblem(403, "NO_AUTH", message: "没有退款权限") }
    let number = body["out_refund_no"]?.string ?? ""
    let key = RefundKey(mchid: merchant.mchid, outRefundNo: number)
    let order = try refundable(body, by: merchant, decision.state)
    // Both names of the order identify the same refund.
    let fingerprint = Fingerprint.text(of: body.without(["transaction_id", "out_trade_no"]), order.key.description)
    if let known = decision.state.refunds[key] {
      guard known.fingerprint == fingerprint else {
        throw APIProblem(400, "INVALID_REQUEST", message: "同一退款单号的请求参数与首次请求不一致")
      }
      return known.facts
    }
    let amount = try refundAmount(body, of: order, decision)
    let ending = decision.strike(.refund) { $0 == .abnormalRefund || $0 == .closedRefund }
    let refund = newRefund(
      key, of: order, fingerprint: fingerprint, amount: amount, asked: body,
      outcome: ending == .abnormalRefund ? .abnormal : ending == .closedRefund ? .closed : .success, decision)
    var changed = order
    changed.state = .refund
    changed.refundNumbers.append(number)
    decision.put(.order(changed))
    decision.put(.refund(refund))
    return refund.facts
  }

  /// The paid order of a refund: WeChat Pay's number takes precedence.
  private static func refundable(
    _ body: JSONValue, by merchant: SimulatedMerchant, _ state: WeChatPayState
  ) throws(APIProblem) -> SimulatedOrder {
    let key: OrderKey?
    if let transactionId = body["transaction_id"]?.string {
      key = state.orderOfTransaction[transactionId]
    } else {
      guard let outTradeNo = body["out_trade_no"]?.string else {
        throw .parameter("/transaction_id", "transaction_id 与 out_trade_no 至少填一个")
      }
      key = OrderKey(mchid: merchant.mchid, outTradeNo: outTradeNo)
    }
    guard let order = key.flatMap({ state.orders[$0] }), order.mchid == merchant.mchid,
      order.state == .success || order.state == .refund
    else { throw APIProblem(404, "RESOURCE_NOT_EXISTS", message: "订单不存在或未支付") }
    return order
  }

  /// The requested amount, within all of WeChat Pay's limits.
  private static func refundAmount(
    _ body: JSONValue, of order: SimulatedOrder, _ decision: CommandContext
  ) throws(APIProblem) -> Int64 {
    let (state, now) = (decision.state, decision.now)
    guard body["amount"]?["total"]?.integer == order.total else {
      throw .parameter("/amount/total", "与原订单金额不一致", value: body["amount"]?["total"])
    }
    let amount = body["amount"]?["refund"]?.integer ?? 0
    let refunds = state.refunds(of: order)
    // The amount of a closed refund is available again.
    let taken = refunds.reduce(Int64(0)) { $1.status == .closed ? $0 : $0 + $1.refund }
    guard amount <= order.total - taken else {
      throw APIProblem(400, "INVALID_REQUEST", message: "申请退款金额超过订单可退金额")
    }
    if let from = body["amount"]?["from"]?.array {
      guard from.reduce(Int64(0), { $0 + ($1["amount"]?.integer ?? 0) }) == amount else {
        throw .parameter("/amount/from", "各账户金额之和与退款金额不一致")
      }
    }
    guard refunds.count < WeChatPaySimulatorLimits.refundsPerOrderMax else {
      throw APIProblem(400, "INVALID_REQUEST", message: "订单退款次数超过 \(WeChatPaySimulatorLimits.refundsPerOrderMax) 次")
    }
    guard let paidAt = order.paidAt, now <= paidAt + WeChatPaySimulatorLimits.refundLife else {
      throw APIProblem(400, "INVALID_REQUEST", message: "订单超过一年，不能退款")
    }
    if let last = refunds.last, now < last.createdAt + WeChatPaySimulatorLimits.refundPause,
      !state.behaviours.isOn(.refundsWithoutPause)
    {
      throw .frequencyLimited
    }
    return amount
  }

  private static func newRefund(
    _ key: RefundKey, of order: SimulatedOrder, fingerprint: String, amount: Int64, asked body: JSONValue,
    outcome: RefundStatus, _ decision: CommandContext
  ) -> SimulatedRefund {
    let now = decision.now
    let payerTotal = order.payerTotal ?? order.total
    // Coupons are refunded in proportion; the last fen goes to the payer.
    let product = (order.total - payerTotal).multipliedFullWidth(by: amount)
    let payerRefund = amount - order.total.dividingFullWidth(product).quotient
    let behaviour = decision.state.behaviours[.refundSeconds]
    var refund = SimulatedRefund(
      key: key, order: order.key, fingerprint: fingerprint,
      refundId: "50300002500" + decision.eightDigits() + decision.tenDigits(),
      transactionId: order.transactionId ?? "", refund: amount, payerRefund: payerRefund, total: order.total,
      payerTotal: payerTotal, fundsAccount: body["funds_account"]?.string ?? SimulatedRefund.unsettled,
      notifyURL: body["notify_url"]?.string ?? decision.state.merchants[key.mchid]?.refundNotifyURL,
      createdAt: Timestamp(seconds: now.seconds), outcome: outcome)
    refund.endsAt = now + (behaviour == 0 ? WeChatPaySimulatorLimits.refundSpan : .seconds(behaviour))
    return refund
  }

  /// Ends a refund at its time, and plans a notification.
  static func end(_ key: RefundKey, _ decision: inout CommandContext) {
    guard var refund = decision.state.refunds[key], let endsAt = refund.endsAt, endsAt <= decision.now else { return }
    refund.endsAt = nil
    refund.take(refund.outcome, at: decision.now)
    if refund.outcome == .success { refund.successTime = Timestamp(seconds: decision.now.seconds) }
    decision.put(.refund(refund))
    NotificationDecision.tellOfRefund(refund, &decision)
  }

  /// Restarts an abnormal refund, as a person does in the merchant platform.
  static func repair(
    _ key: RefundKey, _ decision: inout CommandContext
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) {
    guard let stuck = decision.state.refunds[key] else {
      throw CodedError(.orderUnknown, "There is no refund of that number.")
    }
    guard stuck.status == .abnormal else { throw CodedError(.fieldInvalid, "The refund is \(stuck.status.rawValue).") }
    guard stuck.history.count < WeChatPaySimulatorLimits.refundStepsMax else { throw CodedError(.full) }
    decision.put(.refund(restarted(stuck, decision)))
  }

  /// An abnormal refund on its way once more; it then succeeds.
  static func restarted(_ stuck: SimulatedRefund, _ decision: CommandContext) -> SimulatedRefund {
    var refund = SimulatedRefund(
      key: stuck.key, order: stuck.order, fingerprint: stuck.fingerprint, refundId: stuck.refundId,
      transactionId: stuck.transactionId, refund: stuck.refund, payerRefund: stuck.payerRefund, total: stuck.total,
      payerTotal: stuck.payerTotal, fundsAccount: stuck.fundsAccount, notifyURL: stuck.notifyURL,
      createdAt: stuck.createdAt, outcome: .success)
    refund.history = stuck.history
    refund.take(.processing, at: decision.now)
    refund.endsAt = decision.now + WeChatPaySimulatorLimits.refundSpan
    return refund
  }
}

extension JSONValue {
  /// The same object without some of its members.
  fileprivate func without(_ names: [String]) -> JSONValue {
    .object((object ?? []).filter { !names.contains($0.name) })
  }
}
