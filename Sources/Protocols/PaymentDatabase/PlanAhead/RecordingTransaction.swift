import PaymentModel
package import PaymentPrimitives

/// A transaction that records what a closure reads and writes, by `LockKey`.
///
/// Over a snapshot it makes a plan: writes are only recorded, and the closure sees the orders, payments, grants and
/// subscriptions that it wrote itself. Over a transaction it passes everything on and records the written keys.
package final class RecordingTransaction: DatabaseTransaction {
  package let now: Timestamp
  let base: any DatabaseReader
  /// The transaction that takes the writes; nil over a snapshot.
  private let target: (any DatabaseTransaction)?
  /// The first error. If it is set, there is no plan.
  package private(set) var failure: (any Error)?
  /// What the closure read, apart from what it had written itself.
  package private(set) var readKeys = LockKeys()
  package private(set) var writtenKeys = LockKeys()
  private var writes: [DatabaseWrite] = []
  /// Whether it changed rows that it cannot name.
  package private(set) var hasWrittenEverything = false
  /// Whether it takes due work.
  package private(set) var takesWork = false
  /// Whether it read a list that no key covers, apart from the work that it took.
  package private(set) var hasReadWithoutKey = false
  /// Whether it records what it reads.
  private let recordsReads: Bool

  var ownOrders = OwnRows<OrderKey, Order>()
  var ownWeChatPayOrders = OwnRows<OrderKey, WeChatPayOrder>()
  var ownPayments = OwnRows<PaymentKey, Payment>()
  var ownGrants = OwnRows<PaymentKey, Grant>()
  /// Grants in the state in which this closure last saw them.
  var readGrants = OwnRows<PaymentKey, Grant>()
  var ownSubscriptions = OwnRows<PaymentKey, Subscription>()

  /// Makes a plan over a snapshot.
  package init(planningOver snapshot: any DatabaseReader, now: Timestamp) {
    base = snapshot
    target = nil
    recordsReads = true
    self.now = now
    readKeys = LockKeys(capacity: 16)
    writtenKeys = LockKeys(capacity: 16)
    writes.reserveCapacity(16)
  }

  /// Passes everything on to a transaction.
  ///
  /// - Parameter recordsReads: whether the keys of its reads are recorded, too.
  package init(over transaction: any DatabaseTransaction, recordsReads: Bool = false) {
    base = transaction
    target = transaction
    self.recordsReads = recordsReads
    now = transaction.now
  }

  package var hasWritten: Bool { target?.hasWritten ?? !writes.isEmpty }

  /// The plan of a closure that has run over a snapshot to its end; nil if the closure must run on the writer.
  package var plan: TransactionPlan? {
    guard target == nil, failure == nil else { return nil }
    return TransactionPlan(
      now: now, writes: writes, reads: readKeys.hashes, written: writtenKeys.hashes)
  }

  /// Ends the transaction: every further use of it fails, also in a closure that kept it.
  package func end() {
    failure = failure ?? CodedError<DatabaseErrorCode>(.unavailable, "The transaction has ended.")
  }

  // MARK: recording

  /// Reads what a key covers.
  func read<Value>(_ key: LockKey, by body: (any DatabaseReader) throws -> Value) throws -> Value {
    try proceed()
    if target == nil {
      if writtenKeys.contains(key) { throw fail(PlanImpossible.readOfOwnWrite(key)) }
    }
    if recordsReads { readKeys.insert(key) }
    return try attempt { try body(base) }
  }

  /// Reads one row by its key, unless this closure has written it.
  ///
  /// - Parameter own: the row as this closure wrote it.
  func row<Row>(_ key: LockKey, own: Row?, by body: (any DatabaseReader) throws -> Row?) throws -> Row? {
    try proceed()
    if target == nil, let own { return own }
    if recordsReads { readKeys.insert(key) }
    return try attempt { try body(base) }
  }

  /// Reads a list that no key covers: a plan with it could not be checked.
  func readWithoutKey<Value>(_ body: (any DatabaseReader) throws -> Value) throws -> Value {
    try proceed()
    guard target != nil else { throw fail(PlanImpossible.readWithoutKey) }
    hasReadWithoutKey = true
    return try attempt { try body(base) }
  }

  /// Takes due work, which only a transaction can.
  func take<Row>(_ body: (any DatabaseTransaction) throws -> [Row]) throws -> [Row] {
    try proceed()
    takesWork = true
    guard let target else { throw fail(PlanImpossible.readWithoutKey) }
    return try attempt { try body(target) }
  }

  /// Adds what the rows of a list depend on.
  func note(_ keys: some Sequence<LockKey>) {
    guard recordsReads else { return }
    for key in keys { readKeys.insert(key) }
  }

  func write(_ write: DatabaseWrite) throws {
    try proceed()
    write.addKeys(to: &writtenKeys)
    guard let target else { return writes.append(write) }
    try attempt { try write.apply(to: target) }
  }

  /// A write that returns a result and changes rows without a known key.
  func writeEverything<Value>(_ body: (any DatabaseTransaction) throws -> Value) throws -> Value {
    try proceed()
    guard let target else { throw fail(PlanImpossible.resultOfWrite) }
    hasWrittenEverything = true
    return try attempt { try body(target) }
  }

  private func proceed() throws {
    if let failure { throw failure }
  }

  private func attempt<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw fail(error) }
  }

  private func fail(_ error: any Error) -> any Error {
    failure = failure ?? error
    return error
  }
}
