package import PaymentPrimitives

/// The nine rules of money (docs/specification/invariants.md). Commits, audit, simulation and tests share this list.
package enum Invariant: Int, CaseIterable, Hashable, Sendable {
  /// No grant without a verified, unrevoked payment of the right app, environment, product and quantity.
  case grantHasPayment = 1
  /// A payment has at most one order, an order at most one payment, a payment at most one grant in force.
  case onePaymentOneOrderOneGrant
  /// The grant goes to the user of the order or of the subscription, or to a user with a valid claim.
  case grantGoesToItsOwner
  /// Each refund takes effect at most once, and never takes more than was granted.
  case refundTakesAtMostTheGrant
  /// Nothing is acknowledged that a power failure could still undo.
  case acknowledgedIsDurable
  /// A client finishes a transaction only after the server's verdict.
  case finishOnlyOnVerdict
  /// State only moves forward; the store's signed date decides.
  case stateMovesForward
  case environmentsNeverMix
  /// At rest, everything charged and not refunded is granted exactly once, or is in the operator's queue with a
  /// reason.
  case atRestNothingIsLost

  package var statement: BilingualText {
    switch self {
    case .grantHasPayment:
      BilingualText(
        "No grant without a verified, unrevoked payment of the right app, environment, product and quantity.",
        "没有经过验证且未撤销、应用/环境/商品/数量均相符的支付，就没有入账。")
    case .onePaymentOneOrderOneGrant:
      BilingualText(
        "A payment has at most one order, an order at most one payment, a payment at most one grant.",
        "一笔支付至多对应一个订单，一个订单至多对应一笔支付，一笔支付至多有一次入账。")
    case .grantGoesToItsOwner:
      BilingualText(
        "The grant goes to the user of the order or the subscription, or to a user with a valid claim.",
        "入账只归订单或订阅的用户，或合法认领者。")
    case .refundTakesAtMostTheGrant:
      BilingualText(
        "Each refund takes effect at most once and never takes more than was granted.",
        "每次退款至多生效一次，且冲正不超过入账。")
    case .acknowledgedIsDurable:
      BilingualText(
        "No change is acknowledged while a power cut could still undo it.", "断电可能撤销的内容绝不予以确认。")
    case .finishOnlyOnVerdict:
      BilingualText(
        "A client finishes a store transaction only when the server allows it.",
        "客户端只有在服务器明确许可后才结束交易。")
    case .stateMovesForward:
      BilingualText(
        "State only moves forward; the store's signed date decides, never arrival.",
        "状态只向前推进；以商店签名时间为准，而非到达顺序。")
    case .environmentsNeverMix:
      BilingualText(
        "Environments never mix in one balance, entitlement or report.",
        "不同环境绝不混入同一余额、权益或报表。")
    case .atRestNothingIsLost:
      BilingualText(
        "At rest everything charged is granted exactly once, or waits for an operator with a named reason.",
        "静止时，每笔已付款项恰好入账一次，或带着明确原因等待人工处理。")
    }
  }
}

/// A broken rule: which rule, for which rows, and what was found.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
  package let invariant: Invariant
  package let payment: PaymentKey?
  package let order: OrderKey?
  package let found: String

  package init(
    _ invariant: Invariant, payment: PaymentKey? = nil, order: OrderKey? = nil, found: String
  ) {
    self.invariant = invariant
    self.payment = payment
    self.order = order
    self.found = found
  }

  package var description: String {
    let about = payment.map { "payment \($0.transaction)" } ?? order.map { "order \($0.id)" } ?? ""
    return "invariant \(invariant.rawValue), \(about): \(found)"
  }
}
