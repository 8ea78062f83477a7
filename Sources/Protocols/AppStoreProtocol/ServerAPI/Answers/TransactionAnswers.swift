package import StrictJSON

// What Apple answers about transactions. Signed texts are unverified: they are for `SignedDataVerifier`.

/// The answer to Get Transaction Info.
package struct TransactionInfoResponse: PayloadPart {
  package var signedTransactionInfo: String

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedTransactionInfo = try fields.stated("signedTransactionInfo", fields.text("signedTransactionInfo"))
  }

  /// What it states, as Apple writes it.
  package var json: JSONValue { .members([("signedTransactionInfo", .text(signedTransactionInfo))]) }
}

/// The answer to Get App Transaction Info.
package struct AppTransactionInfoResponse: PayloadPart {
  package var signedAppTransactionInfo: String

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedAppTransactionInfo = try fields.stated("signedAppTransactionInfo", fields.text("signedAppTransactionInfo"))
  }

  /// What it states, as Apple writes it.
  package var json: JSONValue { .members([("signedAppTransactionInfo", .text(signedAppTransactionInfo))]) }
}

/// A page of Get Transaction History.
///
/// Sorted by the date of the last change: an item that is refunded while the pages are read may come twice.
package struct HistoryResponse: PayloadPart {
  /// What the next page is asked with; kept after the last one, so that the next run begins there.
  package var revision: String?
  /// Whether a further page is there to be asked for at once.
  package var hasMore: Bool
  package var bundleId: String?
  /// The app's number; absent in the sandbox.
  package var appAppleId: Int64?
  package var environment: KnownOrRaw<AppStoreEnvironment>?
  /// Transactions, each signed; up to twenty.
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

  /// What it states, as Apple writes it.
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
  /// Refunded transactions, each signed; up to twenty.
  package var signedTransactions: [String]
  /// What the next page is asked with.
  package var revision: String?
  /// Whether a further page is there.
  package var hasMore: Bool

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedTransactions = try fields.stated("signedTransactions", fields.texts("signedTransactions"))
    revision = try fields.text("revision")
    hasMore = try fields.stated("hasMore", fields.flag("hasMore"))
    if hasMore { _ = try fields.stated("revision", revision) }
  }

  /// What it states, as Apple writes it.
  package var json: JSONValue {
    .members([
      ("signedTransactions", .texts(signedTransactions)), ("revision", .text(revision)),
      ("hasMore", .flag(hasMore)),
    ])
  }
}

/// Whether an order id of a customer's is one of this app.
package enum OrderLookupStatus: Int64, CaseIterable, Sendable {
  case valid = 0
  case invalid = 1
}

/// The answer to Look Up Order ID.
package struct OrderLookupResponse: PayloadPart {
  /// Whether the order id is valid for the app.
  package var status: KnownOrRaw<OrderLookupStatus>
  /// The transactions of the order, each signed.
  package var signedTransactions: [String]

  package init(_ fields: PayloadFields) throws(PayloadProblem) {
    status = try fields.stated("status", fields.listed("status"))
    // An order id that is not valid comes without a list.
    signedTransactions = try fields.texts("signedTransactions") ?? []
  }

  /// What it states, as Apple writes it.
  package var json: JSONValue {
    .members([("status", .listed(status)), ("signedTransactions", .texts(signedTransactions))])
  }
}

extension PayloadFields {
  /// A value without which an answer says nothing.
  func stated<Value>(_ name: StaticString, _ value: Value?) throws(PayloadProblem) -> Value {
    guard let value else { throw PayloadProblem(path: name.description, expected: "there") }
    return value
  }
}
