import CSQLite
import PaymentModel
import PaymentPrimitives

/// The values of a statement, added in the order of its question marks.
struct Parameters {
  private let statement: OpaquePointer
  private let arena: TextArena
  private var index: Int32 = 0
  /// The first code that was not OK.
  private(set) var result: Int32 = SQLITE_OK

  init(_ statement: OpaquePointer, _ arena: TextArena) {
    self.statement = statement
    self.arena = arena
    arena.clear()
  }

  private mutating func note(_ code: Int32) {
    if code != SQLITE_OK && result == SQLITE_OK { result = code }
  }

  mutating func add(_ text: String) {
    index += 1
    var text = text
    note(
      text.withUTF8 { bytes in
        if bytes.isEmpty { return sqlite3_bind_text(statement, index, "", 0, Self.copyNow) }
        let count = UInt64(bytes.count)
        if let copy = arena.copy(UnsafeRawBufferPointer(bytes)) {
          return sqlite3_bind_text64(statement, index, copy, count, nil, UInt8(SQLITE_UTF8))
        }
        return bytes.withMemoryRebound(to: CChar.self) { characters in
          sqlite3_bind_text64(
            statement, index, characters.baseAddress, count, Self.copyNow, UInt8(SQLITE_UTF8))
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
        if let copy = arena.copy(bytes) { return sqlite3_bind_blob(statement, index, copy, 16, nil) }
        return sqlite3_bind_blob(statement, index, bytes.baseAddress, 16, Self.copyNow)
      })
  }

  mutating func add(_ id: OrderIdentifier?) {
    if let id { add(id) } else { addNull() }
  }

  mutating func add(_ blob: [UInt8]) {
    index += 1
    note(
      blob.withUnsafeBytes { bytes in
        if let copy = arena.copy(bytes) {
          return sqlite3_bind_blob(statement, index, copy, Int32(bytes.count), nil)
        }
        return sqlite3_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count), Self.copyNow)
      })
  }

  mutating func add(_ blob: [UInt8]?) {
    if let blob { add(blob) } else { addNull() }
  }

  mutating func add(_ appEnvironment: AppEnvironment) {
    add(appEnvironment.app)
    add(appEnvironment.environment.rawValue)
  }

  mutating func addNull() {
    index += 1
    note(sqlite3_bind_null(statement, index))
  }

  /// SQLite's constant for "copy it now": the pointer value −1 in place of a destructor. Nil means that the memory does
  /// not move.
  private static let copyNow = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
