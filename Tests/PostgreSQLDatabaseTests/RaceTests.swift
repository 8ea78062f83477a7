import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import Synchronization
import TestDatabases
import Testing

/// Counts from many threads.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  var count: Int { number.load(ordering: .relaxed) }
  func add() { number.add(1, ordering: .relaxed) }
}

private let realm = AppEnvironment(app: AppIdentifier("shop"), environment: .production)
private let coins = UnitName("coins")
private let buyer = UserIdentifier("user")

extension Booking {
  /// A booking of five coins for the one user of these tests.
  static func sample(_ key: String, kind: Kind = .debtWrittenOff, amount: Int64 = 5) -> Booking {
    Booking(
      appEnvironment: realm, key: key, user: buyer, unit: coins, kind: kind, amount: amount, requestDigest: key,
      at: Timestamp(milliseconds: 1_790_000_000_000))
  }
}

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `Two nodes on one PostgreSQL` {
  /// Runs a test with a second process on the same schema, each with two writing connections.
  private func withTwoNodes(
    _ body: ([PostgreSQLDatabase], PostgreSQLServer, PostgreSQLSettings) async throws -> Void
  ) async throws {
    try await withPostgreSQL(writers: 2) { first, server, settings in
      let second = try await openPostgreSQL(settings, clock: TestClock(), writers: 2)
      do { try await body([first, second], server, settings) } catch {
        await second.close()
        throw error
      }
      await second.close()
    }
  }

  @Test func `grant the same insertion once, however many ask at the same time`() async throws {
    try await withTwoNodes { nodes, server, settings async throws in
      let new = Counter()
      let outcomes = await withTaskGroup(of: CommitOutcome<Bool>.self) { group in
        for number in 0..<60 {
          group.addTask {
            await nodes[number % 2].transact { transaction in
              if try transaction.booking("same", in: realm) != nil { return false }
              try transaction.insert(Booking.sample("same"))
              return true
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      for outcome in outcomes {
        guard case .committed(let isNew) = outcome else {
          Issue.record("\(outcome)")
          continue
        }
        if isNew { new.add() }
      }
      #expect(new.count == 1)
      #expect(try server.run("SELECT amount FROM \(settings.schema).balances") == "5")
    }
  }

  @Test func `never let debits that race take more than there is`() async throws {
    try await withTwoNodes { nodes, server, settings async throws in
      try await nodes[0].transact { try $0.insert(Booking.sample("begin", amount: 100)) }.get()
      let taken = Counter()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<80 {
          group.addTask {
            let outcome = await nodes[number % 2].transact { transaction in
              let balance = try transaction.balance(of: buyer, unit: coins, in: realm)?.amount ?? 0
              guard balance >= 3 else { return false }
              try transaction.insert(Booking.sample("debit.\(number)", kind: .debit, amount: 3))
              return true
            }
            switch outcome {
            case .committed(true): taken.add()
            case .committed(false): break
            case .refused, .outcomeUnknown: Issue.record("\(outcome)")
            }
          }
        }
      }
      #expect(taken.count == 33)
      #expect(try server.run("SELECT amount FROM \(settings.schema).balances") == "\(100 - 3 * taken.count)")
      #expect(
        try server.run("SELECT count(*) FROM \(settings.schema).bookings WHERE kind = 'debit'") == "\(taken.count)")
    }
  }

  @Test func `see each other's rows that a list found, when they write by it`() async throws {
    try await withTwoNodes { nodes, server, settings async throws in
      // No key covers the list, so each of these runs while no other writes.
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            let outcome = await nodes[number % 2].transact { transaction in
              let count = try transaction.balances(after: nil, limit: 1000).count
              try transaction.insert(
                Booking(
                  appEnvironment: realm, key: "list.\(number)", user: UserIdentifier("user.\(count)"), unit: coins,
                  kind: .debtWrittenOff, amount: 1, requestDigest: "", at: Timestamp(milliseconds: 0)))
            }
            guard case .committed = outcome else {
              Issue.record("\(outcome)")
              return
            }
          }
        }
      }
      #expect(try server.run("SELECT count(*), max(amount) FROM \(settings.schema).balances") == "20|1")
    }
  }

  @Test func `wait for no other writer to read a list`() async throws {
    try await withTwoNodes { nodes, server, settings async throws in
      try await nodes[0].transact { try $0.insert(Booking.sample("begin")) }.get()
      // Without this table no transaction can have its turn.
      try server.run("DROP TABLE \(settings.schema).writing_turns")
      let count = try await nodes[1].transact { try $0.balances(after: nil, limit: 10).count }.get()
      #expect(count == 1)
      let outcome = await nodes[1].transact { transaction in
        _ = try transaction.balances(after: nil, limit: 10)
        try transaction.insert(Booking.sample("next"))
      }
      guard case .refused = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
  }
}
