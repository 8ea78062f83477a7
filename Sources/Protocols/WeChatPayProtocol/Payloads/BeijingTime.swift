package import PaymentPrimitives

/// Dates as WeChat Pay writes them: Beijing's clock, which has been eight hours ahead of UTC since 1991.
///
/// The machine's own time zone plays no part.
package enum BeijingTime {
  static let offset = TimeSpan.hours(8)

  /// A moment as requests carry it: `2025-10-09T17:23:20+08:00`, seconds cut off below.
  package static func text(_ moment: Timestamp) -> String { digits(moment) + "+08:00" }

  /// The Beijing day of a moment, as bills are asked for: `2025-10-09`.
  package static func day(_ moment: Timestamp) -> String { (moment + offset).utcDay }

  /// A moment as bills write it: `2025-10-09 16:53:10`.
  package static func billText(_ moment: Timestamp) -> String {
    String(digits(moment).map { $0 == "T" ? " " : $0 })
  }

  /// The moment of a bill's `2025-10-09 16:53:10`; nil for any other form.
  package static func moment(billText text: String) -> Timestamp? {
    text.utf8.count == 19 ? Timestamp(iso8601: text + "+08:00") : nil
  }

  private static func digits(_ moment: Timestamp) -> String {
    String((moment + offset).iso8601.prefix { $0 != "." })
  }
}
