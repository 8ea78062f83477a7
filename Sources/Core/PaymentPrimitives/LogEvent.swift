/// One line of the log: something that happened, with its fields. Libraries make none; machines hand them to the
/// program.
///
/// A field never carries a secret, a token or signed data: the types that hold those cannot become text.
public struct LogEvent: Sendable {
  /// How much it matters.
  public enum Level: String, Comparable, Sendable {
    /// For someone who follows one request.
    case debug
    /// A step of the business: an order made, a payment fulfilled.
    case info
    /// Something to look at when there is time.
    case warning
    /// Something to look at now.
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

  /// How much it matters.
  public let level: Level
  /// What happened, as a stable dotted name: `payment.fulfilled`.
  public let name: String
  /// The particulars, in the order they are written.
  public let fields: [(name: String, value: String)]

  /// An event with its fields.
  public init(_ level: Level, _ name: String, _ fields: [(name: String, value: String)] = []) {
    self.level = level
    self.name = name
    self.fields = fields
  }
}

/// Where log lines go.
public typealias Log = @Sendable (LogEvent) -> Void
