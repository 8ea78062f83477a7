import Counterfoil
import PaymentVocabulary

/// The queue as one process of the app sees it. Each call can be the process's last one, before and after it took
/// effect.
struct FakeQueue: StoreQueue {
  let store: FakeAppStore

  func canMakePayments() async -> Bool {
    await Task.yield()
    return store.canPay
  }

  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    await Task.yield()
    return try await store.products(ids)
  }

  func restore() async throws(StoreFailure) -> [StoreTransaction] {
    await Task.yield()
    return try store.restore()
  }

  func updates() async -> AsyncStream<StoreTransaction> { store.subscribe() }

  func unfinished() async throws(StoreFailure) -> [StoreTransaction] {
    await Task.yield()
    guard let entries = store.unfinished else { throw StoreFailure(explanation: "no answer") }
    return entries
  }

  func add(_ payment: StorePayment) async throws(StoreFailure) {
    await Task.yield()
    let hangs = try store.add(payment)
    await Task.yield()
    if hangs { await forever() }
  }

  func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
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
