import PaymentPrimitives
import Synchronization

/// An answer of the system that a process waits for. A task that is cancelled goes on waiting for it: Apple promises of
/// none of its calls that they heed that (rule SK2-29).
///
/// Built on a continuation, because a stream would end with its task's cancellation. When nobody can give the answer
/// any more, there is none.
final class PendingAnswer<Answer: Sendable>: Sendable {
  private let continuation: Mutex<UnsafeContinuation<Answer?, Never>?>

  init(_ continuation: UnsafeContinuation<Answer?, Never>) { self.continuation = Mutex(continuation) }

  deinit { resume(nil) }

  /// Gives it; the first one counts.
  func give(_ answer: Answer) { resume(answer) }

  private func resume(_ answer: Answer?) {
    continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }?.resume(returning: answer)
  }
}

extension Device {
  /// Has the system do something and waits for it in the app's process; nil when the world ends before.
  func system<Answer: Sendable>(_ body: @escaping @Sendable () async -> Answer) async -> Answer? {
    await work { $0.give(await body()) }
  }

  func take(_ span: TimeSpan) async { if span > .zero { try? await surroundings.sleep(span) } }

  /// Has the system do something that may never be answered.
  func work<Answer: Sendable>(
    _ body: @escaping @Sendable (PendingAnswer<Answer>) async -> Void
  ) async -> Answer? {
    await withUnsafeContinuation { continuation in
      let answer = PendingAnswer(continuation)
      later { await body(answer) }
    }
  }

  func keepWaiting(_ answer: PendingAnswer<some Sendable>) { state.withLock { $0.unanswered.append(answer) } }
}
