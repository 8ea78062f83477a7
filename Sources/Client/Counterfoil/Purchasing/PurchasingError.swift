public import PaymentPrimitives

/// Why a purchase could not begin or was refused. An error never says whether something was charged: only the ledger
/// knows.
///
/// A struct with a stable code, so that a new code does not break an app's build.
public struct PurchasingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stable code: compare this.
  public let code: PurchasingErrorCode
  /// The details, for a developer.
  public let details: String
  /// The store's failure, if the store failed.
  public let storeFailure: StoreFailure?
  /// WeChat's number, if WeChat failed.
  public let weChatCode: Int?
  /// The server's own code, if the server refused.
  public let serverCode: String?
  /// When a retry may succeed, if the server said so.
  public let retryAfter: TimeSpan?

  /// An error with what is known about it.
  public init(
    _ code: PurchasingErrorCode, _ details: String = "", storeFailure: StoreFailure? = nil,
    weChatCode: Int? = nil, serverCode: String? = nil, retryAfter: TimeSpan? = nil
  ) {
    self.code = code
    self.details = details
    self.storeFailure = storeFailure
    self.weChatCode = weChatCode
    self.serverCode = serverCode
    self.retryAfter = retryAfter
  }

  /// The text for the customer: what happened, and what they can do.
  public func message(_ language: Language) -> String {
    language == .english
      ? "\(code.meaning.english) \(code.remedy.english)" : code.meaning.chinese + code.remedy.chinese
  }

  public var description: String {
    [code.rawValue + ": " + code.meaning.english, details].filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}
