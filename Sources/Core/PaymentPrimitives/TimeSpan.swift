/// A length of time in whole milliseconds.
///
/// Not the standard library's `Duration`: the client library runs on systems older than that type.
public struct TimeSpan: Hashable, Comparable, Sendable {
  /// The length in milliseconds; negative spans go back in time.
  public let milliseconds: Int64

  /// A span of that many milliseconds.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// A span of length zero.
  public static let zero = TimeSpan(milliseconds: 0)
  /// A span of that many milliseconds.
  public static func milliseconds(_ count: Int64) -> TimeSpan { TimeSpan(milliseconds: count) }
  /// A span of that many seconds.
  public static func seconds(_ count: Int64) -> TimeSpan { .milliseconds(count * 1000) }
  /// A span of that many minutes.
  public static func minutes(_ count: Int64) -> TimeSpan { .seconds(count * 60) }
  /// A span of that many hours.
  public static func hours(_ count: Int64) -> TimeSpan { .minutes(count * 60) }
  /// A span of that many days of 24 hours.
  public static func days(_ count: Int64) -> TimeSpan { .hours(count * 24) }

  /// The same length in the opposite direction.
  public static prefix func - (span: TimeSpan) -> TimeSpan {
    TimeSpan(milliseconds: span.milliseconds == .min ? .max : -span.milliseconds)
  }

  public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.milliseconds < b.milliseconds }
}
