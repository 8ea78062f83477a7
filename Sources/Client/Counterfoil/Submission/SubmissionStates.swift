import PaymentPrimitives

/// What this run knows of each transaction that it submits; it joins submissions of the same transaction.
final class SubmissionStates {
  /// Entries of tables that grow with the transactions seen in one run. Beyond it idle entries are forgotten, and only
  /// asked about again.
  private static let statesMax = 2000

  private let now: @Sendable () -> Timestamp
  private var states: [TransactionKey: SubmissionState] = [:]

  init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

  subscript(_ key: TransactionKey) -> SubmissionState? {
    get { states[key] }
    set { states[key] = newValue }
  }

  /// The transactions that this run has seen.
  var known: Set<TransactionKey> { Set(states.keys) }

  /// Notes the entry of the store's queue: only that can be finished.
  func noteEntry(_ transaction: StoreTransaction, _ key: TransactionKey) {
    states[key, default: SubmissionState()].inQueue = transaction
  }

  /// A promise of the result of the running submission; nil if none runs.
  func join(_ key: TransactionKey) -> OneShotPromise<SubmissionResult>? {
    guard states[key]?.waiting != nil else { return nil }
    let joined = OneShotPromise<SubmissionResult>()
    states[key]?.waiting?.append(joined)
    return joined
  }

  /// The result that is known already, if asking again now cannot change it.
  func resultWithoutAsking(_ key: TransactionKey, _ source: TransactionSource) -> SubmissionResult? {
    guard let state = states[key] else { return nil }
    if let result = state.result, result.isSetAside, !source.asksAgain { return result }
    if let notBefore = state.notBefore, source != .retry, !source.asksAgain {
      let remaining = notBefore - now()
      // A clock that jumped back must not stop submissions for longer than any server may ask for.
      if remaining > .zero, remaining <= .hours(2) { return state.result ?? .unknown }
    }
    return nil
  }

  func begin(_ key: TransactionKey, from source: TransactionSource) {
    if states.count >= Self.statesMax {
      states = states.filter { $0.value.waiting != nil || $0.value.isPausing }
    }
    states[key, default: SubmissionState()].waiting = []
    if source != .retry { states[key]?.attempts = 0 }
    if source == .restore { states[key]?.isRestore = true }
  }

  func end(_ key: TransactionKey, with result: SubmissionResult) {
    if case .answered = result { states[key]?.isRestore = false }
    let waiting = states[key]?.waiting ?? []
    states[key]?.waiting = nil
    states[key]?.result = result
    for one in waiting { one.resolve(result) }
  }
}

/// What this run knows of one update; after a process kill the vault and the server know the rest.
struct SubmissionState: Sendable {
  /// The callers that wait for the running submission; nil when none is running.
  var waiting: [OneShotPromise<SubmissionResult>]?
  /// The entry of the store's queue, if it showed one: the finish needs it.
  var inQueue: StoreTransaction?
  var result: SubmissionResult?
  /// Whether the customer asked for a restore, and has no answer to it yet.
  var isRestore = false
  /// The user who was signed in when the server was asked last.
  var asker: UserIdentifier?
  /// Retries since the last submission that was not a retry.
  var attempts = 0
  /// Whether the server did not find the transaction in the evidence.
  var isEvidenceStale = false
  /// Whether a pause is running; at its end the transaction is submitted again.
  var isPausing = false
  /// The server asks for no request before this time.
  var notBefore: Timestamp?
  /// Whether the server allowed the finish in this run: then a second `update` is a repeated report, not a finish
  /// that failed to take effect.
  var wasClearedInThisRun = false
}
