import Counterfoil
import PaymentPrimitives

/// A payment service that answers as a test specifies.
actor ScriptedService: PaymentService {
  private var results: [Result<PurchaseOutcome, PurchasingError>] = []
  private var restoreResult: Result<RecoveryReport, PurchasingError> = .success(RecoveryReport())
  private var rights: [Result<([Entitlement], [Balance]), PurchasingError>] = []
  private var heldReadings: [CheckedContinuation<Void, Never>] = []
  private var holdsReadings = false
  private(set) var readings = 0
  private var held: [CheckedContinuation<Void, Never>] = []
  private var holds = false
  private let stream: AsyncStream<PurchaseEvent>
  private let continuation: AsyncStream<PurchaseEvent>.Continuation
  private(set) var purchases: [(product: ProductIdentifier, quantity: Int, details: PurchaseDetails)] = []
  private(set) var recoveries: [RecoveryReason] = []
  private var report = RecoveryReport()
  private var open: [OpenOrder] = []
  private var catalogs: [Result<Catalog, PurchasingError>] = []
  private var available = PurchaseAvailability(
    isSignedIn: true, appStore: .available, weChat: .absent, canRecord: true)
  private let history = PurchaseHistory(purchases: [])
  /// The ages of entitlements that pages accepted.
  private(set) var ages: [TimeSpan] = []
  /// How often somebody began to follow the events.
  private(set) var followers = 0

  init() { (stream, continuation) = AsyncStream.makeStream(of: PurchaseEvent.self) }

  func next(_ result: Result<PurchaseOutcome, PurchasingError>) { results.append(result) }
  func restores(_ result: Result<RecoveryReport, PurchasingError>) { restoreResult = result }
  /// The results of the next reads; the last one repeats.
  func have(_ entitlements: [Entitlement], _ balances: [Balance]) { rights.append(.success((entitlements, balances))) }
  func have(_ error: PurchasingError) { rights.append(.failure(error)) }
  func holdReadings() { holdsReadings = true }
  /// Lets the read that came last continue.
  func releaseReading() { if !heldReadings.isEmpty { heldReadings.removeLast().resume() } }
  func hold() { holds = true }
  func release() {
    holds = false
    for waiting in held { waiting.resume() }
    held = []
  }
  nonisolated func emit(_ event: PurchaseEvent) { continuation.yield(event) }

  func start() async {}
  func setUser(_ user: UserIdentifier?) async {}
  func recover(with report: RecoveryReport) { self.report = report }

  func purchase(
    _ product: ProductIdentifier, quantity: Int, store: Store?, details: PurchaseDetails
  ) async throws(PurchasingError) -> PurchaseOutcome {
    purchases.append((product, quantity, details))
    if holds { await withCheckedContinuation { held.append($0) } }
    guard !results.isEmpty else { throw PurchasingError(.notRunning, "The test said nothing.") }
    return try results.removeFirst().get()
  }

  func recover(_ reason: RecoveryReason) async -> RecoveryReport {
    recoveries.append(reason)
    return report
  }

  func restorePurchases() async throws(PurchasingError) -> RecoveryReport { try restoreResult.get() }

  private var lastRights: Result<([Entitlement], [Balance]), PurchasingError> = .success(([], []))

  func entitlements() async throws(PurchasingError) -> [Entitlement] {
    readings += 1
    if !rights.isEmpty { lastRights = rights.removeFirst() }
    let answer = lastRights
    if holdsReadings { await withCheckedContinuation { heldReadings.append($0) } }
    return try answer.get().0
  }

  func balances() async throws(PurchasingError) -> [Balance] { try lastRights.get().1 }
  func entitlements(
    maximumAge: TimeSpan, unreachableAge: TimeSpan?
  ) async throws(PurchasingError) -> EntitlementSnapshot {
    ages.append(maximumAge)
    return EntitlementSnapshot(try await entitlements(), statedAt: Timestamp(milliseconds: 0))
  }

  func catalog() async throws(PurchasingError) -> Catalog { try catalogs.removeFirst().get() }
  func availability() async throws(PurchasingError) -> PurchaseAvailability { available }
  func purchases(limit: Int, after next: String?) async throws(PurchasingError) -> PurchaseHistory { history }
  func show(_ orders: [OpenOrder]) { open = orders }
  func sell(_ result: Result<Catalog, PurchasingError>) { catalogs.append(result) }
  func makeAvailable(_ availability: PurchaseAvailability) { available = availability }

  func openOrders() async -> [OpenOrder] { open }
  func events() async -> AsyncStream<PurchaseEvent> {
    followers += 1
    return stream
  }
}

/// Lets other tasks run until something holds; false if it never does.
@MainActor func eventually(_ holds: @MainActor () async -> Bool) async -> Bool {
  for _ in 0..<100_000 {
    if await holds() { return true }
    await Task.yield()
  }
  return false
}
