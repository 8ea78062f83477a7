public import PaymentPrimitives

/// One entry of the payment queue, as the device shows it. The client does not trust it: the evidence goes to the
/// server.
public struct StoreTransaction: Hashable, Sendable {
  /// The state of the entry.
  public enum State: Hashable, Sendable {
    /// The sheet is open.
    case purchasing
    /// Waits for another person's approval (Ask to Buy); nothing has been charged.
    case deferred
    /// Charged.
    case purchased
    /// An earlier purchase that came back because the customer asked.
    case restored
    /// Not charged, as far as the store knows now; this may change later.
    case failed(StoreFailure)
    /// Revoked by the store.
    case revoked(at: Timestamp)
    /// Perhaps charged: the device could not check the signature. The server can.
    case unverified
  }

  /// The adapter's own name for the entry, unique in this run: there is no store id before the charge.
  public var handle: String
  /// The state of the entry.
  public var state: State
  /// The store's number; reliable once purchased or restored, otherwise absent.
  public var id: TransactionIdentifier?
  /// Apple's product id; absent if the queue itself has lost it.
  public var product: StoreProductIdentifier?
  /// Number of pieces.
  public var quantity: Int
  /// When it was charged, by the store's clock.
  public var purchaseDate: Timestamp?
  /// The order that it carries. A missing token says nothing: tokens get lost with a relaunch (S2).
  public var token: OrderIdentifier?
  /// The signed transaction exactly as the store made it; under StoreKit 1 the app receipt in Base64.
  public var evidence: String?
  /// The original transaction id: of the subscription that it renews, or of the purchase that it restores.
  public var originalId: TransactionIdentifier?
  /// The payment that the store answered with this entry, in this run. It may not be the sale of it: if nothing is to
  /// be charged, the store answers with an earlier sale.
  public var answers: OrderIdentifier?
  /// Whether the store renewed a subscription automatically: then it does not come from a tap.
  public var isRenewal = false
  /// Whether it came through Family Sharing: an entitlement, never an order.
  public var isFamilyShared = false

  /// An entry in a state; other facts of the queue are set afterwards.
  public init(handle: String, state: State, quantity: Int = 1) {
    self.handle = handle
    self.state = state
    self.quantity = quantity
  }

  /// Whether the server has something to judge in it; other entries concern this device alone.
  public var isEvidence: Bool {
    switch state {
    case .purchased, .restored, .revoked, .unverified: true
    case .purchasing, .deferred, .failed: false
    }
  }
}

extension StoreTransaction: CustomStringConvertible {
  /// Its number and state. Signed data is left out, so that no log carries it.
  public var description: String { "transaction \(id?.text ?? handle), \(stateName)" }

  var stateName: String {
    switch state {
    case .purchasing: "purchasing"
    case .deferred: "deferred"
    case .purchased: "purchased"
    case .restored: "restored"
    case .failed: "failed"
    case .revoked: "revoked"
    case .unverified: "unverified"
    }
  }
}
