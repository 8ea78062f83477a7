/// A moment in time: whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// - Unit: milliseconds, as in Apple's signed data. Seconds (`iat`, `timeStamp`) are converted on input.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970; negative before it.
  public let milliseconds: Int64

  /// A moment from milliseconds since 1970.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// A moment from whole seconds since 1970; clamped to the range of milliseconds.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    self.milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int64 {
    milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
  }

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  /// The moment `span` later; clamped to the range of milliseconds, never traps.
  public static func + (moment: Timestamp, span: TimeSpan) -> Timestamp {
    let (sum, overflow) = moment.milliseconds.addingReportingOverflow(span.milliseconds)
    return Timestamp(milliseconds: overflow ? (span.milliseconds < 0 ? .min : .max) : sum)
  }

  /// The moment `span` earlier; clamped to the range of milliseconds.
  public static func - (moment: Timestamp, span: TimeSpan) -> Timestamp { moment + -span }

  /// How much later the first moment is than the second.
  public static func - (later: Timestamp, earlier: Timestamp) -> TimeSpan {
    let (difference, overflow) =
      later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    return TimeSpan(milliseconds: overflow ? (later < earlier ? .min : .max) : difference)
  }
}
