import PaymentModel
import PaymentPrimitives

extension OrderSituation {
  /// The sentences of orders whose payment was granted.
  func grantedSentence(_ values: OrderSentence.Values) -> OrderSentence {
    let arrived = (
      "\(values.payment.english) has arrived and \(values.goods) was delivered to your account.",
      "\(values.payment.chinese)已收到，\(values.goods) 已发放到您的账户。"
    )
    let safe = (
      "\(values.payment.english) has arrived, and \(values.goods) is recorded for you. It will appear by itself.",
      "\(values.payment.chinese)已收到，\(values.goods) 已为您记录，稍后会自动到账，请勿重复付款。"
    )
    switch self {
    case .paidGrantedNotTold(let attempts):
      return attempts == 0
        ? OrderSentence(
          tone: .warn, ("Paid and granted; your backend is being told.", "已支付并入账，正在通知您的后端。"),
          ("The message has not been sent yet. Nothing is lost.", "通知尚未发出，不会丢失。"), tell: safe)
        : OrderSentence(
          tone: .bad, ("Paid and granted; your backend has not acknowledged it yet.", "已支付并入账，但您的后端尚未确认。"),
          (
            "Attempts that failed: \(attempts). Nothing is lost, and nothing is granted twice.",
            "已失败 \(attempts) 次。不会丢失，也不会重复入账。"
          ), tell: safe)
    case .paidGrantedParked:
      return OrderSentence(
        tone: .bad,
        ("Paid and granted; your backend was not reached, and the message is parked.", "已支付并入账，但一直无法通知后端，通知已停放。"),
        ("Fix the endpoint, then send it again. Nothing is granted twice.", "请修复接收地址后重发，不会重复入账。"), tell: safe)
    case .paidTwice:
      return OrderSentence(
        tone: .ok,
        ("Paid, granted and acknowledged; the order that it named was paid before.", "已支付、入账并确认；其所指订单此前已支付。"),
        ("The customer paid twice and got it twice, each payment as an order of its own.", "用户支付了两次，也各入账一次，分别对应独立的订单。"),
        tell: (
          "You paid twice, and each payment was delivered. Tell us if you did not mean to buy it twice.",
          "您支付了两次，两次均已发放。如非本意，请告知我们。"
        ))
    case .boughtSomethingElse:
      return OrderSentence(
        tone: .ok,
        ("Paid, granted and acknowledged; the order that it named was for something else.", "已支付、入账并确认；其所指订单购买的是其他商品。"),
        ("What the store charged for was granted.", "已按商店实际扣款的商品入账。"), tell: arrived)
    case .paidLate:
      return OrderSentence(
        tone: .ok, ("Paid after it was closed, granted and acknowledged.", "在关闭之后支付，已入账并确认。"),
        ("A late payment counts like any other.", "迟到的支付与其他支付同等处理。"), tell: arrived)
    case .imported, .observed, .sandboxCounterpart: return elsewhereSentence(values)
    default:
      return OrderSentence(
        tone: .ok, ("Paid, granted, and acknowledged by your backend.", "已支付、入账，且后端已确认。"),
        ("If the customer does not see it, the fault is behind your backend.", "如果用户看不到，问题在您的后端之后。"),
        tell: arrived)
    }
  }

  /// The sentences of payments that another system delivers, or that are tests.
  private func elsewhereSentence(_ values: OrderSentence.Values) -> OrderSentence {
    switch self {
    case .imported:
      return OrderSentence(
        tone: .ok, ("Delivered by the earlier system.", "由旧系统发货。"),
        ("It was bought before the cut-over. Nothing was granted here.", "购买于切换之前，本系统未入账。"),
        tell: (
          "\(values.payment.english) was handled by our earlier system. A colleague will look it up there.",
          "\(values.payment.chinese)由旧系统处理，工作人员将在旧系统中查询。"
        ))
    case .observed:
      return OrderSentence(
        tone: .ok, ("Seen while the server only observes.", "服务器目前仅观察，已看到该支付。"),
        ("The earlier system delivers. Nothing was granted here.", "由旧系统发货，本系统未入账。"),
        tell: (
          "\(values.payment.english) is handled by our present delivery system. A colleague will look it up there.",
          "\(values.payment.chinese)由现有发货系统处理，工作人员将在该系统中查询。"
        ))
    default:
      return OrderSentence(
        tone: .ok, ("A test purchase in Apple's sandbox, granted and acknowledged.", "Apple 沙盒中的测试购买，已入账并确认。"),
        ("No money was charged. It counts apart from production.", "没有扣款，与生产数据分开计算。"),
        tell: (
          "This was a test purchase without a charge. It does not appear in the released app.",
          "这是未扣款的测试购买，不会出现在正式版应用中。"
        ))
    }
  }

  /// The sentences about money that goes back.
  func refundSentence(_ values: OrderSentence.Values) -> OrderSentence {
    switch self {
    case .reversed(let whole):
      return whole
        ? OrderSentence(
          tone: .ok, ("Refunded; what was granted was taken back.", "已退款，入账已全部冲正。"),
          ("The store returned the money.", "商店已退回款项。"),
          tell: (
            "\(values.payment.english) was refunded, so \(values.goods) was taken back.",
            "\(values.payment.chinese)已退款，因此 \(values.goods) 已收回。"
          ))
        : OrderSentence(
          tone: .ok, ("Refunded in part; that part was taken back.", "已部分退款，相应部分已冲正。"),
          ("The rest of the grant stands.", "其余部分仍然有效。"),
          tell: (
            "A part of your payment was refunded, so that part of \(values.goods) was taken back.",
            "您的付款已部分退款，因此 \(values.goods) 的相应部分已收回。"
          ))
    case .reinstated:
      return OrderSentence(
        tone: .ok, ("The refund was undone; the grant stands again.", "退款已撤销，入账已恢复。"),
        ("Your backend was told.", "后端已收到通知。"),
        tell: (
          "The refund was undone by the store, so \(values.goods) is yours again.", "商店已撤销退款，\(values.goods) 已恢复。"
        ))
    case .refundStuck:
      return OrderSentence(
        tone: .bad, ("A refund is stuck at WeChat Pay.", "退款在微信支付处受阻。"),
        ("WeChat Pay cannot credit the payer. Credit them in the merchant's console.", "微信支付无法退回付款人，请在商户平台处理。"),
        tell: (
          "Your refund was started, and WeChat Pay could not credit it. A colleague is taking care of it.",
          "您的退款已发起，但微信支付未能入账，工作人员正在处理。"
        ))
    case .refundAskedAtApple(let until):
      return OrderSentence(
        tone: .warn, ("The customer has asked Apple for a refund.", "用户已向 Apple 申请退款。"),
        (
          "Apple decides. It waits for our information until \(until.iso8601).",
          "由 Apple 决定；Apple 等待我方信息至 \(until.iso8601)。"
        ),
        tell: (
          "Your purchase was delivered. Apple decides about your request for a refund and tells you.",
          "您的购买已发放。退款申请由 Apple 决定，结果会由 Apple 通知您。"
        ))
    default:
      return OrderSentence(
        tone: .warn, ("A refund is under way at WeChat Pay.", "退款正在微信支付处理中。"),
        ("WeChat Pay is asked by itself until it is done.", "系统会自动查询直至完成。"),
        tell: (
          "Your refund is under way. WeChat Pay credits it to what you paid with.", "您的退款正在处理，将由微信支付原路退回。"
        ))
    }
  }
}
