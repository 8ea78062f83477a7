package import PaymentPrimitives

/// Dates in WeChat Pay's form: Beijing time, which has been eight hours ahead of UTC since 1991.
///
/// The machine's own time zone has no effect.
package enum BeijingTime {
  static let offset = TimeSpan.hours(8)

  /// A time in the form of requests: `2025-10-09T17:23:20+08:00`, without fractions of a second.
  package static func text(_ moment: Timestamp) -> String { digits(moment) + "+08:00" }

  /// The Beijing day of a time, in the form of bill requests: `2025-10-09`.
  package static func day(_ moment: Timestamp) -> String { (moment + offset).utcDay }

  /// A time in the form of bills: `2025-10-09 16:53:10`.
  package static func billText(_ moment: Timestamp) -> String {
    String(digits(moment).map { $0 == "T" ? " " : $0 })
  }

  /// Reads a bill's time such as `2025-10-09 16:53:10`; nil for any other form.
  package static func moment(billText text: String) -> Timestamp? {
    text.utf8.count == 19 ? Timestamp(iso8601: text + "+08:00") : nil
  }

  private static func digits(_ moment: Timestamp) -> String {
    String((moment + offset).iso8601.prefix { $0 != "." })
  }
}
