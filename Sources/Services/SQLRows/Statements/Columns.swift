package import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// How a database hands out the values of a row. They are C functions, since a call of one costs nothing: rows are read
/// on the paths that must be fast.
package struct ColumnFunctions: Sendable {
  package typealias Row = OpaquePointer?

  let type: @convention(c) (Row, Int32) -> Int32
  let nullType: Int32
  let integer: @convention(c) (Row, Int32) -> Int64
  let text: @convention(c) (Row, Int32) -> UnsafePointer<UInt8>?
  let bytes: @convention(c) (Row, Int32) -> UnsafeRawPointer?
  let count: @convention(c) (Row, Int32) -> Int32
  let name: @convention(c) (Row, Int32) -> UnsafePointer<CChar>?

  /// - Parameters:
  ///   - type: the type of a value, `nullType` for none.
  ///   - text: the bytes of a text; nil if there is none.
  ///   - bytes: the same of a blob; may be nil for one of no length.
  ///   - count: how many bytes `text` or `bytes` has, called after it.
  package init(
    type: @escaping @convention(c) (Row, Int32) -> Int32, nullType: Int32,
    integer: @escaping @convention(c) (Row, Int32) -> Int64,
    text: @escaping @convention(c) (Row, Int32) -> UnsafePointer<UInt8>?,
    bytes: @escaping @convention(c) (Row, Int32) -> UnsafeRawPointer?,
    count: @escaping @convention(c) (Row, Int32) -> Int32,
    name: @escaping @convention(c) (Row, Int32) -> UnsafePointer<CChar>?
  ) {
    self.type = type
    self.nullType = nullType
    self.integer = integer
    self.text = text
    self.bytes = bytes
    self.count = count
    self.name = name
  }
}

/// The values of a row, read in the order of the statement's columns.
package struct Columns {
  private let row: OpaquePointer
  private let functions: ColumnFunctions
  private var index: Int32 = -1
  /// Set when a required text was missing.
  package private(set) var problem: CodedError<DatabaseErrorCode>?

  package init(_ row: OpaquePointer, _ functions: ColumnFunctions) {
    self.row = row
    self.functions = functions
  }

  private mutating func isNextNull() -> Bool {
    index += 1
    return functions.type(row, index) == functions.nullType
  }

  private mutating func textHere() -> String {
    guard let bytes = functions.text(row, index) else {
      problem = problem ?? damage("a text")
      return ""
    }
    let count = Int(functions.count(row, index))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package mutating func text() -> String {
    index += 1
    return textHere()
  }

  package mutating func optionalText() -> String? { isNextNull() ? nil : textHere() }

  package mutating func optionalBytes() -> [UInt8]? {
    if isNextNull() { return nil }
    let count = Int(functions.count(row, index))
    guard let bytes = functions.bytes(row, index) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Passes over columns.
  package mutating func skip(_ count: Int32) { index += count }

  package mutating func integer() -> Int64 {
    index += 1
    return functions.integer(row, index)
  }

  package mutating func optionalInteger() -> Int64? {
    isNextNull() ? nil : functions.integer(row, index)
  }

  package mutating func int() -> Int { Int(integer()) }

  package mutating func flag() -> Bool { integer() != 0 }

  package mutating func timestamp() -> Timestamp { Timestamp(milliseconds: integer()) }

  package mutating func optionalTimestamp() -> Timestamp? {
    optionalInteger().map { Timestamp(milliseconds: $0) }
  }

  package mutating func identifier<Subject>() -> Identifier<Subject> { Identifier(text()) }

  package mutating func optionalIdentifier<Subject>() -> Identifier<Subject>? {
    optionalText().map { Identifier($0) }
  }

  package mutating func orderIdentifier() throws -> OrderIdentifier {
    guard let id = try optionalOrderIdentifier() else { throw damage("an order id") }
    return id
  }

  package mutating func optionalOrderIdentifier() throws -> OrderIdentifier? {
    if isNextNull() { return nil }
    guard functions.count(row, index) == 16, let bytes = functions.bytes(row, index) else {
      throw damage("an order id")
    }
    return OrderIdentifier(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// A word of a closed list.
  package mutating func rawValue<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws -> Word {
    guard let rawValue = Word(rawValue: text()) else { throw damage("a known word") }
    return rawValue
  }

  package mutating func optionalRawValue<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws -> Word? {
    guard let text = optionalText() else { return nil }
    guard let rawValue = Word(rawValue: text) else { throw damage("a known word") }
    return rawValue
  }

  package mutating func appEnvironment() throws -> AppEnvironment {
    AppEnvironment(app: identifier(), environment: try rawValue())
  }

  package mutating func paymentKey() throws -> PaymentKey {
    let app: AppIdentifier = identifier()
    let store: Store = try rawValue()
    let environment: StoreEnvironment = try rawValue()
    return PaymentKey(app: app, store: store, environment: environment, transaction: identifier())
  }

  /// A payment key in four columns, which may all be null together.
  package mutating func optionalPaymentKey() throws -> PaymentKey? {
    if isNextNull() {
      index += 3
      return nil
    }
    index -= 1
    return try paymentKey()
  }

  /// The error for a row if its last read column does not contain the expected value.
  package func damage(_ expected: String) -> CodedError<DatabaseErrorCode> {
    let name = functions.name(row, index).map { String(cString: $0) } ?? "?"
    return CodedError(.damaged, "The column \(name) does not hold \(expected).")
  }
}
