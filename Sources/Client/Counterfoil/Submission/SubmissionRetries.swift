import PaymentPrimitives

/// Submits a transaction again after a pause, if the schedule has one left.
struct SubmissionRetries {
  let pauses: [TimeSpan]
  let dependencies: Dependencies
  let tasks: BackgroundTasks
  let states: SubmissionStates

  nonisolated(nonsending) func plan(
    _ transaction: StoreTransaction, _ key: TransactionKey, retryAfter: TimeSpan?
  ) async {
    guard let state = states[key], !state.isPausing else { return }
    let now = dependencies.now()
    states[key]?.notBefore = retryAfter.map { now + $0 }
    guard state.attempts < pauses.count else { return }
    let pause = dependencies.jittered(max(retryAfter ?? .zero, pauses[state.attempts]))
    states[key]?.attempts += 1
    states[key]?.isPausing = true
    await tasks.addIsolated(after: pause) { await $0.submission.retries.pauseEnded(transaction, key, on: $0) }
  }

  private func pauseEnded(
    _ transaction: StoreTransaction, _ key: TransactionKey, on client: isolated Purchasing
  ) async {
    states[key]?.isPausing = false
    guard !Task.isCancelled else { return }
    await client.receive(transaction, from: .retry)
  }
}
