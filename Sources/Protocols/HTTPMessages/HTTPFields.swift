/// Header fields in their order; names are compared without regard to case.
public struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// Name and value of each field as received.
  public private(set) var all: [(name: String, value: String)] = []

  /// No fields.
  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }

  /// The value of the first field with that name.
  public subscript(_ name: String) -> String? {
    all.first { Self.same($0.name, name) }?.value
  }

  /// All values with that name, in order.
  public func values(_ name: String) -> [String] {
    all.filter { Self.same($0.name, name) }.map(\.value)
  }

  /// Appends a field; others of the same name stay.
  public mutating func add(_ name: String, _ value: String) { all.append((name, value)) }

  /// Replaces all fields of that name by one; nil removes them.
  public mutating func set(_ name: String, _ value: String?) {
    all.removeAll { Self.same($0.name, name) }
    if let value { add(name, value) }
  }

  public static func == (a: HTTPFields, b: HTTPFields) -> Bool {
    a.all.count == b.all.count && zip(a.all, b.all).allSatisfy { $0 == $1 }
  }

  private static func same(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count
      && zip(a.utf8, b.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
