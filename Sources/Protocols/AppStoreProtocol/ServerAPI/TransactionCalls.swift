import HTTPMessages
package import PaymentPrimitives
import StrictJSON

// Calls that read transactions. Ids are Apple's numbers as text; each call says which of the three kinds it accepts.

extension AppStoreServerCall where Answer == TransactionInfoResponse {
  /// Get Transaction Info: the current state of one transaction, by its own id.
  ///
  /// - Throws: the id is not a number.
  package static func transactionInfo(
    _ transactionId: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(transactionId.text)
    return AppStoreServerCall(.transactionInfo, "/inApps/v1/transactions/\(id)")
  }
}

extension AppStoreServerCall where Answer == AppTransactionInfoResponse {
  /// Get App Transaction Info: the customer's app transaction, by any transaction id or app transaction id of the
  /// customer.
  ///
  /// - Throws: the id is not a number.
  package static func appTransactionInfo(
    ofCustomerWith anyTransactionId: String
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(anyTransactionId)
    return AppStoreServerCall(.appTransactionInfo, "/inApps/v1/transactions/appTransactions/\(id)")
  }
}

/// The filter of a transaction history. It stays the same for all pages.
package struct TransactionHistoryRequest: Hashable, Sendable {
  /// The product types, in the words of this filter; a transaction uses other words.
  package enum ProductType: String, CaseIterable, Sendable {
    case autoRenewable = "AUTO_RENEWABLE"
    /// Subscriptions that are not auto-renewable.
    case nonRenewable = "NON_RENEWABLE"
    case consumable = "CONSUMABLE"
    case nonConsumable = "NON_CONSUMABLE"
  }

  /// The order by date of the last change.
  package enum Order: String, CaseIterable, Sendable {
    /// Oldest first; Apple's default.
    case ascending = "ASCENDING"
    case descending = "DESCENDING"
  }

  /// Only purchases at this time or later.
  package var startDate: Timestamp?
  package var endDate: Timestamp?
  /// Only these products.
  package var productIds: [String] = []
  /// Only these product types.
  package var productTypes: [ProductType] = []
  package var sort: Order?
  /// Only these subscription groups.
  package var subscriptionGroupIdentifiers: [String] = []
  /// Only own purchases, or only shared ones.
  package var inAppOwnershipType: InAppOwnershipType?
  /// Only revoked transactions, or only valid ones.
  package var revoked: Bool?

  package init() {}

  /// The maximum of values for one filter; proxies reject longer URLs.
  static let valuesMax = 50

  func query(_ revision: String?) throws(CodedError<AppStoreServerRequestErrorCode>) -> [(String, String)] {
    if let startDate, let endDate, endDate <= startDate { throw CodedError(.span) }
    guard productIds.count <= Self.valuesMax, subscriptionGroupIdentifiers.count <= Self.valuesMax else {
      throw CodedError(.filters, "There are more than \(Self.valuesMax) values of one filter.")
    }
    var items: [(String, String)] = []
    if let revision { items.append(("revision", revision)) }
    if let startDate { items.append(("startDate", "\(startDate.milliseconds)")) }
    if let endDate { items.append(("endDate", "\(endDate.milliseconds)")) }
    items += productIds.map { ("productId", $0) }
    items += productTypes.map { ("productType", $0.rawValue) }
    if let sort { items.append(("sort", sort.rawValue)) }
    items += subscriptionGroupIdentifiers.map { ("subscriptionGroupIdentifier", $0) }
    if let inAppOwnershipType { items.append(("inAppOwnershipType", inAppOwnershipType.rawValue)) }
    if let revoked { items.append(("revoked", "\(revoked)")) }
    return items
  }
}

extension AppStoreServerCall where Answer == HistoryResponse {
  /// Get Transaction History, version 2: all purchases of a customer, including finished consumables.
  ///
  /// - Parameters:
  ///   - anyTransactionId: any transaction id or app transaction id of the customer.
  ///   - request: the filter, the same for all pages.
  ///   - revision: the revision from the previous page; nil for the first page.
  /// - Throws: a value that Apple would reject.
  package static func transactionHistory(
    ofCustomerWith anyTransactionId: String, _ request: TransactionHistoryRequest = TransactionHistoryRequest(),
    revision: String? = nil
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(anyTransactionId)
    let query = AppStoreServerPath.query(try request.query(revision))
    return AppStoreServerCall(.transactionHistory, "/inApps/v2/history/\(id)\(query)")
  }
}

extension AppStoreServerCall where Answer == StatusResponse {
  /// Get All Subscription Statuses: the state of each subscription of a customer.
  ///
  /// - Parameter status: only subscriptions in these states; empty means all.
  /// - Throws: the id is not a number.
  package static func subscriptionStatuses(
    ofCustomerWith anyTransactionId: String, status: [Status] = []
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(anyTransactionId)
    let query = AppStoreServerPath.query(status.map { ("status", "\($0.rawValue)") })
    return AppStoreServerCall(.subscriptionStatuses, "/inApps/v1/subscriptions/\(id)\(query)")
  }
}

extension AppStoreServerCall where Answer == OrderLookupResponse {
  /// Look Up Order ID: the transactions of an order id from Apple's email to the customer.
  ///
  /// - Throws: the text is not allowed in a path.
  package static func orderLookup(
    _ orderId: String
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.text(orderId)
    return AppStoreServerCall(.orderLookup, "/inApps/v1/lookup/\(RequestTarget.encode(id))")
  }
}

extension AppStoreServerCall where Answer == RefundHistoryResponse {
  /// Get Refund History, version 2: the refunded transactions of a customer.
  ///
  /// - Parameters:
  ///   - anyTransactionId: any transaction id or app transaction id of the customer.
  ///   - revision: the revision from the previous page; nil for the first page.
  /// - Throws: the id is not a number.
  package static func refundHistory(
    ofCustomerWith anyTransactionId: String, revision: String? = nil
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(anyTransactionId)
    let query = AppStoreServerPath.query(revision.map { [("revision", $0)] } ?? [])
    return AppStoreServerCall(.refundHistory, "/inApps/v2/refund/lookup/\(id)\(query)")
  }
}
