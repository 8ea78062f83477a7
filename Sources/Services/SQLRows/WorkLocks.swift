package import PaymentDatabase

/// How a transaction of a database with several writers takes due work: by locks that do not wait.
package protocol WorkLocks: AnyObject {
  /// Locks the keys of rows, as far as no other transaction holds them, until the end of the transaction.
  ///
  /// - Returns: for each row whether all of its keys are held.
  func hold(_ rows: [[LockKey]]) throws -> [Bool]
  /// Keeps who holds the leases of these rows, so that they end with the node.
  func noteHolder(of work: LeasedWork, _ numbers: [Int64]) throws
}

/// The work whose rows name the node that holds their lease.
package enum LeasedWork: Sendable {
  case deliveries
  case forwards
}
