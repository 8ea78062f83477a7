public import PaymentPrimitives
public import StrictJSON

/// `POST /v1/payments/app-store`: hands in what the App Store says of a purchase.
public enum SubmitAppStorePayment {
  /// The path of the call.
  public static let path = "/v1/payments/app-store"

  /// What is handed in. What stands beside the evidence is compared and journalled, never trusted.
  public struct Request: Hashable, Sendable {
    /// A signed transaction (JWS).
    public var evidence: String?
    /// A transaction id alone: only a question.
    public var transaction: TransactionIdentifier?
    /// All fitting orders in the device's vault, also those of other users of the device: by id, or by the app's own
    /// number for orders of the user himself.
    public var orderNames: [String]
    /// The order that the client saw together with the transaction in one run, named likewise.
    public var sameRunName: String?
    /// The device's id, by which Apple's device proof is checked.
    public var deviceVerificationId: String?
    /// Whose device it is; only with a secret key.
    public var user: UserIdentifier?
    /// Whether the user asked to have back what he bought before. Only then does a right follow him that another user
    /// has, where the app allows that at all.
    public var isRestore = false
    /// What the client believes that it bought: compared and journalled.
    public var claimed: Claimed

    /// What the client says beside the evidence.
    public struct Claimed: Hashable, Sendable {
      /// Apple's product id.
      public var product: String?
      /// Pieces.
      public var quantity: Int64?
      /// The amount shown, as text of the client.
      public var amount: String?
      /// Its currency.
      public var currency: String?
      /// The app's own words.
      public var parameters: JSONValue?

      /// Nothing said.
      public init() {}
    }

    /// Evidence alone.
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

    /// The request as it is sent.
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

  /// What the server knows of each transaction in the evidence.
  public struct Response: Hashable, Sendable {
    /// One element per transaction.
    public var payments: [PaymentAnswer]
    /// Whether the evidence holds more than were answered; the same evidence again goes on.
    public var more: Bool

    /// An answer.
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

    /// The answer as it is sent.
    public var json: JSONValue {
      .members([("payments", .array(payments.map(\.json))), ("more", .bool(more))])
    }
  }
}

extension SubmitAppStorePayment.Request {
  /// The orders that are named by their ids.
  public var orders: [OrderIdentifier] {
    get { orderNames.compactMap { OrderIdentifier($0) } }
    set { orderNames = newValue.map(\.appAccountToken) }
  }

  /// The order seen in one run with the transaction, if it is named by its id.
  public var sameRun: OrderIdentifier? {
    get { sameRunName.flatMap { OrderIdentifier($0) } }
    set { sameRunName = newValue?.appAccountToken }
  }
}
