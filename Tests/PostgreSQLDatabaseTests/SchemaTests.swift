import Foundation
import PaymentDatabase
import PostgreSQLDatabase
import TestDatabases
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `The schema of PostgreSQL` {
  /// The settings of every connection that shape a plan.
  private static let settings = """
    SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;
    SET enable_mergejoin = off; SET enable_bitmapscan = off;
    """

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
      // An index of the few tasks of one kind.
      || line.contains("app_store_errands_consumption")
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
          SET search_path = \(settings.schema); \(Self.settings)
          PREPARE asked AS \(statement); EXPLAIN EXECUTE asked\(values)
          """)
        Self.expectNoScan(in: plan.split(separator: "\n"), of: statement)
      }
    }
  }

  /// Rows in each table, of no meaning: only their number matters to a planner.
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
      END LOOP;
    END $$
    """
  }

  private static let partMax = 40

  /// The plans of statements, in their order, asked in one session.
  private static func plans(
    of statements: [String], _ server: PostgreSQLServer, _ schema: String
  ) throws -> [[Substring]] {
    // A program takes only so much in one argument.
    if statements.count > partMax {
      let part = Array(statements.prefix(partMax))
      return try plans(of: part, server, schema) + plans(of: Array(statements.dropFirst(partMax)), server, schema)
    }
    let questions = statements.enumerated().map { number, statement in
      let count = Set(statement.matches(of: #/\$[0-9]+/#).map(\.output)).count
      let values = count == 0 ? "" : "(\(Array(repeating: "NULL", count: count).joined(separator: ", ")))"
      return "PREPARE s\(number) AS \(statement); SELECT '##'; EXPLAIN EXECUTE s\(number)\(values);"
    }
    let output = try server.run("SET search_path = \(schema); \(settings)\n\(questions.joined(separator: "\n"))")
    return output.components(separatedBy: "##\n").dropFirst().map { $0.split(separator: "\n") }
  }

  /// What statements become for many rows of values at once.
  private static func joined(_ server: PostgreSQLServer, _ schema: String) throws -> [String] {
    let statements = PostgreSQLSchema.statements.filter { !$0.hasPrefix("LOCK TABLE") && !$0.contains("unnest(") }
    return try stride(from: 0, to: statements.count, by: partMax).flatMap { start in
      let part = Array(statements[start..<min(start + partMax, statements.count)])
      let preparations = part.enumerated().map { "PREPARE s\($0) AS \($1);" }.joined(separator: "\n")
      let types = try server.run(
        """
        SET search_path = \(schema); \(preparations)
        SELECT name || ' ' || array_to_string(parameter_types::text[], ' ') FROM pg_prepared_statements
        """)
      return types.split(separator: "\n").flatMap { line -> [String] in
        let words = line.split(separator: " ").map(String.init)
        guard let number = Int(words[0].dropFirst()) else { return [] }
        return PostgreSQLSchema.joined(part[number], types: Array(words.dropFirst()))
      }
    }
  }

  @Test func `finds each row of a joined statement by an index, in empty tables and in full ones`() async throws {
    try await withPostgreSQL { _, server, settings async throws in
      let statements = try Self.joined(server, settings.schema)
      #expect(statements.count >= 150)
      for isFull in [false, true] {
        if isFull { try server.run(Self.filling(settings.schema) + "; ANALYZE") }
        let plans = try Self.plans(of: statements, server, settings.schema)
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
