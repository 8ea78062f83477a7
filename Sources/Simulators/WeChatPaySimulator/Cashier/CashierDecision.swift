import PaymentPrimitives
import WeChatPayProtocol

/// Why a visit ends before it begins.
struct CashierProblem: Error {
  let refusal: CashierError
  let order: SimulatedOrder?
}

/// What the cashier decides about the visit of one payer.
struct CashierDecision: Sendable {
  let visit: CashierVisit
  /// The payer.
  let openid: String

  func act(_ action: CashierAction, _ decision: inout CommandContext) -> CashierResult {
    var order: SimulatedOrder
    switch payable(decision) {
    case .success(let found): order = found
    case .failure(let problem):
      return CashierResult(errCode: -1, reason: problem.refusal, order: problem.order?.key)
    }
    let key = order.key
    switch action {
    case .pay, .payAndLeave: OrderDecision.pay(order, openid: openid, payerTotal: order.total, &decision)
    case .payWithCoupon(let coupon):
      OrderDecision.pay(order, openid: openid, payerTotal: max(0, order.total - max(0, coupon)), &decision)
    case .payLater(let span, let winsOverClose):
      order.enteredBy = openid
      order.payment = SimulatedOrder.PaymentUnderWay(
        moment: decision.now + span, openid: openid, payerTotal: order.total, winsOverClose: winsOverClose)
      decision.put(.order(order))
    case .cancel, .leave, .fail:
      guard order.enteredBy != openid else { break }
      order.enteredBy = openid
      decision.put(.order(order))
    }
    let errCode: Int? =
      switch action {
      case .pay, .payWithCoupon: 0
      case .cancel: -2
      case .fail: -1
      case .payAndLeave, .payLater, .leave: nil
      }
    return CashierResult(errCode: errCode, reason: nil, order: key)
  }

  /// The order that a payer may pay now.
  func payable(_ context: CommandContext) -> Result<SimulatedOrder, CashierProblem> {
    guard let order = order(in: context.state) else { return .failure(CashierProblem(refusal: .unknown, order: nil)) }
    if let refusal = refusalOfVisit(order, context) ?? refusalOfPayer(order, at: context.now) {
      return .failure(CashierProblem(refusal: refusal, order: order))
    }
    return .success(order)
  }

  private func order(in state: WeChatPayState) -> SimulatedOrder? {
    let key: OrderKey? =
      switch visit {
      case .app(let handOver): state.orderOfPrepay[handOver.prepayId]
      case .jsapi(let handOver): state.orderOfPrepay[String(handOver.package.drop { $0 != "=" }.dropFirst())]
      case .h5(let prepayId): state.orderOfPrepay[prepayId]
      case .native(let codeURL): state.orderOfCode[codeURL]
      }
    return key.flatMap { state.orders[$0] }
  }

  /// The error in the visit's parameters; nil when there is none.
  private func refusalOfVisit(_ order: SimulatedOrder, _ context: CommandContext) -> CashierError? {
    let now = context.now
    let keys = context.state.merchants[order.mchid]?.certificates.map(\.key) ?? []
    switch visit {
    case .app(let given):
      guard order.tradeType == .app else { return .otherCashier }
      guard given.appId == order.appid else { return .otherApp }
      guard given.partnerId == order.mchid else { return .otherMerchant }
      guard given.package == "Sign=WXPay" else { return .wrongPackage }
      let isSigned = keys.contains {
        AppPaymentParameters.isValid(
          sign: given.sign, appId: given.appId, prepayId: given.prepayId, nonceStr: given.nonceStr,
          timeStamp: given.timeStamp, key: $0)
      }
      return isSigned ? outdated(given.prepayId, order, at: now) : .wrongSignature
    case .jsapi(let given):
      guard order.tradeType == .jsapi else { return .otherCashier }
      guard given.appId == order.appid else { return .otherApp }
      guard given.package.hasPrefix("prepay_id="), given.signType == "RSA" else { return .wrongPackage }
      let isSigned = keys.contains {
        JSAPIPaymentParameters.isValid(
          paySign: given.paySign, appId: given.appId, package: given.package, nonceStr: given.nonceStr,
          timeStamp: given.timeStamp, key: $0)
      }
      return isSigned ? outdated(String(given.package.dropFirst("prepay_id=".count)), order, at: now) : .wrongSignature
    case .h5(let prepayId): return order.tradeType == .h5 ? outdated(prepayId, order, at: now) : .otherCashier
    case .native(let codeURL):
      // A later code makes the earlier one invalid.
      guard let last = order.prepays.last, last.codeURL == codeURL else { return .outdated }
      return outdated(last.id, order, at: now)
    }
  }

  private func outdated(_ prepayId: String, _ order: SimulatedOrder, at now: Timestamp) -> CashierError? {
    guard let prepay = order.prepays.first(where: { $0.id == prepayId }) else { return .unknown }
    let life = order.tradeType == .h5 ? WeChatPaySimulatorLimits.h5Life : WeChatPaySimulatorLimits.prepayLife
    return now <= prepay.issuedAt + life ? nil : .outdated
  }

  /// The error in the order's state or in the payer; nil when there is none.
  private func refusalOfPayer(_ order: SimulatedOrder, at now: Timestamp) -> CashierError? {
    switch order.state {
    case .success, .refund: return .paid
    case .closed, .revoked, .payError: return .closed
    case .notPaid, .userPaying: break
    }
    guard now <= order.timeExpire else { return .expired }
    guard order.enteredBy ?? openid == openid, order.openid ?? openid == openid else { return .otherPayer }
    return nil
  }
}
