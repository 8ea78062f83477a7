import CounterfoilAPI
public import PaymentPrimitives
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedBackend {
  /// Makes orders at WeChat Pay for another app from now on.
  public func useWeChatApp(_ appId: String) { state.withLock { $0.weChatAppId = appId } }

  /// Sets the time after a grant at which the team's backend acknowledges it; nil: there is no backend.
  public func acknowledge(after span: TimeSpan?) { state.withLock { $0.acknowledgesAfter = span } }

  /// Marks an order as paid. It does not matter whether WeChat Pay tells the server or the server asks.
  ///
  /// - Returns: false if the order is unknown, or paid or closed before.
  @discardableResult
  public func payAtWeChat(_ id: OrderIdentifier) -> Bool {
    state.withLock { state in
      guard let order = state.orders[id], order.body.state == .awaitingPayment else { return false }
      state.orders[id]?.body.state = .paid
      state.orders[id]?.body.paidAt = clock.now
      state.grants.append(
        Grant(
          transaction: TransactionIdentifier("wx-" + id.outTradeNo), user: order.body.user,
          product: StoreProductIdentifier(order.body.product.text), quantity: order.body.quantity, order: id))
      tellBackend(id, &state)
      return true
    }
  }

  func tellBackend(_ id: OrderIdentifier, _ state: inout State) {
    guard let span = state.acknowledgesAfter else { return }
    state.orders[id]?.body.delivery = .pending
    clock.after(span) { self.state.withLock { $0.orders[id]?.body.delivery = .acknowledged } }
  }

  func weChatParameters(of id: OrderIdentifier, _ state: State) -> WeChatPayParameters {
    var parameters = WeChatPayParameters(
      appId: state.weChatAppId, partnerId: "1900000001", prepayId: "wx-prepay-" + id.outTradeNo,
      packageValue: "Sign=WXPay", nonceStr: "nonce-\(state.count)", timeStamp: clock.now.milliseconds / 1000,
      sign: "made for tests \(state.count)")
    parameters.extData = id.appAccountToken
    return parameters
  }
}
