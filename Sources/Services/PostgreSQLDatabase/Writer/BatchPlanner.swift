import PaymentDatabase
import PaymentPrimitives

/// What one closure wants to write, and what that relies on.
struct PlannedTransaction {
  let job: PendingTransaction
  let now: Timestamp
  let writes: [DatabaseWrite]
  let reads: Set<LockNumber>
  let written: Set<LockNumber>
  /// What the snapshot told about rows that never change.
  let known: PostgreSQLTransaction.Known
}

/// The closures of a batch, after they have run over one snapshot.
struct BatchPlan {
  var planned: [PlannedTransaction] = []
  /// Those that no plan can describe: they run alone.
  var alone: [PendingTransaction] = []
  /// Those that take due work.
  var taking: [PendingTransaction] = []
  /// What the keys of all plans were like in the snapshot.
  var versions = LockVersions()

  /// Takes the plans that may be applied together.
  ///
  /// A plan that read what an earlier one of the batch writes stays behind: its closure runs again.
  func together() -> (batch: [PlannedTransaction], later: [PendingTransaction]) {
    var batch: [PlannedTransaction] = []
    var later: [PendingTransaction] = []
    var written: Set<LockNumber> = []
    for plan in planned {
      if written.isDisjoint(with: plan.reads) {
        written.formUnion(plan.written)
        batch.append(plan)
      } else {
        later.append(plan.job)
      }
    }
    return (batch, later)
  }
}

/// Runs the closures of a batch over one snapshot of the database, without writing.
struct BatchPlanner {
  let connection: Connection
  let now: Timestamp

  /// A closure that writes nothing is finished with that.
  ///
  /// - Throws: what the database could not read; no closure has an end then.
  func plan(_ jobs: [PendingTransaction]) throws -> BatchPlan {
    var plan = BatchPlan()
    var ends: [(job: PendingTransaction, end: TransactionEnd)] = []
    for job in jobs {
      switch try run(job) {
      case .ended(let end): ends.append((job, end))
      case .planned(let planned): plan.planned.append(planned)
      case .alone: plan.alone.append(job)
      case .taking: plan.taking.append(job)
      }
    }
    if !plan.planned.isEmpty {
      let keys = plan.planned.reduce(into: Set<LockNumber>()) { $0.formUnion($1.reads.union($1.written)) }
      plan.versions = try LockTable(connection: connection).versions(of: keys)
    }
    for (job, end) in ends { job.finish(end) }
    return plan
  }

  private enum Run {
    case ended(TransactionEnd)
    case planned(PlannedTransaction)
    case alone
    case taking
  }

  private func run(_ job: PendingTransaction) throws -> Run {
    let snapshot = PostgreSQLTransaction(connection, now: now)
    let recording = RecordingTransaction(planningOver: snapshot, now: now)
    defer {
      recording.end()
      snapshot.end()
    }
    let error = job.run(in: recording)
    if let failure = snapshot.failure { throw failure }
    if recording.takesWork { return .taking }
    guard let plan = recording.plan else { return try runReading(job) }
    guard !plan.writes.isEmpty else { return .ended(error.map { .refused($0) } ?? .committed) }
    // An error after a write: the database itself decides which error came first.
    guard error == nil else { return .alone }
    return .planned(
      PlannedTransaction(
        job: job, now: now, writes: plan.writes, reads: Set(recording.readKeys.all.map { LockNumber($0) }),
        written: Set(recording.writtenKeys.all.map { LockNumber($0) }), known: snapshot.known))
  }

  /// Runs a closure that no plan can describe, such as one that reads a list. If it writes nothing, the snapshot is all
  /// that it needs.
  private func runReading(_ job: PendingTransaction) throws -> Run {
    let snapshot = PostgreSQLTransaction(connection, now: now, refusesWrites: true)
    defer { snapshot.end() }
    let error = job.run(in: snapshot)
    guard let failure = snapshot.failure else { return .ended(error.map { .refused($0) } ?? .committed) }
    if failure is PostgreSQLTransaction.WriteRefused { return .alone }
    throw failure
  }
}
