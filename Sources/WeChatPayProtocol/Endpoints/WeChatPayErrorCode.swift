public import PaymentVocabulary

/// What WeChat Pay answers instead of what was asked for: each of its codes, under one of ours that is stable.
///
/// WeChat Pay spells some of its codes in several ways (`ORDERPAID`, `ORDER_PAID`); they are compared without
/// underscores. Its own spelling stays beside ours in `WeChatPayRefusal`. Source: API v3, the error codes of each call.
public enum WeChatPayErrorCode: String, ErrorCode {
  /// `USER_PAYING`
  case userPaying = "wechat_pay_user_paying"
  /// `PARAM_ERROR`
  case parameterError = "wechat_pay_param_error"
  /// `INVALID_REQUEST`
  case invalidRequest = "wechat_pay_invalid_request"
  /// `APPID_MCHID_NOT_MATCH`
  case appidMerchantMismatch = "wechat_pay_appid_mchid_not_match"
  /// `MCH_NOT_EXISTS`
  case merchantUnknown = "wechat_pay_mch_not_exists"
  /// `ORDER_CLOSED`
  case orderClosed = "wechat_pay_order_is_closed"
  /// `ORDERPAID`
  case orderPaid = "wechat_pay_order_is_paid"
  /// `NO_STATEMENT_EXIST`
  case noStatement = "wechat_pay_no_statement_exist"
  /// `STATEMENT_CREATING`
  case statementCreating = "wechat_pay_statement_creating"
  /// `SIGN_ERROR`
  case signError = "wechat_pay_sign_error"
  /// `ACCOUNT_ERROR`
  case accountError = "wechat_pay_account_error"
  /// `NO_AUTH`
  case noAuthority = "wechat_pay_no_auth"
  /// `NOT_ENOUGH`
  case notEnough = "wechat_pay_not_enough"
  /// `OUT_TRADE_NO_USED`
  case outTradeNoUsed = "wechat_pay_out_trade_no_used"
  /// `RULE_LIMIT`
  case ruleLimit = "wechat_pay_rule_limit"
  /// `TRADE_ERROR`
  case tradeError = "wechat_pay_trade_error"
  /// `USER_ACCOUNT_ABNORMAL`
  case userAccountAbnormal = "wechat_pay_user_account_abnormal"
  /// `REQUEST_BLOCKED`
  case requestBlocked = "wechat_pay_request_blocked"
  /// `ORDER_NOT_EXIST`
  case orderNotFound = "wechat_pay_order_not_exist"
  /// `RESOURCE_NOT_EXISTS`
  case resourceNotFound = "wechat_pay_resource_not_exists"
  /// Status 405, 406 or 415
  case unsupportedCall = "wechat_pay_unsupported_call"
  /// `FREQUENCY_LIMITED`
  case frequencyLimited = "wechat_pay_frequency_limited"
  /// `SYSTEM_ERROR`
  case systemError = "wechat_pay_system_error"
  /// `BANK_ERROR`
  case bankError = "wechat_pay_bank_error"
  /// `OPENID_MISMATCH`
  case openidMismatch = "wechat_pay_openid_mismatch"
  /// `SERVICE_UNAVAILABLE`
  case serviceUnavailable = "wechat_pay_service_unavailable"
  /// Any other 4xx
  case otherRefusal = "wechat_pay_refused"
  /// Any other 5xx
  case otherFailure = "wechat_pay_failed"

