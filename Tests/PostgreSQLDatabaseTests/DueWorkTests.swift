import PostgreSQLDatabase
import TestDatabases
import TestSubprocess
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `Due work that two nodes take at the same time` {
  private static let count = 120
  /// A look without a find takes a millisecond; a node that is slow for a second still finds the rest.
  private static let looksMax = 2000

  /// Runs a test with two nodes. Their clock stands still, so that no lease ends.
  private func withTwoNodes(
    _ body: (_ nodes: [PostgreSQLDatabase], PostgreSQLServer, PostgreSQLSettings) async throws -> Void
  ) async throws {
    try await withPostgreSQL { first, server, settings in
      let second = try await openPostgreSQL(settings, clock: TestClock())
      do { try await body([first, second], server, settings) } catch {
        await second.close()
        throw error
      }
      await second.close()
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: DueWork.allCases)
  func `is passed over, without a wait, only where another transaction holds its row`(
    work: DueWork
  ) async throws {
    try await withTwoNodes { nodes, server, settings async throws in
      try await work.insert(3, into: nodes[0])
      let name = "holder of \(work.rawValue) in \(settings.schema)"
      let holder = try server.begin("SELECT * FROM \(settings.schema).\(work.table) LIMIT 1 FOR UPDATE", named: name)
      defer { holder.kill() }
      let sessions = "FROM pg_stat_activity WHERE application_name = '\(name)'"
      while try server.run("SELECT count(*) \(sessions) AND wait_event = 'PgSleep'") != "1" {}
      let free = try await work.take(3, on: nodes[0])
      #expect(free.count == 2)
      try server.run("SELECT pg_terminate_backend(pid) \(sessions)")
      // A session lets its locks go before it is listed no more.
      while try server.run("SELECT count(*) \(sessions)") != "0" {}
      let rest = try await work.take(3, on: nodes[1])
      #expect(rest.count == 1)
      #expect(Set(free + rest).count == 3)
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: DueWork.allCases)
  func `is taken by one of them only, and all of it in the end`(work: DueWork) async throws {
    try await withTwoNodes { nodes, _, _ async throws in
      try await work.insert(Self.count, into: nodes[0])
      let (start, found) = (WaitingCount(), Counter())
      let taken = try await withThrowingTaskGroup(of: [String].self) { group in
        for node in nodes {
          group.addTask {
            await start.wait(for: nodes.count)
            var all: [String] = []
            // Nothing: what is left is in the other's hands at this moment.
            for _ in 0..<Self.looksMax where found.count < Self.count {
              let some = try await work.take(5, on: node)
              for _ in some { found.add() }
              all += some
            }
            return all
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(taken.count == Set(taken).count, "a row was taken twice")
      #expect(Set(taken).count == Self.count)
      #expect(try await work.take(Self.count, on: nodes[0]) == [])
    }
  }
}
