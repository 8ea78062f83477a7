import Synchronization

/// The executor of one process on a test bench. Its jobs wait until the bench runs one of them; after a kill none ever
/// runs.
///
/// A kill is not a cancellation: no `defer`, no handler and no clean-up runs, as in a real one.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class SteppedExecutor: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var steps = 0
    var isDead = false
  }

  private let state = Mutex(State())

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { if !$0.isDead { $0.jobs.append(job) } }
  }

  /// The number of jobs that have run.
  package var steps: Int { state.withLock { $0.steps } }

  /// Runs the next job; false if there is none.
  package func step() -> Bool {
    let job: UnownedJob? = state.withLock { state in
      guard !state.isDead, !state.jobs.isEmpty else { return nil }
      state.steps += 1
      return state.jobs.removeFirst()
    }
    job?.runSynchronously(on: asUnownedTaskExecutor())
    return job != nil
  }

  /// Stops the process: no job runs any more.
  package func kill() {
    state.withLock {
      $0.isDead = true
      $0.jobs = []
    }
  }
}
