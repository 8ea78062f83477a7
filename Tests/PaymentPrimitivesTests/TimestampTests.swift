import Foundation
import PaymentPrimitives
import Testing

@Suite struct `A date in our API` {
  @Test(arguments: [
    "", "2026-11-20", "2026-11-20T18:38:00", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+0800",
    "2026-01-01T00:00:00Z ", "+026-01-01T00:00:00Z", "2026-1-01T00:00:00Z", "2026-01-01t00:00:00z",
    "2026-01-01T00:00:00.1234567890Z", "２０２６-01-01T00:00:00Z",
  ]) func `is refused if it is not whole or not possible`(_ text: String) {
    #expect(Timestamp(iso8601: text) == nil)
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T08:00:00+08:00", 0), ("1969-12-31T23:59:59.999Z", -1),
      ("2024-02-29T12:00:00.5Z", 1_709_208_000_500), ("2000-02-29 00:00:00Z", 951_782_400_000),
      ("2026-11-20T18:38:00.123456Z", 1_795_199_880_123), ("2026-11-20T13:08:00.123-05:30", 1_795_199_880_123),
      ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ] as [(String, Int64)]) func `is read to the millisecond`(_ text: String, _ milliseconds: Int64)
  {
    #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
  }

  @Test func `is equal to the date of Foundation's calendar, over thousands of years`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    // Since 1600, because Foundation's calendar is Julian before 1582 and ours is not.
    for step in 0..<4000 {
      let milliseconds = -11_676_096_000_000 + Int64(step) * 66_000_123_457
      let date = Date(timeIntervalSince1970: Double(milliseconds.quotientAndRemainder(dividingBy: 1000).quotient))
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
      let written = Timestamp(milliseconds: milliseconds).iso8601
      let expected = String(
        format: "%04d-%02d-%02dT%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0,
        parts.minute ?? 0)
      if milliseconds >= 0 { #expect(written.hasPrefix(expected)) }
      #expect(Timestamp(iso8601: written)?.milliseconds == milliseconds)
    }
  }

  @Test func `keeps the sign of years before the first`() {
    #expect(Timestamp(milliseconds: -62_167_219_200_001).iso8601 == "-0001-12-31T23:59:59.999Z")
    #expect(Timestamp(milliseconds: 1_795_199_880_123).utcDay == "2026-11-20")
  }
}

@Suite struct `A timestamp` {
  @Test func `stops at the limits of its range instead of trapping`() {
    let last = Timestamp(milliseconds: .max)
    let first = Timestamp(milliseconds: .min)
    #expect(last + .days(1) == last && first - .days(1) == first)
    #expect((last - first).milliseconds == .max && (first - last).milliseconds == .min)
    #expect(Timestamp(seconds: .max) == last && Timestamp(seconds: .min) == first)
    #expect(-TimeSpan(milliseconds: .min) == TimeSpan(milliseconds: .max))
  }

  @Test func `has whole seconds rounded down, before 1970 too`() {
    #expect(Timestamp(milliseconds: 1999).seconds == 1)
    #expect(Timestamp(milliseconds: -1).seconds == -1)
    #expect(Timestamp(milliseconds: -1000).seconds == -1)
    #expect(Timestamp(milliseconds: -1001).seconds == -2)
  }

  @Test func `is ordered, and differs by spans`() {
    let noon = Timestamp(seconds: 43_200)
    #expect(noon + .minutes(5) > noon && noon - .seconds(1) < noon)
    #expect(noon + .hours(12) - noon == .days(1) - .hours(12))
  }
}

extension TimeSpan {
  fileprivate static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    TimeSpan(milliseconds: a.milliseconds - b.milliseconds)
  }
}
