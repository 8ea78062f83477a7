import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import TestDatabases
import Testing

@Suite struct `The audit of a ledger` {
  /// A manual change of two users' coins, and whether the audit finds it.
  private static let tampering = [
    "UPDATE balances SET amount = amount + 1 WHERE user_id = 'alice'",
    "DELETE FROM balances WHERE user_id = 'bob'",
    "UPDATE balances SET unit = 'gem' WHERE user_id = 'bob'",
    "DELETE FROM postings WHERE booking IS NOT NULL",
    "UPDATE postings SET amount = 41 WHERE booking IS NOT NULL",
  ]

  @Test(arguments: tampering)
  func `notices units that were made or lost outside the database`(sql: String) async throws {
    try await withDatabase(.sqlite) { database, underTest async throws in
      let spent = Booking(
        appEnvironment: production, key: "b", user: "alice", unit: "coin", kind: .debit, amount: 40, requestDigest: "d",
        at: at(0))
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(samplePosting(paymentKey("1")))
        try transaction.insert(samplePosting(paymentKey("1"), "more", to: "bob"))
        try transaction.insert(spent)
      }
      #expect(try await found(database) == [])
      await underTest.close()
      _ = try runSQL(sql, on: underTest.path)
      #expect(try await found(try await underTest.database()).contains { $0.hasPrefix("all balances of coin say") })
    }
  }

  /// The findings about balances only; the payment has no other rows here, so the audit finds more.
  private func found(_ database: any PaymentDatabase) async throws -> [String] {
    try await PaymentAudit(app: "game", atRest: false).run(on: database).violations
      .map(\.found).filter { $0.contains("balance") && !$0.contains("posting moves") }
  }
}
