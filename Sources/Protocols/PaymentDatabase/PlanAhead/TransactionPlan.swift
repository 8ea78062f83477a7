package import PaymentPrimitives

/// The writes of one run of a closure over a snapshot, and what they rely on.
///
/// The writes may be applied later if nothing was written under the keys since the snapshot.
package struct TransactionPlan: Sendable {
  /// The clock that the closure saw.
  package let now: Timestamp
  package let writes: [DatabaseWrite]
  /// What the closure read, as hash values. Two keys with one hash value only run the closure again without need.
  package let reads: [Int]
  /// What it writes, in the same form.
  package let written: [Int]
}

/// Why a run over a snapshot gave no plan: the closure must run on the writer.
enum PlanImpossible: Error {
  /// It read a list that no key covers, such as due work.
  case readWithoutKey
  /// It read what it had changed itself, in a way that the plan does not follow.
  case readOfOwnWrite(LockKey)
  /// It needs the result of a write.
  case resultOfWrite
}
