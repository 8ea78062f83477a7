import PaymentDatabase
import SQLRows

/// The locks of the due work that a transaction takes.
final class WorkLockTable: WorkLocks {
  private let table: LockTable
  private let node: Int64
  /// The keys that are locked for the transaction.
  private(set) var keys: Set<LockNumber> = []

  init(_ table: LockTable, _ node: Int64) {
    self.table = table
    self.node = node
  }

  func hold(_ rows: [[LockKey]]) throws -> [Bool] {
    let wanted = rows.map { Set($0.map { LockNumber($0) }) }
    keys.formUnion(try table.lockFree(wanted.reduce(into: []) { $0.formUnion($1) }))
    return wanted.map { $0.isSubset(of: keys) }
  }

  func noteHolder(of work: LeasedWork, _ numbers: [Int64]) throws {
    guard !numbers.isEmpty else { return }
    try table.connection.queue(WorkLockSQL.noteHolder(of: work)) {
      $0.add(node)
      $0.add(numbers)
    }
  }
}

/// The statements that keep who holds leases.
enum WorkLockSQL {
  static func noteHolder(of work: LeasedWork) -> SQL {
    switch work {
    case .deliveries: deliveries
    case .forwards: forwards
    }
  }

  private static let deliveries = noteHolder("deliveries")
  private static let forwards = noteHolder("notification_forwards")

  private static func noteHolder(_ table: String) -> SQL {
    SQL(
      """
      UPDATE \(table) AS held SET lease_node = ?
      FROM unnest(?::bigint[]) AS taken (id) WHERE held.id = taken.id
      """)
  }

  static let all = [deliveries, forwards]
}
