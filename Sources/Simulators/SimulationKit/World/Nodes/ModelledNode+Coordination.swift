import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Synchronization

/// What a node knows of the others, and tells them. None of it waits for the standby.
extension ModelledNode: NodeCoordination {
  var coordination: (any NodeCoordination)? { self }
  var clockOffset: TimeSpan { state.withLock { $0.offset } }

  func nodes() async throws -> [NodeRecord] {
    try await changeNodes { table, _ in table.records.values.sorted { $0.number < $1.number } }
  }

  func beat() async throws -> [NodeRecord] {
    let node = node
    let records = try await changeNodes { table, now in try table.beat(node, at: now) }
    let offset = cluster.world.now - dependencies.now()
    state.withLock { $0.offset = offset }
    if records.contains(where: { $0.state == .gone }) { cluster.events.mark(.nodeGone) }
    return records
  }

  func note(_ state: NodeRecord.State) async throws {
    let node = node
    try await changeNodes { table, now in table.note(state, of: node, at: now) }
  }

  func mayAsk(about order: OrderKey, pause: TimeSpan) async throws -> Bool {
    try await changeNodes { table, now in table.mayAsk(about: order, pause: pause, at: now) }
  }

  private func changeNodes<Value: Sendable>(
    _ change: @escaping @Sendable (inout ModelledNodeTable, Timestamp) throws -> Value
  ) async throws -> Value {
    guard let session = await session() else { throw CodedError<DatabaseErrorCode>(.unavailable) }
    let world = cluster.world
    let result = await cluster.call(session, from: me, mayWait: false) { server in
      Result { try server.changeNodes { try change(&$0, world.now) } }
    }
    guard let result else {
      keep(nil)
      throw CodedError<DatabaseErrorCode>(.unavailable)
    }
    return try result.get()
  }

  func tell(_ lines: [String]) async throws {
    guard await session() != nil else { throw CodedError<DatabaseErrorCode>(.unavailable) }
    cluster.post(lines, from: node)
  }

  func hear(within span: TimeSpan) async throws -> [String]? {
    guard let session = await session(), cluster.canReach(place, session.server) else {
      state.withLock { $0.isListening = false }
      throw CodedError<DatabaseErrorCode>(.unavailable)
    }
    let isNew = state.withLock { state in
      defer { state.isListening = true }
      return !state.isListening
    }
    if isNew {
      _ = cluster.takeMail(of: node)
      return nil
    }
    let lines = cluster.takeMail(of: node)
    guard lines.isEmpty else { return lines }
    try await dependencies.sleep(span)
    return cluster.takeMail(of: node)
  }
}
