import SQLRows
import Synchronization

/// The types of parameters, and the statements that were joined with them: the same for all connections of a database.
final class StatementTypes: Sendable {
  private struct State {
    var types: [Int: [ArrayType]] = [:]
    var joined: [Key: JoinedStatement?] = [:]
  }

  private struct Key: Hashable {
    let slot: Int
    let requiresRows: Bool
  }

  private let state = Mutex(State())

  /// The types of a statement's parameters; empty if one of them has another type than those known here.
  func types(of sql: SQL) -> [ArrayType]? { state.withLock { $0.types[sql.slot] } }

  func note(_ numbers: [UInt32], of sql: SQL) {
    let types = numbers.compactMap { ArrayType(number: $0) }
    state.withLock { $0.types[sql.slot] = types.count == numbers.count ? types : [] }
  }

  /// - Returns: nil if the types are not known; nil within if the statement cannot be joined.
  func joined(_ sql: SQL, requiresRows: Bool) -> JoinedStatement?? {
    state.withLock { state in
      let key = Key(slot: sql.slot, requiresRows: requiresRows)
      if let known = state.joined[key] { return known }
      guard let types = state.types[sql.slot] else { return nil }
      let statement = JoinedStatement(sql.text(in: .postgreSQL), types: types, requiresRows: requiresRows)
      state.joined[key] = .some(statement)
      return .some(statement)
    }
  }
}

/// What the connections of a process have sent.
package struct PostgreSQLWork: Sendable {
  /// How often they waited for an answer.
  package var roundTrips = 0
  package var statements = 0
  /// How many commits wrote something, and how many transactions these were.
  package var commits = 0
  package var transactions = 0
}

/// Counts it.
final class WorkCount: Sendable {
  private let state = Mutex(PostgreSQLWork())

  func addRoundTrip(statements: Int) {
    state.withLock {
      $0.roundTrips += 1
      $0.statements += statements
    }
  }

  func addCommit(of transactions: Int) {
    state.withLock {
      $0.commits += 1
      $0.transactions += transactions
    }
  }

  var sum: PostgreSQLWork { state.withLock { $0 } }
}

/// What was found out about commits without an answer.
final class UnknownCommits: Sendable {
  private let committed = Atomic<Int>(0)
  private let notCommitted = Atomic<Int>(0)
  private let unknown = Atomic<Int>(0)

  func count(_ truth: CommitRow.Truth) {
    switch truth {
    case .committed: committed.add(1, ordering: .relaxed)
    case .notCommitted: notCommitted.add(1, ordering: .relaxed)
    case .unknown: unknown.add(1, ordering: .relaxed)
    }
  }

  var all: [(found: String, count: Int)] {
    [
      ("committed", committed.load(ordering: .relaxed)), ("notCommitted", notCommitted.load(ordering: .relaxed)),
      ("unknown", unknown.load(ordering: .relaxed)),
    ]
  }
}
