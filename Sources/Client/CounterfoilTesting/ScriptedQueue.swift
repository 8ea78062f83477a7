public import Counterfoil
public import PaymentPrimitives

/// The queue as one process of the app sees it. The process may end at each call, before or after it takes effect.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct ScriptedQueue: StoreQueue {
  /// The store that the queue uses.
  public let store: ScriptedAppStore

  /// The queue of one process.
  public init(store: ScriptedAppStore) { self.store = store }

  /// True unless the store forbids payments.
  public func canMakePayments() async -> Bool {
    await Task.yield()
    return store.canPay
  }

  /// The value that the test has set, or nil.
  public func deviceVerificationId() async -> String? { store.deviceVerificationId }

  /// The store's description of products, as the test has set it.
  public func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    await Task.yield()
    return try await store.products(ids)
  }

  /// The entries of a restore, as the test has set them.
  public func restore() async throws(StoreFailure) -> [StoreTransaction] {
    await Task.yield()
    return try store.restore()
  }

  /// The purchases that the customer begins in the App Store.
  public func promotedPayments() async -> AsyncStream<PromotedPayment> { store.promotions() }

  /// The store's present evidence.
  public func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String? {
    await Task.yield()
    return store.freshEvidence(of: transaction)
  }

  /// The store's updates, unfinished entries first.
  public func updates() async -> AsyncStream<StoreTransaction> { store.subscribe() }

  /// The entries in the store's queue.
  public func unfinished() async throws(StoreFailure) -> [StoreTransaction] {
    await Task.yield()
    guard let entries = store.unfinished else { throw StoreFailure(explanation: "no answer") }
    return entries
  }

  /// Opens a sheet with the behaviour that the test has set.
  public func add(_ payment: StorePayment) async throws(StoreFailure) {
    await Task.yield()
    let hangs = try store.add(payment)
    await Task.yield()
    if hangs { await forever() }
  }

  /// Closes an entry with the behaviour that the test has set.
  public func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
    await Task.yield()
    if store.doesFinishHang {
      await forever()
      throw StoreFailure(explanation: "cancelled")
    }
    try store.finish(transaction)
    await Task.yield()
  }

  /// Waits until the task is cancelled; it never returns otherwise.
  private func forever() async {
    for await _ in AsyncStream<Void>.makeStream().stream {}
  }
}
