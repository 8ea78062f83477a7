import Cryptography
package import PaymentPrimitives
package import StrictJSON

/// The members of a signed object, read by name and type.
///
/// A member of an undocumented type is an error with its path, never a silent nil. Otherwise a quantity sent as text
/// would count as absent. `null` and absence are the same.
package struct PayloadFields: Sendable {
  private let members: [JSONMember]
  private let path: String
  private let isLenient: Bool

  /// The members of an object.
  ///
  /// - Throws: `PayloadProblem` if the value is not an object.
  package init(_ value: JSONValue) throws(PayloadProblem) {
    try self.init(value, path: "", isLenient: false)
  }

  init(_ value: JSONValue, path: String, isLenient: Bool) throws(PayloadProblem) {
    guard case .object(let members) = value else {
      throw PayloadProblem(path: path.isEmpty ? "the payload" : path, expected: "an object")
    }
    self.members = members
    self.path = path
    self.isLenient = isLenient
  }

  /// Whether a member of that name exists and is not `null`.
  package func has(_ name: StaticString) -> Bool { value(name) != nil }

  package func text(_ name: StaticString) throws(PayloadProblem) -> String? {
    try read(name, "a text") { $0.string }
  }

  package func integer(_ name: StaticString) throws(PayloadProblem) -> Int64? {
    try read(name, "a whole number") { $0.integer }
  }

  /// A date in milliseconds since 1970; Xcode writes fractions, which are cut off.
  package func date(_ name: StaticString) throws(PayloadProblem) -> Timestamp? {
    try read(name, "a date in milliseconds") {
      $0.flooredInteger.map { Timestamp(milliseconds: $0) }
    }
  }

  package func flag(_ name: StaticString) throws(PayloadProblem) -> Bool? {
    try read(name, "true or false") { $0.bool }
  }

  /// A text value from one of Apple's lists.
  package func listed<Known>(_ name: StaticString) throws(PayloadProblem) -> KnownOrRaw<Known>?
  where Known.RawValue == String {
    try text(name).map { KnownOrRaw($0) }
  }

  /// A numeric value from one of Apple's lists.
  package func listed<Known>(_ name: StaticString) throws(PayloadProblem) -> KnownOrRaw<Known>?
  where Known.RawValue == Int64 {
    try integer(name).map { KnownOrRaw($0) }
  }

  package func texts(_ name: StaticString) throws(PayloadProblem) -> [String]? {
    try read(name, "a list of texts") { value in
      value.array.flatMap { items in
        let texts = items.compactMap(\.string)
        return texts.count == items.count ? texts : nil
      }
    }
  }

  package func object<Part: PayloadPart>(_ name: StaticString) throws(PayloadProblem) -> Part? {
    guard let value = value(name) else { return nil }
    guard case .object = value else {
      if isLenient { return nil }
      throw PayloadProblem(path: path(of: name), expected: "an object")
    }
    return try Part(PayloadFields(value, path: path(of: name), isLenient: isLenient))
  }

  package func objects<Part: PayloadPart>(_ name: StaticString) throws(PayloadProblem) -> [Part]? {
    guard let items = try read(name, "a list of objects", { $0.array }) else { return nil }
    var parts: [Part] = []
    for (index, item) in items.enumerated() {
      parts.append(
        try Part(PayloadFields(item, path: "\(path(of: name))[\(index)]", isLenient: isLenient)))
    }
    return parts
  }

  private func read<Value>(
    _ name: StaticString, _ expected: StaticString, _ convert: (JSONValue) -> Value?
  ) throws(PayloadProblem) -> Value? {
    guard let value = value(name) else { return nil }
    guard let converted = convert(value) else {
      if isLenient { return nil }
      throw PayloadProblem(path: path(of: name), expected: expected.description)
    }
    return converted
  }

  private func path(of name: StaticString) -> String {
    path.isEmpty ? name.description : "\(path).\(name)"
  }

  /// Compares lengths first: most names of an object differ in length, and this runs for every field of every payload.
  private func value(_ name: StaticString) -> JSONValue? {
    let sought = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    for index in members.indices where members[index].name.utf8.count == sought.count {
      var found = members[index].name
      if found.withUTF8({ hasEqualBytes(UnsafeRawBufferPointer($0), sought) }) {
        if case .null = members[index].value { return nil }
        return members[index].value
      }
    }
    return nil
  }
}

/// A member of a signed object has another type than Apple documents.
package struct PayloadProblem: Error, Hashable, Sendable {
  /// The path of the member: `data.appAppleId`.
  package let path: String
  /// The expected value, in words.
  package let expected: String

  package init(path: String, expected: String) {
    self.path = path
    self.expected = expected
  }
}

/// A value that is read from a JSON object and written as one.
package protocol PayloadPart: Hashable, Sendable {
  init(_ fields: PayloadFields) throws(PayloadProblem)
  /// The value as a JSON object; absent fields are left out.
  var json: JSONValue { get }
}

// JSON for each kind of field: the opposite direction of `PayloadFields`.
extension JSONValue {
  static func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
  static func integer(_ value: Int64?) -> JSONValue? { value.map { .number(String($0)) } }
  static func date(_ value: Timestamp?) -> JSONValue? { integer(value?.milliseconds) }
  static func flag(_ value: Bool?) -> JSONValue? { value.map { .bool($0) } }
  static func texts(_ value: [String]?) -> JSONValue? { value.map { .array($0.map { .string($0) }) } }
  static func object(_ value: (some PayloadPart)?) -> JSONValue? { value?.json }
  static func objects(_ value: [some PayloadPart]?) -> JSONValue? { value.map { .array($0.map(\.json)) } }

  static func listed<Known>(_ value: KnownOrRaw<Known>?) -> JSONValue? where Known.RawValue == String {
    text(value?.rawValue)
  }

  static func listed<Known>(_ value: KnownOrRaw<Known>?) -> JSONValue? where Known.RawValue == Int64 {
    integer(value?.rawValue)
  }
}
