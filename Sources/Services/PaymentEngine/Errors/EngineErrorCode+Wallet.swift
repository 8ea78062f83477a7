import PaymentPrimitives

extension EngineErrorCode {
  /// The meaning of the errors of wallets and offers.
  var walletMeaning: BilingualText {
    switch self {
    case .insufficientBalance:
      .init("The user has fewer units than the debit.", "用户余额不足。")
    case .balanceFrozen:
      .init(
        "A refund took back more than the user had. Nothing may be spent until the debt is paid.",
        "退款冲正的数量超过了用户余额；结清之前该余额不可使用。")
    case .balanceNotInDebt:
      .init("The balance is not below zero.", "该余额并未为负。")
    case .creditUnitUnknown:
      .init("The unit may not be credited.", "该单位不允许赠送。")
    case .creditCeilingReached:
      .init("The user's ceiling of credits for the day is reached.", "该用户当日的赠送数量已达上限。")
    case .offerNotSignable:
      .init("The name of the offer, product or transaction cannot be signed.", "该优惠、商品或交易的标识无法签名。")
    // `offerNotAllowed`.
    default: .init("The user may not request this offer.", "该用户无权获取此优惠。")
    }
  }

  var walletRemedy: BilingualText {
    switch self {
    case .insufficientBalance:
      .init(
        "Debit at most the named balance, or let the user buy more first.",
        "扣减数量请勿超过所示余额，或让用户先行购买。")
    case .balanceFrozen:
      .init(
        "Let the user buy the missing units, or let an operator write off the debt.",
        "请让用户补足所缺数量，或由运营人员核销该欠款。")
    case .balanceNotInDebt:
      .init("Read the balance first: there is nothing to write off.", "请先查询余额；没有需要核销的欠款。")
    case .creditUnitUnknown:
      .init(
        "Name a unit of [[app.credit]] in the configuration, or add it there.",
        "请使用配置中 [[app.credit]] 列出的单位，或在其中添加。")
    case .creditCeilingReached:
      .init(
        "Credit at most what is left, or wait for the next day (UTC).",
        "赠送数量请勿超过剩余额度，或等到次日（UTC）。")
    case .offerNotSignable:
      .init(
        "Name offer and product as App Store Connect does, and the transaction by Apple's number.",
        "请使用 App Store Connect 中的优惠与商品标识，以及 Apple 的交易号。")
    // `offerNotAllowed`.
    default:
      .init(
        "Use a secret key, or list the offer in user_offers. The user must have had the subscription.",
        "请使用后端密钥请求，或将该优惠列入 user_offers；用户须曾订阅过该商品。")
    }
  }
}
