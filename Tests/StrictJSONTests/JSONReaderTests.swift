import Foundation
import StrictJSON
import Testing

@Suite struct `A strict JSON reader` {
  private func reason(_ text: String, _ limits: JSONLimits = .usual) -> JSONError.Reason? {
    reason(Array(text.utf8), limits)
  }

  private func reason(_ bytes: [UInt8], _ limits: JSONLimits = .usual) -> JSONError.Reason? {
    do {
      _ = try JSONReader.read(bytes, limits: limits)
      return nil
    } catch { return error.reason }
  }

  @Test(arguments: [#"["a\u0000b"]"#, #"{"\u0000":1}"#])
  func `refuses U+0000 in a text or a name where its limits say so`(_ text: String) {
    let limits = JSONLimits(bytesMax: 100, allowsNullCharacter: false)
    #expect(reason(text, limits) == .nullCharacter)
    #expect(reason(text) == nil)
  }

  @Test(arguments: [
    (#"{"a":1,"a":2}"#, 7), (#"{"a":1,"\u0061":2}"#, 7), (#"[{"a":{"b":1,"b":1}}]"#, 13),
    (#"{"":1,"":1}"#, 6),
  ]) func `refuses a doubled name and says where (A3)`(_ text: String, _ offset: Int) throws {
    let error = #expect(throws: JSONError.self) { try JSONReader.read(Array(text.utf8)) }
    #expect(error?.reason == .doubledName)
    #expect(error?.offset == offset)
  }

  @Test func `refuses a doubled name among many`() {
    let members = (0..<500).map { #""n\#($0)":0"# }
    #expect(reason("{" + members.joined(separator: ",") + "}") == nil)
    for place in [0, 31, 32, 33, 250, 499] {
      #expect(reason("{" + (members + [members[place]]).joined(separator: ",") + "}") == .doubledName)
    }
  }

  /// Why Foundation's decoder does not read signed text: of two equal names it silently takes one, and other readers
  /// take the other.
  @Test func `refuses texts that Foundation accepts (A3)`() throws {
    struct Purchase: Decodable { let quantity: Int }
    let text = #"{"quantity":1,"quantity":1000}"#
    let quantity = try JSONDecoder().decode(Purchase.self, from: Data(text.utf8)).quantity
    #expect(quantity == 1 || quantity == 1000)
    #expect(reason(text) == .doubledName)
    // It also has no limit on the number of values.
    let wide = "[" + Array(repeating: "[]", count: 30_000).joined(separator: ",") + "]"
    #expect(try JSONDecoder().decode([[Int]].self, from: Data(wide.utf8)).count == 30_000)
    #expect(reason(wide) == .tooManyValues)
  }

  @Test(arguments: [
    "", " ", "\n", "[", "{", "[1", "[1,", #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":1,"#, #"""#, #""a"#, #""\"#,
    #""\u12"#, "t",
    "tru", "-", "1.", "1e", "1e+",
  ]) func `refuses a text that ends too early`(_ text: String) {
    #expect(reason(text) == .unexpectedEnd)
  }

  @Test func `refuses every incomplete beginning of a text`() {
    let text = Array(#"{"a":[1,-2.5e3,"\u00e9é",true,false,null,{}],"b":{"c":[]}}"#.utf8)
    #expect(reason(text) == nil)
    for length in 0..<text.count { #expect(reason(Array(text.prefix(length))) == .unexpectedEnd) }
  }

  @Test(arguments: [
    "]", "}", ",", ":", "[,]", "[1,]", "[1 2]", "{,}", "{1:2}", #"{"a" 1}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, "{a:1}",
    "{'a':1}",
    "nul1", "True", "NaN", "Infinity", "+1", ".5", "\u{FEFF}1", "/* */1", "[1;2]", "undefined", "\u{0}",
  ]) func `refuses a character that is not allowed at its position`(_ text: String) {
    #expect(reason(text) == .unexpectedCharacter)
  }

  @Test(arguments: ["1 2", "{} {}", "[]]", "{}}", "1,", "null null", "\"a\"\"b\"", "[] x"])
  func `refuses text after the value`(_ text: String) {
    #expect(reason(text) == .trailingText)
  }

  @Test(arguments: [
    "01", "-01", "00", "1.e5", "1.x", "--1", "-a", "1ex", "1e+x", String(repeating: "1", count: 65),
    "[-]",
  ]) func `refuses a malformed number`(_ text: String) {
    #expect(reason(text) == .malformedNumber)
  }

  @Test(arguments: [
    "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", #""\x""#, #""\u""#, #""\u12G4""#, #""\ud800""#, #""\udc00""#,
    #""\ud800\ud800""#,
    #""\ud800x""#, #""\ud800\n""#, #""\U0041""#, #""a\"# + "\u{1}\"", #""\u+123""#,
  ]) func `refuses a malformed text`(_ text: String) {
    #expect(reason(text) == .malformedString)
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE4, 0xBD], [0xC3],
    ] as [[UInt8]]) func `refuses bytes that are not UTF-8`(_ bytes: [UInt8])
  {
    #expect(reason([0x22] + bytes + [0x22]) == .notUTF8)
    // The same in a name, and in a text with an escape, which other code reads.
    #expect(reason(Array(#""\n"#.utf8) + bytes + [0x22]) == .notUTF8)
    #expect(reason([0x22] + bytes + Array(#"\n""#.utf8)) == .notUTF8)
    #expect(reason([0x7B, 0x22] + bytes + Array(#"":1}"#.utf8)) == .notUTF8)
  }

  @Test func `refuses more bytes, depth or values than allowed`() {
    let limits = JSONLimits(bytesMax: 20, depthMax: 3, valuesMax: 5)
    #expect(reason(String(repeating: " ", count: 19) + "1", limits) == nil)
    #expect(reason(String(repeating: " ", count: 20) + "1", limits) == .tooLarge)
    #expect(reason("[[[]]]", limits) == nil)
    #expect(reason("[[[1]]]", limits) == .tooDeep)
    #expect(reason(#"{"a":{"b":{"c":1}}}"#, limits) == .tooDeep)
    #expect(reason("[1,2,3,4]", limits) == nil)
    #expect(reason("[1,2,3,4,5]", limits) == .tooManyValues)
    // A hostile depth must cost neither stack nor time.
    #expect(reason(String(repeating: "[", count: 1_000_000)) == .tooDeep)
  }

  @Test func `reports line and column in bytes`() {
    let error = #expect(throws: JSONError.self) { try JSONReader.read(Array("{\n  \"é\": 1,\n  x}".utf8)) }
    #expect(error?.line == 3)
    #expect(error?.column == 3)
    #expect(error?.offset == 15)
    #expect(error?.description == "unexpectedCharacter at line 3, column 3")
  }

  @Test func `keeps digits and order as they were written`() throws {
    let value = try JSONReader.read(#" { "b" : [ 1.50 , -0 , 1E+2, 12345678901234567890 ] , "a" : null } "#.utf8)
    #expect(
      value
        == .object([
          JSONMember("b", .array([.number("1.50"), .number("-0"), .number("1E+2"), .number("12345678901234567890")])),
          JSONMember("a", .null),
        ]))
  }

  @Test(arguments: [
    (#""\u0041\u00e9\u4f60\ud83d\ude00""#, "Aé你😀"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""你好""#, "你好"),
    (#""\u0000""#, "\u{0}"), (#""""#, ""), (#""a\u0062c""#, "abc"),
  ]) func `reads every escape`(_ text: String, _ expected: String) throws {
    #expect(try JSONReader.read(text.utf8) == .string(expected))
  }

  /// Long texts are checked eight bytes at a time: each byte must count in each of the eight places and after any other
  /// byte.
  @Test(arguments: [0, 7, 8, 20]) func `checks every byte at every position of a long text`(_ length: Int) throws {
    for place in 0...length {
      for byte in UInt8.min...UInt8.max {
        var text = [UInt8](repeating: 0x61, count: length)
        text.insert(byte, at: place)
        let found = reason([0x22] + text + [0x22])
        switch byte {
        case 0..<0x20: #expect(found == .malformedString, "\(byte) at \(place)")
        case 0x22: #expect(found == .trailingText)
        case 0x5C: #expect(found != nil)
        case 0x80...: #expect(found == .notUTF8, "\(byte) at \(place)")
        default: #expect(try JSONReader.read([0x22] + text + [0x22]) == .string(String(decoding: text, as: UTF8.self)))
        }
      }
    }
    // A high byte before it must not hide a control character.
    #expect(reason(Array("\"aaé\u{1}aaaaaaaaaaa\"".utf8)) == .malformedString)
  }

  @Test func `treats two encodings of one letter as two names`() throws {
    // Composed and decomposed é: equal for a reader and for Swift's ==, but not the same bytes.
    let value = try JSONReader.read("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8)
    #expect(value.object?.count == 2)
  }

  @Test func `does not depend on the memory layout of the bytes`() throws {
    let text = Array(#"{"a":[1,"é\n"]}"#.utf8)
    #expect(try JSONReader.read(text.lazy.map { $0 }) == JSONReader.read(text))
    #expect(try JSONReader.read(text[...]) == JSONReader.read(text))
  }
}

@Suite struct `A JSON number` {
  @Test(arguments: ["1.0", "1e3", "9223372036854775808", "-9223372036854775809", "0.5"])
  func `is an integer only if it is written as one and fits 64 bits`(_ digits: String) {
    #expect(JSONValue.number(digits).integer == nil)
  }

  @Test(arguments: [
    ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("-0", 0),
    ("9007199254740993", 9_007_199_254_740_993),
  ]) func `stays exact where floating point does not`(_ digits: String, _ value: Int64) {
    #expect(JSONValue.number(digits).integer == value)
  }

  @Test(arguments: [
    ("1698148900000.9", 1_698_148_900_000), ("-1.5", -2), ("-1.0", -1), ("0.999", 0),
    ("-62135769600000.0", -62_135_769_600_000),
  ]) func `with a fraction is rounded down`(_ digits: String, _ value: Int64) {
    #expect(JSONValue.number(digits).flooredInteger == value)
  }

  @Test(arguments: ["1e3", "1.5e3", "99999999999999999999.5", "-9223372036854775808.5"])
  func `with an exponent or beyond 64 bits is not rounded`(_ digits: String) {
    #expect(JSONValue.number(digits).flooredInteger == nil)
  }
}
