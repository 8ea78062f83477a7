package import PaymentPrimitives

/// The cashier that payers open with their phone or browser.
package struct WeChatPayCashier: Sendable {
  let service: SimulatedWeChatPay

  /// A payer opens the cashier and acts there.
  ///
  /// The data from an app or page is checked as WeChat's client checks it, and the signature with the merchant's
  /// certificate. So a server's signing mistake is found without a phone.
  /// - Parameter openid: the payer; a JSAPI order accepts only the payer that it was opened for.
  /// - Throws: `logUnavailable`.
  nonisolated(nonsending) package func visit(
    _ visit: CashierVisit, openid: String, _ action: CashierAction
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> CashierResult {
    try await Self.visit(CashierDecision(visit: visit, openid: openid), action, at: service)
  }

  private static func visit(
    _ visit: CashierDecision, _ action: CashierAction, at service: isolated SimulatedWeChatPay
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> CashierResult {
    await service.settle()
    return try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      visit.act(action, &decision)
    }
  }
}
