public import CounterfoilAPI
public import PaymentPrimitives
import StrictJSON

/// The device's record of one order, written before money can move.
///
/// Keyed by order, never by product (X5, S9). Its `id` is the idempotency key under which the order is made, so the
/// record exists before the order's own id is known. It names app and user (S20), which never change.
public struct OrderRecord: Hashable, Sendable {
  /// The record's id and the order's idempotency key.
  public let id: RecordIdentifier
  /// The app.
  public let app: AppIdentifier
  /// The user that the purchase is for.
  public let user: UserIdentifier
  /// The request to the server; if the answer is lost, the identical request is repeated.
  public let request: CreateOrder.Request
  /// When the record was begun, by the device's clock: for people, and to order records by age.
  public let writtenAt: Timestamp
  /// The state of the record.
  public internal(set) var state: State
  /// The steps of the record with their times, oldest first: for support. Only the last few are kept.
  public internal(set) var history: [Step] = []
  /// Members that a newer version of this library wrote; kept unchanged.
  var others: [JSONMember] = []

  /// One step of a record.
  public struct Step: Hashable, Sendable {
    /// When, by the device's clock.
    public let at: Timestamp
    /// The name of the state then.
    public let state: String
  }

  /// The state of a record.
  public enum State: Hashable, Sendable {
    /// The server is being asked for an order; no sheet was ever opened.
    case requested
    /// The server has the order.
    case placed(PlacedOrder, Phase)
  }

  /// The progress of an order's payment (docs/specification/states.md, “The client's record”).
  public enum Phase: Hashable, Sendable {
    /// The order exists; the sheet was certainly not opened.
    case created
    /// The sheet may be open, and the customer may have paid.
    case paying
    /// The store reported a failure; a charge may still appear (S4, S5).
    case failedOnce
    /// The purchase waits for approval; `serverKnows` says whether the server was told.
    case deferred(serverKnows: Bool)
    /// A transaction that looks like its payment; the vault holds the evidence under that id.
    case paid(by: TransactionIdentifier)
    /// The server judged that payment otherwise, with this stable reason; everything is kept.
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

  /// The progress of its payment, once there is an order.
  public var phase: Phase? {
    guard case .placed(_, let phase) = state else { return nil }
    return phase
  }

  var stateName: String {
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

  /// Notes the present state, for support.
  mutating func noteStep(at moment: Timestamp) {
    guard history.last?.state != stateName else { return }
    history = history.suffix(VaultLimits.stepsMax - 1) + [Step(at: moment, state: stateName)]
  }

  /// The subject of record ids.
  public enum Subject {}
}

/// The id of a record in the vault: a UUID, sent as `Idempotency-Key`.
public typealias RecordIdentifier = Identifier<OrderRecord.Subject>

/// The client's part of an order that the server made.
public struct PlacedOrder: Hashable, Sendable {
  /// The order's id, which the store carries as `appAccountToken`.
  public let id: OrderIdentifier
  /// The product that the App Store's sheet sells; nil for an order that is paid through WeChat Pay.
  public let storeProduct: StoreProductIdentifier?
  /// When the server made it, by the server's clock.
  public let createdAt: Timestamp
  /// When the server closes it automatically.
  public let expiresAt: Timestamp
  /// The price of all pieces as the customer saw it, if the device knew it: for support and for the server's journal.
  public internal(set) var shownPrice: StatedPrice?

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

  /// Whether the App Store sells this order as that product. An entry that has lost its product matches no order.
  func isSold(as product: StoreProductIdentifier?) -> Bool {
    guard let storeProduct, let product else { return false }
    return product == storeProduct
  }
}
