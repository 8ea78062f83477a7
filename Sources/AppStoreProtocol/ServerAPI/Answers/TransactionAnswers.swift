public import StrictJSON

// What Apple answers about transactions. Signed texts are unverified: they are for `SignedDataVerifier`.

/// The answer to Get Transaction Info.
public struct TransactionInfoResponse: PayloadPart {
  /// The transaction, signed.
  public var signedTransactionInfo: String

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedTransactionInfo = try fields.stated("signedTransactionInfo", fields.text("signedTransactionInfo"))
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue { .members([("signedTransactionInfo", .text(signedTransactionInfo))]) }
}

/// The answer to Get App Transaction Info.
public struct AppTransactionInfoResponse: PayloadPart {
  /// The download, signed.
  public var signedAppTransactionInfo: String

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedAppTransactionInfo = try fields.stated("signedAppTransactionInfo", fields.text("signedAppTransactionInfo"))
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue { .members([("signedAppTransactionInfo", .text(signedAppTransactionInfo))]) }
}

/// A page of Get Transaction History.
///
/// Sorted by the date of the last change: an item that is refunded while the pages are read may come twice.
public struct HistoryResponse: PayloadPart {
  /// What the next page is asked with; kept after the last one, so that the next run begins there.
  public var revision: String?
  /// Whether a further page is there to be asked for at once.
  public var hasMore: Bool
  /// The app.
  public var bundleId: String?
  /// The app's number; absent in the sandbox.
  public var appAppleId: Int64?
  /// Which App Store.
  public var environment: KnownOrRaw<AppStoreEnvironment>?
  /// Transactions, each signed; up to twenty.
  public var signedTransactions: [String]

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    revision = try fields.text("revision")
    hasMore = try fields.stated("hasMore", fields.flag("hasMore"))
    bundleId = try fields.text("bundleId")
    appAppleId = try fields.integer("appAppleId")
    environment = try fields.listed("environment")
    signedTransactions = try fields.stated("signedTransactions", fields.texts("signedTransactions"))
    if hasMore { _ = try fields.stated("revision", revision) }
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([
      ("revision", .text(revision)), ("hasMore", .flag(hasMore)), ("bundleId", .text(bundleId)),
      ("appAppleId", .integer(appAppleId)), ("environment", .listed(environment)),
      ("signedTransactions", .texts(signedTransactions)),
    ])
  }
}

/// A page of Get Refund History.
public struct RefundHistoryResponse: PayloadPart {
  /// Refunded transactions, each signed; up to twenty.
  public var signedTransactions: [String]
  /// What the next page is asked with.
  public var revision: String?
  /// Whether a further page is there.
  public var hasMore: Bool

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    signedTransactions = try fields.stated("signedTransactions", fields.texts("signedTransactions"))
    revision = try fields.text("revision")
    hasMore = try fields.stated("hasMore", fields.flag("hasMore"))
    if hasMore { _ = try fields.stated("revision", revision) }
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
    .members([
      ("signedTransactions", .texts(signedTransactions)), ("revision", .text(revision)),
      ("hasMore", .flag(hasMore)),
    ])
  }
}

/// Whether an order id of a customer's is one of this app.
public enum OrderLookupStatus: Int64, CaseIterable, Sendable {
  /// It is.
  case valid = 0
  /// It is not.
  case invalid = 1
}

/// The answer to Look Up Order ID.
public struct OrderLookupResponse: PayloadPart {
  /// Whether the order id is valid for the app.
  public var status: KnownOrRaw<OrderLookupStatus>
  /// The transactions of the order, each signed.
  public var signedTransactions: [String]

  /// Reads what an object states.
  public init(_ fields: PayloadFields) throws(PayloadProblem) {
    status = try fields.stated("status", fields.listed("status"))
    // An order id that is not valid comes without a list.
    signedTransactions = try fields.texts("signedTransactions") ?? []
  }

  /// What it states, as Apple writes it.
  public var json: JSONValue {
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
