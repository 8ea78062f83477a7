public import PaymentPrimitives

/// Why a purchase could not be begun or was refused. Whether something was charged is never said by an error: only
/// the ledger knows.
///
/// A struct with a stable code, so that a new code breaks nobody's build.
public struct PurchasingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was refused: compare this.
  public let code: PurchasingErrorCode
  /// The particulars, for a developer.
  public let details: String
  /// What the store said, where it was the store.
  public let storeFailure: StoreFailure?
  /// WeChat's number, where it was WeChat.
  public let weChatCode: Int?
  /// The server's own code, where it was the server.
  public let serverCode: String?
  /// When trying again may succeed, where the server said so.
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

  /// What to tell the customer: what happened, and what he can do.
  public func message(_ language: Language) -> String {
    language == .english
      ? "\(code.meaning.english) \(code.remedy.english)" : code.meaning.chinese + code.remedy.chinese
  }

  public var description: String {
    [code.rawValue + ": " + code.meaning.english, details].filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}
