package import PaymentPrimitives
import Synchronization

/// One process of a simulated world. Killing it is not a cancellation: no `defer`, no handler and no clean-up runs.
/// Anything that it had not written outside itself is lost.
package final class SimulatedProcess: TaskExecutor {
  /// The name in the trace and in reports.
  package let name: String
  let number: Int
  private let world: SimulatedWorld
  private let chance: Mutex<SeededChance>
  private let life = Mutex(Life())

  private struct Life {
    var isDead = false
    var isHeld = false
    var steps = 0
    var killAtStep: Int?
    var whenKilled: (@Sendable () -> Void)?
    var tasks: [Task<Void, Never>] = []
  }

  /// A process of a world.
  ///
  /// - Parameter number: distinguishes processes in the trace, even consecutive ones with the same name.
  package init(_ name: String, number: Int, in world: SimulatedWorld) {
    self.name = name
    self.number = number
    self.world = world
    chance = Mutex(SeededChance(seed: world.seed, purpose: "process \(name) \(number)"))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    world.enqueue(job, of: self)
  }

  package var isDead: Bool { life.withLock { $0.isDead } }
  var isHeld: Bool { life.withLock { $0.isHeld } }
  /// The number of its jobs that were about to run.
  package var steps: Int { life.withLock { $0.steps } }

  /// Stops it as SIGSTOP does: its jobs wait, while the clock goes on.
  package func hold() {
    life.withLock { $0.isHeld = true }
    world.hold(self)
    world.note("hold \(name)")
  }

  /// Lets it go on.
  package func release() {
    life.withLock { $0.isHeld = false }
    world.release(self)
    world.note("release \(name)")
  }

  /// Kills it: none of its jobs runs any more.
  package func kill() {
    let action = life.withLock { life -> (@Sendable () -> Void)? in
      guard !life.isDead else { return nil }
      life.isDead = true
      return life.whenKilled
    }
    world.bury(self)
    world.note("kill \(name)")
    action?()
  }

  /// Sets an action that runs outside the process at the moment of its kill.
  package func whenKilled(_ action: @escaping @Sendable () -> Void) {
    life.withLock { $0.whenKilled = action }
  }

  /// Kills it just before its job with that number runs, counted from 1.
  package func kill(atStep step: Int) { life.withLock { $0.killAtStep = step } }

  func willRun() {
    let isToDie = life.withLock { life in
      life.steps += 1
      return !life.isDead && life.killAtStep.map { life.steps >= $0 } ?? false
    }
    if isToDie { kill() }
  }

  package func spawn(_ body: @escaping @Sendable () async -> Void) {
    let task = Task(executorPreference: self) { await body() }
    life.withLock { $0.tasks.append(task) }
  }

  /// Returns the tasks that were started in it, and forgets them.
  func takeTasks() -> [Task<Void, Never>] {
    life.withLock { life in
      life.whenKilled = nil
      let tasks = life.tasks
      life.tasks = []
      return tasks
    }
  }

  /// The time, random bytes and sleep of the process.
  ///
  /// - Parameter skew: how far its clock is ahead of the world's.
  package func dependencies(skew: TimeSpan = .zero) -> Dependencies {
    Dependencies(
      now: { [world] in world.now + skew },
      randomBytes: { [self] count in chance.withLock { $0.bytes(count) } },
      sleep: { [self] span in try await world.sleep(span, in: self) })
  }
}

extension SimulatedWorld {
  /// Nothing in the world can run any more, but the work is not done.
  package struct Stuck: Error {}

  /// Runs the world until a piece of work in a process is done, and returns its result.
  ///
  /// - Throws: the error of the work; `Stuck` if nothing is left to run before it is done.
  package func perform<Value: Sendable>(
    in process: SimulatedProcess, _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let outcome = Outcome<Value>()
    process.spawn {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.set(result)
    }
    run(until: { outcome.value != nil })
    guard let result = outcome.value else { throw Stuck() }
    return try result.get()
  }
}

/// The result of a piece of work.
private final class Outcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)

  var value: Result<Value, any Error>? { result.withLock { $0 } }
  func set(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }
}
