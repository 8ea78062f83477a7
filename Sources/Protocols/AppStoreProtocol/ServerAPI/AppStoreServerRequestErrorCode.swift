import HTTPMessages
package import PaymentPrimitives

/// The errors of a call that is not sent to the App Store Server API, because Apple would reject it too.
package enum AppStoreServerRequestErrorCode: String, ErrorCode {
  /// The id is not a number of at most 32 digits.
  case identifier = "app_store_request_identifier"
  /// The text for the path is empty or too long, or contains characters that change the path.
  case pathText = "app_store_request_path_text"
  /// The time range ends before it begins.
  case span = "app_store_request_span"
  /// Apple does not accept these filters together, or there are too many.
  case filters = "app_store_request_filters"
  /// The consumption information contradicts itself, or the customer did not consent.
  case consumption = "app_store_request_consumption"
  /// The name of an offer, product or transaction cannot be signed.
  case offer = "app_store_request_offer"
  /// An extension of more than 90 days or less than one, or a storefront or identifier that is none.
  case renewalExtension = "app_store_request_renewal_extension"

  package var meaning: BilingualText {
    switch self {
    case .identifier: .init("The id is not one of Apple's numbers.", "标识不是 Apple 的数字标识。")
    case .pathText: .init("The text cannot be part of an address.", "该文本不能用于地址。")
    case .span: .init("The span ends before it begins.", "时间范围的结束早于开始。")
    case .filters: .init("Apple does not accept these filters together.", "Apple 不接受这些筛选条件的组合。")
    case .consumption: .init("The information on use contradicts itself.", "消耗信息自相矛盾。")
    case .renewalExtension: .init("The extension is none that Apple makes.", "该延长不符合 Apple 的规则。")
    case .offer: .init("The name of the offer or product cannot be signed.", "该优惠或商品的标识无法签名。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .identifier, .pathText: .init("Send the id exactly as Apple gave it.", "请原样发送 Apple 给出的标识。")
    case .span: .init("Set a begin before the end.", "请让开始早于结束。")
    case .filters:
      .init("Filter by transaction or by type; a subtype needs its type.", "请按交易或按类型筛选；子类型需与类型同时给出。")
    case .consumption:
      .init(
        "Ask the customer for consent; give a percentage only for what was delivered.", "请先征得客户同意；仅对已交付的商品给出百分比。")
    case .renewalExtension:
      .init(
        "State 1 to 90 days, an identifier of 1 to 128 bytes, and storefronts of three capital letters.",
        "请给出 1 至 90 天、1 至 128 字节的标识，以及三个大写字母的地区代码。")
    case .offer:
      .init(
        "Name the offer as App Store Connect does: letters, digits, dots, dashes and underscores.",
        "请使用 App Store Connect 中的优惠标识：字母、数字、点、连字符和下划线。")
    }
  }

  package var retry: RetryAdvice { .never }
}

/// Values for paths and queries.
enum AppStoreServerPath {
  /// An id of Apple: a number as text. Nothing else is allowed in a path, because an id may come from a client.
  static func number(_ text: String) throws(CodedError<AppStoreServerRequestErrorCode>) -> String {
    guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw CodedError(.identifier)
    }
    return text
  }

  /// A text other than a number: an order id, or the token of a test notification. A path segment of dots alone would
  /// change the address, escaped or not.
  static func text(_ text: String) throws(CodedError<AppStoreServerRequestErrorCode>) -> String {
    guard (1...256).contains(text.utf8.count), text.utf8.contains(where: { $0 != 0x2E }) else {
      throw CodedError(.pathText)
    }
    return text
  }

  static func query(_ items: [(String, String)]) -> String {
    items.isEmpty
      ? ""
      : "?" + items.map { RequestTarget.encode($0) + "=" + RequestTarget.encode($1) }.joined(separator: "&")
  }
}
