import Foundation
import StrictJSON
import Testing

@Suite struct `A JSON writer` {
  @Test func `escapes characters that would end a text or be invisible in a log`() {
    #expect(JSONValue.string("\"\\\n\r\t\u{0}\u{1B}\u{7F}").text == #""\"\\\n\r\t\u0000\u001b\u007f""#)
    #expect(JSONValue.members([("a\"b", .bool(true))]).text == #"{"a\"b":true}"#)
  }

  @Test func `omits absent members, and keeps null`() {
    #expect(JSONValue.members([("a", nil), ("b", .null), ("c", .integer(-5))]).text == #"{"b":null,"c":-5}"#)
  }

  @Test func `writes the same bytes for the same value`() throws {
    let text = #"{"b":[1.50,-0,1E+2],"a":{"é你😀":[],"":{}},"c":[true,false,null]}"#
    #expect(try JSONReader.read(text.utf8).text == text)
  }

  @Test func `writes texts that this reader and Foundation's can read`() throws {
    for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) {
      let value = JSONValue.array([.string("a\(Character(scalar))b")])
      #expect(try JSONReader.read(value.bytes) == value)
      #expect(try JSONDecoder().decode([String].self, from: Data(value.bytes)) == ["a\(Character(scalar))b"])
    }
  }
}

@Suite struct `The fields of a JSON object` {
  private func fields(_ text: String) throws -> JSONFields {
    try JSONFields(JSONReader.read(text.utf8))
  }

  @Test func `are refused when the value is not an object`() {
    #expect(throws: JSONFieldError(path: "the body", expected: "an object")) { try fields("[1]") }
  }

  @Test func `are refused when they do not fit, and the error names the path`() throws {
    let fields = try fields(#"{"a":{"n":"1","t":5,"e":"","l":[1],"b":1}}"#)
    let inner = try #require(try fields.optionalFields("a"))
    #expect(throws: JSONFieldError(path: "a.n", expected: "a whole number from 0 to 9")) {
      try inner.integer("n", in: 0...9)
    }
    #expect(throws: JSONFieldError.self) { try inner.string("t") }
    #expect(throws: JSONFieldError.self) { try inner.string("e") }
    #expect(throws: JSONFieldError.self) { try inner.strings("l", countMax: 3) }
    #expect(throws: JSONFieldError.self) { try inner.array("l", countMax: 0) }
    #expect(throws: JSONFieldError.self) { try inner.bool("b") }
    #expect(throws: JSONFieldError.self) { try inner.string("absent") }
    #expect(throws: JSONFieldError.self) { try inner.converted("e", "a letter") { $0.first } }
    #expect(throws: JSONFieldError.self) { try inner.optionalFields("t") }
  }

  @Test func `that are absent or null are nil, and unknown ones are ignored`() throws {
    let fields = try fields(#"{"a":null,"z":[{}],"s":"x","i":-3,"f":false,"l":["p","q"]}"#)
    #expect(try fields.optionalString("a") == nil && fields.optionalInteger("b") == nil)
    #expect(try fields.string("s", bytesMax: 1) == "x" && fields.integer("i") == -3 && fields.bool("f") == false)
    #expect(try fields.strings("l", countMax: 2) == ["p", "q"] && fields.strings("none", countMax: 2) == [])
    #expect(try fields.converted("s", "one letter") { $0.first } == "x")
    #expect(throws: JSONFieldError.self) { try fields.integer("i", in: 0...5) }
  }
}
