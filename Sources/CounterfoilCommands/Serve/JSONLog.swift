import PaymentVocabulary
import StrictJSON

/// Writes log events as JSON lines to the standard error output.
struct JSONLog: Sendable {
  private let doors: Doors
  private let isSimulated: Bool

  init(_ doors: Doors, isSimulated: Bool) {
    self.doors = doors
    self.isSimulated = isSimulated
  }

  /// Where events go. Whoever follows one request sets `COUNTERFOIL_LOG` to `debug`; `quiet` leaves warnings and errors.
  var log: Log {
    let doors = doors
    let isSimulated = isSimulated
    let least: LogEvent.Level =
      switch doors.environment("COUNTERFOIL_LOG") {
      case "debug": .debug
      case "quiet": .warning
      default: .info
      }
    return { event in
      guard event.level >= least else { return }
      doors.printError(Self.line(event, at: doors.surroundings.now(), isSimulated: isSimulated) + "\n")
    }
  }

  static func line(_ event: LogEvent, at moment: Timestamp, isSimulated: Bool) -> String {
    JSONValue.members(
      [
        ("at", .string(moment.iso8601)), ("level", .string(event.level.rawValue)),
        ("event", .string(event.name)),
        // In each line, so that no line of a simulated server is ever taken for real money.
        ("profile", isSimulated ? "simulated" : nil),
      ] + event.fields.map { ($0.name, .string($0.value)) }
    ).text
  }
}
