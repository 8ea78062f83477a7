public import PaymentPrimitives

/// The device's payment queue: of StoreKit 1, of StoreKit 2, of a simulator or of a test.
///
/// None of its calls decides anything. Payment results arrive through `updates` and `unfinished`, and only the server
/// judges them. Each call returns soon when its task is cancelled, also if the store's own call hangs: the client
/// cancels what takes too long, and everything when it is stopped.
///
/// Some actions need a store screen and no order (managing subscriptions, asking for a refund, redeeming an offer
/// code). They belong to the adapter, and come back here as transactions.
public protocol StoreQueue: Sendable {
  /// Whether this device and account may pay.
  func canMakePayments() async -> Bool

  /// The id with which the server checks that this device requested a signed transaction
  /// (`AppStore.deviceVerificationID`); nil if the device has none. Each submission carries it: a queue that wraps
  /// another one passes its value on.
  func deviceVerificationId() async -> String?

  /// The store's description of these products; it names the unknown ones. It may take long, and fail although every
  /// id is right: only the display may depend on it (1A.22).
  ///
  /// - Throws: `StoreFailure` when the store cannot be asked.
  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts

  /// Changes of transactions from now on, beginning with the unfinished ones. One subscriber at a time; the stream
  /// ends with the queue. Without a listener nothing is lost: `unfinished` shows it.
  func updates() async -> AsyncStream<StoreTransaction>

  /// Purchases that the customer began outside the app (a promoted product, a win-back offer), from the launch on. The
  /// adapter holds each back: nothing is paid until it comes again through `add`, with an order.
  func promotedPayments() async -> AsyncStream<PromotedPayment>

  /// Every transaction that the queue holds, in any state. It also answers when there is none, and never asks for a
  /// password. Never a restore (X1).
  ///
  /// - Throws: `StoreFailure` when the queue cannot answer; then nothing may be concluded.
  func unfinished() async throws(StoreFailure) -> [StoreTransaction]

  /// Newly fetched evidence of a transaction. The client asks for it when the server did not find the transaction in
  /// the evidence sent before. Under StoreKit 1 the app receipt may lag behind the queue, and be missing after a
  /// reinstall.
  ///
  /// - Returns: nil if there is none; then the server is asked by the transaction's number alone.
  /// - Throws: `StoreFailure` when it cannot be fetched now.
  func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String?

  /// Hands a payment to the store, which shows its sheet. It may return at once, when the sheet has closed, or never:
  /// nothing waits for it. When the calling task is cancelled it returns soon; the payment may go on.
  ///
  /// - Throws: `StoreFailure` when the store refused it or the customer cancelled. That is no proof that nothing was
  ///   charged.
  func add(_ payment: StorePayment) async throws(StoreFailure)

  /// Closes a transaction at the store. Repeating it is harmless, also for one that was closed long ago. It may fail,
  /// and it may seem to work and be undone.
  ///
  /// - Throws: `StoreFailure` when the store did not accept it; the transaction comes back then.
  func finish(_ transaction: StoreTransaction) async throws(StoreFailure)

  /// Asks the store for earlier purchases of this Apple account. Call it only when the customer asks for it: it may
  /// ask for their password. Returns when the store has ended the restore.
  ///
  /// - Returns: what it brought, in state `restored` (unfinished consumables may come as `purchased`); the same
  ///   entries may come through `updates` too.
  /// - Throws: `StoreFailure` when the restore failed or was cancelled.
  func restore() async throws(StoreFailure) -> [StoreTransaction]
}

extension StoreQueue {
  /// An empty stream: for a queue to which the store brings no purchases from outside the app.
  public func promotedPayments() async -> AsyncStream<PromotedPayment> { AsyncStream { $0.finish() } }

  /// The evidence that the entry carries: for a queue with entries that are always current, such as StoreKit 2.
  public func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String? {
    transaction.evidence
  }
}
