public import PaymentPrimitives
import CounterfoilAPI
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedBackend {
  /// Makes orders at WeChat Pay for another app from now on.
  public func useWeChatApp(_ appId: String) { state.withLock { $0.weChatAppId = appId } }

  /// Lets the team's backend acknowledge what it is told, so long after the grant; nil: there is no backend to tell.
  public func acknowledge(after span: TimeSpan?) { state.withLock { $0.acknowledgesAfter = span } }

  /// WeChat Pay tells the server that an order is paid, or the server asks it: the same either way.
  ///
  /// - Returns: false when the order is unknown, or paid or closed before.
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
