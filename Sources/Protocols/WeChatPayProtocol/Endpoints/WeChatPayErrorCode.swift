package import PaymentPrimitives

/// The errors of WeChat Pay, as stable codes of our own.
///
/// WeChat Pay spells some of its codes in several ways (`ORDERPAID`, `ORDER_PAID`), so the comparison ignores
/// underscores. `WeChatPayError` also keeps the original spelling. Source: API v3, the error codes of each call.
package enum WeChatPayErrorCode: String, ErrorCode {
  /// `USER_PAYING`.
  case userPaying = "wechat_pay_user_paying"
  /// `PARAM_ERROR`.
  case parameterError = "wechat_pay_param_error"
  /// `INVALID_REQUEST`.
  case invalidRequest = "wechat_pay_invalid_request"
  /// `APPID_MCHID_NOT_MATCH`.
  case appidMerchantMismatch = "wechat_pay_appid_mchid_not_match"
  /// `MCH_NOT_EXISTS`.
  case merchantUnknown = "wechat_pay_mch_not_exists"
  /// `ORDER_CLOSED`.
  case orderClosed = "wechat_pay_order_is_closed"
  /// `ORDERPAID`.
  case orderPaid = "wechat_pay_order_is_paid"
  /// `NO_STATEMENT_EXIST`.
  case noStatement = "wechat_pay_no_statement_exist"
  /// `STATEMENT_CREATING`.
  case statementCreating = "wechat_pay_statement_creating"
  /// `SIGN_ERROR`.
  case signError = "wechat_pay_sign_error"
  /// `ACCOUNT_ERROR`.
  case accountError = "wechat_pay_account_error"
  /// `NO_AUTH`.
  case noAuthority = "wechat_pay_no_auth"
  /// `NOT_ENOUGH`.
  case notEnough = "wechat_pay_not_enough"
  /// `OUT_TRADE_NO_USED`.
  case outTradeNoUsed = "wechat_pay_out_trade_no_used"
  /// `RULE_LIMIT`.
  case ruleLimit = "wechat_pay_rule_limit"
  /// `TRADE_ERROR`.
  case tradeError = "wechat_pay_trade_error"
  /// `USER_ACCOUNT_ABNORMAL`.
  case userAccountAbnormal = "wechat_pay_user_account_abnormal"
  /// `REQUEST_BLOCKED`.
  case requestBlocked = "wechat_pay_request_blocked"
  /// `ORDER_NOT_EXIST`.
  case orderNotFound = "wechat_pay_order_not_exist"
  /// `RESOURCE_NOT_EXISTS`.
  case resourceNotFound = "wechat_pay_resource_not_exists"
  /// Status 405, 406 or 415.
  case unsupportedCall = "wechat_pay_unsupported_call"
  /// `FREQUENCY_LIMITED`.
  case frequencyLimited = "wechat_pay_frequency_limited"
  /// `SYSTEM_ERROR`.
  case systemError = "wechat_pay_system_error"
  /// `BANK_ERROR`.
  case bankError = "wechat_pay_bank_error"
  /// `OPENID_MISMATCH`.
  case openidMismatch = "wechat_pay_openid_mismatch"
  /// `SERVICE_UNAVAILABLE`.
  case serviceUnavailable = "wechat_pay_service_unavailable"
  /// Any other 4xx status.
  case otherError = "wechat_pay_refused"
  /// Any other 5xx status.
  case otherFailure = "wechat_pay_failed"

  package var meaning: BilingualText {
    switch self {
    case .userPaying: .init("The payer is still typing the password.", "用户正在输入密码。")
    case .parameterError: .init("WeChat Pay refuses a parameter of the request.", "微信支付拒绝了请求中的某个参数。")
    case .invalidRequest:
      .init("It does not fit the order's state, or repeats a number with other parameters.", "与订单状态不符，或同一单号参数不同。")
    case .appidMerchantMismatch: .init("The app id is not bound to the merchant number.", "appid 与商户号未绑定。")
    case .merchantUnknown: .init("The merchant number does not exist.", "商户号不存在。")
    case .orderClosed: .init("The order is closed.", "订单已关闭。")
    case .orderPaid: .init("The order is paid.", "订单已支付。")
    case .noStatement:
      .init("There is no bill for that day: nothing was sold, or the bill does not exist yet.", "该日没有账单：无交易，或尚未生成。")
    case .statementCreating: .init("The bill is being made.", "账单正在生成。")
    case .signError: .init("WeChat Pay refuses the signature of the request.", "微信支付认为请求签名错误。")
    case .accountError: .init("The payer's account cannot pay.", "付款人账户异常，无法支付。")
    case .noAuthority: .init("The merchant may not do this.", "商户没有此权限。")
    case .notEnough: .init("The merchant's balance is too small.", "商户余额不足。")
    case .outTradeNoUsed: .init("The order number was used before with other parameters.", "商户订单号已被使用且参数不同。")
    case .ruleLimit: .init("A rule of WeChat Pay forbids this payment.", "触发微信支付的业务或风控规则。")
    case .tradeError: .init("The payment failed because of the payer or of a business rule.", "因用户或业务原因交易失败。")
    case .userAccountAbnormal:
      .init("The payer's account is closed: no refund to it is possible.", "付款人账户已注销或异常，无法退款。")
    case .requestBlocked: .init("WeChat Pay blocks refunds after too many failures.", "退款失败过多，微信支付已拦截请求。")
    case .orderNotFound: .init("WeChat Pay does not know the order (yet).", "微信支付（暂时）没有该订单。")
    case .resourceNotFound: .init("WeChat Pay does not know the requested resource.", "微信支付没有所查询的资源。")
    case .unsupportedCall: .init("WeChat Pay does not accept a request of this form.", "微信支付不接受此形式的请求。")
    case .frequencyLimited: .init("There are too many requests at the moment.", "当前请求过于频繁。")
    case .systemError: .init("WeChat Pay failed; the request may have taken effect.", "微信支付系统错误；请求可能已经生效。")
    case .bankError: .init("The bank failed; the request may have taken effect.", "银行系统错误；请求可能已经生效。")
    case .openidMismatch: .init("The payer's openid belongs to another app id.", "openid 与 appid 不匹配。")
    case .serviceUnavailable:
      .init("WeChat Pay is not available; the request may have taken effect.", "微信支付暂不可用；请求可能已经生效。")
    case .otherError: .init("WeChat Pay refuses the request for an unknown reason.", "微信支付因未知原因拒绝了请求。")
    case .otherFailure:
      .init("WeChat Pay failed for an unknown reason; the request may have taken effect.", "微信支付因未知原因失败；请求可能已生效。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .userPaying, .noStatement, .statementCreating, .notEnough, .orderNotFound,
      .frequencyLimited, .systemError, .bankError, .serviceUnavailable, .otherFailure:
      .later
    default: .never
    }
  }
}
