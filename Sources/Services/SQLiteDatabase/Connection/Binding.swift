import CSQLite
import SQLRows

/// The values of one statement while it runs. Each text is copied once, without a separate allocation.
///
/// Otherwise SQLite would copy each text into newly allocated memory, which costs more than many inserts. A statement
/// reads its texts only while it runs, and the next statement overwrites them.
struct Binding {
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 8)
  private var used = 0
  private var statement: OpaquePointer?
  /// The first code that was not OK.
  private(set) var result: Int32 = SQLITE_OK

  /// Enough for all texts of a statement except the largest evidence, which SQLite then copies itself.
  private static let capacity = 65_536

  func deallocate() { bytes.deallocate() }

  /// Begins with the values of another statement.
  mutating func begin(_ statement: OpaquePointer) {
    self.statement = statement
    used = 0
    result = SQLITE_OK
  }

  private mutating func note(_ code: Int32) {
    if code != SQLITE_OK && result == SQLITE_OK { result = code }
  }

  /// A copy that does not move until the next `begin`; nil if there is no room.
  private mutating func copy(_ source: UnsafeRawPointer, _ count: Int) -> UnsafeMutableRawPointer? {
    guard count <= Self.capacity - used else { return nil }
    let copy = bytes + used
    copy.copyMemory(from: source, byteCount: count)
    used += count
    return copy
  }

  private mutating func add(_ number: Int64, _ index: Int32) { note(sqlite3_bind_int64(statement, index, number)) }

  private mutating func addNull(_ index: Int32) { note(sqlite3_bind_null(statement, index)) }

  private mutating func add(text: UnsafePointer<UInt8>?, count: Int, at index: Int32) {
    guard let text, count > 0 else { return note(sqlite3_bind_text(statement, index, "", 0, Self.copyNow)) }
    let copy = copy(text, count)
    let characters = copy.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(text)
    note(
      sqlite3_bind_text64(
        statement, index, characters.assumingMemoryBound(to: CChar.self), UInt64(count),
        copy == nil ? Self.copyNow : nil, UInt8(SQLITE_UTF8)))
  }

  private mutating func add(blob: UnsafeRawPointer?, count: Int, at index: Int32) {
    guard let blob, let copy = copy(blob, count) else {
      return note(sqlite3_bind_blob(statement, index, blob, Int32(count), Self.copyNow))
    }
    note(sqlite3_bind_blob(statement, index, copy, Int32(count), nil))
  }

  /// SQLite's constant for "copy it now": the pointer value −1 in place of a destructor. Nil means that the memory does
  /// not move.
  private static let copyNow = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// They take a pointer to a `Binding`.
  static let functions = ParameterFunctions(
    integer: { $0.assumingMemoryBound(to: Binding.self).pointee.add($2, $1) },
    text: { $0.assumingMemoryBound(to: Binding.self).pointee.add(text: $2, count: $3, at: $1) },
    bytes: { $0.assumingMemoryBound(to: Binding.self).pointee.add(blob: $2, count: $3, at: $1) },
    null: { $0.assumingMemoryBound(to: Binding.self).pointee.addNull($1) })
}

extension ColumnFunctions {
  /// SQLite's own.
  static let sqlite = ColumnFunctions(
    type: sqlite3_column_type, nullType: SQLITE_NULL, integer: sqlite3_column_int64, text: sqlite3_column_text,
    bytes: sqlite3_column_blob, count: sqlite3_column_bytes, name: sqlite3_column_name)
}
