import PaymentPrimitives
import TOMLConfiguration
import Testing

enum ClaimWord: String, CaseIterable { case standard, strict }

@Suite struct `A setting's form` {
  @Test(arguments: ["30", "s", "", "-1s", "1.5h", "30 s", "1h30m", "30S", "+3s", "9223372036854775807d", "３s", "1w"])
  func `refuses a duration without digits and a unit`(text: String) {
    #expect(read("\"\(text)\"", .duration(in: .zero ... .days(99))) == .failure(.malformed))
  }

  @Test func `refuses a bare number as a duration, because its unit is unknown`() {
    #expect(read("30", .duration(in: .zero ... .days(99))) == .failure(.wrongType))
  }

  @Test func `refuses a duration out of range, and names the range`() {
    let form = SettingForm<TimeSpan>.duration(in: .seconds(1) ... .hours(36))
    #expect(read("\"999ms\"", form) == .failure(.outOfRange))
    #expect(read("\"37h\"", form) == .failure(.outOfRange))
    #expect(read("\"36h\"", form) == .success(.hours(36)))
    #expect(report("\"37h\"", form).contains("from 1s to 36h"))
  }

  @Test(arguments: [
    ("250ms", TimeSpan.milliseconds(250)), ("30s", .seconds(30)), ("15m", .minutes(15)), ("24h", .days(1)),
    ("7d", .days(7)),
    ("0s", .zero), ("007s", .seconds(7)),
  ])
  func `reads a duration`(text: String, span: TimeSpan) {
    #expect(read("\"\(text)\"", .duration(in: .zero ... .days(99))) == .success(span))
  }

  @Test(arguments: ["2026-11-20T08:00:00", "2026-11-20", "08:00:00"])
  func `refuses a date or time without an offset, because its moment is unknown`(text: String) {
    #expect(read(text, .moment) == .failure(.withoutOffset))
  }

  @Test func `reads a moment with its offset`() {
    #expect(read("2026-11-20T16:00:00+08:00", .moment) == .success(Timestamp(milliseconds: 1_795_161_600_000)))
    #expect(read("\"2026-11-20T16:00:00+08:00\"", .moment) == .failure(.wrongType))
  }

  @Test func `refuses a value that is not allowed, and suggests the nearest`() {
    #expect(read("\"strikt\"", SettingForm<ClaimWord>.word) == .failure(.notOneOf))
    #expect(report("\"strikt\"", SettingForm<ClaimWord>.word).contains("Is \"strict\" meant?"))
    #expect(read("1", SettingForm<ClaimWord>.word) == .failure(.wrongType))
    #expect(read("\"strict\"", .word) == .success(ClaimWord.strict))
  }

  @Test func `refuses a text of a wrong size in bytes, without quoting it`() {
    #expect(read("\"\"", .string()) == .failure(.outOfRange))
    #expect(read("\"éé\"", .string(bytes: 1...3)) == .failure(.outOfRange))
    #expect(read("\"é\"", .string(bytes: 1...3)) == .success("é"))
    #expect(!report("\"sesame\"", .string(bytes: 1...3)).contains("sesame"))
    #expect(!report("\"sesame\"", SettingForm<Int64>.integer(in: 1...2)).contains("sesame"))
  }

  @Test(arguments: ["1.0", "\"1\"", "true", "[1]", "{}"])
  func `refuses a type other than a whole number`(text: String) {
    #expect(read(text, .integer(in: 0...9)) == .failure(.wrongType))
  }

  @Test func `reads whole numbers at both ends of their range, and none beyond`() {
    for (text, expected) in [("0", 0), ("9", 9)] as [(String, Int64)] {
      #expect(read(text, .integer(in: 0...9)) == .success(expected))
    }
    #expect(read("-1", .integer(in: 0...9)) == .failure(.outOfRange))
    #expect(read("10", .integer(in: 0...9)) == .failure(.outOfRange))
  }

  @Test func `refuses everything except true and false as a boolean`() {
    #expect(read("1", .bool) == .failure(.wrongType))
    #expect(read("\"true\"", .bool) == .failure(.wrongType))
    #expect(read("false", .bool) == .success(false))
  }

  @Test func `reports every wrong item of a list at its own position`() {
    let text = report("[1, 'x', 3, 99]", .list(of: .integer(in: 1...9)))
    #expect(text.contains("test.toml:1:11: key: configuration_wrong_type"))
    #expect(text.contains("test.toml:1:19: key: configuration_out_of_range"))
    #expect(read("[1, 2, 3]", .list(of: .integer(in: 1...9))) == .success([1, 2, 3]))
    #expect(read("[1, 2]", .list(of: .integer(in: 1...9), count: 0...1)) == .failure(.outOfRange))
    #expect(read("1", .list(of: .integer(in: 1...9))) == .failure(.wrongType))
  }

  @Test func `refuses a value that its conversion cannot use`() {
    let currency = SettingForm<String>.string().mapped("an ISO 4217 currency code") { CurrencyCode($0) }
    #expect(read("\"yuan\"", currency) == .failure(.malformed))
    #expect(read("1", currency) == .failure(.wrongType))
    #expect(read("\"CNY\"", currency) == .success(.cny))
    #expect(report("\"yuan\"", currency).contains("an ISO 4217 currency code"))
  }

  // MARK: one value under one key

  private func error<Value>(
    _ text: String, _ form: SettingForm<Value>
  ) -> (Value?, ConfigurationError?) {
    do throws(ConfigurationError) {
      return (
        try ConfigurationFile(parsing: Array("key = \(text)".utf8), named: "test.toml").read {
          $0.required("key", form)
        }, nil
      )
    } catch {
      return (nil, error)
    }
  }

  private func read<Value: Equatable>(
    _ text: String, _ form: SettingForm<Value>
  ) -> Result<Value, Refused> {
    let (value, error) = error(text, form)
    if let value { return .success(value) }
    return .failure(Refused(code: error?.problems.first?.error.code))
  }

  private func report<Value>(_ text: String, _ form: SettingForm<Value>) -> String {
    error(text, form).1?.description ?? ""
  }

  struct Refused: Error, Equatable {
    var code: ConfigurationErrorCode?

    static let malformed = Refused(code: .malformed)
    static let wrongType = Refused(code: .wrongType)
    static let outOfRange = Refused(code: .outOfRange)
    static let withoutOffset = Refused(code: .withoutOffset)
    static let notOneOf = Refused(code: .notOneOf)
  }
}
