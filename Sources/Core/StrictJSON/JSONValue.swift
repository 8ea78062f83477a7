/// A JSON text as it was read: numbers keep their digits, objects keep their order.
public enum JSONValue: Hashable, Sendable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A number, with its digits as written: `1`, `-0.5e3`. Nothing is rounded until the caller asks for a type.
  case number(String)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members in their order; a reader never returns the same name twice.
  case object([JSONMember])
}

/// One member of a JSON object.
public struct JSONMember: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The value.
  public let value: JSONValue

  /// A member from name and value.
  public init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}

extension JSONValue {
  /// A number from an integer.
  public static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// An object of the members with a value; nil values are left out.
  public static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
  }

  /// The member with that name; nil when absent, or when this is no object.
  public subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The text; nil for any other value.
  public var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The boolean; nil for any other value.
  public var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The items of a list; nil for any other value.
  public var array: [JSONValue]? {
    guard case .array(let items) = self else { return nil }
    return items
  }

  /// The members of an object; nil for any other value.
  public var object: [JSONMember]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// The number if it is written as a whole number that 64 bits hold; `1.0` and `1e3` are not.
  public var integer: Int64? {
    guard case .number(let digits) = self else { return nil }
    return Int64(digits)
  }

  /// The number rounded down to whole units, for dates that Xcode writes with a fraction; nil when it has an exponent.
  ///
  /// It uses no floating point: 2 to the 53rd and above stay exact.
  public var flooredInteger: Int64? {
    guard case .number(let digits) = self else { return nil }
    if let exact = Int64(digits) { return exact }
    let parts = digits.split(separator: ".", maxSplits: 1)
    guard parts.count == 2, let whole = Int64(parts[0]),
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let hasFraction = parts[1].contains { $0 != "0" }
    guard digits.hasPrefix("-"), hasFraction else { return whole }
    return whole > .min ? whole - 1 : nil
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
}
