import PaymentDatabase
import PaymentPrimitives

/// Splits evidence that earlier versions kept whole, in bounded steps beside the traffic.
///
/// No read sees a difference, at any time: a row is read whole, or put together from its parts.
struct EvidenceHeaderMigration {
  /// The setting with the number of the last row that was looked at.
  static let reachedSetting = "migration.evidenceHeaders"

  let transaction: SQLiteTransaction

  /// Looks at the next rows.
  ///
  /// - Parameter limit: how many; the largest text has 64 kB.
  /// - Returns: whether there may be more.
  func step(_ limit: Int) throws -> Bool {
    let reached = try transaction.setting(Self.reachedSetting).flatMap { Int64($0) } ?? 0
    let rows = try transaction.all(
      Self.next,
      {
        $0.add(reached)
        $0.add(limit)
      }, { (number: $0.integer(), isWhole: $0.flag(), text: $0.text()) })
    guard let last = rows.last?.number else { return false }
    for row in rows where row.isWhole {
      guard let split = try transaction.split(row.text) else { continue }
      try transaction.write(Self.split) {
        $0.add(split.rest)
        $0.add(split.header)
        $0.add(split.digest)
        $0.add(row.number)
      }
    }
    try transaction.set(Self.reachedSetting, to: "\(last)")
    return rows.count == limit
  }

  private static let next = SQL(
    "SELECT id, header IS NULL, text FROM evidence WHERE id > ? ORDER BY id LIMIT ?")
  private static let split = SQL("UPDATE evidence SET text = ?, header = ?, digest = ? WHERE id = ?")

  static let statements = [next, split]
}
