import Foundation
import PostgreSQLDatabase
import TestDatabases

/// How PostgreSQL would run the statements of the schema.
enum PostgreSQLPlans {
  /// The settings of every connection that shape a plan.
  static let settings = """
    SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;
    SET enable_mergejoin = off; SET enable_bitmapscan = off;
    """

  private static let partMax = 40

  /// The plans of statements, in their order, asked in one session.
  static func plans(
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
  static func joined(_ server: PostgreSQLServer, _ schema: String) throws -> [String] {
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
}
