package import PaymentPrimitives

/// The errors of the App Store Server API, as stable codes of our own.
///
/// Apple has about ninety numbers; many of them need the same reaction. `AppStoreServerError` also keeps Apple's
/// number. Source: "Error codes" of the App Store Server API.
package enum AppStoreServerErrorCode: String, ErrorCode {
  /// Status 401: key, issuer, bundle id or clock is wrong; in production also an app that was never released.
  case notAuthorized = "app_store_not_authorized"
  /// Apple does not know the app.
  case appUnknown = "app_store_app_unknown"
  /// This call does not accept an id of this kind.
  case identifierRefused = "app_store_identifier_refused"
  /// The transaction does not exist in that environment.
  case transactionNotFound = "app_store_transaction_not_found"
  /// Apple does not know the app transaction.
  case appTransactionNotFound = "app_store_app_transaction_not_found"
  /// Apple does not know the customer's account.
  case accountNotFound = "app_store_account_not_found"
  case notFoundYet = "app_store_not_found_yet"
  /// Apple rejects the time range.
  case spanRefused = "app_store_span_refused"
  /// The revision or page token is no longer valid.
  case pageRefused = "app_store_page_refused"
  /// Apple rejects a filter.
  case filterRefused = "app_store_filter_refused"
  /// Apple rejects our token.
  case tokenRefused = "app_store_token_refused"
  /// The call is not possible for a purchase through Family Sharing.
  case familyShared = "app_store_family_shared"
  /// Apple rejects the consumption information.
  case consumptionRefused = "app_store_consumption_refused"
  /// The renewal date cannot be extended.
  case extensionRefused = "app_store_extension_refused"
  /// App Store Connect has no URL for notifications.
  case notificationURLMissing = "app_store_notification_url_missing"
  /// Apple does not know the test notification.
  case testNotificationUnknown = "app_store_test_notification_unknown"
  /// Another requested item does not exist.
  case resourceNotFound = "app_store_resource_not_found"
  /// An error about retention messages to subscribers.
  case messagingRefused = "app_store_messaging_refused"
  case frequencyLimited = "app_store_frequency_limited"
  case failed = "app_store_failed"
  case otherError = "app_store_refused"

  package var meaning: BilingualText {
    switch self {
    case .notAuthorized:
      .init(
        "Apple does not accept the key: the key, its ids or the clock are wrong, or the app was never released.",
        "Apple 不接受密钥：密钥、标识或时钟有误，或应用从未发布。")
    case .appUnknown: .init("Apple does not know the app.", "Apple 没有该应用。")
    case .identifierRefused: .init("Apple expects another kind of id here.", "Apple 在此处要求另一种标识。")
    case .transactionNotFound:
      .init("Apple does not know the transaction in this environment.", "Apple 在此环境中没有该交易。")
    case .appTransactionNotFound: .init("Apple knows no download of the app.", "Apple 没有该应用的下载记录。")
    case .accountNotFound: .init("Apple does not know the customer's account.", "Apple 没有该客户账户。")
    case .notFoundYet: .init("Apple cannot find it at the moment.", "Apple 暂时未能找到。")
    case .spanRefused: .init("Apple refuses the time span.", "Apple 拒绝了时间范围。")
    case .pageRefused: .init("The page token is no longer valid.", "分页标记已失效。")
    case .filterRefused: .init("Apple refuses a filter of the request.", "Apple 拒绝了请求中的筛选条件。")
    case .tokenRefused: .init("Apple refuses the app account token.", "Apple 拒绝了 appAccountToken。")
    case .familyShared: .init("It came through Family Sharing.", "该购买来自家人共享。")
    case .consumptionRefused: .init("Apple refuses the information on use.", "Apple 拒绝了消耗信息。")
    case .extensionRefused: .init("The renewal date cannot be extended.", "无法延长续订日期。")
    case .notificationURLMissing: .init("Apple has no address for notifications.", "Apple 处未填写通知地址。")
    case .testNotificationUnknown: .init("Apple does not know the test notification.", "Apple 没有该测试通知。")
    case .resourceNotFound: .init("Apple does not know the requested resource.", "Apple 没有所查询的内容。")
    case .messagingRefused: .init("Apple refuses a retention message.", "Apple 拒绝了挽留消息。")
    case .frequencyLimited: .init("There are too many requests at the moment.", "当前请求过于频繁。")
    case .failed: .init("Apple failed; the request may have taken effect.", "Apple 系统错误；请求可能已经生效。")
    case .otherError: .init("Apple refuses the request.", "Apple 拒绝了请求。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .notAuthorized:
      .init(
        "Compare key, key id, issuer id and bundle id with App Store Connect, and set the clock.",
        "请与 App Store Connect 核对密钥、key id、issuer id 与 bundle id，并校准时钟。")
    case .appUnknown: .init("Compare the bundle id with App Store Connect.", "请核对 App Store Connect 中的 bundle id。")
    case .identifierRefused: .init("Send the id that Apple signed.", "请使用 Apple 签名数据中的标识。")
    case .transactionNotFound:
      .init("Ask the other environment; grant nothing for it.", "请查询另一环境；不要据此发货。")
    case .appTransactionNotFound, .accountNotFound, .resourceNotFound:
      .init("No action is needed, unless it should exist: then ask Apple.", "通常无需处理；若确应存在，请联系 Apple。")
    case .spanRefused: .init("Request at most the last 180 days; in the sandbox, the last 30.", "最多查询 180 天，沙盒为 30 天。")
    case .pageRefused: .init("Start again with the first page.", "请从第一页重新开始。")
    case .tokenRefused, .filterRefused, .consumptionRefused, .otherError:
      .init("Read Apple's own number and message; update Counterfoil.", "请查看 Apple 的错误码与信息，并升级 Counterfoil。")
    case .familyShared: .init("No action: only the buyer's own transactions count.", "无需处理：仅支持购买者本人的交易。")
    case .extensionRefused: .init("Read Apple's message for the reason.", "请查看 Apple 给出的原因。")
    case .notificationURLMissing:
      .init(
        "Enter the address under App Information in App Store Connect.", "请在 App Store Connect 的“App 信息”中填写通知地址。")
    case .testNotificationUnknown: .init("Request a new one.", "请重新请求测试通知。")
    case .messagingRefused: .init("Look at the message in App Store Connect.", "请在 App Store Connect 中检查该消息。")
    case .notFoundYet, .frequencyLimited, .failed:
      .init("It is retried automatically.", "系统会自动重试。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .notFoundYet, .frequencyLimited, .failed: .later
    default: .never
    }
  }
}