  public var meaning: BilingualText {
    switch self {
    case .userPaying:
      BilingualText("The payer is still typing the password.", "用户正在输入密码。")
    case .parameterError:
      BilingualText("WeChat Pay refuses a parameter of the request.", "微信支付拒绝了请求中的某个参数。")
    case .invalidRequest:
      BilingualText(
        "The request does not fit the state of its order, or repeats its number with other parameters.",
        "请求与订单状态不符，或同一单号使用了不同参数。")
    case .appidMerchantMismatch:
      BilingualText("The app id is not bound to the merchant number.", "appid 与商户号未绑定。")
    case .merchantUnknown:
      BilingualText("The merchant number does not exist.", "商户号不存在。")
    case .orderClosed:
      BilingualText("The order is closed.", "订单已关闭。")
    case .orderPaid:
      BilingualText("The order is paid.", "订单已支付。")
    case .noStatement:
      BilingualText("There is no bill for that day: nothing was sold, or it is not made yet.", "该日没有账单：没有交易，或账单尚未生成。")
    case .statementCreating:
      BilingualText("The bill is being made.", "账单正在生成。")
    case .signError:
      BilingualText("WeChat Pay refuses the signature of the request.", "微信支付认为请求签名错误。")
    case .accountError:
      BilingualText("The payer's account cannot pay.", "付款人账户异常，无法支付。")
    case .noAuthority:
      BilingualText("The merchant may not do this.", "商户没有此权限。")
    case .notEnough:
      BilingualText("The merchant's balance is too small.", "商户余额不足。")
    case .outTradeNoUsed:
      BilingualText("The order number was used before with other parameters.", "商户订单号已被使用且参数不同。")
    case .ruleLimit:
      BilingualText("A rule of WeChat Pay's forbids this payment.", "触发微信支付的业务或风控规则。")
    case .tradeError:
      BilingualText("The payment failed for a reason of the payer or of the business.", "因用户或业务原因交易失败。")
    case .userAccountAbnormal:
      BilingualText("The payer's account is closed, so nothing can be paid back to it.", "付款人账户已注销或异常，无法退款。")
    case .requestBlocked:
      BilingualText("WeChat Pay blocks refunds after too many failures.", "退款失败过多，微信支付已拦截请求。")
    case .orderNotFound:
      BilingualText("WeChat Pay does not know the order (yet).", "微信支付（暂时）没有该订单。")
    case .resourceNotFound:
      BilingualText("WeChat Pay does not know what was asked for.", "微信支付没有所查询的资源。")
    case .unsupportedCall:
      BilingualText("WeChat Pay does not take a request of this form.", "微信支付不接受此形式的请求。")
    case .frequencyLimited:
      BilingualText("Too many requests at the moment.", "当前请求过于频繁。")
    case .systemError:
      BilingualText("WeChat Pay failed; the request may have taken effect.", "微信支付系统错误；请求可能已经生效。")
    case .bankError:
      BilingualText("The bank failed; the request may have taken effect.", "银行系统错误；请求可能已经生效。")
    case .openidMismatch:
      BilingualText("The payer's openid belongs to another app id.", "openid 与 appid 不匹配。")
    case .serviceUnavailable:
      BilingualText(
        "WeChat Pay is not available at the moment; the request may have taken effect.", "微信支付暂不可用；请求可能已经生效。")
    case .otherRefusal:
      BilingualText(
        "WeChat Pay refuses the request for a reason that this version does not know.", "微信支付因此版本未知的原因拒绝了请求。")
    case .otherFailure:
      BilingualText(
        "WeChat Pay failed for a reason that this version does not know; the request may have taken effect.",
        "微信支付因此版本未知的原因失败；请求可能已经生效。")
    }
  }

