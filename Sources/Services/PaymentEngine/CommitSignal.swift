package import PaymentDatabase
import Synchronization

/// Wakes reads of this process that wait for a change. A waiter names the keys that its answer depends on (`LockKey`),
/// and each commit names the keys that it wrote. So an operation does not name the waiters that it wakes.
///
/// A waiter that listens before it reads misses nothing: what was committed before is in its answer, what is committed
/// later is signalled.
package final class CommitSignal: Sendable {
  private struct State {
    var listeners: [LockKey: [Int: AsyncStream<Void>.Continuation]] = [:]
    /// The keys of each listener, and how it is ended.
    var open: [Int: (keys: Set<LockKey>, continuation: AsyncStream<Void>.Continuation)] = [:]
    /// Those that every commit wakes.
    var always: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// How many listeners there are now.
  package var count: Int { state.withLock { $0.open.count + $0.always.count } }

  /// A stream that yields after each commit, until its number is passed to `stop`.
  func listenToAll() -> (number: Int, signals: AsyncStream<Void>) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastNumber += 1
      state.always[state.lastNumber] = continuation
      return state.lastNumber
    }
    return (number, stream)
  }

  /// A stream that yields after each commit that wrote one of the keys, until its number is passed to `stop`.
  package func listen(for keys: Set<LockKey>) -> (number: Int, signals: AsyncStream<Void>) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastNumber += 1
      for key in keys { state.listeners[key, default: [:]][state.lastNumber] = continuation }
      state.open[state.lastNumber] = (keys, continuation)
      return state.lastNumber
    }
    return (number, stream)
  }

  package func stop(_ number: Int) {
    let continuation = state.withLock { state -> AsyncStream<Void>.Continuation? in
      guard let (keys, continuation) = state.open.removeValue(forKey: number) else {
        return state.always.removeValue(forKey: number)
      }
      for key in keys {
        state.listeners[key]?[number] = nil
        if state.listeners[key]?.isEmpty == true { state.listeners[key] = nil }
      }
      return continuation
    }
    continuation?.finish()
  }

  /// Says that something under these keys was committed.
  func signal(_ changes: CommittedChanges) {
    let woken = state.withLock { state -> [(key: Int, value: AsyncStream<Void>.Continuation)] in
      // Usually there are no listeners, or none for these keys.
      guard !state.open.isEmpty || !state.always.isEmpty else { return [] }
      let listeners =
        switch changes {
        case .everything: Array(state.listeners.values)
        case .keys(let keys): keys.compactMap { state.listeners[$0] }
        }
      guard !listeners.isEmpty || !state.always.isEmpty else { return [] }
      return (listeners.flatMap { Array($0) } + Array(state.always)).sorted { $0.key < $1.key }
    }
    for (_, continuation) in woken { continuation.yield() }
  }
}

/// What a commit has changed.
enum CommittedChanges: Sendable {
  case keys([LockKey])
  /// It may have changed any row.
  case everything

  /// What a closure has written, after its run. Inside the engine each transaction records its keys.
  init(of recording: RecordingTransaction) {
    self = recording.hasWrittenEverything ? .everything : .keys(recording.writtenKeys.all)
  }
}
