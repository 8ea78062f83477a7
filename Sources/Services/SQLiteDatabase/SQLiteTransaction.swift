import CSQLite
import PaymentModel
import PaymentDatabase
import PaymentPrimitives

/// One run of a closure on a connection: the questions and writes of the engine, each one statement or two.
///
/// The files under `Rows` hold them, one for each kind of row. After the first failure nothing more is read or written.
final class SQLiteTransaction: DatabaseTransaction {
  let now: Timestamp
  let connection: Connection
  /// The first thing that the database refused: what was run is not to be committed.
  private(set) var failure: (any Error)?
  /// Whether anything was written that a rollback would have to take back.
  private(set) var hasWritten = false
  /// The numbers of payment keys met in this run; nil for a key that the database has never seen.
  private var keys: [(key: PaymentKey, identifier: Int64?)] = []
  /// Orders read or written in this run, as the database has them: nobody else writes while it runs, so they are read
  /// once, and what an update may not change is compared with these.
  private var orders: [Order] = []
  /// The order at WeChat Pay that was read or written last.
  private var weChatPayOrder: WeChatPayOrder?

  init(_ connection: Connection, now: Timestamp) {
    self.connection = connection
    self.now = now
  }

  /// Ends it: a closure that kept it finds every further use refused.
  func end() {
    failure = failure ?? CodedError<DatabaseErrorCode>(.unavailable, "The transaction has ended.")
  }

  // MARK: statements

  func write(_ sql: SQL, _ bind: (inout Parameters) -> Void) throws {
    try attempt { try connection.run(sql, bind) }
    hasWritten = true
  }

  /// The first row of a question, or nil.
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
    do { return try body() } catch let error as SQLiteFailure {
      throw fail(error.asStoreError)
    } catch {
      throw fail(error)
    }
  }

  /// Notes a failure, so that the run cannot be committed; gives it back to be thrown.
  func fail(_ error: any Error) -> any Error {
    failure = failure ?? error
    return error
  }

  /// Refuses a change whose rows are not what it says.
  func inconsistent(_ details: String) -> any Error {
    fail(CodedError<DatabaseErrorCode>(.inconsistent, details))
  }

  /// Refuses an update that found no row.
  func requireOneRowChanged(_ details: String) throws {
    guard connection.rowsChanged == 1 else { throw inconsistent(details) }
  }

  // MARK: payment keys

  /// The number of a payment key; nil when the database has never seen it.
  func identifier(of key: PaymentKey) throws -> Int64? {
    if let known = keys.first(where: { $0.key == key }) { return known.identifier }
    let identifier = try first(Self.keyIdentifier, { $0.add(key) }, { $0.integer() })
    remember(key, identifier)
    return identifier
  }

  /// The number of a payment key; it is given one if it has none.
  func identifierForWriting(of key: PaymentKey) throws -> Int64 {
    if let identifier = try identifier(of: key) { return identifier }
    try write(Self.insertKey) { $0.add(key) }
    let identifier = connection.lastRowIdentifier
    remember(key, identifier)
    return identifier
  }

  private func remember(_ key: PaymentKey, _ identifier: Int64?) {
    keys.removeAll { $0.key == key }
    if keys.count == Self.rememberedMax { keys.removeFirst() }
    keys.append((key, identifier))
  }

  /// How many keys and orders of a run are remembered: the engine comes back to a few, a sweep passes many once.
  private static let rememberedMax = 8

  /// The number of an optional payment key.
  func identifierForWriting(ofOptional key: PaymentKey?) throws -> Int64? {
    guard let key else { return nil }
    return try identifierForWriting(of: key)
  }

  // MARK: orders of this run

  /// An order that was read or written in this run, as the database has it; nil when it must be read.
  func known(_ key: OrderKey) throws -> Order? {
    if let failure { throw failure }
    for order in orders where order.key == key { return order }
    return nil
  }

  /// The same for an order at WeChat Pay.
  func knownWeChatPayOrder(_ key: OrderKey) throws -> WeChatPayOrder? {
    if let failure { throw failure }
    return weChatPayOrder?.order == key ? weChatPayOrder : nil
  }

  /// Notes an order at WeChat Pay as the database has it now.
  func note(_ order: WeChatPayOrder) { weChatPayOrder = order }

  /// Whether an order was read or written in this run and promised the same then; nil when it was not.
  func isKnownToPromiseTheSame(as order: Order) -> Bool? {
    for index in orders.indices where orders[index].key == order.key {
      return orders[index].promisesTheSame(as: order)
    }
    return nil
  }

  /// Notes an order as the database has it now.
  func note(_ order: Order) {
    for index in orders.indices where orders[index].key == order.key {
      orders[index] = order
      return
    }
    if orders.count == Self.rememberedMax { orders.removeFirst() }
    orders.append(order)
  }

  static let keyIdentifier = SQL(
    """
    SELECT id FROM payment_keys
    WHERE app = ? AND store = ? AND environment = ? AND transaction_id = ?
    """)
  static let insertKey = SQL(
    "INSERT INTO payment_keys (app, store, environment, transaction_id) VALUES (?, ?, ?, ?)")
}

extension Parameters {
  mutating func add(_ key: PaymentKey) {
    add(key.app)
    add(key.store.rawValue)
    add(key.environment.rawValue)
    add(key.transaction)
  }

  mutating func add(_ key: OrderKey) {
    add(key.realm)
    add(key.id)
  }
}
