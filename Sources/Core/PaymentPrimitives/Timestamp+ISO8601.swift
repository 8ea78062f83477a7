// Dates in our API are RFC 3339 text in UTC. Civil dates are computed here for two reasons. This module uses only the
// standard library. The host's calendar and time zone must never decide what a date means.

extension Timestamp {
  /// The moment as `2026-11-20T18:38:00.123Z`; years outside 0…9999 keep their sign and digits.
  public var iso8601: String {
    let days = milliseconds.flooredDivision(by: 86_400_000)
    let inDay = milliseconds - days * 86_400_000
    let (year, month, day) = Self.civil(fromDays: days)
    var text: [UInt8] = []
    text.reserveCapacity(28)
    if year < 0 { text.append(0x2D) }
    Self.append(abs(year), 4, sign: 0x2D, to: &text)
    Self.append(month, 2, sign: 0x2D, to: &text)
    Self.append(day, 2, sign: 0x54, to: &text)
    Self.append(inDay / 3_600_000, 2, sign: 0x3A, to: &text)
    Self.append(inDay / 60_000 % 60, 2, sign: 0x3A, to: &text)
    Self.append(inDay / 1000 % 60, 2, sign: 0x2E, to: &text)
    Self.append(inDay % 1000, 3, sign: 0x5A, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The day of the moment in UTC, as `2026-11-20`.
  public var utcDay: String { String(iso8601.prefix { $0 != "T" }) }

  /// Reads `YYYY-MM-DDThh:mm:ss[.fff]Z` (or an offset `±hh:mm`); nil for anything else, impossible dates included.
  public init?(iso8601 text: String) {
    var reader = DigitReader(Array(text.utf8))
    guard let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2),
      reader.skip("-"), let day = reader.digits(2), reader.skip("T") || reader.skip(" "),
      let hour = reader.digits(2), reader.skip(":"), let minute = reader.digits(2),
      reader.skip(":"), let second = reader.digits(2),
      (1...12).contains(month), hour < 24, minute < 60, second < 60,
      day >= 1, day <= Self.daysInMonth(month, year: year)
    else { return nil }
    let fraction = reader.skip(".") ? reader.fractionInMilliseconds() : 0
    guard let fraction, let offset = reader.offsetInMinutes(), reader.isAtEnd else { return nil }
    let days = Self.days(fromCivil: year, month, day)
    let minutes = (days * 24 + hour) * 60 + minute - offset
    self.init(milliseconds: (minutes * 60 + second) * 1000 + fraction)
  }

  /// Appends a number with at least `width` digits, and the separator that follows it.
  private static func append(_ number: Int64, _ width: Int, sign: UInt8, to text: inout [UInt8]) {
    let start = text.count
    var rest = number
    repeat {
      text.append(0x30 + UInt8(rest % 10))
      rest /= 10
    } while rest > 0 || text.count - start < width
    text[start...].reverse()
    text.append(sign)
  }

  private static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 to a date in the proleptic Gregorian calendar, counted in eras of 400 years from 1 March.
  private static func days(fromCivil year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = year.flooredDivision(by: 400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted.flooredDivision(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }
}

extension Int64 {
  /// The quotient rounded down, also of a negative number.
  package func flooredDivision(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

/// Reads fixed-width numbers from ASCII text.
private struct DigitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  mutating func digits(_ count: Int) -> Int64? {
    guard position + count <= bytes.count else { return nil }
    var value: Int64 = 0
    for byte in bytes[position..<position + count] {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    position += count
    return value
  }

  /// Reads one to nine decimal digits; digits beyond milliseconds are dropped.
  mutating func fractionInMilliseconds() -> Int64? {
    var value: Int64 = 0
    var count = 0
    while count < 9, let digit = digits(1) {
      if count < 3 { value = value * 10 + digit }
      count += 1
    }
    guard count > 0 else { return nil }
    for _ in count..<max(count, 3) { value *= 10 }
    return value
  }

  mutating func offsetInMinutes() -> Int64? {
    if skip("Z") { return 0 }
    let negative = skip("-")
    guard negative || skip("+"), let hours = digits(2), skip(":"), let minutes = digits(2),
      hours < 24, minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (negative ? -1 : 1)
  }
}
