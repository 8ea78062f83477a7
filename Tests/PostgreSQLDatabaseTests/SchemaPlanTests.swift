import Foundation
import PostgreSQLDatabase
import TestDatabases
import Testing

/// A statement's plan is kept, and a server that has no statistics yet (a new database, one just copied, one after an
/// upgrade) estimates one row for each index. The plan must be right without them.
@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `Plans of PostgreSQL without statistics` {
  /// The columns of each index that covers all rows of its table, by table and index.
  private static func indexes(_ server: PostgreSQLServer, _ schema: String) throws -> [String: [String: [String]]] {
    let rows = try server.run(
      """
      SELECT t.relname || ' ' || i.relname || ' ' || string_agg(coalesce(a.attname, '-'), ',' ORDER BY k.place)
      FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_class AS t ON t.oid = x.indrelid
      JOIN pg_namespace AS n ON n.oid = t.relnamespace
      CROSS JOIN LATERAL unnest(x.indkey::smallint[]) WITH ORDINALITY AS k (number, place)
      LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.number AND k.number > 0
      WHERE n.nspname = '\(schema)' AND x.indpred IS NULL GROUP BY t.relname, i.relname
      """)
    var found: [String: [String: [String]]] = [:]
    for row in rows.split(separator: "\n") {
      let words = row.split(separator: " ").map(String.init)
      found[words[0], default: [:]][words[1]] = words[2].split(separator: ",").map(String.init)
    }
    return found
  }

  /// How many leading columns of an index a question binds.
  private static func bound(_ columns: [String], by equal: Set<String>) -> Int {
    columns.prefix { equal.contains($0) }.count
  }

  @Test func `bind as many leading columns of an index as any index would let them`() async throws {
    try await withPostgreSQL { _, server, settings async throws in
      let indexes = try Self.indexes(server, settings.schema)
      let statements = try PostgreSQLPlans.joined(server, settings.schema)
      let plans = try PostgreSQLPlans.plans(of: statements, server, settings.schema)
      var scans = 0
      for (statement, plan) in zip(statements, plans) {
        for (place, line) in plan.enumerated() {
          guard let scan = line.firstMatch(of: /Scan using (\w+) on (\w+)/) else { continue }
          let conditions = plan[(place + 1)...].prefix { !$0.contains("->") && !$0.contains("(cost=") }
          let equal = Set(conditions.joined().matches(of: /(\w+) =\s/).map { String($0.1) })
          let candidates = indexes[String(scan.2)] ?? [:]
          guard let used = candidates[String(scan.1)] else { continue }
          scans += 1
          let best = candidates.values.map { Self.bound($0, by: equal) }.max() ?? 0
          #expect(Self.bound(used, by: equal) == best, "\(line): \(conditions.joined()): \(statement)")
        }
      }
      #expect(scans >= 100)
    }
  }
}