  public var remedy: BilingualText {
    switch self {
    case .userPaying:
      BilingualText("Ask for the order again in a few seconds.", "请几秒后再次查询订单。")
    case .parameterError:
      BilingualText(
        "Look at the field that the detail names; it comes from the configuration or is a mistake in Counterfoil.",
        "请查看错误详情中的字段：多为配置有误，或为 Counterfoil 的缺陷。")
    case .invalidRequest:
      BilingualText("The order is asked for; nothing else needs to be done unless this repeats.", "系统会查询该订单；若反复出现再作处理。")
    case .appidMerchantMismatch:
      BilingualText("Bind the app id to the merchant number in the merchant platform.", "请在商户平台将该 appid 与商户号绑定。")
    case .merchantUnknown:
      BilingualText("Compare the merchant number with the merchant platform.", "请核对商户平台的商户号。")
    case .orderClosed:
      BilingualText("Make a new order.", "请创建新订单。")
    case .orderPaid:
      BilingualText("Nothing to be done: the order is asked for and granted.", "无需处理：系统会查询该订单并入账。")
    case .noStatement:
      BilingualText(
        "After 10:00 Beijing time of the next day it means that nothing was sold.", "次日北京时间 10 点之后仍如此，即表示当日没有交易。")
    case .statementCreating:
      BilingualText("Ask again in 30 minutes.", "请 30 分钟后再试。")
    case .signError:
      BilingualText(
        "Compare serial number and private key with the merchant platform, and set the clock.", "请核对商户证书序列号与私钥，并校准时钟。")
    case .accountError:
      BilingualText("The payer must ask WeChat.", "请付款人联系微信客服。")
    case .noAuthority:
      BilingualText(
        "Open the product in the merchant platform, or ask why the merchant is restricted.", "请在商户平台开通该产品，或查询商户受限的原因。")
    case .notEnough:
      BilingualText("Top the balance up; the same refund is asked for again under its own number.", "请充值；系统会以原退款单号重试。")
    case .outTradeNoUsed:
      BilingualText(
        "The order is asked for; see whether another system of the same merchant uses the same numbers.",
        "系统会查询该订单；请确认同一商户下没有其他系统使用相同单号。")
    case .ruleLimit:
      BilingualText("Read the message, and ask WeChat Pay if it does not say enough.", "请查看错误信息，必要时联系微信支付。")
    case .tradeError:
      BilingualText("Read the message; the payer may try another way of paying.", "请查看错误信息；付款人可换一种支付方式。")
    case .userAccountAbnormal:
      BilingualText("Pay back by other means.", "请通过其他方式退款。")
    case .requestBlocked:
      BilingualText("Stop, find out why refunds fail, then ask WeChat Pay.", "请停止重试，查明退款失败原因后联系微信支付。")
    case .orderNotFound:
      BilingualText("Ask again in some seconds; just made, an order may not be visible yet.", "请稍后再查；刚创建的订单可能尚不可见。")
    case .resourceNotFound:
      BilingualText(
        "For a refund: the order is not paid or the refund was never accepted. For certificates: this "
          + "merchant uses the platform public key; configure it.",
        "退款：订单未支付，或退款未受理。平台证书：该商户使用微信支付公钥模式，请配置公钥。")
    case .unsupportedCall:
      BilingualText("Update Counterfoil; let no proxy change methods or headers.", "请升级 Counterfoil，并确认代理没有改动请求方法与头。")
    case .frequencyLimited:
      BilingualText("It is tried again later by itself.", "系统稍后会自动重试。")
    case .systemError:
      BilingualText("It is asked again by itself with the same parameters.", "系统会以相同参数自动重试或查询。")
    case .bankError:
      BilingualText("The order is asked for by itself.", "系统会自动查询该订单。")
    case .openidMismatch:
      BilingualText("Send the openid that this app id gave to the user.", "请传入用户在该 appid 下的 openid。")
    case .serviceUnavailable:
      BilingualText("It is asked again by itself, at the other host.", "系统会自动改用备用域名重试。")
    case .otherRefusal:
      BilingualText("Read WeChat Pay's own code and message.", "请查看微信支付返回的错误码与信息。")
    case .otherFailure:
      BilingualText("It is asked again by itself.", "系统会自动重试或查询。")
    }
  }

  public var retry: RetryAdvice {
    switch self {
    case .userPaying, .noStatement, .statementCreating, .notEnough, .orderNotFound, .frequencyLimited, .systemError, .bankError, .serviceUnavailable, .otherFailure:
      .later
    default: .never
    }
  }
}
