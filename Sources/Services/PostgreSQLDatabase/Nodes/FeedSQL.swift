import PaymentDatabase
import SQLRows

/// What is read as a feed, and who writes: see `FeedSettlement`.
///
/// Every transaction that writes money holds a lock on `writing_turns` from before its first row until after its commit
/// can be seen. The numbers are read first: whoever took a smaller one then is among the holders that are read next, or
/// has ended. Transactions of other programs and databases on the server delay nothing.
enum FeedSQL {
  static let ends = SQL(
    "SELECT coalesce((SELECT max(id) FROM journal), 0), coalesce((SELECT max(id) FROM deliveries), 0)")
  static let writers = SQL(
    """
    SELECT pg_postmaster_start_time()::text, l.virtualtransaction
    FROM (SELECT 1) AS one LEFT JOIN pg_locks AS l
      ON l.locktype = 'relation' AND l.relation = 'writing_turns'::regclass AND l.granted
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """)

  /// The first reads the journal to its end, backwards by its key; the second reads no table.
  static let all = [ends]

  /// Asks within a snapshot that has not read anything yet.
  static func look(on connection: Connection) throws -> FeedLook {
    let ends = try connection.first(
      ends, { _ in }, { FeedEnds(journal: $0.integer(), deliveries: $0.integer()) })
    let holders = try connection.all(writers, { _ in }, { (server: $0.text(), writer: $0.optionalText()) })
    return FeedLook(
      ends: ends ?? FeedEnds(journal: 0, deliveries: 0), writers: Set(holders.compactMap(\.writer)),
      server: holders.first?.server ?? "")
  }
}
