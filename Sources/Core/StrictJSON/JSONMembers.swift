/// The members of a JSON object as they are added, in their order; nil values are left out.
///
/// One description of an object thus gives its value or, without the value, its text.
package protocol JSONMembers {
  init()
  mutating func add(_ name: String, text: String?)
  mutating func add(_ name: String, number: Int64?)
  mutating func add(_ name: String, texts: [String])
  mutating func add(_ name: String, value: JSONValue?)
  mutating func add(_ name: String, members: (inout Self) -> Void)
}

/// Members as values.
package struct JSONMemberValues: JSONMembers {
  private var members: [JSONMember] = []

  package init() {}

  package var value: JSONValue { .object(members) }

  package mutating func add(_ name: String, text: String?) { add(name, value: text.map(JSONValue.string)) }

  package mutating func add(_ name: String, number: Int64?) { add(name, value: number.map { .integer($0) }) }

  package mutating func add(_ name: String, texts: [String]) { add(name, value: .array(texts.map(JSONValue.string))) }

  package mutating func add(_ name: String, value: JSONValue?) {
    if let value { members.append(JSONMember(name, value)) }
  }

  package mutating func add(_ name: String, members: (inout JSONMemberValues) -> Void) {
    var inner = JSONMemberValues()
    members(&inner)
    add(name, value: inner.value)
  }
}

/// Members as the text that `JSONValue.text` gives for their value, byte for byte.
package struct JSONMemberText: JSONMembers {
  private var output: [UInt8] = []

  package init() {
    output.reserveCapacity(512)
    output.append(0x7B)
  }

  /// The text of the object.
  package var text: String {
    var output = output
    output.append(0x7D)
    return String(decoding: output, as: UTF8.self)
  }

  package mutating func add(_ name: String, text: String?) {
    guard let text else { return }
    begin(name)
    JSONValue.write(text, to: &output)
  }

  package mutating func add(_ name: String, number: Int64?) {
    guard let number else { return }
    begin(name)
    output.append(contentsOf: String(number).utf8)
  }

  package mutating func add(_ name: String, texts: [String]) {
    begin(name)
    output.append(0x5B)
    for (index, text) in texts.enumerated() {
      if index > 0 { output.append(0x2C) }
      JSONValue.write(text, to: &output)
    }
    output.append(0x5D)
  }

  package mutating func add(_ name: String, value: JSONValue?) {
    guard let value else { return }
    begin(name)
    value.write(to: &output)
  }

  package mutating func add(_ name: String, members: (inout JSONMemberText) -> Void) {
    begin(name)
    output.append(0x7B)
    members(&self)
    output.append(0x7D)
  }

  private mutating func begin(_ name: String) {
    if output.last != 0x7B { output.append(0x2C) }
    JSONValue.write(name, to: &output)
    output.append(0x3A)
  }
}
