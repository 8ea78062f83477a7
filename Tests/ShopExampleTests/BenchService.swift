import Counterfoil
import CounterfoilTesting
import PaymentPrimitives
import Synchronization

/// The real client on a test bench, as a page calls it: each call runs on the bench, and the page waits for it.
final class BenchService: PaymentService {
  private let bench: TestBench

  init(_ bench: TestBench) { self.bench = bench }

  private func ask<Value: Sendable>(_ question: @escaping @Sendable (Purchasing) async -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      bench.begin { continuation.resume(returning: await question($0)) }
    }
  }

  private func call<Value: Sendable>(
    _ work: @escaping @Sendable (Purchasing) async throws(PurchasingError) -> Value
  ) async throws(PurchasingError) -> Value {
    try await ask { purchasing -> Result<Value, PurchasingError> in
      do throws(PurchasingError) { return .success(try await work(purchasing)) } catch { return .failure(error) }
    }.get()
  }

  func start() async {}
  func setUser(_ user: UserIdentifier?) async { await ask { await $0.setUser(user) } }
  func recover(_ reason: RecoveryReason) async -> RecoveryReport { await ask { await $0.recover(reason) } }
  func openOrders() async -> [OpenOrder] { await ask { await $0.openOrders() } }
  func events() async -> AsyncStream<PurchaseEvent> { await ask { await $0.events() } }

  func purchase(
    _ product: ProductIdentifier, quantity: Int, store: Store?, details: PurchaseDetails
  ) async throws(PurchasingError) -> PurchaseOutcome {
    try await call { (client) throws(PurchasingError) in
      try await client.purchase(product, quantity: quantity, store: store, details: details)
    }
  }

  func restorePurchases() async throws(PurchasingError) -> RecoveryReport {
    try await call { (client) throws(PurchasingError) in try await client.restorePurchases() }
  }

  func entitlements() async throws(PurchasingError) -> [Entitlement] {
    try await call { (client) throws(PurchasingError) in try await client.entitlements() }
  }

  func entitlements(
    maximumAge: TimeSpan, unreachableAge: TimeSpan?
  ) async throws(PurchasingError) -> EntitlementSnapshot {
    try await call { (client) throws(PurchasingError) in
      try await client.entitlements(maximumAge: maximumAge, unreachableAge: unreachableAge)
    }
  }

  func balances() async throws(PurchasingError) -> [Balance] {
    try await call { (client) throws(PurchasingError) in try await client.balances() }
  }

  func catalog() async throws(PurchasingError) -> Catalog {
    try await call { (client) throws(PurchasingError) in try await client.catalog() }
  }

  func availability() async throws(PurchasingError) -> PurchaseAvailability {
    try await call { (client) throws(PurchasingError) in try await client.availability() }
  }

  func purchases(limit: Int, after next: String?) async throws(PurchasingError) -> PurchaseHistory {
    try await call { (client) throws(PurchasingError) in try await client.purchases(limit: limit, after: next) }
  }
}
