package import PaymentPrimitives
import StrictJSON

/// Writes log events as JSON lines to the standard error output.
package struct JSONLog: Sendable {
  private let platform: Platform
  private let isSimulated: Bool
  private let isQuiet: Bool

  /// - Parameter isQuiet: whether only warnings and errors are written, unless `COUNTERFOIL_LOG` says otherwise. For
  ///   a terminal that shows a trace.
  package init(_ platform: Platform, isSimulated: Bool, isQuiet: Bool = false) {
    self.platform = platform
    self.isSimulated = isSimulated
    self.isQuiet = isQuiet
  }

  /// The destination of events. `COUNTERFOIL_LOG` is `debug` to follow one request, `info`, or `quiet`.
  package var log: Log {
    let platform = platform
    let isSimulated = isSimulated
    let least: LogEvent.Level =
      switch platform.environment("COUNTERFOIL_LOG") {
      case "debug": .debug
      case "info": .info
      case "quiet": .warning
      default: isQuiet ? .warning : .info
      }
    return { event in
      guard event.level >= least else { return }
      platform.printError(Self.line(event, at: platform.dependencies.now(), isSimulated: isSimulated) + "\n")
    }
  }

  package static func line(_ event: LogEvent, at moment: Timestamp, isSimulated: Bool) -> String {
    JSONValue.members(
      [
        ("at", .string(moment.iso8601)), ("level", .string(event.level.rawValue)),
        ("event", .string(event.name)),
        // In each line, so that no line of a simulated server is ever mistaken for real money.
        // An event that tells the profile itself has it once.
        ("profile", isSimulated && !event.fields.contains { $0.name == "profile" } ? "simulated" : nil),
      ] + event.fields.map { ($0.name, .string($0.value)) }
    ).text
  }
}
