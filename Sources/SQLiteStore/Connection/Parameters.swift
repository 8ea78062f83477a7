import CSQLite
import PaymentModel
import PaymentVocabulary

/// The values of a statement, handed over in the order of its question marks.
struct Parameters {
  private let statement: OpaquePointer
  private var index: Int32 = 0
  /// The first code that was not OK.
  private(set) var result: Int32 = SQLITE_OK

  init(_ statement: OpaquePointer) { self.statement = statement }

  private mutating func note(_ code: Int32) {
    if code != SQLITE_OK && result == SQLITE_OK { result = code }
  }

  mutating func add(_ text: String) {
    index += 1
    var text = text
    // SQLite copies the bytes: those of a short text lie on our stack, those of a long one may go with the last reference.
    note(
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          guard let start = characters.baseAddress else {
            return sqlite3_bind_text(statement, index, "", 0, Self.copy)
          }
          return sqlite3_bind_text64(
            statement, index, start, UInt64(characters.count), Self.copy, UInt8(SQLITE_UTF8))
        }
      })
  }

  mutating func add(_ text: String?) {
    if let text { add(text) } else { addNull() }
  }

  mutating func add(_ number: Int64) {
    index += 1
    note(sqlite3_bind_int64(statement, index, number))
  }

  mutating func add(_ number: Int64?) {
    if let number { add(number) } else { addNull() }
  }

  mutating func add(_ number: Int) { add(Int64(number)) }

  mutating func add(_ flag: Bool) { add(flag ? Int64(1) : 0) }

  mutating func add(_ moment: Timestamp) { add(moment.milliseconds) }

  mutating func add(_ moment: Timestamp?) { add(moment?.milliseconds) }

  mutating func add<Subject>(_ identifier: Identifier<Subject>) { add(identifier.text) }

  mutating func add<Subject>(_ identifier: Identifier<Subject>?) { add(identifier?.text) }

  mutating func add(_ id: OrderIdentifier) {
    index += 1
    let halves = (id.high.bigEndian, id.low.bigEndian)
    note(
      withUnsafeBytes(of: halves) { bytes in
        sqlite3_bind_blob(statement, index, bytes.baseAddress, 16, Self.copy)
      })
  }

  mutating func add(_ id: OrderIdentifier?) {
    if let id { add(id) } else { addNull() }
  }

  mutating func add(_ realm: Realm) {
    add(realm.app)
    add(realm.environment.rawValue)
  }

  mutating func addNull() {
    index += 1
    note(sqlite3_bind_null(statement, index))
  }

  /// SQLite's word for "copy it now": the pointer value −1 in place of a destructor.
  private static let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
