import StrictJSON
import Testing

@Suite struct `The members of an object` {
  private static func describe(_ members: inout some JSONMembers) {
    members.add("absent", text: nil)
    members.add("text", text: "a \"quoted\" {\u{1}}\n")
    members.add("empty") { _ in }
    members.add("missing", number: nil)
    members.add("number", number: Int64.min)
    members.add("texts", texts: ["{", "é"])
    members.add("none", texts: [])
    members.add("inner") {
      $0.add("absent", value: nil)
      $0.add("first", value: .members([("a", .bool(true))]))
      $0.add("second") { $0.add("deep", text: "") }
    }
    members.add("last", value: .null)
  }

  @Test func `give the text of their value without the value, byte for byte`() throws {
    var values = JSONMemberValues()
    Self.describe(&values)
    var text = JSONMemberText()
    Self.describe(&text)
    #expect(text.text == values.value.text)
    #expect(try JSONReader.read(text.text.utf8) == values.value)
    #expect(JSONMemberText().text == "{}")
  }
}
