import Synchronization

/// One process of the test world: its jobs wait until the world runs one, and after a kill none ever runs.
///
/// A kill is not a cancellation: no `defer`, no handler and no clean-up runs, as in a real one.
final class SteppedExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var steps = 0
    var isDead = false
  }

  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { if !$0.isDead { $0.jobs.append(job) } }
  }

  /// Jobs that have run.
  var steps: Int { state.withLock { $0.steps } }

  /// Runs the next job; false when there is none.
  func step() -> Bool {
    let job: UnownedJob? = state.withLock { state in
      guard !state.isDead, !state.jobs.isEmpty else { return nil }
      state.steps += 1
      return state.jobs.removeFirst()
    }
    job?.runSynchronously(on: asUnownedTaskExecutor())
    return job != nil
  }

  /// Stops the process: none of its jobs runs any more.
  func kill() {
    state.withLock {
      $0.isDead = true
      $0.jobs = []
    }
  }
}
