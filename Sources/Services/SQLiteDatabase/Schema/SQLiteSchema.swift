import PaymentDatabase
import SQLRows

/// A step of the schema; once released it never changes.
package struct SQLiteMigration: Sendable {
  /// Its number, from 1; the database's `user_version` is the number of the last applied step.
  package let number: Int
  package let summary: String
  /// Its statements; all statements of a step become durable together.
  package let statements: [String]
}

/// The schema of a Counterfoil database in SQLite, as `counterfoil schema` prints it.
package enum SQLiteSchema {
  /// The steps from an empty file to the present schema. They only go forward.
  package static let migrations = [
    SQLiteMigration(
      number: 1, summary: "orders, payments, ledger, messages", statements: Migration0001.statements),
    SQLiteMigration(
      number: 2, summary: "orders, refunds and bills at WeChat Pay", statements: Migration0002.statements),
    SQLiteMigration(
      number: 3, summary: "questions to Apple, receipts, histories", statements: Migration0003.statements),
    SQLiteMigration(
      number: 4, summary: "moving here from an earlier system", statements: Migration0004.statements),
    SQLiteMigration(
      number: 5, summary: "wallets: bookings, debts, consent", statements: Migration0005.statements),
    SQLiteMigration(
      number: 6, summary: "subscriptions after their purchase", statements: Migration0006.statements),
    SQLiteMigration(
      number: 7, summary: "deliveries found block by block", statements: Migration0007.statements),
    SQLiteMigration(
      number: 8, summary: "what grants were promised to be", statements: Migration0008.statements),
    SQLiteMigration(
      number: 9, summary: "what the store says under each id of a purchase", statements: Migration0009.statements),
    SQLiteMigration(
      number: 10, summary: "changes of money that were stopped", statements: Migration0010.statements),
    SQLiteMigration(
      number: 12, summary: "orders listed by the moment of their making", statements: Migration0012.statements),
    SQLiteMigration(
      number: 13, summary: "what the store told of earlier refunds", statements: Migration0013.statements),
    SQLiteMigration(
      number: 14, summary: "claims of payments that wait", statements: Migration0014.statements),
    SQLiteMigration(
      number: 15, summary: "headers of signed texts, each once", statements: Migration0015.statements),
    SQLiteMigration(
      number: 16, summary: "deliveries found by their payments alone", statements: Migration0016.statements),
    SQLiteMigration(
      number: 17, summary: "indexes for an operator's search", statements: Migration0017.statements),
    SQLiteMigration(
      number: 18, summary: "roles, expiry and last use of operator keys", statements: Migration0018.statements),
    SQLiteMigration(
      number: 19, summary: "what an operator lists", statements: Migration0019.statements),
    SQLiteMigration(
      number: 21, summary: "what phones counted", statements: Migration0021.statements),
    SQLiteMigration(
      number: 22, summary: "deliveries in order", statements: Migration0022.statements),
    SQLiteMigration(
      number: 23, summary: "operators and what they did", statements: Migration0023.statements),
    SQLiteMigration(
      number: 24, summary: "events with prices", statements: Migration0024.statements),
    SQLiteMigration(
      number: 25, summary: "units given without a payment", statements: Migration0025.statements),
    SQLiteMigration(
      number: 26, summary: "second factors and approvals of operators", statements: Migration0026.statements),
    SQLiteMigration(
      number: 27, summary: "payments by stated times, for reports", statements: Migration0027.statements),
    SQLiteMigration(
      number: 28, summary: "merged users and spending limits", statements: Migration0028.statements),
    SQLiteMigration(
      number: 29, summary: "complaints of customers", statements: Migration0029.statements),
    SQLiteMigration(
      number: 30, summary: "entitlements given without a payment", statements: Migration0030.statements),
    SQLiteMigration(
      number: 31, summary: "erased users", statements: Migration0031.statements),
    SQLiteMigration(
      number: 32, summary: "what happened by the hour", statements: Migration0032.statements),
    SQLiteMigration(
      number: 33, summary: "what erasures replace in the audit log", statements: Migration0033.statements),
    SQLiteMigration(
      number: 34, summary: "credits by time, for reports", statements: Migration0034.statements),
  ]

  /// The number of the last step.
  package static var version: Int { migrations.last?.number ?? 0 }

  /// The number of the last step that a file has, which may be in use; 0 for an empty one, nil if there is none.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`.
  package static func version(ofFile path: String) throws -> Int? {
    try DatabaseFile(SQLiteSettings(path: path, profile: .production, holder: "")).foundVersion()
  }

  /// The mark of a Counterfoil file (`PRAGMA application_id`): "CFoi" in ASCII.
  package static let applicationIdentifier: Int64 = 0x4346_6F69

  /// The whole schema as one readable SQL script.
  package static var script: String {
    migrations.map { migration in
      "-- \(migration.number): \(migration.summary)\n"
        + migration.statements.map { $0 + ";\n" }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// The texts of all statements that run on these tables: tests ask SQLite how it would perform them.
  package static var statements: [String] {
    (SQLStatements.all + EvidenceHeaderMigration.statements).map { $0.text(in: .sqlite) }
  }
}
