package import PaymentPrimitives
import StrictJSON

/// Writes log events as JSON lines to the standard error output.
package struct JSONLog: Sendable {
  private let doors: Platform
  private let isSimulated: Bool
  private let isQuiet: Bool

  /// - Parameter isQuiet: whether only warnings and errors are written unless `COUNTERFOIL_LOG` says otherwise: where a
  ///   person reads a story on the same terminal.
  package init(_ doors: Platform, isSimulated: Bool, isQuiet: Bool = false) {
    self.doors = doors
    self.isSimulated = isSimulated
    self.isQuiet = isQuiet
  }

  /// Where events go. `COUNTERFOIL_LOG` is `debug` for whoever follows one request, `info`, or `quiet`.
  package var log: Log {
    let doors = doors
    let isSimulated = isSimulated
    let least: LogEvent.Level =
      switch doors.environment("COUNTERFOIL_LOG") {
      case "debug": .debug
      case "info": .info
      case "quiet": .warning
      default: isQuiet ? .warning : .info
      }
    return { event in
      guard event.level >= least else { return }
      doors.printError(Self.line(event, at: doors.surroundings.now(), isSimulated: isSimulated) + "\n")
    }
  }

  package static func line(_ event: LogEvent, at moment: Timestamp, isSimulated: Bool) -> String {
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
