import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// The writes of a batch, as few statements: each stands for the writes of one kind of many transactions.
///
/// The writes of one transaction keep their order, and two changes of one row never stand in one statement.
final class JoinedWrites: SQLConnection {
  /// The failure of writes that need an answer, or that no joined statement can make.
  struct NotJoinable: Error {}

  private struct Group {
    let slot: Int
    let statement: JoinedStatement
    let requiresRows: Bool
    var rows: JoinedRows
    var changed: Set<[UInt8]> = []
  }

  /// The headers in committed rows, and those of the batch.
  var knownHeaders: KnownHeaders
  private let connection: Connection
  private var groups: [Group] = []
  /// The last write of the present transaction, which may still be told that it needs its row, and its values.
  private var last: SQL?
  private var values = BoundValues()
  /// The group of the last write of the present transaction: its next one stands there or behind.
  private var place = 0

  init(_ connection: Connection) {
    self.connection = connection
    knownHeaders = connection.knownHeaders
  }

  /// Ends the writes of a transaction.
  func endTransaction() throws {
    try place(requiresRow: false)
    place = 0
  }

  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws {
    try place(requiresRow: false)
    values.take(bind)
    if let problem = values.problem { throw problem }
    last = sql
  }

  func requireOneRowChanged(_ details: String) throws { try place(requiresRow: true) }

  private func place(requiresRow: Bool) throws {
    guard let sql = last else { return }
    last = nil
    guard let statement = try connection.joined(sql, requiresRows: requiresRow) else { throw NotJoinable() }
    let identity = statement.key.map { values.identity($0) }
    let found = groups.indices.dropFirst(place).first { index in
      groups[index].slot == sql.slot && groups[index].requiresRows == requiresRow
        && groups[index].rows.byteCount + values.bytes.count <= Self.bytesMax
        && identity.map { !groups[index].changed.contains($0) } ?? true
    }
    if found == nil {
      let rows = JoinedRows(columns: statement.types.count)
      groups.append(Group(slot: sql.slot, statement: statement, requiresRows: requiresRow, rows: rows))
    }
    place = found ?? groups.count - 1
    groups[place].rows.append(values)
    if let identity { groups[place].changed.insert(identity) }
  }

  /// The most bytes of values in one statement, if it has several rows. PostgreSQL takes a gigabyte in one message, and
  /// holds it in memory; a receipt has up to 8 MiB.
  private static let bytesMax = 32 << 20

  /// Queues all of it.
  func queue() throws {
    for group in groups {
      let count = group.requiresRows ? group.rows.count : nil
      try connection.queue(group.statement.sql, group.rows.values(group.statement.types, count: count))
    }
  }

  // MARK: What is answered

  /// Runs at once, in a round trip of its own: a new header of signed texts, or a booking.
  func insertedRow(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int64? {
    try connection.insertedRow(sql, bind)
  }

  /// Headers alone are looked up: other rows may be among those that wait here.
  func rows(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Bool
  ) throws {
    guard sql.slot == EvidenceSQL.headerRow.slot else { throw NotJoinable() }
    try connection.rows(sql, bind, read)
  }

  func change(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int { throw NotJoinable() }
}

/// Finds the payment keys that writes are about to need, and that have no number yet.
final class KeyFinder: SQLConnection {
  var knownHeaders: KnownHeaders

  init(knownHeaders: KnownHeaders) { self.knownHeaders = knownHeaders }

  func insertedRow(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int64? {
    KnownRows.numberOfNewKey
  }

  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws {}
  func requireOneRowChanged(_ details: String) throws {}
  func change(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int { 0 }
  func rows(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Bool
  ) throws {}
}
