import CTaskHook
package import PaymentPrimitives
import Synchronization

/// A world in one thread: processes whose jobs are run one after the other in an order that the seed decides, and a
/// clock that moves only when nobody has anything to do. The same seed gives the same run, to the last step.
///
/// Ordinary actors, task groups and streams take part unchanged, because every root task prefers its process's
/// executor. A job that escapes to the global executor is counted, and fails the run.
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
    /// What dead processes would still have to do.
    var buriedJobs: [(job: UnownedJob, process: SimulatedProcess)] = []
    var buriedTimers: [Timer] = []
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

  /// The present moment of the world.
  package var now: Timestamp { state.withLock { $0.now } }
  package var steps: Int { state.withLock { $0.steps } }
  /// A hash of everything that has happened: who ran, when, and what was noted.
  package var trace: UInt64 { state.withLock { $0.trace.value } }
  /// Jobs that left the world; a run with any is not to be trusted.
  package var escapedJobs: UInt64 { state.withLock { $0.escaped } }

  /// Mixes something that happened into the trace.
  package func note(_ event: String) { state.withLock { $0.trace.mix(event) } }

  /// Runs until the predicate holds, nothing is left to do, or so many steps were made.
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

  /// Runs until the clock has moved on by a span; it stands there then, also when nobody had anything to do.
  package func run(for span: TimeSpan) {
    let end = now + span
    run(until: { self.isIdle(until: end) })
    state.withLock { $0.now = max($0.now, end) }
  }

  private func isIdle(until end: Timestamp) -> Bool {
    state.withLock { state in
      state.jobs.isEmpty && !(state.timers.last.map { $0.until <= end } ?? false)
    }
  }

  /// Runs one job, or moves the clock to the next sleeper; false when there is neither.
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

  // MARK: its end

  /// Ends the world: the tasks of its processes are cancelled, those of the dead too, and run to their ends, so that
  /// the memory of thousands of worlds comes back. Nothing that happens now means anything.
  package func end(_ processes: [SimulatedProcess], stepsMax: Int = 200_000) {
    let sleepers = state.withLock { state in
      state.isEnding = true
      state.jobs += state.buriedJobs
      state.buriedJobs = []
      defer { state.buriedTimers = [] }
      return state.buriedTimers
    }
    for task in processes.flatMap({ $0.takeTasks() }) { task.cancel() }
    for sleeper in sleepers { sleeper.continuation.resume(throwing: CancellationError()) }
    run(until: { false }, stepsMax: stepsMax)
  }

  private var isEnding: Bool { state.withLock { $0.isEnding } }

  // MARK: for its processes

  func enqueue(_ job: UnownedJob, of process: SimulatedProcess) {
    let isDead = process.isDead
    state.withLock { state in
      if isDead, !state.isEnding {
        state.buriedJobs.append((job, process))
      } else {
        state.jobs.append((job, process))
      }
    }
  }

  /// Jobs and sleepers of a dead process are put aside without a word, as a kill does it.
  func bury(_ process: SimulatedProcess) {
    state.withLock { state in
      state.buriedJobs += state.jobs.filter { $0.process === process }
      state.jobs.removeAll { $0.process === process }
      state.buriedTimers += state.timers.filter { $0.process === process }.sorted { $0.number < $1.number }
      state.timers.removeAll { $0.process === process }
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
          // Of two for one moment the one that began to sleep first is the next.
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
  /// Where the elements begin that come after a place: false for all before it, true for all after it.
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

/// FNV-1a over what happens.
private struct TraceHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }

  mutating func mix(_ event: String) { for byte in event.utf8 { mix(byte) } }

  mutating func mix(_ process: UInt64, _ moment: Timestamp) {
    for shift in stride(from: 0, to: 64, by: 8) {
      mix(UInt8(truncatingIfNeeded: process >> UInt64(shift)))
      mix(UInt8(truncatingIfNeeded: moment.milliseconds >> Int64(shift)))
    }
  }
}
