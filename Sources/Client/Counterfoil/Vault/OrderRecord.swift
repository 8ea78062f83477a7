public import PaymentPrimitives
public import CounterfoilAPI
import StrictJSON

/// What the device knows of one order: the client's counterfoil, written before money can move.
///
/// Keyed by order, never by product (X5, S9): its `id` is the idempotency key under which the order is made, so
/// that it exists before the order's own id is known. It names app and user (S20) and never changes hands.
public struct OrderRecord: Hashable, Sendable {
  /// The record's name and the order's idempotency key.
  public let id: RecordIdentifier
  /// The app.
  public let app: AppIdentifier
  /// Whom the purchase is for.
  public let user: UserIdentifier
  /// What was asked of the server; a lost answer is asked for again with the same words.
  public let request: CreateOrder.Request
  /// When the record was begun, by the device's clock: for people, and to tell old from new.
  public let writtenAt: Timestamp
  /// Where it stands.
  public internal(set) var state: State
  /// When it came to stand where, oldest first: for support. Only the last few are kept.
  public internal(set) var history: [Step] = []
  /// Members that a newer version of this library wrote; kept as they came.
  var others: [JSONMember] = []

  /// One step of a record's way.
  public struct Step: Hashable, Sendable {
    /// When, by the device's clock.
    public let at: Timestamp
    /// Where it stood then, as one word.
    public let state: String
  }

  /// Where a record stands.
  public enum State: Hashable, Sendable {
    /// The server is being asked for an order; no sheet was ever opened.
    case requested
    /// The server has the order.
    case placed(PlacedOrder, Phase)
  }

  /// How far the payment of an order has come (docs/specification/states.md, “The client's record”).
  public enum Phase: Hashable, Sendable {
    /// The order exists; the sheet was certainly not opened.
    case created
    /// The sheet may be open, the customer may have paid.
    case paying
    /// The store reported a failure; a charge may still turn up (S4, S5).
    case failedOnce
    /// Somebody has to approve the purchase; whether the server was told.
    case deferred(serverKnows: Bool)
    /// A transaction that looks like its payment; the evidence is in the vault under that id.
    case paid(by: TransactionIdentifier)
    /// That payment was judged otherwise, for this stable word; everything is kept.
    case setAside(String)
    /// The server says that this order is paid.
    case owned
  }

  /// A record before the server is asked.
  public init(
    id: RecordIdentifier, app: AppIdentifier, user: UserIdentifier, request: CreateOrder.Request,
    writtenAt: Timestamp
  ) {
    self.id = id
    self.app = app
    self.user = user
    self.request = request
    self.writtenAt = writtenAt
    self.state = .requested
  }

  /// The order, once the server has made it.
  public var order: PlacedOrder? {
    guard case .placed(let order, _) = state else { return nil }
    return order
  }

  /// How far its payment has come, once there is an order.
  public var phase: Phase? {
    guard case .placed(_, let phase) = state else { return nil }
    return phase
  }

  /// The state as one word.
  var stateWord: String {
    switch phase {
    case nil: "requested"
    case .created: "created"
    case .paying: "paying"
    case .failedOnce: "failedOnce"
    case .deferred: "deferred"
    case .paid: "paid"
    case .setAside: "setAside"
    case .owned: "owned"
    }
  }

  /// Notes where it stands, for support.
  mutating func noteStep(at moment: Timestamp) {
    guard history.last?.state != stateWord else { return }
    history = history.suffix(VaultLimits.stepsMax - 1) + [Step(at: moment, state: stateWord)]
  }

  /// What record names name.
  public enum Subject {}
}

/// Names a record of the vault: a UUID, sent as `Idempotency-Key`.
public typealias RecordIdentifier = Identifier<OrderRecord.Subject>

/// What the client must know of an order that the server made.
public struct PlacedOrder: Hashable, Sendable {
  /// The order's id, which the store carries as `appAccountToken`.
  public let id: OrderIdentifier
  /// What the App Store's sheet sells; nil for an order that WeChat Pay is paid for.
  public let storeProduct: StoreProductIdentifier?
  /// When the server made it, by the server's clock.
  public let createdAt: Timestamp
  /// When the server closes it by itself.
  public let expiresAt: Timestamp

  /// An order as the server answered it.
  public init(
    id: OrderIdentifier, storeProduct: StoreProductIdentifier?, createdAt: Timestamp,
    expiresAt: Timestamp
  ) {
    self.id = id
    self.storeProduct = storeProduct
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }

  /// Whether the App Store sells this order as that product. An entry that has lost its product is nobody's.
  func isSold(as product: StoreProductIdentifier?) -> Bool {
    guard let storeProduct, let product else { return false }
    return product == storeProduct
  }
}
