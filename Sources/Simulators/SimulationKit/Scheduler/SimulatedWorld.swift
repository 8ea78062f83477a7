import CTaskHook
package import PaymentPrimitives
import Synchronization

/// A world in one thread. It runs the jobs of its processes one after the other, in an order that the seed decides.
/// Its clock moves only when no job is ready. The same seed gives the same run, to the last step.
///
/// Ordinary actors, task groups and streams work unchanged, because every root task prefers its process's executor. A
/// job that escapes to the global executor is counted, and fails the run.
package final class SimulatedWorld: Sendable {
  package static let beginning = Timestamp(milliseconds: 1_772_366_400_000)

  private struct Timer {
    let until: Timestamp
    let number: Int
    let process: SimulatedProcess
    let continuation: UnsafeContinuation<Void, any Error>
  }

  private struct State {
    var now = SimulatedWorld.beginning
    var schedule: SeededChance
    var jobs: [(job: UnownedJob, process: SimulatedProcess)] = []
    var timers: [Timer] = []
    /// The pending jobs of dead processes.
    var buriedJobs: [(job: UnownedJob, process: SimulatedProcess)] = []
    var buriedTimers: [Timer] = []
    /// The pending jobs of processes that are stopped.
    var heldJobs: [(job: UnownedJob, process: SimulatedProcess)] = []
    var isEnding = false
    var lastTimer = 0
    var steps = 0
    var trace = TraceHash()
    var escaped: UInt64 = 0
  }

  package let seed: UInt64
  private let state: Mutex<State>

  package init(seed: UInt64) {
    self.seed = seed
    state = Mutex(State(schedule: SeededChance(seed: seed, purpose: "schedule")))
    counterfoil_watch_global_jobs()
  }

  /// The current time of the world.
  package var now: Timestamp { state.withLock { $0.now } }
  package var steps: Int { state.withLock { $0.steps } }
  /// A hash of all events: which process ran, when, and all notes.
  package var trace: UInt64 { state.withLock { $0.trace.value } }
  /// Jobs that ran outside the world; a run with any is not reliable.
  package var escapedJobs: UInt64 { state.withLock { $0.escaped } }

  /// Mixes an event into the trace.
  package func note(_ event: String) { state.withLock { $0.trace.mix(event) } }

  /// Runs until the predicate holds, nothing is left to do, or the maximum number of steps is reached.
  ///
  /// - Returns: whether the predicate holds.
  @discardableResult
  package func run(until holds: () -> Bool, stepsMax: Int = 10_000_000) -> Bool {
    let before = counterfoil_escaped_jobs()
    counterfoil_watch_this_thread(1)
    defer {
      counterfoil_watch_this_thread(0)
      state.withLock { $0.escaped += counterfoil_escaped_jobs() - before }
    }
    for _ in 0..<stepsMax {
      if holds() { return true }
      guard step() else { return holds() }
    }
    return false
  }

  /// Runs until the clock has advanced by a span; it shows that time even if no job was left.
  ///
  /// - Returns: false if the maximum number of steps was reached before.
  @discardableResult
  package func run(for span: TimeSpan, stepsMax: Int = 10_000_000) -> Bool {
    let end = now + span
    guard run(until: { self.isIdle(until: end) }, stepsMax: stepsMax) else { return false }
    state.withLock { $0.now = max($0.now, end) }
    return true
  }

  private func isIdle(until end: Timestamp) -> Bool {
    state.withLock { state in
      state.jobs.isEmpty && !(state.timers.last.map { $0.until <= end } ?? false)
    }
  }

  /// Runs one job, or moves the clock to the next timer; false if there is neither.
  private func step() -> Bool {
    let next: (job: UnownedJob, process: SimulatedProcess)? = state.withLock { state in
      guard !state.jobs.isEmpty else { return nil }
      let index = state.schedule.number(below: state.jobs.count)
      let chosen = state.jobs.remove(at: index)
      state.steps += 1
      state.trace.mix(UInt64(truncatingIfNeeded: chosen.process.number), state.now)
      return chosen
    }
    if let next {
      if !isEnding { next.process.willRun() }
      if !next.process.isDead || isEnding {
        next.job.runSynchronously(on: next.process.asUnownedTaskExecutor())
      } else {
        // It was killed just before this job.
        state.withLock { $0.buriedJobs.append(next) }
      }
      return true
    }
    guard let timer = takeNextTimer() else { return false }
    if !timer.process.isDead || isEnding { timer.continuation.resume() }
    return true
  }

  private func takeNextTimer() -> Timer? {
    state.withLock { state in
      guard let timer = state.timers.popLast() else { return nil }
      state.now = max(state.now, timer.until)
      return timer
    }
  }

  // MARK: end of the world

  /// Ends the world. The tasks of all its processes, even dead ones, are cancelled and run to their ends, which frees
  /// the memory of thousands of worlds. Ignore all results from now on.
  package func end(_ processes: [SimulatedProcess], stepsMax: Int = 200_000) {
    let sleepers = state.withLock { state in
      state.isEnding = true
      state.jobs += state.buriedJobs + state.heldJobs
      (state.buriedJobs, state.heldJobs) = ([], [])
      defer { state.buriedTimers = [] }
      return state.buriedTimers
    }
    for task in processes.flatMap({ $0.takeTasks() }) { task.cancel() }
    for sleeper in sleepers { sleeper.continuation.resume(throwing: CancellationError()) }
    run(until: { false }, stepsMax: stepsMax)
  }

  private var isEnding: Bool { state.withLock { $0.isEnding } }

  // MARK: internal interface of processes

  func enqueue(_ job: UnownedJob, of process: SimulatedProcess) {
    let (isDead, isHeld) = (process.isDead, process.isHeld)
    state.withLock { state in
      if isDead, !state.isEnding {
        state.buriedJobs.append((job, process))
      } else if isHeld, !state.isEnding {
        state.heldJobs.append((job, process))
      } else {
        state.jobs.append((job, process))
      }
    }
  }

  /// Puts the jobs and timers of a dead process aside without notice, like a real kill.
  func bury(_ process: SimulatedProcess) {
    state.withLock { state in
      state.buriedJobs += (state.jobs + state.heldJobs).filter { $0.process === process }
      state.jobs.removeAll { $0.process === process }
      state.heldJobs.removeAll { $0.process === process }
      state.buriedTimers += state.timers.filter { $0.process === process }.sorted { $0.number < $1.number }
      state.timers.removeAll { $0.process === process }
    }
  }

  /// Lets the jobs of a process wait until it is released. Its timers end as usual.
  func hold(_ process: SimulatedProcess) {
    state.withLock { state in
      state.heldJobs += state.jobs.filter { $0.process === process }
      state.jobs.removeAll { $0.process === process }
    }
  }

  func release(_ process: SimulatedProcess) {
    state.withLock { state in
      state.jobs += state.heldJobs.filter { $0.process === process }
      state.heldJobs.removeAll { $0.process === process }
    }
  }

  func sleep(_ span: TimeSpan, in process: SimulatedProcess) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.lastTimer += 1
      return state.lastTimer
    }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        let isCancelled = state.withLock { state in
          guard !Task.isCancelled else { return true }
          let until = state.now + max(span, .zero)
          // If two timers have the same time, the one that started first fires first.
          let place = state.timers.firstPlace { ($0.until, $0.number) < (until, number) }
          state.timers.insert(
            Timer(until: until, number: number, process: process, continuation: continuation), at: place)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let timer = state.withLock { state in
        state.timers.firstIndex { $0.number == number }.map { state.timers.remove(at: $0) }
      }
      timer?.continuation.resume(throwing: CancellationError())
    }
  }
}

extension Array {
  /// The first index at which the predicate is true; it must be false before that index, and true from it on.
  fileprivate func firstPlace(where isAfter: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// A hash of all events: FNV-1a over whole words, which a debug build computes in few steps.
private struct TraceHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    // The product moves the bits of a word up: this brings them down again.
    value ^= value >> 29
  }

  mutating func mix(_ event: String) { for byte in event.utf8 { mix(UInt64(byte)) } }

  mutating func mix(_ process: UInt64, _ moment: Timestamp) {
    mix(process)
    mix(UInt64(bitPattern: moment.milliseconds))
  }
}
