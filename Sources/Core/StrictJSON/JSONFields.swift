/// The members of an object, read by name and type; errors contain the path.
///
/// Unknown members are ignored: newer clients and servers may send more (changes of version 1 only add).
public struct JSONFields: Sendable {
  private let members: [JSONMember]
  private let path: String

  /// Reads the members of an object.
  ///
  /// - Throws: `JSONFieldError` when the value is no object.
  public init(_ value: JSONValue, path: String = "") throws(JSONFieldError) {
    guard case .object(let members) = value else {
      throw JSONFieldError(path: path.isEmpty ? "the body" : path, expected: "an object")
    }
    self.members = members
    self.path = path
  }

  private func path(of name: String) -> String { path.isEmpty ? name : path + "." + name }

  private func failure(_ name: String, _ expected: String) -> JSONFieldError {
    JSONFieldError(path: path(of: name), expected: expected)
  }

  /// The value of a member; nil when it is absent or `null`.
  public func value(_ name: String) -> JSONValue? {
    let value = members.first { $0.name == name }?.value
    return value == .null ? nil : value
  }

  /// A text of 1 to `bytesMax` bytes; nil when absent.
  public func optionalString(
    _ name: String, bytesMax: Int = 1024
  ) throws(JSONFieldError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string, !text.isEmpty, text.utf8.count <= bytesMax else {
      throw failure(name, "a text of 1 to \(bytesMax) bytes")
    }
    return text
  }

  /// A text of 1 to `bytesMax` bytes.
  public func string(_ name: String, bytesMax: Int = 1024) throws(JSONFieldError) -> String {
    guard let text = try optionalString(name, bytesMax: bytesMax) else {
      throw failure(name, "a text of 1 to \(bytesMax) bytes")
    }
    return text
  }

  /// A whole number within a range; nil when absent.
  public func optionalInteger(
    _ name: String, in range: ClosedRange<Int64> = .min ... .max
  ) throws(JSONFieldError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw failure(
        name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A whole number within a range.
  public func integer(
    _ name: String, in range: ClosedRange<Int64> = .min ... .max
  ) throws(JSONFieldError) -> Int64 {
    guard let number = try optionalInteger(name, in: range) else {
      throw failure(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A boolean; nil when absent.
  public func optionalBool(_ name: String) throws(JSONFieldError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let bool = value.bool else { throw failure(name, "true or false") }
    return bool
  }

  /// A boolean.
  public func bool(_ name: String) throws(JSONFieldError) -> Bool {
    guard let bool = try optionalBool(name) else { throw failure(name, "true or false") }
    return bool
  }

  /// A list of at most `countMax` items; empty when absent.
  public func array(_ name: String, countMax: Int) throws(JSONFieldError) -> [JSONValue] {
    guard let value = value(name) else { return [] }
    guard let items = value.array, items.count <= countMax else {
      throw failure(name, "a list of at most \(countMax) items")
    }
    return items
  }

  /// A list of at most `countMax` texts; empty when absent.
  public func strings(
    _ name: String, countMax: Int, bytesMax: Int = 1024
  ) throws(JSONFieldError) -> [String] {
    var texts: [String] = []
    for item in try array(name, countMax: countMax) {
      guard let text = item.string, !text.isEmpty, text.utf8.count <= bytesMax else {
        throw failure(name, "a list of texts of 1 to \(bytesMax) bytes")
      }
      texts.append(text)
    }
    return texts
  }

  /// The members of a nested object; nil when absent.
  public func optionalFields(_ name: String) throws(JSONFieldError) -> JSONFields? {
    guard let value = value(name) else { return nil }
    return try JSONFields(value, path: path(of: name))
  }

  /// A text that `convert` accepts.
  public func converted<Value>(
    _ name: String, _ expected: String, _ convert: (String) -> Value?
  ) throws(JSONFieldError) -> Value {
    guard let value = try optionallyConverted(name, expected, convert) else {
      throw failure(name, expected)
    }
    return value
  }

  /// A text that `convert` accepts; nil when absent.
  public func optionallyConverted<Value>(
    _ name: String, _ expected: String, _ convert: (String) -> Value?
  ) throws(JSONFieldError) -> Value? {
    guard let value = value(name) else { return nil }
    guard let text = value.string, let converted = convert(text) else {
      throw failure(name, expected)
    }
    return converted
  }
}

/// A member that is missing or not of the expected form.
public struct JSONFieldError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the member, such as `appStore.productId`.
  public let path: String
  /// The expected form, in words.
  public let expected: String

  /// An error about a member.
  public init(path: String, expected: String) {
    self.path = path
    self.expected = expected
  }

  public var description: String { "\(path) must be \(expected)." }
}
