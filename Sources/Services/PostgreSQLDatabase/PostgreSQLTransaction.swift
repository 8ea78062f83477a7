import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// One run of a closure on a connection: the queries and writes of the engine, with one or two statements each.
///
/// The files under `Rows` contain them, one file per kind of row. Writes are queued: their errors come with the next
/// read, or with `finish`. After the first failure nothing more is read or written.
final class PostgreSQLTransaction: DatabaseTransaction {
  let now: Timestamp
  let connection: Connection
  /// The first error of the database. If it is set, the run must not be committed.
  private(set) var failure: (any Error)?
  /// Whether anything was written that needs a rollback.
  private(set) var hasWritten = false
  /// What this run knows of rows that it need not read again.
  private(set) var known: Known

  /// Rows that were read or written, in their database state.
  struct Known: Sendable {
    /// The numbers of payment keys; nil for a key that is not in the database.
    fileprivate var keys: [(key: PaymentKey, identifier: Int64?)] = []
    /// What an order promised never changes, so each order is read once. The unchangeable values of an update are
    /// compared with these.
    fileprivate var orders: [Order] = []
    /// The last order at WeChat Pay that was read or written.
    fileprivate var weChatPayOrder: WeChatPayOrder?
    /// The headers of signed texts that this run found or wrote.
    fileprivate(set) var headers = KnownHeaders.Found()
  }

  private let refusesWrites: Bool
  /// The process that takes work here; nil if none can.
  let node: Int64?
  /// The keys that are locked for this transaction, of the work that it took.
  private(set) var heldKeys: Set<LockNumber> = []

  /// The failure of a run that may only read.
  struct WriteRefused: Error {}

  /// - Parameters:
  ///   - known: rows that a snapshot told, if they have not changed since.
  ///   - refusesWrites: whether a write fails with `WriteRefused`, before the server sees it.
  ///   - node: whose leases it makes.
  init(
    _ connection: Connection, now: Timestamp, known: Known = Known(), refusesWrites: Bool = false, node: Int64? = nil
  ) {
    self.connection = connection
    self.refusesWrites = refusesWrites
    self.node = node
    self.now = now
    self.known = known
  }

  /// Ends the transaction: every further use of it fails, also in a closure that kept it.
  func end() {
    failure = failure ?? CodedError<DatabaseErrorCode>(.unavailable, "The transaction has ended.")
  }

  // MARK: Statements

  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws {
    try beginWriting()
    try attempt { try connection.queue(sql, bind) }
  }

  /// The first row of a query, or nil.
  func first<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Row
  ) throws -> Row? {
    try attempt { try connection.first(sql, bind, read) }
  }

  func all<Row>(
    _ sql: SQL, _ bind: (inout Parameters) -> Void, _ read: (inout Columns) throws -> Row
  ) throws -> [Row] {
    try attempt { try connection.all(sql, bind, read) }
  }

  private func attempt<Value>(_ body: () throws -> Value) throws -> Value {
    if let failure { throw failure }
    do { return try body() } catch let error as PostgreSQLFailure {
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

  /// Fails the transaction if the last write, an update, finds no row. It shows when the write runs.
  func requireOneRowChanged(_ details: String) throws {
    connection.requireOneRow(orThrow: CodedError<DatabaseErrorCode>(.inconsistent, details))
  }

  /// Runs a write at once; returns the number of rows that it changed.
  func change(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int {
    try beginWriting()
    return try attempt { try connection.change(sql, bind) }
  }

  /// Runs an insertion at once; returns the number of the new row, or nil if another row stood in its way.
  func insertedRow(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws -> Int64? {
    try beginWriting()
    return try first(sql, bind) { $0.integer() }
  }

  private func beginWriting() throws {
    try refuseIfReading()
    hasWritten = true
  }

  /// Fails in a run that may only read.
  func refuseIfReading() throws {
    if let failure { throw failure }
    if refusesWrites { throw fail(WriteRefused()) }
  }

  /// Locks those of the keys that no other transaction holds.
  func hold(_ keys: Set<LockNumber>) throws {
    heldKeys.formUnion(try attempt { try LockTable(connection: connection).lockFree(keys) })
  }

  /// Waits until all writes have run.
  func finish() throws { try attempt { try connection.finish() } }

  // MARK: Payment keys

  /// The number of a payment key; nil if it is not in the database.
  func identifier(of key: PaymentKey) throws -> Int64? {
    if let found = known.keys.first(where: { $0.key == key }) { return found.identifier }
    let identifier = try first(Self.keyIdentifier, { $0.add(key) }, { $0.integer() })
    remember(key, identifier)
    return identifier
  }

  /// The number of a payment key; assigns one if it has none.
  func identifierForWriting(of key: PaymentKey) throws -> Int64 {
    if let identifier = try identifier(of: key) { return identifier }
    guard let identifier = try insertedRow(Self.insertKey, { $0.add(key) }) else {
      throw fail(DatabaseConflict(on: "payment_keys"))
    }
    remember(key, identifier)
    return identifier
  }

  private func remember(_ key: PaymentKey, _ identifier: Int64?) {
    known.keys.removeAll { $0.key == key }
    if known.keys.count == Self.rememberedMax { known.keys.removeFirst() }
    known.keys.append((key, identifier))
  }

  /// The number of remembered keys and orders of a run: the engine reuses a few, a sweep uses many once.
  private static let rememberedMax = 8

  func identifierForWriting(ofOptional key: PaymentKey?) throws -> Int64? {
    guard let key else { return nil }
    return try identifierForWriting(of: key)
  }

  // MARK: Orders of this run

  /// An order that was read or written in this run, in its database state; nil if it must be read.
  func knownOrder(_ key: OrderKey) throws -> Order? {
    if let failure { throw failure }
    for order in known.orders where order.key == key { return order }
    return nil
  }

  /// The same for an order at WeChat Pay.
  func knownWeChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder? {
    if let failure { throw failure }
    return known.weChatPayOrder?.order == key ? known.weChatPayOrder : nil
  }

  /// Remembers the row of a header; the connection takes it over once it is committed.
  func note(header: String, row: Int64) { known.headers.append((header, row)) }

  /// Remembers the current database state of an order at WeChat Pay.
  func note(_ order: WeChatPayOrder) { known.weChatPayOrder = order }

  /// Whether an order read or written in this run had the same promises; nil if it was neither read nor written.
  func isKnownToPromiseTheSame(as order: Order) -> Bool? {
    for index in known.orders.indices where known.orders[index].key == order.key {
      return known.orders[index].promisesTheSame(as: order)
    }
    return nil
  }

  /// Remembers the current database state of an order.
  func note(_ order: Order) {
    for index in known.orders.indices where known.orders[index].key == order.key {
      known.orders[index] = order
      return
    }
    if known.orders.count == Self.rememberedMax { known.orders.removeFirst() }
    known.orders.append(order)
  }

  static let keyIdentifier = SQL(
    """
    SELECT id FROM payment_keys
    WHERE app = ? AND store = ? AND environment = ? AND transaction_id = ?
    """)
  static let insertKey = SQL(
    """
    INSERT INTO payment_keys (app, store, environment, transaction_id) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING id
    """)
}

extension Parameters {
  mutating func add(_ key: PaymentKey) {
    add(key.app)
    add(key.store.rawValue)
    add(key.environment.rawValue)
    add(key.transaction)
  }

  mutating func add(_ key: OrderKey) {
    add(key.appEnvironment)
    add(key.id)
  }
}
