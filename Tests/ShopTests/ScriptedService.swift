import Counterfoil
import PaymentVocabulary

/// A payment service that says what a test tells it to say.
actor ScriptedService: PaymentService {
  private var results: [Result<PurchaseOutcome, PurchasingError>] = []
  private var restoreResult: Result<RecoveryReport, PurchasingError> = .success(RecoveryReport())
  private var held: [CheckedContinuation<Void, Never>] = []
  private var holds = false
  private let stream: AsyncStream<PurchaseEvent>
  private let continuation: AsyncStream<PurchaseEvent>.Continuation
  private(set) var purchases: [(product: ProductIdentifier, quantity: Int, details: PurchaseDetails)] = []
  private(set) var recoveries: [RecoveryReason] = []

  init() { (stream, continuation) = AsyncStream.makeStream(of: PurchaseEvent.self) }

  func next(_ result: Result<PurchaseOutcome, PurchasingError>) { results.append(result) }
  func restores(_ result: Result<RecoveryReport, PurchasingError>) { restoreResult = result }
  func hold() { holds = true }
  func release() {
    holds = false
    for waiting in held { waiting.resume() }
    held = []
  }
  nonisolated func emit(_ event: PurchaseEvent) { continuation.yield(event) }

  func start() async {}
  func setUser(_ user: UserIdentifier?) async {}

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
    return RecoveryReport()
  }

  func restorePurchases() async throws(PurchasingError) -> RecoveryReport { try restoreResult.get() }
  func openOrders() async -> [OpenOrder] { [] }
  func events() async -> AsyncStream<PurchaseEvent> { stream }
}

/// Lets other tasks go on until something holds; false if it never does.
@MainActor func eventually(_ holds: @MainActor () async -> Bool) async -> Bool {
  for _ in 0..<100_000 {
    if await holds() { return true }
    await Task.yield()
  }
  return false
}
