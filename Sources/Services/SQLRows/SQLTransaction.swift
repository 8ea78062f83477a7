import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// One run of a closure on a connection: the queries and writes of the engine, with one or two statements each.
///
/// The files under `Rows` contain them, one file per kind of row.
final class SQLTransaction: SQLRun {
  let now: Timestamp
  let connection: any SQLConnection
  private(set) var failure: (any Error)?
  private(set) var hasWritten = false
  private(set) var known: KnownRows
  private let refusesWrites: Bool
  let workLocks: (any WorkLocks)?

  init(
    _ connection: any SQLConnection, now: Timestamp, known: KnownRows, refusesWrites: Bool, workLocks: (any WorkLocks)?
  ) {
    self.connection = connection
    self.now = now
    self.known = known
    self.refusesWrites = refusesWrites
    self.workLocks = workLocks
  }

  func end() {
    failure = failure ?? CodedError<DatabaseErrorCode>(.unavailable, "The transaction has ended.")
  }

  func prepare(_ writes: [DatabaseWrite]) -> Bool {
    for case .payment(.insertEvidence(let evidence)) in writes {
      do { try prepare(evidence) } catch { return false }
    }
    return true
  }

  // MARK: Statements

  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws {
    try attemptToWrite { try connection.write(sql, bind) }
  }

  /// Runs a write at once; returns the number of rows that it changed.
  func change(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int {
    try attemptToWrite { try connection.change(sql, bind) }
  }

  /// Runs an insertion at once; returns the number of the new row, or nil if another row stood in its way.
  func insertedRow(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int64? {
    try attemptToWrite { try connection.insertedRow(sql, bind) }
  }

  /// The first row of a query, or nil.
  func first<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Row
  ) throws -> Row? {
    var row: Row?
    try attempt {
      try connection.rows(sql, bind) { columns in
        row = try read(&columns)
        return false
      }
    }
    return row
  }

  func all<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Row
  ) throws -> [Row] {
    var rows: [Row] = []
    try attempt {
      try connection.rows(sql, bind) { columns in
        rows.append(try read(&columns))
        return true
      }
    }
    return rows
  }

  private func attemptToWrite<Value>(_ body: () throws -> Value) throws -> Value {
    if let failure { throw failure }
    if refusesWrites { throw fail(WriteRefused()) }
    let value = try attempt(body)
    hasWritten = true
    return value
  }

  func attempt<Value>(_ body: () throws -> Value) throws -> Value {
    if let failure { throw failure }
    do { return try body() } catch let error as any SQLFailure {
      throw fail(error.asDatabaseError)
    } catch {
      throw fail(error)
    }
  }

  /// Records a failure, so that the run cannot be committed; returns the error to throw.
  func fail(_ error: any Error) -> any Error {
    failure = failure ?? error
    return error
  }

  /// Fails the transaction: a row it relies on is missing or different.
  func inconsistent(_ details: String) -> any Error {
    fail(CodedError<DatabaseErrorCode>(.inconsistent, details))
  }

  /// Fails the transaction if the last write, an update, found no row: at once, or when the write runs.
  func requireOneRowChanged(_ details: String) throws {
    do { try connection.requireOneRowChanged(details) } catch { throw fail(error) }
  }

  // MARK: Payment keys

  /// The number of a payment key; nil if it is not in the database.
  func identifier(of key: PaymentKey) throws -> Int64? {
    if let found = known.identifier(of: key) { return found }
    let identifier = try first(Self.keyIdentifier, { $0.add(key) }, { $0.integer() })
    known.note(key, identifier)
    return identifier
  }

  /// The number of a payment key; assigns one if it has none.
  func identifierForWriting(of key: PaymentKey) throws -> Int64 {
    if let identifier = try identifier(of: key) { return identifier }
    guard let identifier = try insertedRow(Self.insertKey, { $0.add(key) }) else {
      throw fail(DatabaseConflict(on: "payment_keys"))
    }
    known.note(key, identifier)
    return identifier
  }

  func identifierForWriting(ofOptional key: PaymentKey?) throws -> Int64? {
    guard let key else { return nil }
    return try identifierForWriting(of: key)
  }

  // MARK: Orders of this run

  /// An order that was read or written in this run, in its database state; nil if it must be read.
  func knownOrder(_ key: OrderKey) throws -> Order? {
    if let failure { throw failure }
    return known.order(key)
  }

  /// The same for an order at WeChat Pay.
  func knownWeChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder? {
    if let failure { throw failure }
    return known.weChatPayOrder?.order == key ? known.weChatPayOrder : nil
  }

  /// Remembers how a text that will be written is split.
  func note(_ split: SplitEvidence) { known.note(split) }

  /// Remembers the row of a header.
  func note(header: String, row: Int64) { known.note(header: header, row: row) }

  /// Remembers the current database state of an order.
  func note(_ order: Order) { known.note(order) }

  /// Remembers the current database state of an order at WeChat Pay.
  func note(_ order: WeChatPayOrder) { known.note(order) }

  /// Whether an order read or written in this run had the same promises; nil if it was neither read nor written.
  func isKnownToPromiseTheSame(as order: Order) -> Bool? { known.promisesTheSame(as: order) }

  static let keyIdentifier = SQL(
    """
    SELECT id FROM payment_keys
    WHERE app = ? AND store = ? AND environment = ? AND transaction_id = ?
    """)
  static let insertKey = SQL(
    """
    INSERT INTO payment_keys (app, store, environment, transaction_id) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING \(.returningNumber)
    """)
}
