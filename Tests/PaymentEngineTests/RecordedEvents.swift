import PaymentPrimitives
import Synchronization

/// The events in an engine's log.
final class RecordedEvents: Sendable {
  private let events = Mutex<[LogEvent]>([])

  var log: Log { { [self] event in events.withLock { $0.append(event) } } }

  /// The fields of all events with a name.
  func told(_ name: String) -> [[String: String]] {
    events.withLock { $0 }.filter { $0.name == name }.map { event in
      Dictionary(event.fields.map { ($0.name, $0.value) }) { first, _ in first }
    }
  }
}
