import Counterfoil
import PaymentPrimitives
import Synchronization

/// One tap and the result of `purchase`.
final class Tap: Sendable {
  private let state = Mutex<(Result<PurchaseOutcome, PurchasingError>?, Task<Void, Never>?)>((nil, nil))
  var result: Result<PurchaseOutcome, PurchasingError>? {
    get { state.withLock { $0.0 } }
    set { state.withLock { $0.0 = newValue } }
  }
  var task: Task<Void, Never>? {
    get { state.withLock { $0.1 } }
    set { state.withLock { $0.1 = newValue } }
  }
  var isDone: Bool { result != nil }
  var outcome: PurchaseOutcome? { try? result?.get() }
  var error: PurchasingError? {
    guard case .failure(let error) = result else { return nil }
    return error
  }
}
