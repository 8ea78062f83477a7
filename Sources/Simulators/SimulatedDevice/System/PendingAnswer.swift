import Synchronization

/// An answer of the system that a process waits for. A cancelled task still waits for it: Apple does not promise that
/// any call reacts to cancellation (rule SK2-29).
///
/// It uses a continuation, because a stream would end when its task is cancelled. It resumes with nil when no answer
/// can come any more.
final class PendingAnswer<Answer: Sendable>: Sendable {
  private let continuation: Mutex<UnsafeContinuation<Answer?, Never>?>

  init(_ continuation: UnsafeContinuation<Answer?, Never>) { self.continuation = Mutex(continuation) }

  deinit { resume(nil) }

  /// Gives the answer; only the first one counts.
  func give(_ answer: Answer) { resume(answer) }

  private func resume(_ answer: Answer?) {
    continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }?.resume(returning: answer)
  }
}
