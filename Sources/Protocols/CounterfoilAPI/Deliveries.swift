public import PaymentPrimitives
public import StrictJSON

/// What the app's backend is told of a grant or a reversal: the body of a webhook and of a pulled delivery
/// (docs/specification/http.md, rules 21 to 23).
public struct DeliveryBody: Hashable, Sendable {
  /// `grant.created`, `grant.reversed` or `grant.reinstated`.
  public var type: String
  /// The delivery's id: store it with the grant, and a repeat is recognised.
  public var id: DeliveryIdentifier
  /// Its number among the payment's deliveries, from 1.
  public var sequence: Int
  /// The app.
  public var app: AppIdentifier
  /// The world; only `production` is real money.
  public var environment: StoreEnvironment
  /// Whose it is.
  public var user: UserIdentifier
  /// The order that was paid.
  public var order: OrderIdentifier?
  /// The app's own number of that order, or of the order that it was derived from.
  public var reference: String?
  /// `app` where the number came from the phone: do not book by it.
  public var referenceFrom: String?
  /// The order that the payment named but could not pay.
  public var derivedFrom: OrderIdentifier?
  /// The rule that paired it, and what was unusual.
  public var match: [String]
  /// The store that was paid.
  public var store: Store
  /// The store's number.
  public var transaction: TransactionIdentifier
  /// The first number of its line, where it differs.
  public var originalTransaction: TransactionIdentifier?
  /// Our product id.
  public var product: ProductIdentifier
  /// Pieces.
  public var quantity: Int
  /// What was given or taken.
  public var content: Content
  /// Of a reversal or reinstatement: how much of the payment's grant is taken back in all after it. In units; of a
  /// right it is 1 where the right is taken, else 0.
  public var takenBack: Int64?
  /// Of a reversal or reinstatement: how much of the payment's grant is left after it, in the same measure. A receiver
  /// that keeps the total of the highest `sequence` is right, whatever it missed.
  public var inForce: Int64?
  /// The order's own data.
  public var metadata: JSONValue?
  /// When it happened here.
  public var occurredAt: Timestamp

  /// What was given or taken.
  public enum Content: Hashable, Sendable {
    /// So many units.
    case units(UnitName, amount: Int64)
    /// A right; without an end it lasts.
    case entitlement(EntitlementName, expiresAt: Timestamp?)
  }

  /// A body with what every delivery says.
  public init(
    type: String, id: DeliveryIdentifier, sequence: Int, payment: PaymentKey, user: UserIdentifier,
    product: ProductIdentifier, quantity: Int, content: Content, occurredAt: Timestamp
  ) {
    self.type = type
    self.id = id
    self.sequence = sequence
    self.app = payment.app
    self.environment = payment.environment
    self.store = payment.store
    self.transaction = payment.transaction
    self.user = user
    self.product = product
    self.quantity = quantity
    self.content = content
    self.match = []
    self.occurredAt = occurredAt
  }

  /// The body as it is sent; the same bytes at every attempt.
  public var json: JSONValue {
    let units: JSONValue?
    let entitlement: JSONValue?
    switch content {
    case .units(let unit, let amount):
      units = .members([("unit", .string(unit.text)), ("amount", .integer(amount))])
      entitlement = nil
    case .entitlement(let name, let expiresAt):
      units = nil
      entitlement = .members([
        ("name", .string(name.text)), ("expiresAt", expiresAt.map { .string($0.iso8601) }),
      ])
    }
    return .members([
      ("type", .string(type)), ("id", .string(id.text)), ("sequence", .integer(sequence)),
      ("app", .string(app.text)), ("environment", .string(environment.rawValue)),
      ("userId", .string(user.text)), ("orderId", order.map { .string($0.appAccountToken) }),
      ("reference", reference.map(JSONValue.string)),
      ("referenceFrom", referenceFrom.map(JSONValue.string)),
      ("derivedFrom", derivedFrom.map { .string($0.appAccountToken) }),
      ("match", .array(match.map(JSONValue.string))), ("store", .string(store.rawValue)),
      ("transactionId", .string(transaction.text)),
      ("originalTransactionId", originalTransaction.map { .string($0.text) }),
      ("productId", .string(product.text)), ("quantity", .integer(quantity)), ("units", units),
      ("entitlement", entitlement), ("takenBack", takenBack.map { .integer($0) }),
      ("inForce", inForce.map { .integer($0) }), ("metadata", metadata),
      ("occurredAt", .string(occurredAt.iso8601)),
    ])
  }
}

/// `POST /v1/deliveries/claim`: takes deliveries on lease; what is not acknowledged by its end comes again.
public enum ClaimDeliveries {
  /// The path of the call.
  public static let path = "/v1/deliveries/claim"

  /// What is asked.
  public struct Request: Hashable, Sendable {
    /// How many at most, 1 to 100.
    public var limit: Int
    /// How long the caller wants to work on them, 1 to 3,600 seconds.
    public var lease: TimeSpan
    /// Which worlds; production (of a simulated profile: simulated) unless said otherwise.
    public var environment: StoreEnvironment?

    /// A claim.
    public init(limit: Int = 20, lease: TimeSpan = .seconds(60)) {
      self.limit = limit
      self.lease = lease
    }

    /// Reads a claim.
    public init(json: JSONValue) throws(JSONFieldError) {
      let fields = try JSONFields(json)
      limit = Int(try fields.optionalInteger("limit", in: 1...100) ?? 20)
      lease = .seconds(try fields.optionalInteger("leaseSeconds", in: 1...3600) ?? 60)
      environment = try fields.optionallyConverted(
        "environment", "an environment", StoreEnvironment.init(rawValue:))
    }
  }
}
