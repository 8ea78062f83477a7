import PaymentPrimitives

/// One movement of money in an account of a merchant.
struct FundFlow {
  let at: Timestamp
  /// WeChat Pay's number of the payment, the refund or the transfer.
  let businessNumber: String
  var name: String
  /// In fen; negative for an expense.
  var amount: Int64
  var note = ""
  /// The merchant's own number.
  let voucher: String
  /// What the account holds afterwards.
  var balance: Int64 = 0
}

/// The rates and the rounding of WeChat Pay's fee.
enum MerchantFee {
  /// 0.6 percent, rounded half up to a fen.
  static func of(fen amount: Int64) -> Int64 { (amount * 6 + 500) / 1000 }

  /// The part of the fee that a refund gives back: what is left of it never differs from the fee of what is left.
  static func givenBack(by refund: SimulatedRefund, of order: SimulatedOrder, in state: WeChatPayState) -> Int64 {
    var left = order.total - order.couponTotal
    for earlier in state.refunds(of: order) {
      if earlier.key == refund.key { return of(fen: left) - of(fen: left - refund.payerRefund) }
      // What a refund took is there again after it was closed.
      if let closedAt = earlier.closedAt, closedAt <= refund.createdAt { continue }
      left -= earlier.payerRefund
    }
    return 0
  }
}

extension WeChatPayState {
  /// All movements in an account up to a moment, with the balance after each.
  func fundFlows(of mchid: String, _ account: FundAccount, until end: Timestamp) -> [FundFlow] {
    var flows = transferFlows(of: mchid, account)
    if account == .basic { flows += paymentFlows(of: mchid) + refundFlows(of: mchid) }
    var balance: Int64 = 0
    return flows.enumerated().filter { $0.element.at < end }
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map { _, flow in
        var flow = flow
        balance += flow.amount
        flow.balance = balance
        return flow
      }
  }

  private func transferFlows(of mchid: String, _ account: FundAccount) -> [FundFlow] {
    transfers.filter { $0.mchid == mchid && $0.account == account }.map { transfer in
      let isIncome = transfer.kind == .topUp
      return FundFlow(
        at: transfer.at, businessNumber: transfer.number, name: isIncome ? "充值" : "提现",
        amount: isIncome ? transfer.amount : -transfer.amount, voucher: transfer.number)
    }
  }

  private func paymentFlows(of mchid: String) -> [FundFlow] {
    orderSequence.filter { $0.mchid == mchid }.compactMap { orders[$0] }.flatMap { order -> [FundFlow] in
      guard let paidAt = order.paidAt, let number = order.transactionId else { return [] }
      let received = order.total - order.couponTotal
      return [
        FundFlow(at: paidAt, businessNumber: number, name: "交易", amount: received, voucher: order.outTradeNo),
        FundFlow(
          at: paidAt, businessNumber: number, name: "扣除交易手续费", amount: -MerchantFee.of(fen: received),
          voucher: order.outTradeNo),
      ].filter { $0.amount != 0 }
    }
  }

  private func refundFlows(of mchid: String) -> [FundFlow] {
    refundSequence.filter { $0.mchid == mchid }.compactMap { refunds[$0] }.flatMap { refund -> [FundFlow] in
      guard let order = orders[refund.order] else { return [] }
      let fee = MerchantFee.givenBack(by: refund, of: order, in: self)
      func flows(at moment: Timestamp, sign: Int64, named name: String, fee feeName: String) -> [FundFlow] {
        [
          FundFlow(
            at: moment, businessNumber: refund.refundId, name: name, amount: -sign * refund.payerRefund,
            voucher: refund.key.outRefundNo),
          FundFlow(
            at: moment, businessNumber: refund.refundId, name: feeName, amount: sign * fee,
            voucher: refund.key.outRefundNo),
        ].filter { $0.amount != 0 }
      }
      let asked = flows(at: refund.createdAt, sign: 1, named: "退款", fee: "退还交易手续费")
      guard let closedAt = refund.closedAt else { return asked }
      return asked + flows(at: closedAt, sign: -1, named: "退款退回", fee: "扣除交易手续费")
    }
  }
}
