import CSQLite
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The values of a row, read in the order of the statement's columns.
struct Columns {
  private let statement: OpaquePointer
  private var index: Int32 = -1
  /// Set when a required text was missing.
  private(set) var problem: CodedError<DatabaseErrorCode>?

  init(_ statement: OpaquePointer) { self.statement = statement }

  private mutating func isNextNull() -> Bool {
    index += 1
    return sqlite3_column_type(statement, index) == SQLITE_NULL
  }

  private mutating func textHere() -> String {
    guard let bytes = sqlite3_column_text(statement, index) else {
      problem = problem ?? damage("a text")
      return ""
    }
    let count = Int(sqlite3_column_bytes(statement, index))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  mutating func text() -> String {
    index += 1
    return textHere()
  }

  mutating func optionalText() -> String? { isNextNull() ? nil : textHere() }

  mutating func optionalBytes() -> [UInt8]? {
    if isNextNull() { return nil }
    let count = Int(sqlite3_column_bytes(statement, index))
    guard let bytes = sqlite3_column_blob(statement, index) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Passes over columns.
  mutating func skip(_ count: Int32) { index += count }

  mutating func integer() -> Int64 {
    index += 1
    return sqlite3_column_int64(statement, index)
  }

  mutating func optionalInteger() -> Int64? {
    isNextNull() ? nil : sqlite3_column_int64(statement, index)
  }

  mutating func int() -> Int { Int(integer()) }

  mutating func flag() -> Bool { integer() != 0 }

  mutating func timestamp() -> Timestamp { Timestamp(milliseconds: integer()) }

  mutating func optionalTimestamp() -> Timestamp? {
    optionalInteger().map { Timestamp(milliseconds: $0) }
  }

  mutating func identifier<Subject>() -> Identifier<Subject> { Identifier(text()) }

  mutating func optionalIdentifier<Subject>() -> Identifier<Subject>? {
    optionalText().map { Identifier($0) }
  }

  mutating func orderIdentifier() throws -> OrderIdentifier {
    guard let id = try optionalOrderIdentifier() else { throw damage("an order id") }
    return id
  }

  mutating func optionalOrderIdentifier() throws -> OrderIdentifier? {
    if isNextNull() { return nil }
    guard sqlite3_column_bytes(statement, index) == 16,
      let bytes = sqlite3_column_blob(statement, index)
    else { throw damage("an order id") }
    return OrderIdentifier(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// A word of a closed list.
  mutating func rawValue<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws -> Word {
    guard let rawValue = Word(rawValue: text()) else { throw damage("a known word") }
    return rawValue
  }

  mutating func optionalRawValue<Word: RawRepresentable<String>>(_: Word.Type = Word.self) throws -> Word? {
    guard let text = optionalText() else { return nil }
    guard let rawValue = Word(rawValue: text) else { throw damage("a known word") }
    return rawValue
  }

  mutating func appEnvironment() throws -> AppEnvironment {
    AppEnvironment(app: identifier(), environment: try rawValue())
  }

  mutating func paymentKey() throws -> PaymentKey {
    let app: AppIdentifier = identifier()
    let store: Store = try rawValue()
    let environment: StoreEnvironment = try rawValue()
    return PaymentKey(app: app, store: store, environment: environment, transaction: identifier())
  }

  /// A payment key in four columns, which may all be null together.
  mutating func optionalPaymentKey() throws -> PaymentKey? {
    if isNextNull() {
      index += 3
      return nil
    }
    index -= 1
    return try paymentKey()
  }

  /// The error for a row if its last read column does not contain the expected value.
  func damage(_ expected: String) -> CodedError<DatabaseErrorCode> {
    let name = sqlite3_column_name(statement, index).map { String(cString: $0) } ?? "?"
    return CodedError(.damaged, "The column \(name) does not hold \(expected).")
  }
}
