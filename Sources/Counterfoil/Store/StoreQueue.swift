public import PaymentVocabulary

/// The device's payment queue: StoreKit 1, StoreKit 2, a simulator's, a test's.
///
/// None of its calls decides anything: what happened to a payment arrives through `updates` and `unfinished`, and
/// what it is worth is the server's word alone.
public protocol StoreQueue: Sendable {
  /// Whether this device and account may pay at all.
  func canMakePayments() async -> Bool

  /// What happens to transactions from now on, those not finished yet first. One subscriber at a time; the stream
  /// ends with the queue. Nothing is lost while nobody listens: `unfinished` shows it.
  func updates() async -> AsyncStream<StoreTransaction>

  /// Every transaction that the queue holds, in whatever state; it answers also when there is none, and asks nobody
  /// for a password. Never a restore (`spec` X1).
  ///
  /// - Throws: `StoreFailure` when the queue cannot say; then nothing may be concluded.
  func unfinished() async throws(StoreFailure) -> [StoreTransaction]

  /// Hands a payment over and with it the customer's screen. It may return at once or when the sheet has closed, or
  /// never: nobody waits for it. When the calling task is cancelled it returns soon; the payment may go on.
  ///
  /// - Throws: `StoreFailure` when the store refused it or the customer gave up. That is no proof that nothing was
  ///   charged.
  func add(_ payment: StorePayment) async throws(StoreFailure)

  /// Closes a transaction at the store. Repeating it is harmless. It may fail, and it may seem to work and be undone.
  ///
  /// - Throws: `StoreFailure` when the store did not take it; the transaction comes back then.
  func finish(_ transaction: StoreTransaction) async throws(StoreFailure)
}

/// What the payment sheet is opened for.
public struct StorePayment: Hashable, Sendable {
  /// Apple's product id.
  public let product: StoreProductIdentifier
  /// Pieces, 1 to 10.
  public let quantity: Int
  /// The order's id: `appAccountToken` under StoreKit 2, `applicationUsername` (lower case, dashes) under StoreKit 1.
  public let token: OrderIdentifier

  /// A payment for an order.
  public init(product: StoreProductIdentifier, quantity: Int, token: OrderIdentifier) {
    self.product = product
    self.quantity = quantity
    self.token = token
  }
}

/// Why the store did not do what it was asked, as it said.
public struct StoreFailure: Error, Hashable, Sendable {
  /// The store's number, as `SKError.Code` counts; 0 where it has none.
  public let code: Int
  /// Whether the store says that the customer gave up. It may be wrong (client spec §2.3, 5).
  public let isCancelled: Bool
  /// The store's own words, for a developer; no person, no token.
  public let explanation: String

  /// A failure as the store stated it.
  public init(code: Int = 0, isCancelled: Bool = false, explanation: String) {
    self.code = code
    self.isCancelled = isCancelled
    self.explanation = explanation
  }
}
