import PaymentPrimitives
import TOMLConfiguration
import Testing

@Suite struct `A TOML reader` {
  @Test(arguments: [
    ("a = ", 1, 5), ("a = 1\na = 2", 2, 5), ("[a\nb = 1", 1, 3), ("a = \"x\ny\"", 1, 7), ("a = 2026-02-30", 1, 15),
    ("x = 1\n\ny == 2", 3, 4),
  ])
  func `refuses a text that is not TOML and reports the position`(text: String, line: Int, column: Int) {
    #expect(problem(in: text) == .syntax(at: TOMLPosition(line: line, column: column)))
  }

  /// toml++ 3.3.0 aborts on the first two, and its behaviour on the others is undefined.
  @Test(arguments: [
    ("a = 1\n[.b]", 2), ("[应用]\nb = 1", 1), ("a = 1\n\né = 1", 3), ("a = 24\"ŋ", 1), ("a = 2[\"\"\"x\u{FEFB}", 1),
    ("a = \"\"\"x\\é", 1),
  ])
  func `refuses a text that crashes its parser, and reports the line`(text: String, line: Int) {
    let found = problem(in: text)
    #expect(found?.code == .syntax)
    #expect(found?.position?.line == line)
  }

  @Test func `accepts any characters in quotes and comments`() {
    #expect(problem(in: "\u{FEFF}# é\n[\"应用\"]\n\"é\" = 'ŋ'\nt = \"\"\"x\\\n  （y\"\"\" # é") == nil)
  }

  @Test func `refuses bytes that are not UTF-8`() {
    #expect(problem(in: Array("a = \"".utf8) + [0xFF, 0xFE] + Array("\"".utf8))?.code == .syntax)
  }

  @Test func `refuses more bytes than the limit, and accepts exactly the limit`() {
    let limits = TOMLLimits(bytesMax: 10, depthMax: 16, valuesMax: 100)
    #expect(problem(in: "abc = 12345", limits)?.code == .tooLarge)
    #expect(problem(in: "abc = 1234", limits) == nil)
  }

  @Test(arguments: ["a = [[1]]", "a = {b = {c = 1}}", "[a.b]\nc = 1", "a.b.c = 1", "[[a]]\nb = 1", "'a.x'.b.'c' = 1"])
  func `refuses nesting deeper than allowed, however it is written`(text: String) {
    #expect(problem(in: text, TOMLLimits(bytesMax: 100, depthMax: 3, valuesMax: 100))?.code == .tooDeep)
    #expect(problem(in: text, TOMLLimits(bytesMax: 100, depthMax: 4, valuesMax: 100)) == nil)
  }

  @Test func `refuses very deep dotted keys and arrays without a crash`() {
    let parts = String(repeating: "a.", count: 400_000) + "a = 1"
    #expect(problem(in: parts)?.code == .tooDeep)
    #expect(problem(in: "[" + parts.dropLast(4) + "]")?.code == .tooDeep)
    #expect(problem(in: "a = {" + parts + "}")?.code == .tooDeep)
    #expect(problem(in: "a = " + String(repeating: "[", count: 500_000))?.code == .syntax)
  }

  @Test func `does not treat dots in texts, comments and numbers as key separators`() {
    let dots = String(repeating: "1.", count: 50)
    let texts = [
      "a = \"\(dots)\"", "a = '\(dots)'", "# \(dots)", "a = \"\"\"\n\(dots)\"\n\\\"\"\"\"\"", "a = '''\n\(dots)''''",
    ]
    for text in texts + ["a = [" + Array(repeating: "1.5", count: 50).joined(separator: ", ") + "]"] {
      #expect(problem(in: text) == nil, "\(text)")
    }
  }

  @Test func `refuses more values than allowed, including the root`() {
    let limits = TOMLLimits(bytesMax: 100, depthMax: 16, valuesMax: 5)
    #expect(problem(in: "a = [1, 2, 3, 4]", limits)?.code == .tooManyValues)
    #expect(problem(in: "a = [1, 2, 3]", limits) == nil)
  }

  @Test(arguments: [
    "key = sesame", "key = 123456789012345678901234567890", "key = truesesame", "key = 'sesame' sesame",
    "key = 12sesame",
    "key = infsesame", "key = 1979-05-27T07:32:00Zsesame", "key = \"\\sesame\"", "key = 0xsesame", "key = 1e999999",
  ])
  func `never quotes a value, which may be a misplaced secret`(text: String) {
    let found = problem(in: text)
    #expect(found?.code == .syntax)
    #expect(found?.text.contains("sesame") == false)
    #expect(found?.text.contains("123456") == false)
    #expect(found?.text.contains("999999") == false)
  }

  @Test func `does not quote even the beginning of a misspelled true`() {
    #expect(problem(in: "key = tru3")?.text.contains("tru3") == false)
  }

  @Test func `names the key that occurs twice`() {
    #expect(problem(in: "listen = 1\nlisten = 2")?.text.contains("'listen'") == true)
  }

  @Test func `keeps the order of keys, with line and column of each key and value`() throws {
    let root = try TOMLReader.read(Array("zebra = 1\napple = [2]\n[mango]\nb = 'x'\na = true\n".utf8), named: "t")
    guard case .table(let entries) = root.content, case .table(let inner) = entries[2].value.content else {
      Issue.record("no table")
      return
    }
    #expect(entries.map(\.key) == ["zebra", "apple", "mango"])
    #expect(inner.map(\.key) == ["b", "a"])
    #expect(inner[1].keyPosition == TOMLPosition(line: 5, column: 1))
    #expect(inner[1].value.position == TOMLPosition(line: 5, column: 5))
    #expect(inner[1].value.content == .bool(true))
  }

  @Test func `distinguishes every type`() throws {
    let text = """
      s = "é"
      i = -9223372036854775808
      f = 0.5
      m = 2024-02-29T23:59:59.5+08:00
      l = 2024-02-29
      """
    let root = try TOMLReader.read(Array(text.utf8), named: "t")
    guard case .table(let entries) = root.content else {
      Issue.record("no table")
      return
    }
    #expect(
      entries.map(\.value.content) == [
        .string("é"), .integer(.min), .float(0.5), .moment(Timestamp(milliseconds: 1_709_222_399_500)),
        .localTime("2024-02-29"),
      ])
  }

  // MARK: the problem of a text

  struct Found: Equatable {
    var code: ConfigurationErrorCode
    var position: TOMLPosition?
    var text = ""

    static func syntax(at position: TOMLPosition) -> Found { Found(code: .syntax, position: position) }

    static func == (a: Found, b: Found) -> Bool { a.code == b.code && a.position == b.position }
  }

  private func problem(in text: String, _ limits: TOMLLimits = .configuration) -> Found? {
    problem(in: Array(text.utf8), limits)
  }

  private func problem(in bytes: [UInt8], _ limits: TOMLLimits = .configuration) -> Found? {
    do throws(ConfigurationError) {
      _ = try TOMLReader.read(bytes, named: "test.toml", limits: limits)
      return nil
    } catch {
      guard case .file("test.toml", let position) = error.problems[0].place else { return nil }
      return Found(code: error.problems[0].error.code, position: position, text: error.description)
    }
  }
}
