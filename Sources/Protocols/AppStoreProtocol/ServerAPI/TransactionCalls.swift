import HTTPMessages
package import PaymentPrimitives
import StrictJSON

// Asking about transactions. Ids are Apple's numbers as text; each call says which of the three kinds it takes.

extension AppStoreServerCall where Answer == TransactionInfoResponse {
  /// Get Transaction Info: one transaction by its own id, in its state of now.
  ///
  /// - Throws: an id that is no number.
  package static func transactionInfo(
    _ transactionId: TransactionIdentifier
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(transactionId.text)
    return AppStoreServerCall(.transactionInfo, "/inApps/v1/transactions/\(id)")
  }
}

extension AppStoreServerCall where Answer == AppTransactionInfoResponse {
  /// Get App Transaction Info: the customer's download, by any id of a transaction or download of his.
  ///
  /// - Throws: an id that is no number.
  package static func appTransactionInfo(
    ofCustomerWith anyTransactionId: String
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(anyTransactionId)
    return AppStoreServerCall(.appTransactionInfo, "/inApps/v1/transactions/appTransactions/\(id)")
  }
}

/// Which transactions of a customer a history shows. It stays the same for all its pages.
package struct TransactionHistoryRequest: Hashable, Sendable {
  /// The kinds of product, in the words of this filter: others than those of a transaction.
  package enum ProductType: String, CaseIterable, Sendable {
    case autoRenewable = "AUTO_RENEWABLE"
    /// Subscriptions that Apple does not renew.
    case nonRenewable = "NON_RENEWABLE"
    case consumable = "CONSUMABLE"
    case nonConsumable = "NON_CONSUMABLE"
  }

  /// By the date of the last change.
  package enum Order: String, CaseIterable, Sendable {
    /// The oldest first; Apple's own choice.
    case ascending = "ASCENDING"
    case descending = "DESCENDING"
  }

  /// Bought at this moment or later.
  package var startDate: Timestamp?
  package var endDate: Timestamp?
  /// Only these products.
  package var productIds: [String] = []
  /// Only these kinds.
  package var productTypes: [ProductType] = []
  /// In which order.
  package var sort: Order?
  /// Only these groups.
  package var subscriptionGroupIdentifiers: [String] = []
  /// Only what was bought, or only what was shared.
  package var inAppOwnershipType: InAppOwnershipType?
  /// Only what was taken back, or only what was not.
  package var revoked: Bool?

  package init() {}

  /// More values of one filter than this make an address that machines in between refuse.
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
  /// Get Transaction History, version 2: all purchases of a customer, finished consumables too.
  ///
  /// - Parameters:
  ///   - anyTransactionId: any id of a transaction or download of the customer's.
  ///   - request: the same for all pages.
  ///   - revision: that of the page before; nil for the first.
  /// - Throws: what Apple would refuse.
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
  /// - Parameter status: only lines in these states; all where empty.
  /// - Throws: an id that is no number.
  package static func subscriptionStatuses(
    ofCustomerWith anyTransactionId: String, status: [Status] = []
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(anyTransactionId)
    let query = AppStoreServerPath.query(status.map { ("status", "\($0.rawValue)") })
    return AppStoreServerCall(.subscriptionStatuses, "/inApps/v1/subscriptions/\(id)\(query)")
  }
}

extension AppStoreServerCall where Answer == OrderLookupResponse {
  /// Look Up Order ID: the transactions of an order id that a customer reads in Apple's mail.
  ///
  /// - Throws: a text that cannot stand in an address.
  package static func orderLookup(
    _ orderId: String
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.text(orderId)
    return AppStoreServerCall(.orderLookup, "/inApps/v1/lookup/\(RequestTarget.encode(id))")
  }
}

extension AppStoreServerCall where Answer == RefundHistoryResponse {
  /// Get Refund History, version 2: what was refunded to a customer.
  ///
  /// - Parameters:
  ///   - anyTransactionId: any id of a transaction or download of the customer's.
  ///   - revision: that of the page before; nil for the first.
  /// - Throws: an id that is no number.
  package static func refundHistory(
    ofCustomerWith anyTransactionId: String, revision: String? = nil
  ) throws(CodedError<AppStoreServerRequestErrorCode>) -> AppStoreServerCall {
    let id = try AppStoreServerPath.number(anyTransactionId)
    let query = AppStoreServerPath.query(revision.map { [("revision", $0)] } ?? [])
    return AppStoreServerCall(.refundHistory, "/inApps/v2/refund/lookup/\(id)\(query)")
  }
}
