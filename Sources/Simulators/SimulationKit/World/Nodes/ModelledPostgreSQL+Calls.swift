import PaymentDatabase
import PaymentPrimitives
import Synchronization

/// A session of a node on a server. It ends with the server's process.
struct ModelledSession: Sendable {
  let server: ModelledServer
  let process: SimulatedProcess
  /// When the standby was last known to have all that the session sees.
  var confirmedAt: Timestamp
}

/// The value of a closure's last run: the node that ran it knows it, although the answer to COMMIT was lost.
final class ModelledValue<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  var last: Value? { value.withLock { $0 } }
  func set(_ value: Value) { self.value.withLock { $0 = value } }
}

extension ModelledPostgreSQL {
  /// What a call does to a message that it must lose.
  enum Loss: Hashable, Sendable { case none, request, answer }

  /// Runs work of a node on a server.
  ///
  /// - Parameter mayWait: whether the work waits for others, so that the node needs a deadline.
  /// - Returns: nil if no answer came: the line was cut, the server was killed, or the deadline has passed.
  func call<Reply: Sendable>(
    _ session: ModelledSession, from node: (number: Int, process: SimulatedProcess), losing loss: Loss = .none,
    mayWait: Bool, _ work: @escaping @Sendable (ModelledServer) async -> Reply
  ) async -> Reply? {
    let (server, dependencies) = (session.server, session.process.dependencies())
    guard !session.process.isDead, canReach(node.number, server) else {
      if !session.process.isDead { try? await node.process.dependencies().sleep(Self.deadline) }
      return nil
    }
    let letter = NetworkMessage<Reply?>()
    let number = nextCall()
    server.noteCall(number) { letter.answer(nil) }
    if mayWait || loss != .none {
      node.process.spawn {
        try? await node.process.dependencies().sleep(Self.deadline)
        letter.answer(nil)
      }
    }
    session.process.spawn { [self] in
      // A lost COMMIT may still arrive after the node has given up.
      if loss == .request { try? await dependencies.sleep(.milliseconds(Self.deadline.milliseconds + 1_500)) }
      let reply = await work(server)
      server.forgetCall(number)
      if loss == .answer || loss == .request { return }
      guard canReach(node.number, server) else {
        try? await dependencies.sleep(Self.deadline)
        return letter.answer(nil)
      }
      letter.answer(reply)
    }
    return await letter.wait() ?? nil
  }

  /// Waits until the standby has all that sessions of this server see.
  func confirm(_ server: ModelledServer, _ dependencies: Dependencies) async {
    await server.takeTurn()
    await replicate(server, dependencies)
    server.show()
    server.releaseTurn()
  }

  /// Whether a commit took. It waits for a commit that may be under way, and one that arrives later is refused.
  func settle(_ number: Int64, on server: ModelledServer, _ dependencies: Dependencies) async -> Bool {
    await server.takeTurn()
    let isCommitted = server.disk.commits.contains(number)
    server.write { $0.add(number, to: \.settled) }
    await replicate(server, dependencies)
    server.show()
    server.releaseTurn()
    return isCommitted
  }

  /// Runs a closure, and commits what it wrote.
  ///
  /// - Returns: its outcome, and whether it wrote; nil if a node has asked about it before it came.
  func commit<Value: Sendable>(
    _ number: Int64, on server: ModelledServer, _ dependencies: Dependencies, into kept: ModelledValue<Value>,
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> (outcome: CommitOutcome<Value>, hasWritten: Bool)? {
    // As the lanes do: first over what sessions see, and a closure that writes nothing needs no turn.
    let first = await run(body, over: server.visible.rows.copy())
    guard first.hasWritten else { return first }
    await server.takeTurn()
    guard !server.disk.settled.contains(number) else {
      server.releaseTurn()
      return nil
    }
    let rows = server.disk.rows.copy()
    let second = await run(body, over: rows)
    guard second.hasWritten, case .committed(let value) = second.outcome else {
      server.releaseTurn()
      return second
    }
    kept.set(value)
    server.write { content in
      content.rows = rows
      content.add(number, to: \.commits)
    }
    await replicate(server, dependencies)
    server.show()
    server.releaseTurn()
    return second
  }

  private func run<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value, over rows: InMemoryStorage
  ) async -> (outcome: CommitOutcome<Value>, hasWritten: Bool) {
    let world = world
    let outcome = await InMemoryDatabase(rows, now: { world.now }).transact { transaction in
      let recording = RecordingTransaction(over: transaction)
      return (try body(recording), recording.hasWritten)
    }
    switch outcome {
    case .committed(let (value, hasWritten)): return (.committed(value), hasWritten)
    case .refused(let error): return (.refused(error), false)
    case .outcomeUnknown: return (.outcomeUnknown, false)
    }
  }
}
