import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// What WeChat Pay decides about orders.
enum OrderDecision {
  // MARK: queries

  /// The state of an order as queries report it, including the set delays.
  static func query(
    _ key: OrderKey?, transactionId: String? = nil, _ context: CommandContext
  ) throws(APIProblem) -> PaymentTransaction {
    let (state, now) = (context.state, context.now)
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
  static func close(_ key: OrderKey, _ decision: inout CommandContext) throws(APIProblem) {
    let state = decision.state
    guard var order = state.orders[key] else {
      guard state.behaviours.isOn(.closeUnknownNotFound) else { return }
      throw .orderNotFound
    }
    switch state.tradeState(of: order, at: decision.now) {
    case .success, .refund: throw .orderPaid
    case .revoked, .payError: throw .orderClosed
    case .closed, .notPaid, .userPaying: break
    }
    guard order.state != .closed else { return }
    order.state = .closed
    if order.payment?.winsOverClose == false { order.payment = nil }
    decision.put(.order(order))
  }

  // MARK: payments

  /// Charges the payer: the order is paid, and a notification is planned.
  static func pay(
    _ order: SimulatedOrder, openid: String, payerTotal: Int64, _ decision: inout CommandContext
  ) {
    var paid = order
    paid.payment = nil
    paid.state = .success
    paid.enteredBy = openid
    paid.payer = openid
    paid.payerTotal = payerTotal
    paid.paidAt = Timestamp(seconds: decision.now.seconds)
    paid.transactionId = "4200002500" + decision.eightDigits() + decision.tenDigits()
    decision.put(.order(paid))
    NotificationDecision.tellOfPayment(paid, &decision)
  }

  /// Completes a payment in progress at its time.
  static func landPayment(_ key: OrderKey, _ decision: inout CommandContext) {
    guard let order = decision.state.orders[key], let payment = order.payment, payment.moment <= decision.now else {
      return
    }
    if order.state == .notPaid || order.state == .closed && payment.winsOverClose {
      pay(order, openid: payment.openid, payerTotal: payment.payerTotal, &decision)
    } else {
      var refused = order
      refused.payment = nil
      decision.put(.order(refused))
    }
  }
}
