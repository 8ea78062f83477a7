import PaymentPrimitives
import Synchronization

/// The system's own work, in a separate process: it continues while the app is ended.
final class SystemTasks: Sendable {
  private let dependencies: Dependencies
  private let jobs: AsyncStream<@Sendable () async -> Void>
  private let inbox: AsyncStream<@Sendable () async -> Void>.Continuation
  /// Calls that the device never answers.
  private let unanswered = Mutex<[any Sendable]>([])

  init(_ dependencies: Dependencies) {
    self.dependencies = dependencies
    (jobs, inbox) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
  }

  /// Runs the work. Without it nothing happens.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await job in jobs { group.addTask { await job() } }
    }
    // The simulation ends, so no answer comes any more. The release happens outside of the lock, because it resumes the
    // waiting calls.
    let released = unanswered.withLock { unanswered in
      defer { unanswered = [] }
      return unanswered
    }
    withExtendedLifetime(released) {}
  }

  func later(_ job: @escaping @Sendable () async -> Void) { inbox.yield(job) }

  /// Runs work in the system and waits for it in the app's process; nil when the simulation ends before.
  func answer<Answer: Sendable>(_ body: @escaping @Sendable () async -> Answer) async -> Answer? {
    await work { $0.give(await body()) }
  }

  /// Runs work in the system that may never answer.
  func work<Answer: Sendable>(
    _ body: @escaping @Sendable (PendingAnswer<Answer>) async -> Void
  ) async -> Answer? {
    await withUnsafeContinuation { continuation in
      let answer = PendingAnswer(continuation)
      later { await body(answer) }
    }
  }

  func keepWaiting(_ answer: PendingAnswer<some Sendable>) { unanswered.withLock { $0.append(answer) } }

  func wait(_ span: TimeSpan) async { if span > .zero { try? await dependencies.sleep(span) } }
}
