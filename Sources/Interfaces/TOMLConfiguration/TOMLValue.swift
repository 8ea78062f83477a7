package import PaymentPrimitives

/// A value of a TOML text with its position: parsed, but not interpreted yet.
package struct TOMLValue: Hashable, Sendable {
  package let content: TOMLContent
  package let position: TOMLPosition

  init(_ content: TOMLContent, at position: TOMLPosition) {
    self.content = content
    self.position = position
  }
}

package enum TOMLContent: Hashable, Sendable {
  /// Keys with their values, in the order of the file.
  case table([TOMLEntry])
  /// A list; `[[name]]` makes a list of tables.
  case array([TOMLValue])
  case string(String)
  /// A whole number of 64 bits.
  case integer(Int64)
  /// A number with a fraction or exponent.
  case float(Double)
  case bool(Bool)
  /// A date and time with an offset from UTC; precision below a millisecond is dropped.
  case moment(Timestamp)
  /// A date, a time, or both without an offset, as RFC 3339 writes them: the moment is unknown.
  case localTime(String)

  /// The kind of value, for the reader of an error.
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

package struct TOMLEntry: Hashable, Sendable {
  package let key: String
  package let keyPosition: TOMLPosition
  package let value: TOMLValue
}

package struct TOMLPosition: Hashable, Comparable, Sendable {
  /// The line, from 1.
  package let line: Int
  /// The character within the line, from 1.
  package let column: Int

  /// A position by line and column, both from 1.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (a: TOMLPosition, b: TOMLPosition) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }
}

package struct TOMLLimits: Hashable, Sendable {
  /// Maximum bytes of the whole text.
  package var bytesMax: Int
  /// Maximum levels of nesting: tables, lists and the parts of dotted keys; the root is level 1. At most 48.
  package var depthMax: Int
  package var valuesMax: Int

  /// The given limits; a depth beyond 48 is reduced to 48, which the parser's stack can certainly handle.
  package init(bytesMax: Int, depthMax: Int, valuesMax: Int) {
    self.bytesMax = bytesMax
    self.depthMax = min(depthMax, 48)
    self.valuesMax = valuesMax
  }

  /// For a configuration file: 1 MiB, enough for a catalog of some thousand products, 16 levels, 100 000 values.
  package static let configuration = TOMLLimits(bytesMax: 1 << 20, depthMax: 16, valuesMax: 100_000)
}
