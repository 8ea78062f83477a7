import PaymentModel
package import PaymentPrimitives

/// What an operator reads first about an order, and what they may tell the customer.
package struct OrderSentence: Hashable, Sendable {
  /// How urgent it is.
  package enum Tone: String, Hashable, Sendable {
    /// The money is where it belongs, or nothing was charged.
    case ok
    /// Somebody waits.
    case warn
    /// Somebody must act.
    case bad
  }

  package let tone: Tone
  package let headline: BilingualText
  package let detail: BilingualText
  /// It says nothing about another user, and promises nothing that the rows do not hold.
  package let customer: BilingualText

  /// What sentences name.
  package struct Values: Hashable, Sendable {
    /// What the customer paid, as text; nil if the store does not say it.
    package let amount: String?
    /// What they bought, as text: `100 coin`.
    package let goods: String

    package init(amount: String?, goods: String) {
      self.amount = amount
      self.goods = goods
    }

    /// `Your payment of ¥6.00`, or `Your payment`.
    var payment: BilingualText {
      guard let amount else { return BilingualText("Your payment", "您的付款") }
      return BilingualText("Your payment of \(amount)", "您支付的 \(amount)")
    }
  }

  init(tone: Tone, _ headline: (String, String), _ detail: (String, String), tell customer: (String, String)) {
    self.tone = tone
    self.headline = BilingualText(headline.0, headline.1)
    self.detail = BilingualText(detail.0, detail.1)
    self.customer = BilingualText(customer.0, customer.1)
  }
}

extension OrderSituation {
  /// The sentence of this situation.
  package func sentence(_ values: OrderSentence.Values) -> OrderSentence {
    switch self {
    case .waitingForPayment, .waitingForApproval, .closedUnpaid, .alreadyOwned, .pendingAtStore, .weChatUnknown:
      unpaidSentence
    case .held, .setAside, .unclaimed, .revoked, .frozen, .contradicted: waitingSentence(values)
    case .imported, .observed, .paidGrantedAcknowledged, .paidGrantedNotTold, .paidGrantedParked, .paidTwice,
      .boughtSomethingElse, .paidLate, .sandboxCounterpart:
      grantedSentence(values)
    case .reversed, .reinstated, .refundUnderWay, .refundStuck, .refundAskedAtApple: refundSentence(values)
    }
  }

  private var unpaidSentence: OrderSentence {
    switch self {
    case .waitingForApproval:
      OrderSentence(
        tone: .ok, ("Not paid yet: a parent has to allow it.", "尚未支付：等待家长批准。"),
        ("Apple tells us when they decide. Nothing was charged.", "家长决定后 Apple 会通知。未扣款。"),
        tell: (
          "The purchase waits for your family organizer's approval. You are charged only after that.",
          "该购买正在等待家庭管理员批准，批准后才会扣款。"
        ))
    case .closedUnpaid:
      OrderSentence(
        tone: .ok, ("Closed without a payment.", "已关闭，未支付。"),
        (
          "No store has told us of a payment for it. A payment that arrives late still counts.",
          "商店没有告知任何对应的支付。迟到的支付仍会入账。"
        ),
        tell: (
          "We have not received a payment for this order. If you were charged, please send us the receipt's number.",
          "我们没有收到该订单的付款。如果您已被扣款，请提供收据上的单号。"
        ))
    case .alreadyOwned:
      OrderSentence(
        tone: .ok, ("Closed: the Apple account owns the product already.", "已关闭：该 Apple 账户已拥有此商品。"),
        ("The store gave it again for free. Nothing was charged.", "商店已免费再次提供，未扣款。"),
        tell: (
          "Your Apple account already owns this item, so you were not charged again. Please use Restore Purchases.",
          "您的 Apple 账户已拥有该商品，未再次扣款。请使用“恢复购买”。"
        ))
    case .pendingAtStore:
      OrderSentence(
        tone: .warn, ("The store has not answered yet whether it was paid.", "商店尚未答复是否已支付。"),
        ("It is asked again by itself. Nothing is lost.", "系统会自动再次询问，不会丢失。"),
        tell: (
          "We are checking your payment with the store. If it was made, your purchase arrives without paying again.",
          "我们正在向商店核实您的付款。如已支付，商品会自动到账，请勿重复付款。"
        ))
    case .weChatUnknown:
      OrderSentence(
        tone: .warn, ("It is not known whether WeChat Pay opened the order.", "尚不确定微信支付是否已创建该订单。"),
        ("WeChat Pay did not answer in time. It is asked again by itself.", "微信支付未及时应答，系统会自动再次询问。"),
        tell: (
          "We are checking your payment with WeChat Pay. If it was made, your purchase arrives without paying again.",
          "我们正在向微信支付核实。如已支付，商品会自动到账，请勿重复付款。"
        ))
    default:
      OrderSentence(
        tone: .ok, ("Not paid yet.", "尚未支付。"),
        ("The order is open. No store has told us of a payment for it.", "订单仍可支付，商店没有告知任何对应的支付。"),
        tell: (
          "We have not received a payment for this order yet. If you were charged, please send us its receipt number.",
          "我们尚未收到该订单的付款。如果您已被扣款，请提供收据上的单号。"
        ))
    }
  }

  private func waitingSentence(_ values: OrderSentence.Values) -> OrderSentence {
    let checking = (
      "\(values.payment.english) is recorded, and a colleague is checking it. Please do not pay again.",
      "\(values.payment.chinese)已有记录，工作人员正在核查，请勿重复付款。"
    )
    switch self {
    case .held(let reason):
      return OrderSentence(
        tone: .bad, ("A payment is held and was not granted: \(reason.rawValue).", "有一笔支付被暂扣，尚未入账：\(reason.rawValue)。"),
        (reason.resolution.advice.english, reason.resolution.advice.chinese), tell: checking)
    case .setAside:
      return OrderSentence(
        tone: .warn, ("A payment was set aside by an operator.", "有一笔支付已被搁置。"),
        ("Nothing grants it until somebody releases it. Its reason stands with the payment.", "解除搁置之前不会入账，原因见支付页。"),
        tell: checking)
    case .revoked:
      return OrderSentence(
        tone: .ok, ("Refunded before it was granted.", "在入账之前已退款。"),
        ("The store took the payment back, so nothing was given.", "商店已撤销该支付，因此没有发货。"),
        tell: (
          "\(values.payment.english) was refunded by the store, so the purchase was not delivered.",
          "\(values.payment.chinese)已由商店退款，因此商品未发放。"
        ))
    case .frozen:
      return OrderSentence(
        tone: .bad, ("The order is frozen: a rule of money would have been broken.", "订单已冻结：继续处理会违反资金规则。"),
        ("Nothing changes until the cause is fixed. See what was stopped in the payment.", "在原因解决之前不会有任何变更，详情见被中止的变更。"),
        tell: checking)
    case .contradicted:
      return OrderSentence(
        tone: .bad, ("Two statements of WeChat Pay about the charge differ.", "微信支付对该笔扣款的两次说法不一致。"),
        ("The grant stands. Compare the charge with the merchant's console.", "入账保持不变，请在商户平台核对该笔扣款。"),
        tell: (
          "Your purchase of \(values.goods) is recorded. We are checking a detail of the payment with WeChat Pay.",
          "您购买的 \(values.goods) 已有记录，我们正在与微信支付核对付款细节。"
        ))
    default:
      return OrderSentence(
        tone: .bad, ("A payment has no known owner.", "有一笔支付尚无归属。"),
        ("Find its buyer, then give it to them.", "请查明购买者，然后认领给其本人。"), tell: checking)
    }
  }
}
