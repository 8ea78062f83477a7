import HTTPMessages
import PaymentPrimitives
import Synchronization

/// An exchange with a waiting caller. Only its first outcome counts: the answer, an error, or the cancellation by the
/// caller.
final class PendingExchange: Sendable {
  typealias Outcome = Result<HTTPResponse, HTTPExchangeError>

  private enum State {
    case begun
    case waiting(CheckedContinuation<Outcome, Never>)
    case finished(Outcome)
  }

  let request: HTTPRequest
  let plan: TransferPlan
  let timeLimit: TimeSpan
  private let state = Mutex(State.begun)

  init(_ request: HTTPRequest, _ plan: TransferPlan, timeLimit: TimeSpan) {
    self.request = request
    self.plan = plan
    self.timeLimit = timeLimit
  }

  var isFinished: Bool {
    state.withLock { state in
      if case .finished = state { true } else { false }
    }
  }

  /// Resumes the continuation as soon as there is an outcome.
  func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
    let outcome: Outcome? = state.withLock { state in
      if case .finished(let outcome) = state { return outcome }
      state = .waiting(continuation)
      return nil
    }
    if let outcome { continuation.resume(returning: outcome) }
  }

  func finish(_ outcome: Outcome) {
    let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
      switch state {
      case .finished: return nil
      case .begun:
        state = .finished(outcome)
        return nil
      case .waiting(let continuation):
        state = .finished(outcome)
        return continuation
      }
    }
    waiting?.resume(returning: outcome)
  }
}
