import PaymentPrimitives

/// What the errors about entitlements say that are given without a payment.
enum PromotionalErrorWords {
  static func meaning(of code: EngineErrorCode) -> BilingualText {
    switch code {
    case .entitlementUnknown: .init("No product gives an entitlement of that name.", "没有商品提供该名称的权益。")
    case .promotionalEndNotAllowed:
      .init("A promotional entitlement may not end then.", "赠送权益的截止时间不在允许范围内。")
    case .promotionalLimitReached:
      .init("The user has as many promotional entitlements as one may have.", "该用户的赠送权益数量已达上限。")
    // `promotionalUnknown`.
    default: .init("The user was given no entitlement under that id.", "没有以该编号赠送给该用户的权益。")
    }
  }

  static func remedy(of code: EngineErrorCode) -> BilingualText {
    switch code {
    case .entitlementUnknown:
      .init(
        "Name an entitlement that a product of the configuration gives.", "请使用配置中某个商品所提供的权益名称。")
    case .promotionalEndNotAllowed:
      .init(
        "Choose an end within the named time. Give it again later to go on.",
        "请在所示时间范围内选择截止时间；需要更久时请届时再次赠送。")
    case .promotionalLimitReached:
      .init("Wait until some have ended, or give one that holds longer.", "请等待部分权益到期，或赠送期限更长的权益。")
    // `promotionalUnknown`.
    default:
      .init(
        "Check the id, the user and the environment: the list of the user has them.",
        "请检查编号、用户与环境；该用户的赠送列表中有全部记录。")
    }
  }
}
