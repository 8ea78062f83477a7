public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/payments/app-store`: submits App Store evidence of a purchase.
public enum SubmitAppStorePayment {
  /// The path of the call.
  public static let path = "/v1/payments/app-store"

  /// The submitted data. Fields other than the evidence are compared and recorded, never trusted.
  public struct Request: Hashable, Sendable {
    /// A signed transaction (JWS).
    public var evidence: String?
    /// A transaction id alone: only a question about its state.
    public var transaction: TransactionIdentifier?
    /// All fitting orders in the device's vault, including those of other users of the device. Each is named by its
    /// id; the user's own orders also by the app's own number.
    public var orderNames: [String]
    /// The order that the client saw together with the transaction in one run, named in the same way.
    public var sameRunName: String?
    /// The device's id, for the check of Apple's device proof.
    public var deviceVerificationId: String?
    /// The user of the device; only with a secret key.
    public var user: UserIdentifier?
    /// Whether the user asked to restore earlier purchases. Only then can another user's entitlement move to this
    /// user, if the app allows that at all.
    public var isRestore = false
    /// The purchase as the client sees it: compared and recorded.
    public var claimed: Claimed

    /// The client's statements beside the evidence.
    public struct Claimed: Hashable, Sendable {
      /// Apple's product id.
      public var product: String?
      /// The number of pieces.
      public var quantity: Int64?
      /// The displayed amount, as text of the client.
      public var amount: String?
      /// The currency of the amount.
      public var currency: String?
      /// The app's own parameters.
      public var parameters: JSONValue?

      /// No statements.
      public init() {}
    }

    /// A request with only evidence.
    public init(evidence: String) {
      self.evidence = evidence
      self.orderNames = []
      self.claimed = Claimed()
    }

    /// Reads a request.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      evidence = try fields.optionalString("evidence", bytesMax: 16 << 20)
      transaction = try fields.optionalString("transactionId", bytesMax: 64)
        .map { TransactionIdentifier($0) }
      orderNames = []
      for name in try fields.strings("orderIds", countMax: ContractLimits.orderIdentifiersMax, bytesMax: 256) {
        guard ContractLimits.isReference(name) else {
          throw JSONFieldError(path: "orderIds", expected: "a list of order ids or references")
        }
        orderNames.append(name)
      }
      sameRunName = try fields.optionallyConverted("sameRun", "an order id or reference") {
        ContractLimits.isReference($0) ? $0 : nil
      }
      deviceVerificationId = try fields.optionalString("deviceVerificationId", bytesMax: 64)
      user = try fields.optionalString("userId", bytesMax: 255).map { UserIdentifier($0) }
      isRestore = try fields.optionalBool("restore") ?? false
      claimed = Claimed()
      claimed.product = try fields.optionalString("productId", bytesMax: 255)
      claimed.quantity = try fields.optionalInteger("quantity")
      claimed.amount = try fields.optionalString("amount", bytesMax: 64)
      claimed.currency = try fields.optionalString("currency", bytesMax: 16)
      claimed.parameters = fields.value("parameters")
      if let parameters = claimed.parameters,
        parameters.bytes.count > ContractLimits.metadataBytesMax
      {
        throw JSONFieldError(path: "parameters", expected: "at most 2,048 bytes of JSON")
      }
    }

    /// The request as sent.
    public var json: JSONValue {
      .members([
        ("evidence", evidence.map(JSONValue.string)),
        ("transactionId", transaction.map { .string($0.text) }),
        ("orderIds", orderNames.isEmpty ? nil : .array(orderNames.map(JSONValue.string))),
        ("sameRun", sameRunName.map(JSONValue.string)),
        ("deviceVerificationId", deviceVerificationId.map(JSONValue.string)),
        ("userId", user.map { .string($0.text) }), ("restore", isRestore ? .bool(true) : nil),
        ("productId", claimed.product.map(JSONValue.string)),
        ("quantity", claimed.quantity.map { .integer($0) }),
        ("amount", claimed.amount.map(JSONValue.string)),
        ("currency", claimed.currency.map(JSONValue.string)), ("parameters", claimed.parameters),
      ])
    }
  }

  /// The server's knowledge about each transaction in the evidence.
  public struct Response: Hashable, Sendable {
    /// One element per transaction.
    public var payments: [PaymentAnswer]
    /// Whether the evidence has more transactions than the answer; submitting it again continues.
    public var more: Bool

    /// An answer with those payments.
    public init(payments: [PaymentAnswer], more: Bool = false) {
      self.payments = payments
      self.more = more
    }

    /// Reads an answer.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      payments = []
      for item in try fields.array("payments", countMax: 1000) {
        payments.append(try PaymentAnswer(json: item))
      }
      more = try fields.bool("more")
    }

    /// The answer as sent.
    public var json: JSONValue {
      .members([("payments", .array(payments.map(\.json))), ("more", .bool(more))])
    }
  }
}

extension SubmitAppStorePayment.Request {
  /// The orders that are named by id.
  public var orders: [OrderIdentifier] {
    get { orderNames.compactMap { OrderIdentifier($0) } }
    set { orderNames = newValue.map(\.appAccountToken) }
  }

  /// The order that was seen in one run with the transaction, if it is named by id.
  public var sameRun: OrderIdentifier? {
    get { sameRunName.flatMap { OrderIdentifier($0) } }
    set { sameRunName = newValue?.appAccountToken }
  }
}
