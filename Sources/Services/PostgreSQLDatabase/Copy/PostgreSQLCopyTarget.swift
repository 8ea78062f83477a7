package import PaymentDatabase
package import PaymentPrimitives
import SQLRows

/// A schema on a server that takes the rows of another database.
///
/// They are written into a schema beside it, whose name ends in `_loading`. It gets its own name when everything is
/// there, in one commit. Until then no server starts on the schema.
package actor PostgreSQLCopyTarget {
  /// A table of the schema, with its stored columns in order.
  package struct Table: Sendable {
    package let name: String
    package let columns: [Column]

    package struct Column: Sendable {
      package let name: String
      /// PostgreSQL's name of its type.
      let type: String
    }
  }

  /// What nodes keep about each other; a copy begins without it.
  private static let own: Set<String> = ["schema_steps", "lock_keys", "writing_turns", "nodes", "commit_rows"]
  /// What nodes keep in rows of the shop: who holds a lease, and when the store was last asked.
  private static let ownColumns: Set<String> = [
    "deliveries.lease_node", "notification_forwards.lease_node", "wechat_pay_orders.asked_at",
  ]
  /// An hour: a digest reads a whole table.
  private static let patience = TimeSpan.hours(1)

  private nonisolated let executor: any SerialExecutor
  private let schema: String
  private let profile: DatabaseProfile
  private let opener: ConnectionOpener
  private var connection: Connection?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Throws: `invalidAddress`.
  package init(_ settings: PostgreSQLSettings, on executor: any SerialExecutor) throws {
    self.executor = executor
    schema = settings.schema
    profile = settings.profile
    var settings = settings
    settings.schema = Self.loading(settings.schema)
    settings.statementDeadline = Self.patience
    opener = try ConnectionOpener(settings)
  }

  /// The name of the schema for rows that are not complete.
  package static func loading(_ schema: String) -> String { schema.prefix(55) + "_loading" }

  package func close() {
    connection?.close()
    connection = nil
  }

  // MARK: Before

  /// Whether the schema has tables already.
  package func isTaken() throws -> Bool {
    try reporting { try !tables(in: schema).isEmpty }
  }

  /// Makes the schema for the rows, unless an interrupted copy has left it.
  ///
  /// - Returns: its tables; a table follows those to which it refers.
  package func prepare(at moment: Timestamp) throws -> [Table] {
    let loading = Self.loading(schema)
    return try reporting {
      let connection = try ready()
      let keeper = SchemaKeeper(connection: connection, schema: loading)
      if let found = try keeper.version(), found != PostgreSQLSchema.version {
        try connection.execute("DROP SCHEMA \(loading) CASCADE")
      }
      try keeper.makeEmpty(at: moment)
      return try connection.all(Self.stored, { $0.add(loading) }, { ($0.text(), $0.text(), $0.text()) })
        .filter { !Self.ownColumns.contains("\($0.0).\($0.1)") }
        .reduce(into: [Table]()) { tables, row in
          let column = Table.Column(name: row.1, type: row.2)
          guard let last = tables.last, last.name == row.0 else {
            return tables.append(Table(name: row.0, columns: [column]))
          }
          tables[tables.count - 1] = Table(name: last.name, columns: last.columns + [column])
        }.filter { !Self.own.contains($0.name) }
    }
  }

  // MARK: Rows

  /// Removes the rows of a table, and of those that refer to it.
  package func empty(_ table: Table) throws {
    try reporting { try ready().execute("TRUNCATE \"\(table.name)\" CASCADE") }
  }

  /// Adds rows, in one commit.
  package func insert(_ rows: [[StoredValue]], into table: Table, _ statement: CopyStatement) throws {
    try reporting {
      let connection = try ready()
      try connection.queue(.begin)
      for row in rows {
        try connection.queue(statement.sql) { parameters in
          for value in row {
            switch value {
            case .null: parameters.addNull()
            case .integer(let number): parameters.add(number)
            case .text(let text): parameters.add(text)
            case .bytes(let bytes): parameters.add(bytes)
            }
          }
        }
      }
      try connection.commit()
    }
  }

  /// The digest of a table, which the server computes.
  package func digest(of table: Table) throws -> TableDigest {
    try reporting {
      let row = table.columns.map(Self.digested).joined(separator: " || ")
      let sum = """
        SELECT count(*), mod(mod(coalesce(sum(('x' || encode(substring(sha256(\(row)), 1, 8), 'hex'))::bit(64)::bigint),
          0), 18446744073709551616) + 18446744073709551616, 18446744073709551616)::text FROM "\(table.name)"
        """
      let found = try ready().first(SQL("\(sum)"), { _ in }, { ($0.integer(), $0.text()) })
      var digest = TableDigest()
      digest.rows = found?.0 ?? 0
      digest.sum = found.flatMap { UInt64($0.1) } ?? 0
      return digest
    }
  }

  /// The bytes that `TableDigest` digests, in PostgreSQL's words.
  private static func digested(_ column: Table.Column) -> String {
    let name = "\"\(column.name)\""
    let value =
      switch column.type {
      case "int8": "'\\x01'::bytea || int8send(\(name))"
      case "text": "'\\x02'::bytea || int8send(octet_length(\(name))::bigint) || convert_to(\(name), 'UTF8')"
      case "uuid": "'\\x03'::bytea || int8send(16) || uuid_send(\(name))"
      default: "'\\x03'::bytea || int8send(octet_length(\(name))::bigint) || \(name)"
      }
    return "CASE WHEN \(name) IS NULL THEN '\\x00'::bytea ELSE \(value) END"
  }

  // MARK: After

  /// Lets numbers continue behind the copied ones, and gives the schema its name. From now on servers start on it.
  package func finish(_ tables: [Table]) throws {
    let loading = Self.loading(schema)
    try reporting {
      let connection = try ready()
      try connection.run(.begin)
      for table in try connection.all(Self.numbered, { $0.add(loading) }, { $0.text() }) {
        try connection.execute(
          """
          SELECT setval(pg_get_serial_sequence('\(loading).\(table)', 'id'), coalesce(max(id), 1), max(id) IS NOT NULL)
          FROM "\(table)"
          """)
      }
      // An owner may have made the empty schema, with rights.
      try connection.execute("DROP SCHEMA IF EXISTS \(schema) RESTRICT")
      try connection.execute("ALTER SCHEMA \(loading) RENAME TO \(schema)")
      try connection.commit()
    }
  }

  // MARK: Connection

  private func ready() throws -> Connection {
    if let connection, !connection.isLost { return connection }
    let opened = try opener.open()
    connection = opened
    try opened.execute("SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '60s', false)")
    return opened
  }

  private func tables(in schema: String) throws -> [String] {
    try ready().all(Self.names, { $0.add(schema) }, { $0.text() })
  }

  private func reporting<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      connection?.rollback()
      throw (error as? PostgreSQLFailure)?.databaseError ?? error
    }
  }

  private static let names = SQL("SELECT tablename::text FROM pg_tables WHERE schemaname = ? ORDER BY tablename")
  private static let stored = SQL(
    """
    SELECT c.relname::text, a.attname::text, t.typname::text FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relkind = 'r' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?)
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY c.oid, a.attnum
    """)
  private static let numbered = SQL(
    """
    SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?)
      AND a.attname = 'id' AND a.attidentity <> '' ORDER BY c.relname
    """)
}

/// The statement that adds a row to a table. Each connection prepares it once.
package struct CopyStatement: Sendable {
  let sql: SQL

  package init(for table: PostgreSQLCopyTarget.Table) {
    let names = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let places = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    sql = SQL("INSERT INTO \"\(table.name)\" (\(names)) OVERRIDING SYSTEM VALUE VALUES (\(places))")
  }
}
