package import PaymentPrimitives
import Synchronization

/// Time that stands still until a test moves it, and that reports when a task sleeps until a given moment.
package final class ManualTime: Sendable {
  private struct State {
    var now: Timestamp
    var lastNumber = 0
    var sleepers: [Int: (until: Timestamp, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var watchers: [Int: (moment: Timestamp, continuation: CheckedContinuation<Void, Never>)] = [:]
  }

  private let state: Mutex<State>

  package init(_ moment: Timestamp) { state = Mutex(State(now: moment)) }

  package var now: Timestamp { state.withLock { $0.now } }

  /// Moves the time, and wakes the tasks that slept until then.
  package func advance(by span: TimeSpan) {
    let woken = state.withLock { state in
      state.now = state.now + span
      let due = state.sleepers.filter { $0.value.until <= state.now }.keys.sorted()
      return due.compactMap { state.sleepers.removeValue(forKey: $0)?.continuation }
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns when a task sleeps until exactly that moment.
  package func untilSomebodySleeps(until moment: Timestamp) async {
    await withCheckedContinuation { continuation in
      let isAsleep = state.withLock { state in
        if state.sleepers.values.contains(where: { $0.until == moment }) { return true }
        state.lastNumber += 1
        state.watchers[state.lastNumber] = (moment, continuation)
        return false
      }
      if isAsleep { continuation.resume() }
    }
  }

  package func sleep(_ span: TimeSpan) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let watchers = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
          guard !Task.isCancelled else { return nil }
          let moment = state.now + span
          state.sleepers[number] = (moment, continuation)
          let numbers = state.watchers.filter { $0.value.moment == moment }.keys
          return numbers.compactMap { state.watchers.removeValue(forKey: $0)?.continuation }
        }
        guard let watchers else { return continuation.resume(throwing: CancellationError()) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}

/// Random bytes; the same seed gives the same bytes in the same order.
package final class SeededBytes: Sendable {
  private let state: Mutex<SplitMix64>

  package init(seed: UInt64) { state = Mutex(SplitMix64(seed: seed)) }

  package func bytes(_ count: Int) -> [UInt8] {
    state.withLock { state in (0..<count).map { _ in UInt8(truncatingIfNeeded: state.next() >> 24) } }
  }
}
