import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import Synchronization

/// One process's connections to the modelled PostgreSQL. It does what `PostgreSQLDatabase` does: a commit without an
/// answer is found out on another session, and a session answers only what the standby has.
final class ModelledNode: PaymentDatabase {
  struct State {
    var session: ModelledSession?
    var offset = TimeSpan.zero
    var isListening = false
  }

  /// How long a session answers without a new proof that its server leads, as in `PostgreSQLDatabase`.
  static let confirmedFor = TimeSpan.seconds(10)

  let node: Int64
  let cluster: ModelledPostgreSQL
  /// The number of its server in the world, which stays when the process is replaced.
  let place: Int
  private let process: SimulatedProcess
  /// Those of the process, with its own clock.
  let dependencies: Dependencies
  private let faults: DatabaseFaults
  private let pause: @Sendable (DatabasePausePoint) async -> Void
  private let leasedWork: @Sendable () -> Void
  let state = Mutex(State())

  private init(
    _ cluster: ModelledPostgreSQL, node: Int64, session: ModelledSession, offset: TimeSpan, as member: Member
  ) {
    self.cluster = cluster
    self.node = node
    place = member.place
    process = member.process
    dependencies = member.dependencies
    faults = member.faults
    pause = member.pause
    leasedWork = member.leasedWork
    state.withLock { ($0.session, $0.offset) = (session, offset) }
  }

  /// The process that joins, and what it may meet.
  struct Member: Sendable {
    let place: Int
    let process: SimulatedProcess
    let dependencies: Dependencies
    let faults: DatabaseFaults
    let pause: @Sendable (DatabasePausePoint) async -> Void
    /// Called before each transaction of a work that this node does alone.
    let leasedWork: @Sendable () -> Void
  }

  /// Joins as soon as a server can be reached.
  static func join(_ cluster: ModelledPostgreSQL, as member: Member) async throws -> ModelledNode {
    while true {
      if let session = await open(on: cluster, for: (member.place, member.process)) {
        let now = cluster.world.now
        let joined = await cluster.call(session, from: (member.place, member.process), mayWait: true) { server in
          let number = server.changeNodes { $0.join(at: now) }
          await cluster.confirm(server, session.process.dependencies())
          return number
        }
        if let joined {
          cluster.openMailbox(of: joined)
          let offset = cluster.world.now - member.dependencies.now()
          return ModelledNode(cluster, node: joined, session: session, offset: offset, as: member)
        }
      }
      try await member.dependencies.sleep(.seconds(1))
    }
  }

  // MARK: Sessions

  /// Opens a session on the first server that leads and proves it.
  private static func open(
    on cluster: ModelledPostgreSQL, for node: (number: Int, process: SimulatedProcess)
  ) async -> ModelledSession? {
    for server in cluster.hosts {
      guard let process = server.process, cluster.canReach(node.number, server) else { continue }
      let session = ModelledSession(server: server, process: process, confirmedAt: cluster.world.now)
      if await confirm(session, on: cluster, for: node) { return session }
    }
    return nil
  }

  private static func confirm(
    _ session: ModelledSession, on cluster: ModelledPostgreSQL, for node: (number: Int, process: SimulatedProcess)
  ) async -> Bool {
    let isConfirmed = await cluster.call(session, from: node, mayWait: true) { server in
      await cluster.confirm(server, session.process.dependencies())
      return true
    }
    return isConfirmed == true
  }

  var me: (number: Int, process: SimulatedProcess) { (place, process) }

  /// A session whose server was the primary within `confirmedFor`.
  func session() async -> ModelledSession? {
    if var session = state.withLock({ $0.session }), !session.process.isDead {
      let begun = cluster.world.now
      guard begun - session.confirmedAt >= Self.confirmedFor else { return session }
      if await Self.confirm(session, on: cluster, for: me) {
        session.confirmedAt = begun
        keep(session)
        return session
      }
    }
    keep(nil)
    let begun = cluster.world.now
    guard var opened = await Self.open(on: cluster, for: me) else {
      // As long as an attempt to connect takes.
      try? await dependencies.sleep(.seconds(2))
      return nil
    }
    opened.confirmedAt = begun
    keep(opened)
    return opened
  }

  func keep(_ session: ModelledSession?) { state.withLock { $0.session = session } }

