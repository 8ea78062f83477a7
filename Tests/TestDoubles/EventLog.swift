package import PaymentPrimitives
import Synchronization

/// A log that keeps its events.
package final class EventLog: Sendable {
  private let state = Mutex<[LogEvent]>([])

  package init() {}

  package var log: Log { { [self] event in note(event) } }
  package func note(_ event: LogEvent) { state.withLock { $0.append(event) } }
  package var events: [LogEvent] { state.withLock { $0 } }

  /// The fields of all events with a name.
  package func fields(of name: String) -> [[String: String]] {
    events.filter { $0.name == name }.map { event in
      Dictionary(event.fields.map { ($0.name, $0.value) }) { first, _ in first }
    }
  }

  /// The events as text: the name, then each field as `name=value`.
  package var lines: [String] {
    events.map { event in event.name + event.fields.map { " \($0.name)=\($0.value)" }.joined() }
  }

  /// Whether a line begins like this.
  package func has(_ start: String) -> Bool { lines.contains { $0.hasPrefix(start) } }
}
