import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// Splits evidence that earlier versions kept whole, in bounded steps beside the traffic: the newest first.
///
/// No read sees a difference, at any time: a row is read whole, or put together from its parts.
struct EvidenceHeaderMigration {
  /// The setting with the highest number of a row that may be whole. `Migration0015` sets it once; newer rows are split
  /// when they are written.
  static let wholeUpToSetting = "evidence.wholeUpTo"

  let connection: Connection
  let now: Timestamp

  /// Looks at the next rows.
  ///
  /// - Parameter limit: how many; the largest text has 64 kB.
  /// - Returns: whether more are left.
  func step(_ limit: Int) throws -> Bool {
    let run = connection.newRun(now: now)
    defer { run.end() }
    guard let wholeUpTo = try run.setting(Self.wholeUpToSetting).flatMap({ Int64($0) }), wholeUpTo > 0 else {
      return false
    }
    let rows = try connection.all(
      Self.next,
      {
        $0.add(wholeUpTo)
        $0.add(limit)
      }, { (number: $0.integer(), isWhole: $0.flag(), text: $0.text()) })
    for row in rows where row.isWhole {
      guard let split = try run.split(row.text) else { continue }
      try connection.run(Self.split) {
        $0.add(split.rest)
        $0.add(split.header)
        $0.add(split.digest)
        $0.add(row.number)
      }
    }
    let rest = rows.count < limit ? 0 : (rows.last?.number ?? 1) - 1
    try run.set(Self.wholeUpToSetting, to: "\(rest)")
    return rest > 0
  }

  private static let next = SQL(
    "SELECT id, header IS NULL, text FROM evidence WHERE id <= ? ORDER BY id DESC LIMIT ?")
  private static let split = SQL("UPDATE evidence SET text = ?, header = ?, digest = ? WHERE id = ?")

  static let statements = [next, split]
}
