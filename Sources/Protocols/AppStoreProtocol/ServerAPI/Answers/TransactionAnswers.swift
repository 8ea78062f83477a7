package import StrictJSON

// Apple's answers about transactions. Signed texts are unverified until `SignedDataVerifier` verifies them.

/// The answer to Get Transaction Info.
package struct TransactionInfoResponse: PayloadPart {
  package var signedTransactionInfo: String

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedTransactionInfo = try fields.stated("signedTransactionInfo", fields.text("signedTransactionInfo"))
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue { .members([("signedTransactionInfo", .text(signedTransactionInfo))]) }
}

/// The answer to Get App Transaction Info.
package struct AppTransactionInfoResponse: PayloadPart {
  package var signedAppTransactionInfo: String

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedAppTransactionInfo = try fields.stated("signedAppTransactionInfo", fields.text("signedAppTransactionInfo"))
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue { .members([("signedAppTransactionInfo", .text(signedAppTransactionInfo))]) }
}

/// A page of Get Transaction History.
///
/// Sorted by the date of the last change. An item that is refunded between two pages may occur twice.
package struct HistoryResponse: PayloadPart {
  /// The revision for the next page. It is kept after the last page, so that the next run begins there.
  package var revision: String?
  /// Whether there is another page now.
  package var hasMore: Bool
  package var bundleId: String?
  /// Apple's number of the app; absent in the sandbox.
  package var appAppleId: Int64?
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// Up to twenty signed transactions.
  package var signedTransactions: [String]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    revision = try fields.text("revision")
    hasMore = try fields.stated("hasMore", fields.flag("hasMore"))
    bundleId = try fields.text("bundleId")
    appAppleId = try fields.integer("appAppleId")
    environment = try fields.listed("environment")
    signedTransactions = try fields.stated("signedTransactions", fields.texts("signedTransactions"))
    if hasMore { _ = try fields.stated("revision", revision) }
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([
      ("revision", .text(revision)), ("hasMore", .flag(hasMore)), ("bundleId", .text(bundleId)),
      ("appAppleId", .integer(appAppleId)), ("environment", .listed(environment)),
      ("signedTransactions", .texts(signedTransactions)),
    ])
  }
}

/// A page of Get Refund History.
package struct RefundHistoryResponse: PayloadPart {
  /// Up to twenty signed transactions, all refunded.
  package var signedTransactions: [String]
  /// The revision for the next page.
  package var revision: String?
  /// Whether there is another page.
  package var hasMore: Bool

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedTransactions = try fields.stated("signedTransactions", fields.texts("signedTransactions"))
    revision = try fields.text("revision")
    hasMore = try fields.stated("hasMore", fields.flag("hasMore"))
    if hasMore { _ = try fields.stated("revision", revision) }
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([
      ("signedTransactions", .texts(signedTransactions)), ("revision", .text(revision)),
      ("hasMore", .flag(hasMore)),
    ])
  }
}

/// Whether a customer's order id belongs to this app.
package enum OrderLookupStatus: Int64, CaseIterable, Sendable {
  case valid = 0
  case invalid = 1
}

/// The answer to Look Up Order ID.
package struct OrderLookupResponse: PayloadPart {
  /// Whether the order id is valid for the app.
  package var status: KnownOrRaw<OrderLookupStatus>
  /// The signed transactions of the order.
  package var signedTransactions: [String]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    status = try fields.stated("status", fields.listed("status"))
    // The answer for an invalid order id has no list.
    signedTransactions = try fields.texts("signedTransactions") ?? []
  }

  /// The value as JSON, in the form that Apple sends.
  package var json: JSONValue {
    .members([("status", .listed(status)), ("signedTransactions", .texts(signedTransactions))])
  }
}

extension PayloadFields {
  /// A value that an answer must have; throws if it is missing.
  func stated<Value>(_ name: StaticString, _ value: Value?) throws(PayloadProblem) -> Value {
    guard let value else { throw PayloadProblem(path: name.description, expected: "there") }
    return value
  }
}
