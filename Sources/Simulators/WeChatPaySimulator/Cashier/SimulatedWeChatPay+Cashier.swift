package import PaymentPrimitives
import WeChatPayProtocol

extension SimulatedWeChatPay {
  /// A payer opens the cashier and acts there.
  ///
  /// The data from an app or page is checked as WeChat's client checks it, and the signature with the merchant's
  /// certificate. So a server's signing mistake is found without a phone.
  /// - Parameter openid: the payer; a JSAPI order accepts only the payer that it was opened for.
  /// - Throws: `logUnavailable`.
  package func visit(
    _ visit: CashierVisit, openid: String, _ action: CashierAction
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> CashierResult {
    await settle()
    return try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      decision.visit(visit, openid: openid, action)
    }
  }

  /// The order of a link or code, if it can be paid now; otherwise the reason.
  func look(_ visit: CashierVisit, openid: String) -> Result<SimulatedOrder, CashierProblem> {
    CommandContext(state, now: now(), dependencies).payable(visit, openid: openid)
  }
}

/// Why a visit ends before it begins.
struct CashierProblem: Error {
  let refusal: CashierError
  let order: SimulatedOrder?
}

extension CommandContext {
  mutating func visit(_ visit: CashierVisit, openid: String, _ action: CashierAction) -> CashierResult {
    var order: SimulatedOrder
    switch payable(visit, openid: openid) {
    case .success(let found): order = found
    case .failure(let problem):
      return CashierResult(errCode: -1, reason: problem.refusal, order: problem.order?.key)
    }
    let key = order.key
    switch action {
    case .pay, .payAndLeave: pay(order, openid: openid, payerTotal: order.total)
    case .payWithCoupon(let coupon): pay(order, openid: openid, payerTotal: max(0, order.total - max(0, coupon)))
    case .payLater(let span, let winsOverClose):
      order.enteredBy = openid
      order.payment = SimulatedOrder.PaymentUnderWay(
        moment: now + span, openid: openid, payerTotal: order.total, winsOverClose: winsOverClose)
      put(.order(order))
    case .cancel, .leave, .fail:
      guard order.enteredBy != openid else { break }
      order.enteredBy = openid
      put(.order(order))
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
  func payable(_ visit: CashierVisit, openid: String) -> Result<SimulatedOrder, CashierProblem> {
    guard let order = order(of: visit) else { return .failure(CashierProblem(refusal: .unknown, order: nil)) }
    if let refusal = refusal(of: visit, order) ?? refusal(of: openid, order) {
      return .failure(CashierProblem(refusal: refusal, order: order))
    }
    return .success(order)
  }

  private func order(of visit: CashierVisit) -> SimulatedOrder? {
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
  private func refusal(of visit: CashierVisit, _ order: SimulatedOrder) -> CashierError? {
    let keys = state.merchants[order.mchid]?.certificates.map(\.key) ?? []
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
      return isSigned ? outdated(given.prepayId, order) : .wrongSignature
    case .jsapi(let given):
      guard order.tradeType == .jsapi else { return .otherCashier }
      guard given.appId == order.appid else { return .otherApp }
      guard given.package.hasPrefix("prepay_id="), given.signType == "RSA" else { return .wrongPackage }
      let isSigned = keys.contains {
        JSAPIPaymentParameters.isValid(
          paySign: given.paySign, appId: given.appId, package: given.package, nonceStr: given.nonceStr,
          timeStamp: given.timeStamp, key: $0)
      }
      return isSigned ? outdated(String(given.package.dropFirst("prepay_id=".count)), order) : .wrongSignature
    case .h5(let prepayId): return order.tradeType == .h5 ? outdated(prepayId, order) : .otherCashier
    case .native(let codeURL):
      // A later code makes the earlier one invalid.
      guard let last = order.prepays.last, last.codeURL == codeURL else { return .outdated }
      return outdated(last.id, order)
    }
  }

  private func outdated(_ prepayId: String, _ order: SimulatedOrder) -> CashierError? {
    guard let prepay = order.prepays.first(where: { $0.id == prepayId }) else { return .unknown }
    let life = order.tradeType == .h5 ? WeChatPaySimulatorLimits.h5Life : WeChatPaySimulatorLimits.prepayLife
    return now <= prepay.issuedAt + life ? nil : .outdated
  }

  /// The error in the order's state or in the payer; nil when there is none.
  private func refusal(of openid: String, _ order: SimulatedOrder) -> CashierError? {
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
