package import PaymentPrimitives

extension WeChatPayErrorCode {
  package var remedy: BilingualText {
    switch self {
    case .userPaying: .init("Query the order again in a few seconds.", "请几秒后再次查询订单。")
    case .parameterError: .init("Check the named field: it comes from the configuration.", "请查看所指明的字段：多来自配置。")
    case .invalidRequest:
      .init("No action is needed unless this repeats: the server queries the order.", "系统会查询该订单；若反复出现再作处理。")
    case .appidMerchantMismatch:
      .init("Bind the app id to the merchant number in the merchant platform.", "请在商户平台绑定 appid 与商户号。")
    case .merchantUnknown: .init("Compare the merchant number with the merchant platform.", "请核对商户平台的商户号。")
    case .orderClosed: .init("Create a new order.", "请创建新订单。")
    case .orderPaid: .init("No action is needed: the server queries the order and grants it.", "无需处理：系统会查询该订单并入账。")
    case .noStatement:
      .init("After 10:00 Beijing time of the next day it means that nothing was sold.", "次日北京时间 10 点后即表示无交易。")
    case .statementCreating: .init("Retry in 30 minutes.", "请 30 分钟后再试。")
    case .signError:
      .init("Compare serial number and private key with the merchant platform; set the clock.", "请核对证书序列号与私钥，并校准时钟。")
    case .accountError: .init("The payer must ask WeChat.", "请付款人联系微信客服。")
    case .noAuthority:
      .init("Enable the product in the merchant platform, or ask why it is restricted.", "请在商户平台开通产品或查询受限原因。")
    case .notEnough:
      .init("Top up the balance. The refund is retried with its own number.", "请充值；系统会以原退款单号重试。")
    case .outTradeNoUsed: .init("No other system of this merchant may use the same numbers.", "请确认同一商户下没有其他系统使用相同单号。")
    case .ruleLimit: .init("Read the message, and ask WeChat Pay if it is not enough.", "请查看错误信息，必要时联系微信支付。")
    case .tradeError: .init("Read the message; the payer may try another way of paying.", "请查看错误信息；付款人可换一种支付方式。")
    case .userAccountAbnormal: .init("Refund by other means.", "请通过其他方式退款。")
    case .requestBlocked: .init("Stop, find out why refunds fail, then ask WeChat Pay.", "请停止重试，查明原因后联系微信支付。")
    case .orderNotFound:
      .init("Retry in some seconds: a new order may not be visible yet.", "请稍后再查；刚创建的订单可能尚不可见。")
    case .resourceNotFound:
      .init("A refund: send it again. Certificates: configure the platform public key.", "退款：以原单号重新申请。平台证书：请配置微信支付公钥。")
    case .unsupportedCall:
      .init("Update Counterfoil. No proxy may change methods or headers.", "请升级 Counterfoil，并确认代理没有改动请求。")
    case .systemError, .bankError, .serviceUnavailable, .otherFailure, .frequencyLimited:
      .init("It is retried automatically, with the same parameters.", "系统会以相同参数自动重试或查询。")
    case .openidMismatch: .init("Send the openid that this app id gave to the user.", "请传入用户在该 appid 下的 openid。")
    case .otherError: .init("Read WeChat Pay's own code and message.", "请查看微信支付返回的错误码与信息。")
    }
  }
}
