public import PaymentPrimitives

/// The device's payment queue: StoreKit 1, StoreKit 2, a simulator's, a test's.
///
/// None of its calls decides anything: what happened to a payment arrives through `updates` and `unfinished`, and
/// what it is worth is the server's word alone. What needs a screen of its own and no order (managing subscriptions,
/// asking for a refund, redeeming an offer code) is the adapter's, and comes back here as transactions.
public protocol StoreQueue: Sendable {
  /// Whether this device and account may pay at all.
  func canMakePayments() async -> Bool

  /// The id by which the server checks the proof in a signed transaction that this very device asked for it
  /// (`AppStore.deviceVerificationID`); nil where the device has none. It goes with each submission: a queue that
  /// stands before another one hands on what that says.
  func deviceVerificationId() async -> String?

  /// What the store knows of these products; those that it does not know are named. It may take long, and fail
  /// although every id is right: nothing may depend on it but what is shown (1A.22).
  ///
  /// - Throws: `StoreFailure` when the store cannot be asked.
  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts

  /// What happens to transactions from now on, those not finished yet first. One subscriber at a time; the stream
  /// ends with the queue. Nothing is lost while nobody listens: `unfinished` shows it.
  func updates() async -> AsyncStream<StoreTransaction>

  /// Purchases that the customer began outside the app (a promoted product, a win-back offer), from the launch on.
  /// The adapter holds each back: nothing is paid until it comes again through `add`, with an order.
  func promotedPayments() async -> AsyncStream<PromotedPayment>

  /// Every transaction that the queue holds, in whatever state; it answers also when there is none, and asks nobody
  /// for a password. Never a restore (X1).
  ///
  /// - Throws: `StoreFailure` when the queue cannot say; then nothing may be concluded.
  func unfinished() async throws(StoreFailure) -> [StoreTransaction]

  /// The evidence of a transaction, fetched anew: asked for when the server did not find the transaction in what
  /// was sent. Under StoreKit 1 the app receipt may lag behind the queue, and be missing after a reinstall.
  ///
  /// - Returns: nil when there is none; then the server is asked by the transaction's number alone.
  /// - Throws: `StoreFailure` when it cannot be fetched now.
  func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String?

  /// Hands a payment over and with it the customer's screen. It may return at once or when the sheet has closed, or
  /// never: nobody waits for it. When the calling task is cancelled it returns soon; the payment may go on.
  ///
  /// - Throws: `StoreFailure` when the store refused it or the customer gave up. That is no proof that nothing was
  ///   charged.
  func add(_ payment: StorePayment) async throws(StoreFailure)

  /// Closes a transaction at the store. Repeating it is harmless, also for one that was closed long ago. It may
  /// fail, and it may seem to work and be undone.
  ///
  /// - Throws: `StoreFailure` when the store did not take it; the transaction comes back then.
  func finish(_ transaction: StoreTransaction) async throws(StoreFailure)

  /// Asks the store for what this Apple account bought before, on the customer's wish alone: it may ask for his
  /// password. Returns when the store has ended the restore.
  ///
  /// - Returns: what it brought, in state `restored` (unfinished consumables may come as `purchased`); the same
  ///   entries may come through `updates` too.
  /// - Throws: `StoreFailure` when the restore failed or was cancelled.
  func restore() async throws(StoreFailure) -> [StoreTransaction]
}

extension StoreQueue {
  /// None: for a queue to which the store brings no purchases from outside the app.
  public func promotedPayments() async -> AsyncStream<PromotedPayment> { AsyncStream { $0.finish() } }

  /// The evidence that the entry carries: for a queue whose entries never lag behind it, such as StoreKit 2.
  public func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String? {
    transaction.evidence
  }
}
