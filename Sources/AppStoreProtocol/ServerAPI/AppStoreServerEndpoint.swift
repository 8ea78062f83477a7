public import PaymentVocabulary

/// The endpoints of the App Store Server API that are used here, each with its method and its documented rate.
public enum AppStoreServerEndpoint: String, CaseIterable, Sendable {
  /// Get Transaction Info
  case transactionInfo = "transaction_info"
  /// Get App Transaction Info
  case appTransactionInfo = "app_transaction_info"
  /// Get Transaction History, version 2
  case transactionHistory = "transaction_history"
  /// Get All Subscription Statuses
  case subscriptionStatuses = "subscription_statuses"
  /// Look Up Order ID
  case orderLookup = "order_lookup"
  /// Get Refund History, version 2
  case refundHistory = "refund_history"
  /// Get Notification History
  case notificationHistory = "notification_history"
  /// Request a Test Notification
  case testNotification = "test_notification"
  /// Get Test Notification Status
  case testNotificationStatus = "test_notification_status"
  /// Finish Transaction
  case finishTransaction = "finish_transaction"
  /// Set App Account Token
  case appAccountToken = "app_account_token"
  /// Send Consumption Information, version 2
  case consumption = "consumption"
  /// Send Consumption Information, version 1
  case consumptionV1 = "consumption_v1"

  /// How the call is made.
  public var method: String {
    switch self {
    case .transactionInfo, .appTransactionInfo, .transactionHistory, .subscriptionStatuses, .orderLookup,
      .refundHistory, .testNotificationStatus:
      "GET"
    case .notificationHistory, .testNotification, .finishTransaction: "POST"
    case .appAccountToken, .consumption, .consumptionV1: "PUT"
    }
  }

  /// How many calls Apple takes in a second, of one app in production.
  ///
  /// Source: "Identifying rate limits" of the App Store Server API.
  private var callsPerSecond: Int {
    switch self {
    case .transactionInfo, .appTransactionInfo, .transactionHistory, .subscriptionStatuses, .notificationHistory,
      .finishTransaction, .consumption, .consumptionV1:
      50
    case .appAccountToken: 20
    case .orderLookup, .refundHistory: 10
    case .testNotification, .testNotificationStatus: 1
    }
  }

  /// The documented rate; the sandbox takes a tenth.
  public func rate(in environment: AppStoreEnvironment) -> CallRate {
    if environment == .production { return CallRate(calls: callsPerSecond, span: .seconds(1)) }
    return callsPerSecond < 10
      ? CallRate(calls: callsPerSecond, span: .seconds(10)) : CallRate(calls: callsPerSecond / 10, span: .seconds(1))
  }
}

/// At most so many calls in any span of that length.
public struct CallRate: Hashable, Sendable {
  /// Calls, at least one.
  public let calls: Int
  /// The length.
  public let span: TimeSpan

  /// A rate from its parts.
  public init(calls: Int, span: TimeSpan) {
    precondition(calls > 0 && span > .zero, "a rate lets something through")
    self.calls = calls
    self.span = span
  }
}
