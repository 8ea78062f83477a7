import PaymentDatabase
import PaymentPrimitives

/// A step of the schema; once released it never changes.
package struct PostgreSQLMigration: Sendable {
  /// Its number, from 1.
  package let number: Int
  package let summary: String
  /// Its statements; all statements of a step become durable together.
  package let statements: [String]
}

/// The schema of a Counterfoil database in PostgreSQL.
package enum PostgreSQLSchema {
  /// The steps from an empty schema to the present one. They only go forward.
  package static let migrations = [
    PostgreSQLMigration(number: 1, summary: "all tables of the first version", statements: Schema0001.statements),
    PostgreSQLMigration(number: 2, summary: "several nodes", statements: Schema0002.statements),
  ]

  /// The number of the last step.
  package static var version: Int { migrations.last?.number ?? 0 }

  /// The table of the steps that were applied.
  static let stepsTable = """
    CREATE TABLE schema_steps (
      number BIGINT PRIMARY KEY,
      summary TEXT COLLATE "C" NOT NULL,
      done_at BIGINT NOT NULL
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

  /// The texts of all statements that run on these tables: tests ask PostgreSQL how it would perform them.
  package static var statements: [String] { SQLStatements.all.map(\.text) }
}
