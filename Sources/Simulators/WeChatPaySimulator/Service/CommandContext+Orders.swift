import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

extension CommandContext {
  // MARK: queries

  /// The state of an order as queries report it, including the set delays.
  func query(_ key: OrderKey?, transactionId: String? = nil) throws(APIProblem) -> PaymentTransaction {
    guard let order = key.flatMap({ state.orders[$0] }) else { throw .orderNotFound }
    guard now >= order.createdAt + .milliseconds(state.behaviours[.visibilityLagMilliseconds]) else {
      throw .orderNotFound
    }
    var tradeState = state.tradeState(of: order, at: now)
    if let paidAt = order.paidAt, now < paidAt + .seconds(state.behaviours[.queryLagSeconds]) {
      tradeState = .notPaid
      guard transactionId == nil else { throw .orderNotFound }
    }
    return order.transaction(in: tradeState)
  }

  // MARK: closing

  /// Closes an order. This cancels a payment in progress, unless the payment wins over the close.
  mutating func close(_ key: OrderKey) throws(APIProblem) {
    guard var order = state.orders[key] else {
      guard state.behaviours.isOn(.closeUnknownNotFound) else { return }
      throw .orderNotFound
    }
    switch state.tradeState(of: order, at: now) {
    case .success, .refund: throw .orderPaid
    case .revoked, .payError: throw .orderClosed
    case .closed, .notPaid, .userPaying: break
    }
    guard order.state != .closed else { return }
    order.state = .closed
    if order.payment?.winsOverClose == false { order.payment = nil }
    put(.order(order))
  }

  // MARK: payments

  /// Charges the payer: the order is paid, and a notification is planned.
  mutating func pay(_ order: SimulatedOrder, openid: String, payerTotal: Int64) {
    var paid = order
    paid.payment = nil
    paid.state = .success
    paid.enteredBy = openid
    paid.payer = openid
    paid.payerTotal = payerTotal
    paid.paidAt = Timestamp(seconds: now.seconds)
    paid.transactionId = "4200002500" + eightDigits() + tenDigits()
    put(.order(paid))
    tellOfPayment(paid)
  }

  /// Completes a payment in progress at its time.
  mutating func landPayment(_ key: OrderKey) {
    guard let order = state.orders[key], let payment = order.payment, payment.moment <= now else { return }
    if order.state == .notPaid || order.state == .closed && payment.winsOverClose {
      pay(order, openid: payment.openid, payerTotal: payment.payerTotal)
    } else {
      var refused = order
      refused.payment = nil
      put(.order(refused))
    }
  }
}
