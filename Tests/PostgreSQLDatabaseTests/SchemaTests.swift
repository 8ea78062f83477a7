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
        for line in plan.split(separator: "\n") {
          guard let words = line.range(of: "Seq Scan on ").map({ line[$0.upperBound...] }) else { continue }
          let table = String(words.prefix { $0 != " " })
          #expect(Self.mayScan(table, statement), "\(line): \(statement)")
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
