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
  /// with what is queued. It waits for who holds one of them.
  ///
  /// - Parameters:
  ///   - written: those that the transaction writes: their versions grow.
  ///   - new: the payment keys that are about to be written, and have no number yet.
  /// - Returns: the versions before, and the numbers of those that had none until now.
  func lock(
    _ keys: Set<LockNumber>, writing written: Set<LockNumber>, making new: [PaymentKey]
  ) throws -> (LockVersions, [(PaymentKey, Int64)]) {
    // Shared: only a transaction that concerns everything must wait for this one.
    try connection.queue(LockSQL.shareEverything)
    let sorted = keys.sorted()
    try connection.queue(LockSQL.hold) {
      $0.add(sorted.map(\.number))
      $0.add(sorted.map { written.contains($0) ? Int64(1) : 0 })
    }
    try connection.queue(LockSQL.everything)
    if !new.isEmpty { try connection.queue(LockSQL.makePaymentKeys, Self.values(of: new)) }
    var answers = try connection.finishAll()
    let made = new.isEmpty ? nil : answers.popLast()
    var versions = LockVersions()
    for answer in answers.suffix(2) { try versions.add(answer) }
    for key in written { versions.keys[key.number, default: 0] -= 1 }
    let numbers = try made.map { answer in
      try (0..<answer.rowCount).map { try answer.row($0) { (try $0.paymentKey(), $0.integer()) } }
    }
    return (versions, numbers ?? [])
  }

  /// Queues the same for a transaction that ends at once if a version is not the one that its plans rely on, or if
  /// another holds a key that it only reads.
  func queueLocks(of keys: BatchKeys) throws {
    try connection.queue(LockSQL.shareEverything)
    try connection.queue(LockSQL.holdUnchanged) {
      $0.add(keys.held.map(\.key.number))
      $0.add(keys.held.map(\.growth))
      $0.add(keys.held.map(\.after))
    }
    try connection.queue(LockSQL.shareUnchanged) {
      $0.add(Int64(keys.shared.count))
      $0.add(keys.sumOfShared)
      $0.add(keys.everything)
      $0.add(keys.shared.map(\.number))
    }
  }

  /// Queues the rows of payment keys whose numbers are taken already.
  func queuePaymentKeys(_ new: [PaymentKey], numbers: [Int64]) throws {
    let rows = zip(new, numbers).map { key, number in
      BoundValues {
        $0.add(key)
        $0.add(number)
      }
    }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    try connection.queue(
      LockSQL.insertPaymentKeys,
      BoundValues(joining: rows, types: [.text, .text, .text, .text, .bigint], count: nil))
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

/// How a batch holds its keys: alone if it writes them, together with others if it only reads them.
struct BatchKeys {
  /// In their order. `growth` is 1 for a key that is written. `after` is the version with it; -1 if no plan read it.
  var held: [(key: LockNumber, growth: Int64, after: Int64)] = []
  /// Those with a row, and the sum of their versions: versions only grow, so the sum shows whether one has changed.
  var shared: [LockNumber] = []
  var sumOfShared: Int64 = 0
  let everything: Int64

  init(of batch: [PlannedTransaction], _ versions: LockVersions) {
    everything = versions.everything
    var read: Set<LockNumber> = []
    var written: Set<LockNumber> = []
    for plan in batch {
      read.formUnion(plan.reads)
      written.formUnion(plan.written)
    }
    for key in written.union(read).sorted() {
      let version = versions.keys[key.number]
      let isRead = read.contains(key)
      if written.contains(key) {
        held.append((key, 1, isRead ? (version ?? 0) + 1 : -1))
      } else if let version {
        shared.append(key)
        sumOfShared += version
      } else {
        held.append((key, 0, 0))
      }
    }
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
  static let everything = SQL("SELECT key, version FROM lock_keys WHERE key = 0")
  /// Locks rows, makes those that are missing, and lets their versions grow.
  static let hold = SQL("\(holding) RETURNING l.key, l.version")
  /// The same; a division by zero ends the transaction if a version is not the given one.
  static let holdUnchanged = SQL(
    """
    WITH held AS (\(holding) RETURNING l.version)
    SELECT 1 / CASE WHEN bool_and(found.after < 0 OR found.version IS NOT DISTINCT FROM found.after) THEN 1 ELSE 0 END
    FROM (SELECT array_agg(held.version) AS versions FROM held) AS all_held,
      unnest(all_held.versions, ?::bigint[]) AS found (version, after)
    """)
  private static let holding: SQLText = """
    INSERT INTO lock_keys AS l (key, version)
    SELECT wanted.key, wanted.growth
    FROM unnest(?::bigint[], ?::bigint[]) WITH ORDINALITY AS wanted (key, growth, place) ORDER BY wanted.place
    ON CONFLICT (key) DO UPDATE SET version = l.version + excluded.version
    """
  /// Locks rows beside others that only read, and waits for nobody. So it may come after `holdUnchanged`, whose order
  /// it does not keep.
  static let shareUnchanged = SQL(
    """
    SELECT 1 / CASE WHEN count(*) = ?::bigint AND coalesce(sum(found.version), 0) = ?::bigint
      AND (SELECT e.version FROM lock_keys AS e WHERE e.key = 0) = ?::bigint THEN 1 ELSE 0 END
    FROM unnest(?::bigint[]) AS wanted (key)
    CROSS JOIN LATERAL (
      SELECT l.version FROM lock_keys AS l WHERE l.key = wanted.key FOR SHARE SKIP LOCKED) AS found
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

  /// The same rows with numbers that were taken before. A key that has a row by now is a violation.
  static let insertPaymentKeys = SQL(
    """
    INSERT INTO payment_keys (app, store, environment, transaction_id, id) OVERRIDING SYSTEM VALUE
    SELECT q.app, q.store, q.environment, q.transaction_id, q.id
    FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[])
      AS q (app, store, environment, transaction_id, id)
    """)
  /// Takes numbers for payment keys. They are gone, whatever becomes of the transaction.
  static let takeNumbers = SQL(
    "SELECT nextval(pg_get_serial_sequence('payment_keys', 'id')) FROM generate_series(1, ?::bigint)")

  static let all = [
    versions, shareEverything, lockEverything, makeRows, everything, hold, holdUnchanged, shareUnchanged, lockFree,
    noteWritten, noteEverything, makePaymentKeys, insertPaymentKeys, takeNumbers,
  ]
}
