public import PaymentPrimitives
public import StrictJSON

/// The message to the app's backend about a grant or a reversal (docs/specification/http.md, rules 21 to 23).
///
/// It is the body of a webhook and of a pulled delivery.
public struct DeliveryBody: Hashable, Sendable {
  /// `grant.created`, `grant.reversed` or `grant.reinstated`.
  public var type: String
  /// The delivery's id. Store it with the grant to recognise a repeat.
  public var id: DeliveryIdentifier
  /// Its number among the payment's deliveries, from 1.
  public var sequence: Int
  /// The app of the payment.
  public var app: AppIdentifier
  /// The environment; only `production` is real money.
  public var environment: StoreEnvironment
  /// The user of the grant.
  public var user: UserIdentifier
  /// The paid order.
  public var order: OrderIdentifier?
  /// The app's own number of that order, or of the order that it was derived from.
  public var reference: String?
  /// `app` if the number comes from the app on the device: do not use it for bookings.
  public var referenceFrom: String?
  /// The order that the payment named but could not pay.
  public var derivedFrom: OrderIdentifier?
  /// The rule that paired the payment, and what was unusual.
  public var match: [String]
  /// The store of the payment.
  public var store: Store
  /// The store's transaction id.
  public var transaction: TransactionIdentifier
  /// The first transaction id of its subscription, if it is another one.
  public var originalTransaction: TransactionIdentifier?
  /// Our product id.
  public var product: ProductIdentifier
  /// The number of pieces.
  public var quantity: Int
  /// The content that was given or taken.
  public var content: Content
  /// In a reversal or reinstatement: the part of the payment's grant that is taken back in total after it. In units;
  /// for an entitlement it is 1 if the entitlement is taken back, else 0.
  public var takenBack: Int64?
  /// In a reversal or reinstatement: the part of the payment's grant that is left after it, in the same measure. A
  /// receiver that keeps the total of the highest `sequence` is right, even if it missed deliveries.
  public var inForce: Int64?
  /// The order's own data.
  public var metadata: JSONValue?
  /// When the change happened here.
  public var occurredAt: Timestamp

  /// The content that was given or taken.
  public enum Content: Hashable, Sendable {
    /// A number of units.
    case units(UnitName, amount: Int64)
    /// An entitlement; without an end it lasts.
    case entitlement(EntitlementName, expiresAt: Timestamp?)
  }

  /// A body with its required fields.
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

  /// The body as sent.
  public var json: JSONValue {
    var members = JSONMemberValues()
    write(to: &members)
    return members.value
  }

  /// The text of the body; the same bytes at every attempt.
  public var text: String {
    var members = JSONMemberText()
    write(to: &members)
    return members.text
  }

  private func write(to members: inout some JSONMembers) {
    members.add("type", text: type)
    members.add("id", text: id.text)
    members.add("sequence", number: Int64(sequence))
    members.add("app", text: app.text)
    members.add("environment", text: environment.rawValue)
    members.add("userId", text: user.text)
    members.add("orderId", text: order?.appAccountToken)
    members.add("reference", text: reference)
    members.add("referenceFrom", text: referenceFrom)
    members.add("derivedFrom", text: derivedFrom?.appAccountToken)
    members.add("match", texts: match)
    members.add("store", text: store.rawValue)
    members.add("transactionId", text: transaction.text)
    members.add("originalTransactionId", text: originalTransaction?.text)
    members.add("productId", text: product.text)
    members.add("quantity", number: Int64(quantity))
    switch content {
    case .units(let unit, let amount):
      members.add("units") {
        $0.add("unit", text: unit.text)
        $0.add("amount", number: amount)
      }
    case .entitlement(let name, let expiresAt):
      members.add("entitlement") {
        $0.add("name", text: name.text)
        $0.add("expiresAt", text: expiresAt?.iso8601)
      }
    }
    members.add("takenBack", number: takenBack)
    members.add("inForce", number: inForce)
    members.add("metadata", value: metadata)
    members.add("occurredAt", text: occurredAt.iso8601)
  }
}

/// `POST /v1/deliveries/claim`: takes deliveries on lease. A delivery that is not acknowledged by the end of its lease
/// is returned again.
public enum ClaimDeliveries {
  /// The path of the call.
  public static let path = "/v1/deliveries/claim"

  /// The request.
  public struct Request: Hashable, Sendable {
    /// The maximum number of deliveries, 1 to 100.
    public var limit: Int
    /// The length of the lease, 1 to 3,600 seconds.
    public var lease: TimeSpan
    /// The environment; default: production (in a simulated profile: simulated).
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
