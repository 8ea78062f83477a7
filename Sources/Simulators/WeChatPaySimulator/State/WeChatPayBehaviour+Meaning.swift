package import PaymentPrimitives

extension WeChatPayBehaviour {
  package var meaning: BilingualText {
    switch self {
    case .queryLagSeconds:
      BilingualText("Seconds for which a query still returns NOTPAY after the payment.", "支付后查单仍返回 NOTPAY 的秒数。")
    case .visibilityLagMilliseconds:
      BilingualText("Milliseconds for which a query does not find a new order.", "新订单在查单中不可见的毫秒数。")
    case .expiryLagSeconds:
      BilingualText("Seconds from time_expire until an order is closed.", "从 time_expire 到订单关闭的秒数。")
    case .refundSeconds: BilingualText("Seconds that a refund takes; 0: five.", "退款所需的秒数；0 表示 5 秒。")
    case .outTradeNoUsed:
      BilingualText("1: a reused number is answered OUT_TRADE_NO_USED.", "1：重复单号返回 OUT_TRADE_NO_USED。")
    case .otherSpellings: BilingualText("1: error codes in their other spelling.", "1：错误码使用另一种拼写。")
    case .closeUnknownNotFound:
      BilingualText("1: closing an unknown order is answered 404.", "1：关闭不存在的订单返回 404。")
    case .errorsUnsigned: BilingualText("1: errors have no signature.", "1：错误应答不带签名。")
    case .variedForm:
      BilingualText(
        "1: members in any order, empty members, and an unknown member.", "1：字段顺序随机，含空字段与未知字段。")
    case .billsAtOnce: BilingualText("1: bills are made at once.", "1：账单立即可用。")
    case .variedBills:
      BilingualText("1: bills with LF, counts like 3.0 and an unknown column.", "1：账单使用 LF、3.0 形式的计数和未知列。")
    case .requestsPerSecond:
      BilingualText(
        "Requests per second and call of one merchant; 0: WeChat Pay's limits.",
        "每商户每接口每秒请求数；0 表示微信支付自身的限制。")
    case .refuseRepeatedNonces:
      BilingualText("1: a nonce used within five minutes is refused.", "1：五分钟内重复的随机串会被拒绝。")
    case .refundsWithoutPause:
      BilingualText("1: no minute between two refunds of one order.", "1：同一订单两次退款之间无需间隔一分钟。")
    case .clockSkewSeconds:
      BilingualText("Seconds by which WeChat Pay's clock is ahead.", "微信支付时钟超前的秒数。")
    case .slowSeconds:
      BilingualText("Seconds by which the fault slow delays an answer.", "slow 故障延迟应答的秒数。")
    case .notificationDelayMilliseconds:
      BilingualText("Milliseconds from an event to its notification.", "从事件到首次发送通知的毫秒数。")
    case .notificationJitterMilliseconds:
      BilingualText("Maximum random extra delay in milliseconds.", "额外随机延迟的毫秒数上限。")
    case .duplicateNotifications:
      BilingualText("How many times a notification is repeated at once.", "每个通知立即重复发送的次数。")
    case .probePercent:
      BilingualText("How many of 100 attempts are probes.", "每 100 次发送中签名探测的次数。")
    case .notifyNever: BilingualText("1: no notification is sent.", "1：不发送任何通知。")
    case .noAssociatedData:
      BilingualText("1: associated_data is left out.", "1：通知中省略 associated_data。")
    }
  }
}
