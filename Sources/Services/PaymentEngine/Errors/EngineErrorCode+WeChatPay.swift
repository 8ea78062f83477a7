import PaymentPrimitives

extension EngineErrorCode {
  /// The meaning of the errors of WeChat Pay.
  var weChatPayMeaning: BilingualText {
    switch self {
    case .virtualGoodsNeedInAppPurchase:
      .init("On iOS virtual goods are paid through In-App Purchase.", "iOS 上的虚拟商品须通过 App 内购买支付。")
    case .weChatPayOrderInvalid:
      .init("WeChat Pay would refuse this order.", "该订单不符合微信支付的要求。")
    case .weChatPayPrepayRefused:
      .init("WeChat Pay refused to create the order.", "微信支付拒绝了下单请求。")
    case .tooManyOpenOrders:
      .init("The user has too many unpaid orders open.", "该用户未支付的订单过多。")
    case .refundNotPossible:
      .init("This order has no payment that can be refunded from here.", "该订单没有可由此退款的支付。")
    case .refundTooLarge:
      .init("More would be refunded than was paid.", "退款总额将超过支付金额。")
    case .billNotReady:
      .init("There is no readable bill for that day.", "该日账单尚不可用或无法读取。")
    case .refundUnknown: .init("There is no such refund.", "没有该退款。")
    case .refundNotRedirected:
      .init("WeChat Pay does not send the refund to that account.", "微信支付不将该退款转到此账户。")
    case .complaintUnknown: .init("There is no such complaint.", "没有该投诉。")
    case .complaintNotChanged:
      .init("WeChat Pay does not take this for the complaint now.", "目前不能对该投诉执行此操作。")
    case .complaintOutcomeUnknown:
      .init("It is not known whether WeChat Pay took it.", "尚不确定微信支付是否已接受。")
    case .weChatPayUnanswered:
      .init("WeChat Pay gave no answer that can be used.", "微信支付没有给出可用的答复。")
    // `dayUnknown`.
    default: .init("That is not a valid day.", "日期无效。")
    }
  }

  /// The remedies for the errors of WeChat Pay.
  var weChatPayRemedy: BilingualText {
    switch self {
    case .virtualGoodsNeedInAppPurchase:
      .init(
        "Order at the App Store; mark the product physical if it is, or allow it if Apple allows it to you.",
        "请改用 App Store 下单；实物商品请标记为 physical；若 Apple 已许可，可在配置中放行。")
    case .weChatPayOrderInvalid:
      .init(
        "Fix the named field: openId for JSAPI, the payer's address for H5, or a text.",
        "请修正所指明的内容：JSAPI 需要 openId，H5 需要用户 IP，以及各文本字段。")
    case .weChatPayPrepayRefused:
      .init(
        "Read WeChat Pay's own code, fix the configuration, then create a new order.",
        "请查看微信支付返回的错误码，修正配置后重新下单。")
    case .tooManyOpenOrders:
      .init(
        "Pay or close the named order, then order again.",
        "请先支付或关闭所指明的订单，再重新下单。")
    case .refundNotPossible:
      .init(
        "Only paid WeChat Pay orders are refunded here; App Store purchases are refunded by Apple.",
        "此处只能为已支付的微信支付订单退款；App Store 的购买由 Apple 退款。")
    case .refundTooLarge:
      .init(
        "Read the order's refunds, and request at most the rest.",
        "请查看该订单已有的退款，退款金额不得超过剩余金额。")
    case .billNotReady:
      .init(
        "Bills are available from 10:00 Beijing time of the next day. Retry in half an hour.",
        "账单在次日北京时间 10:00 后可用；请半小时后再试。")
    case .refundUnknown:
      .init("Check its number, as `counterfoil refunds list` shows it.", "请按 `counterfoil refunds list` 检查退款单号。")
    case .refundNotRedirected:
      .init(
        "Read WeChat Pay's reason. Check bank, number and holder of the card, or act in WeChat Pay's console.",
        "请查看微信支付给出的原因，并检查银行、卡号与持卡人，或在商户平台处理。")
    case .complaintUnknown:
      .init("Check its number in the list of complaints.", "请在投诉列表中检查投诉单号。")
    case .complaintNotChanged:
      .init(
        "Read the reason beside it, and the complaint's state and refunds.",
        "请查看所附原因，以及该投诉的状态与退款。")
    case .complaintOutcomeUnknown:
      .init(
        "Open the complaint again and read the talk before you repeat it: a customer reads a repeated answer twice.",
        "请先重新打开该投诉并查看协商记录，再决定是否重发：重复的回复会被用户看到两次。")
    case .weChatPayUnanswered:
      .init(
        "Send the same again in a moment: WeChat Pay is asked for the state first.",
        "请稍后原样重发：系统会先向微信支付查询状态。")
    // `dayUnknown`.
    default: .init("Write it like 2025-10-09.", "请按 2025-10-09 的格式填写。")
    }
  }
}
