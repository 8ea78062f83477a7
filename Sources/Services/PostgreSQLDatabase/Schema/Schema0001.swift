/// The first step of the schema: the tables and words of the SQLite database, in PostgreSQL's types.
///
/// Texts compare by their bytes (`COLLATE "C"`), order ids are `UUID`, and moments are milliseconds since 1970. Flags
/// are 0 and 1, as in SQLite, so that a copy compares the same values.
///
/// What a payment gives has a foreign key to it. What else a fulfilment inserts with its parent in one commit has none:
/// on PostgreSQL each is a query, and a lock of the parent's row. SQLite has them all, on the same statements.
enum Schema0001 {
  /// The events that an operator lists; the condition of their index, word by word.
  static let listedEvents = """
    what IN ('payment.contradicted', 'consumption.askedTooLate', 'consumption.answered', 'consumption.notAnswered', \
    'consumption.refused')
    """

  static let statements = concurrency + PurchaseTables.all + MessageTables.all + GrantTables.all + SchemaIndexes.all

  /// What nodes and their connections keep about each other (record 229).
  private static let concurrency = [
    """
    CREATE TABLE lock_keys (         -- what transactions lock and compare: a number for each key, made at first use
      key BIGINT PRIMARY KEY,        -- a digest of the key; 0 stands for everything
      version BIGINT NOT NULL        -- grows with each commit that wrote what the key covers
    ) WITH (fillfactor = 70)
    """,
    "INSERT INTO lock_keys (key, version) VALUES (0, 0)",
    "CREATE TABLE writing_turns (turn BIGINT)",  // always empty: writers share its lock, or hold it alone
    """
    CREATE TABLE nodes (             -- each start of a process; its number is never used again
      number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      started_at BIGINT NOT NULL
    )
    """,
    """
    CREATE TABLE commit_rows (       -- counted up by each commit of a connection: tells whether a commit took
      node BIGINT NOT NULL REFERENCES nodes (number),
      lane BIGINT NOT NULL,
      number BIGINT NOT NULL,
      PRIMARY KEY (node, lane)
    ) WITH (fillfactor = 70)
    """,
  ]
}
