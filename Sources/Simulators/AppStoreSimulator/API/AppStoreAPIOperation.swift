import HTTPMessages

/// A simulated call of the App Store Server API. The names are permanent.
package enum AppStoreAPIOperation: String, CaseIterable, Hashable, Sendable {
  case transactionInfo
  case appTransactionInfo
  /// Get Transaction History V2.
  case history
  /// Get Transaction History V1.
  case historyV1
  case statuses
  /// Look Up Order ID.
  case orderLookup
  case refundHistory
  case notificationHistory
  case testNotification
  case testNotificationStatus
  case finish
  case setAppAccountToken
  case consumption
  /// Send Consumption Information V1.
  case consumptionV1
  /// Extend a Subscription Renewal Date.
  case extendRenewal
  /// Extend Subscription Renewal Dates for All Active Subscribers.
  case extendAllRenewals
  /// Get Status of Subscription Renewal Date Extensions.
  case extensionStatus
  /// `verifyReceipt`: on separate hosts, without a token, and not counted.
  case verifyReceipt
  /// The certificates' status by OCSP: without a token, and not counted.
  case certificateStatus

  /// Calls per second in production, from Apple's page of rate limits; they are counted per hour.
  var callsPerSecond: Int64 {
    switch self {
    case .transactionInfo, .appTransactionInfo, .history, .historyV1, .statuses, .notificationHistory, .finish,
      .consumption, .consumptionV1:
      50
    case .setAppAccountToken, .extendRenewal: 20
    case .orderLookup, .refundHistory: 10
    case .testNotification, .testNotificationStatus, .extendAllRenewals, .extensionStatus: 1
    // Apple names no rate.
    case .verifyReceipt, .certificateStatus: .max / 3600
    }
  }

  /// Method and path; `*` is a parameter.
  var form: (method: String, path: [String]) {
    switch self {
    case .transactionInfo: ("GET", ["inApps", "v1", "transactions", "*"])
    case .appTransactionInfo: ("GET", ["inApps", "v1", "transactions", "appTransactions", "*"])
    case .history: ("GET", ["inApps", "v2", "history", "*"])
    case .historyV1: ("GET", ["inApps", "v1", "history", "*"])
    case .statuses: ("GET", ["inApps", "v1", "subscriptions", "*"])
    case .orderLookup: ("GET", ["inApps", "v1", "lookup", "*"])
    case .refundHistory: ("GET", ["inApps", "v2", "refund", "lookup", "*"])
    case .notificationHistory: ("POST", ["inApps", "v1", "notifications", "history"])
    case .testNotification: ("POST", ["inApps", "v1", "notifications", "test"])
    case .testNotificationStatus: ("GET", ["inApps", "v1", "notifications", "test", "*"])
    case .finish: ("POST", ["inApps", "v1", "transactions", "*", "finish"])
    case .setAppAccountToken: ("PUT", ["inApps", "v1", "transactions", "*", "appAccountToken"])
    case .consumption: ("PUT", ["inApps", "v2", "transactions", "consumption", "*"])
    case .consumptionV1: ("PUT", ["inApps", "v1", "transactions", "consumption", "*"])
    case .extendRenewal: ("PUT", ["inApps", "v1", "subscriptions", "extend", "*"])
    case .extendAllRenewals: ("POST", ["inApps", "v1", "subscriptions", "extend", "mass"])
    case .extensionStatus: ("GET", ["inApps", "v1", "subscriptions", "extend", "mass", "*", "*"])
    case .verifyReceipt: ("POST", ["verifyReceipt"])
    case .certificateStatus: ("POST", ["ocsp"])
    }
  }
}

struct AppStoreAPIRoute {
  let operation: AppStoreAPIOperation
  let parameters: [String]
  let target: RequestTarget

  /// The only parameter of most calls, otherwise the last one.
  var parameter: String { parameters.last ?? "" }

  /// The route of a request.
  ///
  /// - Throws: 404 for an unknown path, 405 for a wrong method, both without a body.
  init(method: String, rawTarget: String) throws(AppStoreAPIProblem) {
    guard let target = RequestTarget(rawTarget) else { throw .empty(404) }
    let found = AppStoreAPIOperation.allCases.compactMap { operation in
      Self.parameters(in: target.path, operation.form.path).map { (operation, $0) }
    }
    guard !found.isEmpty else { throw .empty(404) }
    guard let (operation, parameters) = found.first(where: { $0.0.form.method == method }) else { throw .empty(405) }
    (self.operation, self.parameters, self.target) = (operation, parameters, target)
  }

  private static func parameters(in path: [String], _ form: [String]) -> [String]? {
    guard path.count == form.count else { return nil }
    var parameters: [String] = []
    for (segment, expected) in zip(path, form) {
      if expected == "*" { parameters.append(segment) } else if expected != segment { return nil }
    }
    return parameters
  }
}
