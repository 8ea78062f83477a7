public import PaymentVocabulary

/// A value of a TOML text, with its place: what was written, not yet what it means.
public struct TOMLValue: Hashable, Sendable {
  /// What was written.
  public let content: TOMLContent
  /// Where it begins.
  public let position: TOMLPosition

  init(_ content: TOMLContent, at position: TOMLPosition) {
    self.content = content
    self.position = position
  }
}

/// What a TOML value can be.
public enum TOMLContent: Hashable, Sendable {
  /// Keys with their values, in the order in which they were written.
  case table([TOMLEntry])
  /// A list; `[[name]]` makes a list of tables.
  case array([TOMLValue])
  /// A text.
  case string(String)
  /// A whole number of 64 bits.
  case integer(Int64)
  /// A number with a fraction or exponent; no setting is one.
  case float(Double)
  /// `true` or `false`
  case bool(Bool)
  /// A date and time with an offset from UTC; what is finer than a millisecond is dropped.
  case moment(Timestamp)
  /// A date, a time, or both without an offset, as RFC 3339 writes them: nobody knows which moment is meant.
  case localTime(String)

  /// What it is, for an error's reader.
  var kind: String {
    switch self {
    case .table: "a table"
    case .array: "a list"
    case .string: "a text"
    case .integer: "a whole number"
    case .float: "a number with a fraction"
    case .bool: "true or false"
    case .moment: "a date and time"
    case .localTime: "a date or time without an offset"
    }
  }
}

/// A key with its value.
public struct TOMLEntry: Hashable, Sendable {
  /// The key, unquoted.
  public let key: String
  /// Where the key begins.
  public let keyPosition: TOMLPosition
  /// The value.
  public let value: TOMLValue
}

/// A place in a text.
public struct TOMLPosition: Hashable, Comparable, Sendable {
  /// The line, from 1.
  public let line: Int
  /// The character within the line, from 1.
  public let column: Int

  /// A place by line and column, both from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (a: TOMLPosition, b: TOMLPosition) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }
}

/// Bounds of a TOML text.
public struct TOMLLimits: Hashable, Sendable {
  /// Bytes of the whole text.
  public var bytesMax: Int
  /// Levels of nesting: tables, lists and the parts of dotted keys; the root is level 1. At most 48.
  public var depthMax: Int
  /// Keys and values in all.
  public var valuesMax: Int

  /// Bounds as given; a depth beyond 48 is cut to 48, which the parser's stack can bear for certain.
  public init(bytesMax: Int, depthMax: Int, valuesMax: Int) {
    self.bytesMax = bytesMax
    self.depthMax = min(depthMax, 48)
    self.valuesMax = valuesMax
  }

  /// For a configuration file: 1 MiB, which holds a catalog of some thousand products, 16 levels, 100 000 values.
  public static let configuration = TOMLLimits(bytesMax: 1 << 20, depthMax: 16, valuesMax: 100_000)
}
