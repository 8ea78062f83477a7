import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLRows

/// Locks and versions of keys, as rows of `lock_keys`.
///
/// A plan keeps the versions that its snapshot saw. The writer locks the rows of all its keys in order and compares: if
/// no version has changed, nothing that the plan read has.
struct LockTable {
  let connection: Connection

  /// Asks for the versions of keys. A key without a row was never written.
  func queueVersions(of keys: Set<LockNumber>) throws {
    try connection.queue(LockSQL.versions) { $0.add(keys.sorted().map(\.number)) }
  }

  /// Locks keys until the end of the transaction, in their order, and makes the rows of payment keys, in one round trip
  /// with what is queued.
  ///
  /// - Parameter new: the payment keys that are about to be written, and have no number yet.
  /// - Returns: the versions, and the numbers of those that had none until now.
  func lock(_ keys: Set<LockNumber>, making new: [PaymentKey]) throws -> (LockVersions, [(PaymentKey, Int64)]) {
    // Shared: only a transaction that concerns everything must wait for this one.
    try connection.queue(LockSQL.shareEverything)
    try connection.queue(LockSQL.makeRows) { $0.add(keys.sorted().map(\.number)) }
    try connection.queue(LockSQL.lock) { $0.add(keys.sorted().map(\.number)) }
    if !new.isEmpty { try connection.queue(LockSQL.makePaymentKeys, Self.values(of: new)) }
    var answers = try connection.finishAll()
    let made = new.isEmpty ? nil : answers.popLast()
    var versions = LockVersions()
    if let last = answers.last { try versions.add(last) }
    let numbers = try made.map { answer in
      try (0..<answer.rowCount).map { try answer.row($0) { (try $0.paymentKey(), $0.integer()) } }
    }
    return (versions, numbers ?? [])
  }

  /// The keys in one order, so that two connections that make the same ones wait for each other only once.
  private static func values(of keys: [PaymentKey]) -> BoundValues {
    let rows = keys.map { key in BoundValues { $0.add(key) } }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    return BoundValues(joining: rows, types: [.text, .text, .text, .text], count: nil)
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
}

/// What the keys of a plan were like at one moment.
struct LockVersions {
  var everything: Int64 = 0
  var keys: [Int64: Int64] = [:]

  /// Adds rows of a key and a version.
  mutating func add(_ answer: Answer) throws {
    for index in 0..<answer.rowCount {
      let row = try answer.row(index) { (key: $0.integer(), version: $0.integer()) }
      if row.key == LockNumber.everything {
        everything = row.version
      } else {
        keys[row.key] = row.version
      }
    }
  }

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
  static let makeRows = SQL(
    """
    INSERT INTO lock_keys (key, version)
    SELECT wanted.key, 0 FROM unnest(?::bigint[]) WITH ORDINALITY AS wanted (key, place) ORDER BY wanted.place
    ON CONFLICT DO NOTHING
    """)
  static let lock = SQL(
    """
    SELECT key, version FROM lock_keys WHERE key = 0
    UNION ALL
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

  static let makePaymentKeys = SQL(
    """
    INSERT INTO payment_keys AS k (app, store, environment, transaction_id)
    SELECT q.app, q.store, q.environment, q.transaction_id
    FROM unnest(?::text[], ?::text[], ?::text[], ?::text[]) AS q (app, store, environment, transaction_id)
    ON CONFLICT DO NOTHING RETURNING k.app, k.store, k.environment, k.transaction_id, k.id
    """)

  static let all = [
    versions, shareEverything, lockEverything, makeRows, lock, lockFree, noteWritten, noteEverything,
    makePaymentKeys,
  ]
}
