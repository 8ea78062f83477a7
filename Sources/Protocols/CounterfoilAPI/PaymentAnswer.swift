public import PaymentPrimitives
public import StrictJSON

/// What the server knows of one store transaction.
public struct PaymentAnswer: Hashable, Sendable {
  /// The store's number.
  public var transaction: TransactionIdentifier
  /// The first number of its line.
  public var originalTransaction: TransactionIdentifier?
  /// The product as the store knows it.
  public var product: StoreProductIdentifier?
  /// What is known.
  public var verdict: Verdict
  /// Whether the transaction may be finished at the store. (With `finishWhen: kept` also where the verdict alone would
  /// not.)
  public var finish: Bool
  /// The order that it pays; absent for everybody but its owner.
  public var order: OrderIdentifier?
  /// The app's own number of that order; like it for the owner alone.
  public var reference: String?
  /// `app` where the number came from the phone: a backend must not book by it.
  public var referenceFrom: String?
  /// That order's own data.
  public var metadata: JSONValue?
  /// Why, as a stable word.
  public var reason: String?
  /// Whether this very call wrote the payment down first.
  public var firstSeen: Bool
  /// The world that it belongs to.
  public var environment: StoreEnvironment?
  /// When to ask again, with `pending`.
  public var retryAfter: TimeSpan?

  /// The reason of `refused` where a receipt does not show the transaction that the caller means: it was finished, or
  /// the receipt is older than it.
  public static let notInReceipt = "notInReceipt"

  /// The reason of `fulfilled` where the store has given what is owned already again, under the token of another order:
  /// nothing was charged for that order.
  public static let alreadyOwned = "alreadyOwned"

  /// An answer about a transaction; `finish` follows from the verdict.
  public init(transaction: TransactionIdentifier, verdict: Verdict, reason: String? = nil) {
    self.transaction = transaction
    self.verdict = verdict
    self.finish = verdict.finish
    self.reason = reason
    self.firstSeen = false
  }

  /// Reads an answer.
  ///
  /// A verdict that this version does not know is `pending`: unknown is never success and never failure.
  public init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    let word = try fields.string("verdict")
    self.init(
      transaction: TransactionIdentifier(try fields.string("transactionId", bytesMax: 64)),
      verdict: Verdict(rawValue: word) ?? .pending)
    finish = Verdict(rawValue: word) == nil ? false : try fields.bool("finish")
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

  /// The answer as it is sent.
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

/// `POST /v1/payments/app-store/finished`: the client has finished these transactions at the store.
public enum ReportFinished {
  /// The path of the call.
  public static let path = "/v1/payments/app-store/finished"

  /// The transactions that were finished.
  public struct Request: Hashable, Sendable {
    /// The store's numbers.
    public var transactions: [TransactionIdentifier]
    /// Whose device it is; only with a secret key.
    public var user: UserIdentifier?

    /// A report.
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

    /// The report as it is sent.
    public var json: JSONValue {
      .members([
        ("transactionIds", .array(transactions.map { .string($0.text) })),
        ("userId", user.map { .string($0.text) }),
      ])
    }
  }
}
