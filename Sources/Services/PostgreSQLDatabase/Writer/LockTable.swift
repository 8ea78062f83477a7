import PaymentDatabase
import PaymentPrimitives

/// Locks and versions of keys, as rows of `lock_keys`.
///
/// A plan keeps the versions that its snapshot saw. The writer locks the rows of all its keys in order and compares: if
/// no version has changed, nothing that the plan read has.
struct LockTable {
  let connection: Connection

  /// The versions of keys; 0 for a key without a row: it was never written.
  func versions(of keys: Set<LockNumber>) throws -> LockVersions {
    var versions = LockVersions()
    try read(LockSQL.versions, keys, into: &versions)
    return versions
  }

  /// Locks keys until the end of the transaction, in their order, and returns their versions.
  func lock(_ keys: Set<LockNumber>) throws -> LockVersions {
    // Shared: only a transaction that concerns everything must wait for this one.
    try connection.queue(LockSQL.shareEverything)
    var versions = LockVersions()
    versions.everything = try connection.first(LockSQL.everything, { _ in }, { $0.integer() }) ?? 0
    guard !keys.isEmpty else { return versions }
    try connection.queue(LockSQL.makeRows) { $0.add(keys.sorted().map(\.number)) }
    try read(LockSQL.lock, keys, into: &versions)
    return versions
  }

  /// Locks those keys that are free now, until the end of the transaction; returns them.
  func lockFree(_ keys: Set<LockNumber>) throws -> Set<LockNumber> {
    try connection.queue(LockSQL.makeRows) { $0.add(keys.sorted().map(\.number)) }
    let free = try connection.all(
      LockSQL.lockFree, { $0.add(keys.sorted().map(\.number)) }, { $0.integer() })
    let numbers = Set(free)
    return keys.filter { numbers.contains($0.number) }
  }

  /// Waits for all other writers, and lets none begin until the end of the transaction.
  func lockEverything() throws { try connection.run(LockSQL.lockEverything) }

  /// Records that a transaction writes what these keys cover.
  func noteWritten(_ keys: Set<LockNumber>, everything: Bool) throws {
    if everything { try connection.queue(LockSQL.noteEverything) }
    guard !keys.isEmpty else { return }
    try connection.queue(LockSQL.noteWritten) { $0.add(keys.sorted().map(\.number)) }
  }

  private func read(_ sql: SQL, _ keys: Set<LockNumber>, into versions: inout LockVersions) throws {
    let rows = try connection.all(
      sql, { $0.add(keys.sorted().map(\.number)) }, { (key: $0.integer(), version: $0.integer()) })
    for row in rows {
      if row.key == LockNumber.everything {
        versions.everything = row.version
      } else {
        versions.keys[row.key] = row.version
      }
    }
  }
}

/// What the keys of a plan were like at one moment.
struct LockVersions {
  var everything: Int64 = 0
  var keys: [Int64: Int64] = [:]

  /// Whether nothing was written under these keys between two moments.
  func isUnchanged(_ numbers: Set<LockNumber>, in later: LockVersions) -> Bool {
    everything == later.everything
      && numbers.allSatisfy { keys[$0.number, default: 0] == later.keys[$0.number, default: 0] }
  }
}

/// The statements for locks. The rows of a list are joined one by one: `= ANY` became a filter over a whole index.
enum LockSQL {
  static let versions = SQL(
    """
    SELECT key, version FROM lock_keys WHERE key = 0
    UNION ALL
    SELECT found.key, found.version
    FROM unnest(?::bigint[]) AS wanted (key)
    CROSS JOIN LATERAL (SELECT l.key, l.version FROM lock_keys AS l WHERE l.key = wanted.key) AS found
    """)
  /// Locks of a table queue up in the order of their coming. A row that many share would keep the one that wants it
  /// alone waiting for ever.
  static let shareEverything = SQL("LOCK TABLE writing_turns IN ROW SHARE MODE")
  static let lockEverything = SQL("LOCK TABLE writing_turns IN EXCLUSIVE MODE")
  static let everything = SQL("SELECT version FROM lock_keys WHERE key = 0")
  static let makeRows = SQL(
    """
    INSERT INTO lock_keys (key, version)
    SELECT wanted.key, 0 FROM unnest(?::bigint[]) WITH ORDINALITY AS wanted (key, place) ORDER BY wanted.place
    ON CONFLICT DO NOTHING
    """)
  static let lock = SQL(
    """
    SELECT found.key, found.version
    FROM unnest(?::bigint[]) AS wanted (key)
    CROSS JOIN LATERAL (
      SELECT l.key, l.version FROM lock_keys AS l WHERE l.key = wanted.key FOR NO KEY UPDATE) AS found
    """)
  static let lockFree = SQL(
    """
    SELECT found.key
    FROM unnest(?::bigint[]) AS wanted (key)
    CROSS JOIN LATERAL (
      SELECT l.key FROM lock_keys AS l WHERE l.key = wanted.key FOR NO KEY UPDATE SKIP LOCKED) AS found
    """)
  static let noteWritten = SQL(
    """
    INSERT INTO lock_keys AS l (key, version)
    SELECT wanted.key, 1 FROM unnest(?::bigint[]) WITH ORDINALITY AS wanted (key, place) ORDER BY wanted.place
    ON CONFLICT (key) DO UPDATE SET version = l.version + 1
    """)
  static let noteEverything = SQL("UPDATE lock_keys SET version = version + 1 WHERE key = 0")

  static let all = [
    versions, shareEverything, lockEverything, everything, makeRows, lock, lockFree, noteWritten, noteEverything,
  ]
}
