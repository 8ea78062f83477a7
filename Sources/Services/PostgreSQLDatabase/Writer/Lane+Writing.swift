import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// Numbers that the database has given out for payment keys, and that only one lane may use.
struct PaymentNumbers {
  private var numbers: [Int64] = []

  var count: Int { numbers.count }

  mutating func take(_ count: Int) -> [Int64] {
    defer { numbers.removeLast(count) }
    return numbers.suffix(count)
  }

  mutating func add(_ answer: Answer) throws {
    numbers += try (0..<answer.rowCount).map { try answer.row($0) { $0.integer() } }
  }
}

// The writes of planned transactions.
extension Lane {
  /// Writes what was planned: in one round trip if nothing that it relies on has changed. Otherwise it is found out
  /// which transactions of the batch that concerns.
  ///
  /// - Returns: the transactions that must run again.
  func apply(_ batch: [PlannedTransaction], _ before: LockVersions) -> [PendingTransaction] {
    guard !batch.isEmpty else { return [] }
    do { return try writeAtOnce(batch, before) } catch {
      // What was queued behind a failure must be answered before the transaction can be ended.
      _ = try? connection?.finishAll()
      connection?.rollback()
      let isForbidden = (error as? PostgreSQLFailure)?.state == "42501"
      return isUsable && !isForbidden ? applyByLocks(batch, before) : fail(batch.map(\.job), error)
    }
  }

  private func writeAtOnce(_ batch: [PlannedTransaction], _ before: LockVersions) throws -> [PendingTransaction] {
    let connection = try ready()
    let new = newKeys(of: batch)
    if numbers.count < new.count {
      try numbers.add(connection.answer(LockSQL.takeNumbers) { $0.add(Self.numbersTaken) })
    }
    let taken = numbers.take(new.count)
    try connection.queue(.begin)
    let locks = LockTable(connection: connection)
    try locks.queueLocks(of: BatchKeys(of: batch, before))
    if !new.isEmpty { try locks.queuePaymentKeys(new, numbers: taken) }
    let writes = JoinedWrites(connection)
    let made = Dictionary(zip(new, taken)) { first, _ in first }
    let headers = try add(batch, to: writes, made)
    try writes.queue()
    return try commit(batch.map(\.job), headers, on: connection)
  }

  /// How many numbers are taken at a time; those of a lane that ends are never used.
  private static let numbersTaken: Int64 = 1000

  private func applyByLocks(_ batch: [PlannedTransaction], _ before: LockVersions) -> [PendingTransaction] {
    var outdated: [PendingTransaction] = []
    do {
      return try write(batch, before, joined: true, outdated: &outdated)
    } catch {
      _ = try? connection?.finishAll()
      connection?.rollback()
      let rest = batch.filter { plan in !outdated.contains { $0 === plan.job } }
      let again = outdated.filter { $0.mayRunAgain() }
      // One of them failed, and the error does not say which.
      if rest.count > 1, isUsable { return again + rest.flatMap { applyByLocks([$0], before) } }
      return again + (isUsable ? writeSingly(rest, before, after: error) : fail(rest.map(\.job), error))
    }
  }

  /// Writes one transaction with a statement for each write: its errors say more than those of joined statements.
  private func writeSingly(
    _ batch: [PlannedTransaction], _ before: LockVersions, after error: any Error
  ) -> [PendingTransaction] {
    let error = (error as? PostgreSQLFailure)?.asDatabaseError ?? error
    let isVague = error is JoinedWrites.NotJoinable || (error as? CodedError<DatabaseErrorCode>)?.code == .inconsistent
    guard isVague else { return fail(batch.map(\.job), error) }
    var outdated: [PendingTransaction] = []
    do { return try write(batch, before, joined: false, outdated: &outdated) } catch {
      connection?.rollback()
      return fail(batch.map(\.job), error)
    }
  }

  /// Locks first, and writes what still holds.
  ///
  /// - Parameters:
  ///   - joined: whether the writes of a kind are made by one statement.
  ///   - outdated: those that read what has changed since.
  private func write(
    _ batch: [PlannedTransaction], _ before: LockVersions, joined: Bool, outdated: inout [PendingTransaction]
  ) throws -> [PendingTransaction] {
    let connection = try ready()
    try connection.queue(.begin)
    let written = batch.reduce(into: Set<LockNumber>()) { $0.formUnion($1.written) }
    let keys = batch.reduce(into: written) { $0.formUnion($1.reads) }
    let new = joined ? allNewKeys(of: batch, connection.knownHeaders) : []
    let (versions, made) = try LockTable(connection: connection).lock(keys, writing: written, making: new)
    var applied: [PlannedTransaction] = []
    for plan in batch {
      if before.isUnchanged(plan.reads, in: versions) { applied.append(plan) } else { outdated.append(plan.job) }
    }
    guard !applied.isEmpty else {
      connection.rollback()
      return outdated.filter { $0.mayRunAgain() }
    }
    let writes = joined ? JoinedWrites(connection) : nil
    let headers = try add(applied, to: writes ?? connection, Dictionary(made) { first, _ in first })
    try writes?.queue()
    let unanswered = try commit(applied.map(\.job), headers, on: connection)
    return outdated.filter { $0.mayRunAgain() } + unanswered
  }

  /// Hands on the writes of transactions.
  ///
  /// - Parameter made: the numbers of payment keys that the snapshot did not have.
  /// - Returns: the headers of signed texts that they wrote.
  private func add(
    _ batch: [PlannedTransaction], to writes: any SQLConnection, _ made: [PaymentKey: Int64]
  ) throws -> KnownHeaders.Found {
    var headers = KnownHeaders.Found()
    for plan in batch {
      var known = plan.known
      for key in known.lackingKeys {
        if let number = made[key] { known.note(key, number) }
      }
      let run = writes.newRun(now: plan.now, known: known)
      defer { run.end() }
      for write in plan.writes { try write.apply(to: run) }
      headers += run.known.headers
      guard let joined = writes as? JoinedWrites else { continue }
      try joined.endTransaction()
      for (header, row) in run.known.headers { joined.knownHeaders.note(header, row: row) }
    }
    return headers
  }

  /// The payment keys without a number that the closures looked up, and whose rows they change. They are all that a
  /// batch is about to write, but for rare kinds.
  private func newKeys(of batch: [PlannedTransaction]) -> [PaymentKey] {
    var keys: Set<PaymentKey> = []
    for plan in batch {
      for key in plan.known.lackingKeys
      where plan.written.contains(LockNumber(.payment(key))) || plan.written.contains(LockNumber(.original(key))) {
        keys.insert(key)
      }
    }
    return Array(keys)
  }

  /// All payment keys that a batch is about to write, and that have no number yet.
  private func allNewKeys(of batch: [PlannedTransaction], _ headers: KnownHeaders) -> [PaymentKey] {
    var keys: Set<PaymentKey> = []
    for plan in batch {
      let run = KeyFinder(knownHeaders: headers).newRun(now: plan.now, known: plan.known)
      // It ends where the writes want to know more; that is found out later.
      do { for write in plan.writes { try write.apply(to: run) } } catch {}
      keys.formUnion(run.known.newKeys)
    }
    return Array(keys)
  }
}
