/// One log entry: an event with its fields. Libraries create none; state machines pass them to the program.
///
/// A field never carries a secret, a token or signed data: the types of those cannot become text.
public struct LogEvent: Sendable {
  /// The severity.
  public enum Level: String, Comparable, Sendable {
    /// Details for tracing one request.
    case debug
    /// A business step: an order created, a payment fulfilled.
    case info
    /// A problem that can wait.
    case warning
    /// A problem that needs attention now.
    case error

    private var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warning: 2
      case .error: 3
      }
    }

    public static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
  }

  /// The severity of this event.
  public let level: Level
  /// What happened, as a stable dotted name: `payment.fulfilled`.
  public let name: String
  /// The fields, in the order of output.
  public let fields: [(name: String, value: String)]

  /// An event with its fields.
  public init(_ level: Level, _ name: String, _ fields: [(name: String, value: String)] = []) {
    self.level = level
    self.name = name
    self.fields = fields
  }
}

/// Receives log events.
public typealias Log = @Sendable (LogEvent) -> Void
