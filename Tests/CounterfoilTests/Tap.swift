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

/// A value that tasks of different processes share.
final class Box<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// The app's log lines.
final class Diary: Sendable {
  private let lines = Mutex<[String]>([])
  func note(_ event: LogEvent) {
    lines.withLock { $0.append(event.name + event.fields.map { " \($0.name)=\($0.value)" }.joined()) }
  }
  var all: [String] { lines.withLock { $0 } }
}
