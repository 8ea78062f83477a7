import PaymentPrimitives

extension CustomerMessages {
  static func text(_ found: CustomerMessageKey.Restored) -> BilingualText {
    switch found {
    case .nothing: BilingualText("There is nothing to restore.", "没有可恢复的购买项目。")
    case .one: BilingualText("Restored 1 purchase.", "已恢复 1 个购买项目。")
    case .several: BilingualText("Restored {count} purchases.", "已恢复 {count} 个购买项目。")
    case .otherAccount:
      BilingualText(
        "The purchases of this Apple account belong to another account of this app.", "此 Apple 账户的购买项目属于本应用的另一个账号。")
    case .unfinished:
      BilingualText(
        "Your purchases are being checked. They arrive automatically.", "正在核实您的购买项目，稍后将自动到账。")
    case .setAside:
      BilingualText("A purchase was found and could not be credited. Please contact support.", "发现未能入账的购买项目，请联系客服。")
    }
  }

  static func text(_ state: CustomerMessageKey.EntitlementState) -> BilingualText {
    switch state {
    case .lasting: BilingualText("It is yours for good.", "永久有效。")
    case .until: BilingualText("Valid until {date}.", "有效期至 {date}。")
    case .renews: BilingualText("Renews on {date}.", "将于 {date} 续订。")
    case .gracePeriod:
      BilingualText(
        "The renewal could not be charged. Please check your payment method; you keep access until {date}.",
        "续订扣款失败，请检查付款方式；您可继续使用至 {date}。")
    case .billingRetry:
      BilingualText(
        "The renewal could not be charged. Please check your payment method to get access again.",
        "续订扣款失败，请检查付款方式后恢复使用。")
    case .expired: BilingualText("Ended on {date}.", "已于 {date} 到期。")
    case .refunded: BilingualText("It was refunded.", "已退款。")
    case .revoked: BilingualText("Taken back by the store.", "已被商店撤销。")
    case .familySharingEnded: BilingualText("No longer shared in your family.", "家人共享已结束。")
    case .unknown: BilingualText("Please update the app to see this.", "请更新应用以查看。")
    }
  }
}

extension String {
  /// The first place of another text in this one.
  func range(ofFirst other: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
      start = index(after: start)
    }
    return nil
  }
}
