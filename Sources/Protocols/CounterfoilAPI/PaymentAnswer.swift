public import PaymentPrimitives
public import StrictJSON

/// The server's knowledge about one store transaction.
public struct PaymentAnswer: Hashable, Sendable {
  /// The store's transaction id.
  public var transaction: TransactionIdentifier
  /// The first transaction id of its subscription.
  public var originalTransaction: TransactionIdentifier?
  /// The store's id of the product.
  public var product: StoreProductIdentifier?
  /// The verdict about the payment.
  public var verdict: Verdict
  /// Whether the transaction may be finished at the store. With `finishWhen: kept` this may be true although the
  /// verdict alone does not allow it.
  public var finish: Bool
  /// The order that the transaction pays; only for the order's owner, otherwise absent.
  public var order: OrderIdentifier?
  /// The app's own number of that order; also only for the owner.
  public var reference: String?
  /// `app` if the number comes from the app on the device: a backend must not use it for bookings.
  public var referenceFrom: String?
  /// The app's own data of that order.
  public var metadata: JSONValue?
  /// The reason, as a stable word.
  public var reason: String?
  /// Whether this call was the first to record the payment.
  public var firstSeen: Bool
  /// The environment of the payment.
  public var environment: StoreEnvironment?
  /// How long to wait before asking again, if the verdict is `pending`.
  public var retryAfter: TimeSpan?

  /// A reason of `refused`: the receipt does not show the caller's transaction. The transaction was finished, or the
  /// receipt is older than it.
  public static let notInReceipt = "notInReceipt"

  /// A reason of `fulfilled`: the store returned an owned product again, under the token of another order. Nothing was
  /// charged for that order.
  public static let alreadyOwned = "alreadyOwned"

  /// An answer about a transaction; the verdict sets `finish`.
  public init(transaction: TransactionIdentifier, verdict: Verdict, reason: String? = nil) {
    self.transaction = transaction
    self.verdict = verdict
    self.finish = verdict.finish
    self.reason = reason
    self.firstSeen = false
  }

  /// Reads an answer.
  ///
  /// A verdict that this version does not know becomes `pending`. It is neither a success nor a failure.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    let verdictText = try fields.string("verdict")
    self.init(
      transaction: TransactionIdentifier(try fields.string("transactionId", bytesMax: 64)),
      verdict: Verdict(rawValue: verdictText) ?? .pending)
    finish = Verdict(rawValue: verdictText) == nil ? false : try fields.bool("finish")
    originalTransaction = try fields.optionalString("originalTransactionId", bytesMax: 64)
      .map { TransactionIdentifier($0) }
    product = try fields.optionalString("productId").map { StoreProductIdentifier($0) }
    order = try fields.optionallyConverted("orderId", "an order id", { OrderIdentifier($0) })
    reference = try fields.optionalString("reference")
    referenceFrom = try fields.optionalString("referenceFrom")
    metadata = fields.value("metadata")
    reason = try fields.optionalString("reason")
    firstSeen = try fields.optionalBool("firstSeen") ?? false
    environment = try fields.optionallyConverted(
      "environment", "an environment", StoreEnvironment.init(rawValue:))
    retryAfter = try fields.optionalInteger("retryAfter", in: 0...86_400).map { .seconds($0) }
  }

  /// The answer as sent.
  public var json: JSONValue {
    .members([
      ("transactionId", .string(transaction.text)),
      ("originalTransactionId", originalTransaction.map { .string($0.text) }),
      ("productId", product.map { .string($0.text) }), ("verdict", .string(verdict.rawValue)),
      ("finish", .bool(finish)), ("orderId", order.map { .string($0.appAccountToken) }),
      ("reference", reference.map(JSONValue.string)),
      ("referenceFrom", referenceFrom.map(JSONValue.string)), ("metadata", metadata),
      ("reason", reason.map(JSONValue.string)), ("firstSeen", .bool(firstSeen)),
      ("environment", environment.map { .string($0.rawValue) }),
      ("retryAfter", retryAfter.map { .integer(max(1, $0.milliseconds / 1000)) }),
    ])
  }
}

/// `POST /v1/payments/app-store/finished`: the client finished these transactions at the store.
public enum ReportFinished {
  /// The path of the call.
  public static let path = "/v1/payments/app-store/finished"

  /// The request: the finished transactions.
  public struct Request: Hashable, Sendable {
    /// The store's transaction ids.
    public var transactions: [TransactionIdentifier]
    /// The user of the device; only with a secret key.
    public var user: UserIdentifier?

    /// A report of those transactions.
    public init(transactions: [TransactionIdentifier]) { self.transactions = transactions }

    /// Reads a report.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      guard fields.value("transactionIds") != nil else {
        throw JSONFieldError(path: "transactionIds", expected: "a list of transaction ids")
      }
      transactions = try fields.strings(
        "transactionIds", countMax: ContractLimits.finishedMax, bytesMax: 64
      ).map { TransactionIdentifier($0) }
      user = try fields.optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
    }

    /// The report as sent.
    public var json: JSONValue {
      .members([
        ("transactionIds", .array(transactions.map { .string($0.text) })),
        ("userId", user.map { .string($0.text) }),
      ])
    }
  }
}
