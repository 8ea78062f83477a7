import CPostgreSQL
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// The values of a row in PostgreSQL's binary form, read in the order of the statement's columns.
struct Columns {
  private let result: OpaquePointer
  private let row: Int32
  private var index: Int32 = -1
  /// Set when a required value was missing or had another type.
  private(set) var problem: CodedError<DatabaseErrorCode>?

  init(_ result: OpaquePointer, row: Int32) {
    self.result = result
    self.row = row
  }

  private mutating func isNextNull() -> Bool {
    index += 1
    return PQgetisnull(result, row, index) != 0
  }

  private var bytesHere: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, index), count: Int(PQgetlength(result, row, index)))
  }

  private mutating func integerHere() -> Int64 {
    let bytes = bytesHere
    switch bytes.count {
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 1: return Int64(bytes[0])
    default:
      problem = problem ?? damage("a number")
      return 0
    }
  }

  mutating func text() -> String {
    guard let text = optionalText() else {
      problem = problem ?? damage("a text")
      return ""
    }
    return text
  }

  mutating func optionalText() -> String? {
    isNextNull() ? nil : String(decoding: bytesHere, as: UTF8.self)
  }

  mutating func optionalBytes() -> [UInt8]? { isNextNull() ? nil : Array(bytesHere) }

  /// Passes over columns.
  mutating func skip(_ count: Int32) { index += count }

  mutating func integer() -> Int64 {
    guard let number = optionalInteger() else {
      problem = problem ?? damage("a number")
      return 0
    }
    return number
  }

  mutating func optionalInteger() -> Int64? { isNextNull() ? nil : integerHere() }

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
    let bytes = bytesHere
    guard bytes.count == 16 else { throw damage("an order id") }
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
    let name = PQfname(result, index).map { String(cString: $0) } ?? "?"
    return CodedError(.damaged, "The column \(name) does not hold \(expected).")
  }
}
