import Synchronization

/// Runs tasks on the thread of one of the server's loops: a request is read, handled and answered there, and no other
/// thread has to be woken for it.
final class LoopExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// Whether the loop will call `work`.
    var isCalled = false
    /// Asks the loop to call `work`; nil before the server has begun and after its end.
    var call: (@Sendable (LoopExecutor) -> Void)?
  }

  /// How often the waiting jobs are taken before the loop looks at its sockets again.
  private static let roundsMax = 8

  private let state = Mutex(State())

  /// Begins or ends the use of the loop. Without it jobs run on Swift's own threads.
  func use(_ call: (@Sendable (LoopExecutor) -> Void)?) {
    let left = state.withLock { state in
      state.call = call
      defer { if call == nil { state.jobs = [] } }
      return call == nil ? state.jobs : []
    }
    for job in left { globalConcurrentExecutor.enqueue(job) }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = state.withLock { state in
      guard let call = state.call else { return false }
      state.jobs.append(job)
      if !state.isCalled {
        state.isCalled = true
        call(self)
      }
      return true
    }
    if !isTaken { globalConcurrentExecutor.enqueue(job) }
  }

  /// Runs the waiting jobs. Called by the loop.
  func work() {
    var jobs: [UnownedJob] = []
    for _ in 0..<Self.roundsMax {
      jobs.removeAll(keepingCapacity: true)
      let isEmpty = state.withLock { state in
        swap(&jobs, &state.jobs)
        state.isCalled = !jobs.isEmpty
        return jobs.isEmpty
      }
      if isEmpty { return }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
    state.withLock { state in
      if let call = state.call { call(self) }
    }
  }
}
