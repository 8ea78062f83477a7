public import Counterfoil
public import PaymentPrimitives

/// The queue as one process of the app sees it. Each call can be the process's last one, before and after it took
/// effect.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct ScriptedQueue: StoreQueue {
  /// The store behind it.
  public let store: ScriptedAppStore

  /// The queue of one process.
  public init(store: ScriptedAppStore) { self.store = store }

  /// Unless the store forbids it.
  public func canMakePayments() async -> Bool {
    await Task.yield()
    return store.canPay
  }

  /// What the test has set, nothing otherwise.
  public func deviceVerificationId() async -> String? { store.deviceVerificationId }

  /// What the store says of products, as the test has set it.
  public func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    await Task.yield()
    return try await store.products(ids)
  }

  /// What a restore brings, as the test has set it.
  public func restore() async throws(StoreFailure) -> [StoreTransaction] {
    await Task.yield()
    return try store.restore()
  }

  /// What the customer begins in the App Store.
  public func promotedPayments() async -> AsyncStream<PromotedPayment> { store.promotions() }

  /// What the store has by now.
  public func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String? {
    await Task.yield()
    return store.freshEvidence(of: transaction)
  }

  /// The store's news, what is unfinished first.
  public func updates() async -> AsyncStream<StoreTransaction> { store.subscribe() }

  /// What the store shows in its queue.
  public func unfinished() async throws(StoreFailure) -> [StoreTransaction] {
    await Task.yield()
    guard let entries = store.unfinished else { throw StoreFailure(explanation: "no answer") }
    return entries
  }

  /// Opens a sheet, as the script says.
  public func add(_ payment: StorePayment) async throws(StoreFailure) {
    await Task.yield()
    let hangs = try store.add(payment)
    await Task.yield()
    if hangs { await forever() }
  }

  /// Closes an entry, as the script says.
  public func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
    await Task.yield()
    if store.doesFinishHang { await forever() }
    try store.finish(transaction)
    await Task.yield()
  }

  /// Waits until the task is cancelled: for ever, as far as its caller is concerned.
  private func forever() async {
    for await _ in AsyncStream<Void>.makeStream().stream {}
  }
}
