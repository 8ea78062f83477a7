package import PaymentPrimitives

/// The endpoints of the App Store Server API in use, each with its method and its documented rate.
package enum AppStoreServerEndpoint: String, CaseIterable, Sendable {
  case transactionInfo = "transaction_info"
  case appTransactionInfo = "app_transaction_info"
  /// Get Transaction History, version 2.
  case transactionHistory = "transaction_history"
  case subscriptionStatuses = "subscription_statuses"
  /// Look Up Order ID.
  case orderLookup = "order_lookup"
  /// Get Refund History, version 2.
  case refundHistory = "refund_history"
  case notificationHistory = "notification_history"
  case testNotification = "test_notification"
  case testNotificationStatus = "test_notification_status"
  case finishTransaction = "finish_transaction"
  case appAccountToken = "app_account_token"
  /// Send Consumption Information, version 2.
  case consumption = "consumption"
  /// Send Consumption Information, version 1.
  case consumptionV1 = "consumption_v1"
  /// Extend a Subscription Renewal Date.
  case renewalExtension = "renewal_extension"
  /// Extend Subscription Renewal Dates for All Active Subscribers.
  case massExtension = "mass_extension"
  case massExtensionStatus = "mass_extension_status"

  package var method: String {
    switch self {
    case .transactionInfo, .appTransactionInfo, .transactionHistory, .subscriptionStatuses, .orderLookup,
      .refundHistory, .testNotificationStatus, .massExtensionStatus:
      "GET"
    case .notificationHistory, .testNotification, .finishTransaction, .massExtension: "POST"
    case .appAccountToken, .consumption, .consumptionV1, .renewalExtension: "PUT"
    }
  }

  /// The maximum of calls per second for one app in production.
  ///
  /// Source: "Identifying rate limits" of the App Store Server API.
  private var callsPerSecond: Int {
    switch self {
    case .transactionInfo, .appTransactionInfo, .transactionHistory, .subscriptionStatuses, .notificationHistory,
      .finishTransaction, .consumption, .consumptionV1:
      50
    case .appAccountToken, .renewalExtension: 20
    case .orderLookup, .refundHistory: 10
    // Apple names no rate for the status: the one of the call that it is about.
    case .testNotification, .testNotificationStatus, .massExtension, .massExtensionStatus: 1
    }
  }

  /// The documented rate; in the sandbox, a tenth of it.
  package func rate(in environment: AppStoreEnvironment) -> CallRate {
    if environment == .production { return CallRate(calls: callsPerSecond, span: .seconds(1)) }
    return callsPerSecond < 10
      ? CallRate(calls: callsPerSecond, span: .seconds(10)) : CallRate(calls: callsPerSecond / 10, span: .seconds(1))
  }
}

/// A maximum number of calls in any period of the given length.
package struct CallRate: Hashable, Sendable {
  package let calls: Int
  package let span: TimeSpan

  package init(calls: Int, span: TimeSpan) {
    precondition(calls > 0 && span > .zero, "a rate lets something through")
    self.calls = calls
    self.span = span
  }
}
