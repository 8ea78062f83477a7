import PaymentEngine
import PaymentPrimitives
import Synchronization

/// Violated invariants that an engine has logged; a correct engine never logs one.
final class EngineAlarms: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func note(_ event: LogEvent) {
    guard event.name == "invariant.broken" else { return }
    let details = event.fields.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    texts.withLock { $0.append("\(event.name): \(details)") }
  }
}
