import Foundation
import PaymentDatabase
import PostgreSQLDatabase
import TestDatabases
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `The schema of PostgreSQL` {
  /// What may read a whole table, each with its reason.
  private static func mayScan(_ table: String, _ statement: String) -> Bool {
    switch table {
    // One row for each product ever granted; a start reads all of them.
    case "promised_products": true
    // The audit sums all of them.
    case "balances": statement.contains("GROUP BY app, environment, unit")
    case "postings": statement.contains("GROUP BY app, environment, unit")
    default: false
    }
  }

  /// What may walk through an index, each with its reason.
  private static func mayWalk(_ line: Substring, _ statement: String) -> Bool {
    // The pages of the audit begin at the first key.
    line.contains("payment_keys_app_store") && statement.contains("LIMIT q.p1")
      // An operator's list; nearly all payments are fulfilled.
      || line.contains("payments_pkey") && statement.contains("p.state = q.p3")
      // Indexes of few rows: tasks of one kind, and erasures that have not ended.
      || line.contains("app_store_errands_consumption") || line.contains("erasures_under_way")
  }

  private static func expectNoScan(in plan: [Substring], of statement: String) {
    for line in plan {
      guard let words = line.range(of: "Seq Scan on ").map({ line[$0.upperBound...] }) else { continue }
      let table = String(words.prefix { $0 != " " })
      #expect(mayScan(table, statement), "\(line): \(statement)")
    }
  }

  @Test func `lets no statement scan a whole table`() async throws {
    try await withPostgreSQL { _, server, settings async throws in
      let statements = PostgreSQLSchema.statements.filter { !$0.hasPrefix("LOCK TABLE") }
      #expect(statements.count >= 160)
      for statement in statements {
        let count = statement.split(separator: "$").dropFirst().count
        let values = count == 0 ? "" : "(\(Array(repeating: "NULL", count: count).joined(separator: ", ")))"
        let plan = try server.run(
          """
          SET search_path = \(settings.schema); \(PostgreSQLPlans.settings)
          PREPARE asked AS \(statement); EXPLAIN EXECUTE asked\(values)
          """)
        Self.expectNoScan(in: plan.split(separator: "\n"), of: statement)
      }
    }
  }

  /// Rows in each table, of no meaning: only their number matters to a planner. It gets the statistics of these tables
  /// alone: other tests share the database, and theirs must stay without.
  private static func filling(_ schema: String) -> String {
    """
    DO $$ DECLARE t record; c record; names text; made text; BEGIN
      SET LOCAL session_replication_role = replica;
      FOR t IN SELECT tablename AS name FROM pg_tables WHERE schemaname = '\(schema)' LOOP
        FOR c IN SELECT conname FROM pg_constraint
          WHERE conrelid = ('\(schema).' || t.name)::regclass AND contype = 'c' LOOP
          EXECUTE format('ALTER TABLE \(schema).%I DROP CONSTRAINT %I', t.name, c.conname);
        END LOOP;
        SELECT string_agg(quote_ident(column_name), ','), string_agg(CASE data_type WHEN 'bigint' THEN 'g'
          WHEN 'text' THEN '''x'' || g' WHEN 'uuid' THEN 'md5(g::text)::uuid'
          WHEN 'bytea' THEN 'decode(md5(g::text), ''hex'')' ELSE 'NULL' END, ',') INTO names, made
        FROM information_schema.columns
        WHERE table_schema = '\(schema)' AND table_name = t.name AND is_generated = 'NEVER';
        EXECUTE format('INSERT INTO \(schema).%I (%s) OVERRIDING SYSTEM VALUE SELECT %s '
          || 'FROM generate_series(100, 4000) AS g', t.name, names, made);
        EXECUTE format('ANALYZE \(schema).%I', t.name);
      END LOOP;
    END $$
    """
  }

  @Test func `finds each row of a joined statement by an index, in empty tables and in full ones`() async throws {
    try await withPostgreSQL { _, server, settings async throws in
      let statements = try PostgreSQLPlans.joined(server, settings.schema)
      #expect(statements.count >= 150)
      for isFull in [false, true] {
        if isFull { try server.run(Self.filling(settings.schema)) }
        let plans = try PostgreSQLPlans.plans(of: statements, server, settings.schema)
        #expect(plans.count == statements.count)
        for (statement, plan) in zip(statements, plans) {
          Self.expectNoScan(in: plan, of: statement)
          // A list from its start walks an index.
          guard statement.contains("WHERE ") else { continue }
          for (line, next) in zip(plan, plan.dropFirst() + [""])
          where line.contains("Scan using ") && !Self.mayWalk(line, statement) {
            #expect(next.contains("Index Cond:"), "full: \(isFull): \(line): \(statement)")
          }
        }
      }
    }
  }

  @Test func `prints as a script that makes the same tables`() async throws {
    try await withPostgreSQL { _, server, settings async throws in
      let printed = await SharedPostgreSQL.shared.newSchema()
      try server.run("CREATE SCHEMA \(printed); SET search_path = \(printed); \(PostgreSQLSchema.script)")
      func columns(_ schema: String) throws -> String {
        try server.run(
          """
          SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
          WHERE table_schema = '\(schema)' ORDER BY 1, 2
          """)
      }
      func indexes(_ schema: String) throws -> String {
        try server.run(
          "SELECT replace(indexdef, '\(schema).', '') FROM pg_indexes WHERE schemaname = '\(schema)' ORDER BY indexname"
        )
      }
      #expect(try columns(printed) == columns(settings.schema))
      #expect(try indexes(printed) == indexes(settings.schema))
      #expect(try !indexes(printed).isEmpty)
      try server.run("DROP SCHEMA \(printed) CASCADE")
    }
  }

  @Test func `compares every text by its bytes`() async throws {
    try await withPostgreSQL { _, server, settings async throws in
      let others = try server.run(
        """
        SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = '\(settings.schema)' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
        """)
      #expect(others.isEmpty)
    }
  }
}
