public import PaymentPrimitives

/// One entry of the payment queue, as the device shows it. Nothing in it is believed: the evidence goes to the
/// server.
public struct StoreTransaction: Hashable, Sendable {
  /// Where the entry stands.
  public enum State: Hashable, Sendable {
    /// In the sheet.
    case purchasing
    /// Waits for somebody's approval (Ask to Buy); nothing has been charged.
    case deferred
    /// Charged.
    case purchased
    /// An earlier purchase, come back because the customer asked.
    case restored
    /// Not charged, as far as the store knows now; it may know better later.
    case failed(StoreFailure)
    /// Taken back by the store.
    case revoked(at: Timestamp)
    /// Charged perhaps: the device could not check the signature. The server can.
    case unverified
  }

  /// The adapter's own name for the entry, unique in this run: there is no store id before the charge.
  public var handle: String
  /// Where the entry stands.
  public var state: State
  /// The store's number; dependable once purchased or restored, otherwise absent.
  public var id: TransactionIdentifier?
  /// Apple's product id; absent where the queue itself has lost it.
  public var product: StoreProductIdentifier?
  /// Pieces.
  public var quantity: Int
  /// When it was charged, by the store's clock.
  public var purchaseDate: Timestamp?
  /// The order that it carries. Absence says nothing: tokens get lost with a relaunch (S2).
  public var token: OrderIdentifier?
  /// The signed transaction as the store made it, unchanged; under StoreKit 1 the app receipt in Base64.
  public var evidence: String?
  /// The first number of its line: of the subscription that it renews, of the purchase that it restores.
  public var originalId: TransactionIdentifier?
  /// The payment that the store answered with this entry, in this run. It need not have been sold for it: where nothing
  /// is to be charged, the store answers with what it sold before.
  public var answers: OrderIdentifier?
  /// Whether the store renewed a subscription by itself: then it is nobody's tap.
  public var isRenewal = false
  /// Whether it came through Family Sharing: a right, never an order.
  public var isFamilyShared = false

  /// An entry in a state; what the queue knows beside it is set afterwards.
  public init(handle: String, state: State, quantity: Int = 1) {
    self.handle = handle
    self.state = state
    self.quantity = quantity
  }

  /// Whether there is something in it for the server to judge; the others concern this device alone.
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

  /// The state as one word.
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