  // MARK: Transactions

  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    await pause(.beforeRun)
    let lease = WorkLease.current
    if lease != nil { leasedWork() }
    for _ in 0..<DatabaseLimits.runsPerTransaction {
      let fault = faults.transaction()
      if fault == .conflict {
        await pause(.betweenRuns)
        continue
      }
      if case .refused(let code) = fault { return await end(.refused(CodedError<DatabaseErrorCode>(code))) }
      guard let session = await session() else {
        return await end(.refused(CodedError<DatabaseErrorCode>(.unavailable)))
      }
      switch await attempt(on: session, fault, lease, body) {
      case .ended(let outcome, let hasWritten):
        if hasWritten { await pause(.afterCommit) }
        return await end(outcome)
      case .again: await pause(.betweenRuns)
      }
    }
    return await end(.refused(CodedError<DatabaseErrorCode>(.contended)))
  }

  private func end<Value: Sendable>(_ outcome: CommitOutcome<Value>) async -> CommitOutcome<Value> {
    await pause(.beforeAnswer)
    return outcome
  }

  private enum Attempt<Value: Sendable> {
    case ended(CommitOutcome<Value>, hasWritten: Bool)
    case again
  }

  private func attempt<Value: Sendable>(
    on session: ModelledSession, _ fault: DatabaseFault, _ lease: WorkLease?,
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> Attempt<Value> {
    let (cluster, number, kept, stale) = (cluster, cluster.nextCall(), ModelledValue<Value>(), StaleLease())
    let begun = cluster.world.now
    let loss: ModelledPostgreSQL.Loss =
      switch fault {
      case .outcomeUnknownButCommitted: .answer
      case .outcomeUnknownAndNotCommitted: .request
      case .none, .conflict, .refused: .none
      }
    let reply = await cluster.call(session, from: me, losing: loss, mayWait: true) { server in
      await cluster.commit(number, on: server, session.process.dependencies(), into: kept) { transaction in
        stale.note(try lease.map { try !$0.isHeld(in: transaction) } ?? false)
        return try body(transaction)
      }
    }
    if let reply = reply ?? nil {
      if reply.hasWritten {
        cluster.noteAnswered(number)
        state.withLock { if $0.session?.process === session.process { $0.session?.confirmedAt = begun } }
        reportStale(stale, lease)
      }
      return .ended(reply.outcome, hasWritten: reply.hasWritten)
    }
    keep(nil)
    switch cluster.habits.asksAboutCommits ? await findOut(number) : true {
    case true?:
      cluster.events.mark(.commitFoundOut)
      cluster.noteAnswered(number)
      reportStale(stale, lease)
      guard let value = kept.last else { return .ended(.outcomeUnknown, hasWritten: true) }
      return .ended(.committed(value), hasWritten: true)
    case false?: return .again
    case nil: return .ended(.outcomeUnknown, hasWritten: false)
    }
  }

  /// A work that a node does alone has written although another node had taken it over.
  private func reportStale(_ stale: StaleLease, _ lease: WorkLease?) {
    guard stale.wasStale, let lease else { return }
    cluster.events.reportViolation("node \(node) wrote for \(lease.name) after another had taken it over")
  }

  /// Asks about a commit without an answer, for about half a minute.
  ///
  /// - Returns: whether it took; nil if nobody could say.
  private func findOut(_ number: Int64) async -> Bool? {
    var pause: Int64 = 50
    for _ in 0..<12 {
      if let session = await session() {
        let cluster = cluster
        let found = await cluster.call(session, from: me, mayWait: true) { server in
          await cluster.settle(number, on: server, session.process.dependencies())
        }
        if let found { return found }
        keep(nil)
      }
      guard (try? await dependencies.sleep(.milliseconds(pause))) != nil else { return nil }
      pause = min(pause * 2, 5_000)
    }
    return nil
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    await pause(.beforeRead)
    if let code = faults.read() { throw CodedError<DatabaseErrorCode>(code) }
    // A session that the server has ended meanwhile is replaced, once.
    for _ in 0..<2 {
      guard let session = await session() else { break }
      let world = cluster.world
      let result = await cluster.call(session, from: me, mayWait: false) { server -> Result<Value, any Error> in
        let rows = InMemoryDatabase(server.visible.rows, now: { world.now })
        do { return .success(try await rows.read(body)) } catch { return .failure(error) }
      }
      if let result {
        await pause(.beforeAnswer)
        return try result.get()
      }
      keep(nil)
    }
    throw CodedError<DatabaseErrorCode>(.unavailable)
  }
}

/// Whether the last run of a closure began after its lease had gone to another node.
private final class StaleLease: Sendable {
  private let isStale = Mutex(false)
  var wasStale: Bool { isStale.withLock { $0 } }
  func note(_ isStale: Bool) { self.isStale.withLock { $0 = isStale } }
}
