import PaymentPrimitives
import StrictJSON

/// The members of an object of `verifyReceipt`. Numbers and booleans may be text, and absent members may be empty.
///
/// A present but unreadable member is an error: an unreadable cancellation must not count as none.
struct VerifyReceiptFields {
  private let value: JSONValue

  init(_ value: JSONValue) throws(PayloadProblem) {
    guard value.object != nil else { throw PayloadProblem(path: "the answer", expected: "an object") }
    self.value = value
  }

  /// Whether a member of that name exists and is not `null`.
  func has(_ name: String) -> Bool { value[name].map { $0 != .null } ?? false }

  /// A text, or a number as text, from the first of these members that is present and not empty.
  func text(_ names: String...) throws(PayloadProblem) -> String? {
    for name in names {
      switch value[name] {
      case nil, .null, .string(""): continue
      case .string(let text): return text
      case .number(let digits): return digits
      default: throw PayloadProblem(path: name, expected: "a text")
      }
    }
    return nil
  }

  /// A text value from one of Apple's lists.
  func listed<Known: RawRepresentable<String>>(_ name: String) throws(PayloadProblem) -> KnownOrRaw<Known>? {
    guard let text = try text(name) else { return nil }
    return KnownOrRaw(text)
  }

  /// A whole number, or a text with one.
  func integer(_ name: String) throws(PayloadProblem) -> Int64? {
    guard let text = try text(name) else { return nil }
    guard let number = Int64(text) else { throw PayloadProblem(path: name, expected: "a whole number") }
    return number
  }

  /// A boolean: `true`, `1`, `"true"`, `"1"` and their opposites.
  func flag(_ name: String) throws(PayloadProblem) -> Bool? {
    if case .bool(let flag) = value[name] { return flag }
    switch try text(name)?.lowercased() {
    case nil: return nil
    case "true", "1": return true
    case "false", "0": return false
    default: throw PayloadProblem(path: name, expected: "true or false")
    }
  }

  /// A time from the first of its members that is present: `…_ms`, the plain one, `…_pst`.
  func date(_ name: String) throws(PayloadProblem) -> Timestamp? {
    if let milliseconds = try integer(name + "_ms") { return Timestamp(milliseconds: milliseconds) }
    // The flat form writes milliseconds into the plain member, and the date text into another one.
    for member in [name, name + "_formatted", name + "_pst"] {
      guard let text = try text(member) else { continue }
      guard let date = ReceiptDate.read(text) else { throw PayloadProblem(path: member, expected: "a date") }
      return date
    }
    return nil
  }

  func object(_ name: String) throws(PayloadProblem) -> JSONValue? {
    switch value[name] {
    case nil, .null: return nil
    case .object(let members): return .object(members)
    default: throw PayloadProblem(path: name, expected: "an object")
    }
  }

  /// A list of objects; a single object counts as a list of one, because the flat form writes it that way.
  func items(_ name: String) throws(PayloadProblem) -> [JSONValue] {
    switch value[name] {
    case nil, .null: return []
    case .array(let items): return items
    case .object(let members): return [.object(members)]
    default: throw PayloadProblem(path: name, expected: "a list")
    }
  }
}

/// The dates of receipts: `2020-06-22 13:57:04 Etc/GMT`, `2020-06-22 06:57:04 America/Los_Angeles`, RFC 3339, or
/// milliseconds since 1970.
enum ReceiptDate {
  static func read(_ text: String) -> Timestamp? {
    if let milliseconds = Int64(text) { return Timestamp(milliseconds: milliseconds) }
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 3 else { return Timestamp(iso8601: text) }
    let clock = Timestamp(iso8601: "\(parts[0]) \(parts[1])Z")
    switch parts[2] {
    case "Etc/GMT", "GMT", "Etc/UTC", "UTC": return clock
    case "America/Los_Angeles": return clock.map(fromCalifornia)
    default: return nil
    }
  }

  /// Converts local time in California. The App Store did not exist before the daylight saving rule of 2007. The
  /// repeated hour in November counts as its first occurrence.
  private static func fromCalifornia(_ clock: Timestamp) -> Timestamp {
    let year = clock.iso8601.prefix(4)
    guard let march = Timestamp(iso8601: "\(year)-03-01T02:00:00Z"),
      let november = Timestamp(iso8601: "\(year)-11-01T02:00:00Z")
    else { return clock + .hours(8) }
    let begin = firstSunday(from: march) + .days(7)
    let end = firstSunday(from: november)
    return clock + .hours(begin <= clock && clock < end ? 7 : 8)
  }

  private static func firstSunday(from moment: Timestamp) -> Timestamp {
    // 1970-01-01 was a Thursday.
    let weekday = (moment.seconds / 86_400 + 4) % 7
    return moment + .days((7 - weekday) % 7)
  }
}
