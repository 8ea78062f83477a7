import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// A step of the schema; once released it never changes.
package struct PostgreSQLMigration: Sendable {
  /// Its number, from 1.
  package let number: Int
  package let summary: String
  /// Programs whose own last step is this one or a later one may run on the schema after this step. An additive step
  /// names the step before it, so that servers of the version before serve beside those of the new one.
  package let oldestProgram: Int
  /// Its statements; all statements of a step become durable together.
  package let statements: [String]

  package init(number: Int, summary: String, oldestProgram: Int? = nil, statements: [String]) {
    self.number = number
    self.summary = summary
    self.oldestProgram = oldestProgram ?? number
    self.statements = statements
  }
}

/// The schema of a Counterfoil database in PostgreSQL.
package enum PostgreSQLSchema {
  /// The steps from an empty schema to the present one. They only go forward.
  package static let migrations = [
    PostgreSQLMigration(number: 1, summary: "all tables of the first version", statements: Schema0001.statements),
    PostgreSQLMigration(number: 2, summary: "several nodes", statements: Schema0002.statements),
    PostgreSQLMigration(number: 3, summary: "deliveries in order", statements: Schema0003.statements),
    PostgreSQLMigration(
      number: 4, summary: "operators and what they did", oldestProgram: 3, statements: Schema0004.statements),
    PostgreSQLMigration(
      number: 5, summary: "events with prices", oldestProgram: 3, statements: Schema0005.statements),
    PostgreSQLMigration(
      number: 6, summary: "units given without a payment", oldestProgram: 3, statements: Schema0006.statements),
    // No version with the step before was released: its audit log would not know the new actors.
    PostgreSQLMigration(
      number: 7, summary: "second factors and approvals of operators", oldestProgram: 3,
      statements: Schema0007.statements),
    PostgreSQLMigration(
      number: 8, summary: "payments by stated times, for reports", oldestProgram: 3,
      statements: Schema0008.statements),
    PostgreSQLMigration(
      number: 9, summary: "merged users and spending limits", oldestProgram: 3, statements: Schema0009.statements),
    PostgreSQLMigration(
      number: 10, summary: "complaints of customers", oldestProgram: 3, statements: Schema0010.statements),
    PostgreSQLMigration(
      number: 11, summary: "entitlements given without a payment", oldestProgram: 3,
      statements: Schema0011.statements),
    PostgreSQLMigration(number: 12, summary: "erased users", oldestProgram: 3, statements: Schema0012.statements),
    PostgreSQLMigration(
      number: 13, summary: "what happened by the hour", oldestProgram: 3, statements: Schema0013.statements),
    PostgreSQLMigration(
      number: 14, summary: "what erasures replace in the audit log", oldestProgram: 3,
      statements: Schema0014.statements),
    PostgreSQLMigration(
      number: 15, summary: "credits by time, for reports", oldestProgram: 3, statements: Schema0015.statements),
  ]

  /// The number of the last step.
  package static var version: Int { migrations.last?.number ?? 0 }

  /// The table of the steps that were applied.
  static let stepsTable = """
    CREATE TABLE schema_steps (
      number BIGINT PRIMARY KEY,
      summary TEXT COLLATE "C" NOT NULL,
      done_at BIGINT NOT NULL,
      oldest_program BIGINT  -- programs with an earlier last step may not run; null is this step's own number
    )
    """

  /// The whole schema as one readable SQL script.
  package static var script: String {
    stepsTable + ";\n"
      + migrations.map { migration in
        "\n-- \(migration.number): \(migration.summary)\n"
          + migration.statements.map { $0 + ";\n" }.joined(separator: "\n")
      }.joined()
  }

  /// The script, in a schema of that name.
  package static func script(in schema: String) -> String {
    "CREATE SCHEMA \(schema);\nSET search_path = \(schema);\n\n" + script
  }

  /// What a role may do that serves, and never alters a table.
  package static func grants(on schema: String, to role: String) -> String {
    """

    -- For a role that serves. The owner makes the tables before: counterfoil migrate --apply --database URL
    GRANT USAGE ON SCHEMA \(schema) TO \(role);
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(role);
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(role);
    ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema) GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO \(role);
    ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema) GRANT USAGE ON SEQUENCES TO \(role);

    """
  }

  /// The texts of all statements that run on these tables: tests ask PostgreSQL how it would perform them.
  package static var statements: [String] {
    let own = WorkLockSQL.all + LockSQL.all + CommitRowSQL.all + NodeSQL.checked + FeedSQL.all
    return (SQLStatements.all + SQLStatements.taking + own).map { $0.text(in: .postgreSQL) }
  }

  /// What a statement becomes for many rows of values at once; empty if it has no such form. For the same tests.
  ///
  /// - Parameter types: PostgreSQL's names for the types of its parameters.
  package static func joined(_ statement: String, types: [String]) -> [String] {
    let known = types.compactMap { ArrayType(rawValue: $0) }
    guard known.count == types.count else { return [] }
    return [false, true].compactMap { requiresRows in
      JoinedStatement(statement, types: known, requiresRows: requiresRows)?.sql.text(in: .postgreSQL)
    }
  }
}
