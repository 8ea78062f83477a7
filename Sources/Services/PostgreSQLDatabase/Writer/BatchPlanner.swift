import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// What one closure wants to write, and what that relies on.
struct PlannedTransaction {
  let job: PendingTransaction
  let now: Timestamp
  let writes: [DatabaseWrite]
  let reads: Set<LockNumber>
  let written: Set<LockNumber>
  /// What the snapshot told about rows that never change.
  let known: KnownRows
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
///
/// What they ask is asked together, with the versions of what it depends on: see `AskingAhead`.
struct BatchPlanner {
  private let connection: Connection
  private let clock: (@Sendable () -> Timestamp)?
  private let snapshot: AskingAhead
  private var now: Timestamp
  private var versions = LockVersions()
  private var askedKeys: Set<LockNumber> = []

  /// More rounds than the longest chain of questions that is known; a closure with more runs alone.
  private static let roundsMax = 24

  /// - Parameters:
  ///   - clock: the time of transactions; nil is the database's own.
  ///   - about: the time of the first round; without `clock` its runs have no effect.
  init(_ connection: Connection, clock: (@Sendable () -> Timestamp)?, about: Timestamp) {
    self.connection = connection
    self.clock = clock
    snapshot = AskingAhead(connection)
    now = about
  }

  /// Runs all closures. One that writes nothing is finished with that. The snapshot ends with the connection's next
  /// statements.
  ///
  /// - Throws: what the database could not read; no closure has an end then.
  mutating func plan(_ jobs: [PendingTransaction]) throws -> (plan: BatchPlan, now: Timestamp) {
    var plan = BatchPlan()
    var ends: [(job: PendingTransaction, end: TransactionEnd)] = []
    var waiting = jobs
    for round in 0..<Self.roundsMax where !waiting.isEmpty {
      // The database's own time comes with the first answers.
      let isAbout = round == 0 && clock == nil
      var later: [PendingTransaction] = []
      var keys: Set<LockNumber> = []
      for job in waiting {
        switch try run(job) {
        case .missed(let read):
          later.append(job)
          keys.formUnion(read)
        case _ where isAbout: later.append(job)
        case .ended(let end): ends.append((job, end))
        case .planned(let planned):
          plan.planned.append(planned)
          keys.formUnion(planned.reads)
        case .alone: plan.alone.append(job)
        case .taking: plan.taking.append(job)
        }
      }
      if round == 0 || !later.isEmpty || !keys.isSubset(of: askedKeys) {
        try ask(versionsOf: keys, begins: round == 0)
      }
      waiting = later
    }
    try connection.queue(.rollback)
    // Nothing follows at once, and an open snapshot would hold up the server.
    if plan.planned.isEmpty { try connection.finish() }
    plan.alone += waiting
    plan.versions = versions
    for (job, end) in ends { job.finish(end) }
    return (plan, now)
  }

  private mutating func ask(versionsOf keys: Set<LockNumber>, begins: Bool) throws {
    let new = keys.subtracting(askedKeys)
    askedKeys.formUnion(new)
    var answers: [Answer] = []
    try snapshot.ask(
      with: {
        if begins {
          try connection.queue(.beginSnapshot)
          if clock == nil { try connection.queue(CommitRowSQL.clock) }
        }
        if begins || !new.isEmpty { try LockTable(connection: connection).queueVersions(of: new) }
      }, finish: { answers = $0 })
    if begins || !new.isEmpty, let last = answers.popLast() { try versions.add(last) }
    guard begins, clock == nil else { return }
    now = try answers.last?.row(0) { $0.timestamp() } ?? now
  }

  private enum Run {
    case ended(TransactionEnd)
    case planned(PlannedTransaction)
    case alone
    /// It asked what is not known yet, and had read what these keys cover.
    case missed(Set<LockNumber>)
    /// It takes due work.
    case taking
  }

  private func run(_ job: PendingTransaction) throws -> Run {
    snapshot.begin()
    let run = snapshot.newRun(now: now)
    let recording = RecordingTransaction(planningOver: run, now: now)
    defer {
      recording.end()
      run.end()
    }
    let error = job.run(in: recording)
    if snapshot.hasMissed { return .missed(numbers(recording.readKeys)) }
    if let failure = run.failure { throw failure }
    if recording.takesWork { return .taking }
    guard let plan = recording.plan else { return try runReading(job) }
    guard !plan.writes.isEmpty else { return .ended(error.map { .refused($0) } ?? .committed) }
    // An error after a write: the database itself decides which error came first.
    guard error == nil else { return .alone }
    return .planned(
      PlannedTransaction(
        job: job, now: now, writes: plan.writes, reads: numbers(recording.readKeys),
        written: numbers(recording.writtenKeys), known: run.known))
  }

  private func numbers(_ keys: LockKeys) -> Set<LockNumber> { Set(keys.all.map { LockNumber($0) }) }

  /// Runs a closure that no plan can describe, such as one that reads a list. If it writes nothing, the snapshot is all
  /// that it needs.
  private func runReading(_ job: PendingTransaction) throws -> Run {
    let run = snapshot.newRun(now: now, refusesWrites: true)
    defer { run.end() }
    let error = job.run(in: run)
    if snapshot.hasMissed { return .missed([]) }
    guard let failure = run.failure else { return .ended(error.map { .refused($0) } ?? .committed) }
    if failure is WriteRefused { return .alone }
    throw failure
  }
}
