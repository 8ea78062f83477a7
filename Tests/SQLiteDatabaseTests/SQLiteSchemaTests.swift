import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import Testing

@Suite struct `The schema of a SQLite database` {
  @Test func `numbers its steps upwards from 1, and has rows for each`() {
    let numbers = SQLiteSchema.migrations.map(\.number)
    #expect(numbers.first == 1 && numbers == Set(numbers).sorted())
    #expect(schemaPopulations.keys.sorted() == [0] + numbers)
  }

  @Test(arguments: [0] + SQLiteSchema.migrations.map(\.number))
  func `is reached from every earlier step, with the rows of that step`(step: Int) async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let steps = SQLiteSchema.migrations.filter { $0.number <= step }.flatMap(\.statements)
      _ = try runSQL(steps.map { $0 + ";\n" }.joined() + (schemaPopulations[step] ?? ""), on: path)
      if step > 0 {
        _ = try runSQL(
          "PRAGMA application_id = \(SQLiteSchema.applicationIdentifier); PRAGMA user_version = \(step)", on: path)
      }
      let database = try await openSQLite(at: path, clock: TestClock())
      if step > 0 {
        let rows = try await database.read { reading throws in
          var rows = PaymentRows(payment: try #require(try reading.payment(paymentKey("1"))))
          rows.order = try reading.payment(paymentKey("1"))?.order.flatMap {
            try reading.order(OrderKey(appEnvironment: production, id: $0))
          }
          rows.grant = try reading.grant(paymentKey("1"))
          rows.changes = try reading.changes(of: paymentKey("1"))
          rows.postings = try reading.postings(of: paymentKey("1"))
          rows.deliveries = try reading.deliveries(of: paymentKey("1")).map {
            .init(kind: $0.kind, sequence: $0.sequence)
          }
          return rows
        }
        #expect(rows.order != nil && rows.grant != nil)
        #expect(rows.violations == [])
        try await database.read { reading throws in
          #expect(try reading.balances(of: "alice", in: production).map(\.amount) == [100])
          #expect(
            try reading.entries(of: "alice", unit: "coin", in: production, before: nil, limit: 9).map(\.posting)
              == reading.postings(of: paymentKey("1")))
          #expect(try reading.ledgerSums(of: nil).filter { !$0.isEven } == [])
          #expect(try reading.dueDeliveries(at: at(0), in: production, limit: 9).map(\.id) == ["dlv_1"])
          #expect(try reading.journal(of: orderKey(1)).map(\.what) == ["payment.fulfilled"])
        }
      }
      await database.close()
      #expect(try runSQL("PRAGMA user_version", on: path) == "\(SQLiteSchema.version)\n")
      #expect(try runSQL("PRAGMA foreign_key_check", on: path) == "")
      // The same as a database that was made today.
      let fresh = directory.appendingPathComponent("fresh").path
      await (try await openSQLite(at: fresh, clock: TestClock())).close()
      let question = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
      #expect(try runSQL(question, on: path) == runSQL(question, on: fresh))
    }
  }

  @Test func `takes the claims of payments that wait out of the journal, each once (record 165)`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let steps = SQLiteSchema.migrations.prefix { $0.number <= 13 }.flatMap(\.statements)
      let claims = [("held", #"{"claim":{"user":"zoe"}}"#), ("newsKept", "{}"), ("held", #"{"claim":{"user":"bob"}}"#)]
      let entries = (claims + [claims[0]]).enumerated().map { number, entry in
        """
        INSERT INTO journal (app, environment, at, what, order_id, payment, details)
        VALUES ('game', 'production', \(number), 'payment.\(entry.0)', NULL, PAYMENT, '\(entry.1)');
        """
      }.joined()
      let rows = """
        INSERT INTO payment_keys VALUES (90, 'game', 'appStore', 'production', '90');
        INSERT INTO payments (id, app, environment, original, store_product, kind, quantity, purchase_date, signed_date,
          ownership, is_renewal, is_upgraded, state, hold_reason, first_seen_at, last_sequence)
        VALUES (90, 'game', 'production', 90, 'p', 'consumable', 1, 0, 0,
          'purchased', 0, 0, 'held', 'productUnknown', 0, 0);
        """
      _ = try runSQL(
        steps.map { $0 + ";\n" }.joined() + schemaRowsOfStep10 + rows
          + entries.replacingOccurrences(of: "PAYMENT", with: "90")
          + entries.replacingOccurrences(of: "PAYMENT", with: "1")
          + "PRAGMA application_id = \(SQLiteSchema.applicationIdentifier); PRAGMA user_version = 13;", on: path)
      let database = try await openSQLite(at: path, clock: TestClock())
      try await database.read { reading throws in
        #expect(
          try reading.keptClaims(of: paymentKey("90")) == [
            KeptClaim(payment: paymentKey("90"), claim: #"{"user":"zoe"}"#, keptAt: at(0)),
            KeptClaim(payment: paymentKey("90"), claim: #"{"user":"bob"}"#, keptAt: at(2)),
          ])
        #expect(try reading.keptClaims(of: paymentKey("1")) == [], "a granted payment waits for nothing")
      }
      await database.close()
    }
  }

  @Test func `takes a known revocation as the payment's own statement, and finds duplicates by subscription`()
    async throws
  {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let steps = SQLiteSchema.migrations.prefix { $0.number <= 7 }.flatMap(\.statements)
      let rows = """
        INSERT INTO payment_keys VALUES (90, 'game', 'appStore', 'production', '90');
        INSERT INTO echoes VALUES (90, 1, 5);
        UPDATE payments SET revocation_date = 7000, revocation_percentage = 30000 WHERE id = 1;
        PRAGMA application_id = \(SQLiteSchema.applicationIdentifier); PRAGMA user_version = 7;
        """
      _ = try runSQL(steps.map { $0 + ";\n" }.joined() + schemaRowsOfStep6 + rows, on: path)
      let database = try await openSQLite(at: path, clock: TestClock())
      try await database.read { reading throws in
        let payment = try #require(try reading.payment(paymentKey("1")))
        #expect(payment.statedRevocation == Revocation(date: at(7000), percentage: 30_000))
        #expect(payment.facts.revocation == payment.statedRevocation)
        let duplicate = DuplicateTransaction(
          key: paymentKey("90"), of: paymentKey("1"), original: paymentKey("1"),
          firstSeenAt: Timestamp(milliseconds: 5))
        #expect(try reading.duplicates(ofOriginal: paymentKey("1")) == [duplicate])
      }
      await database.close()
    }
  }

  @Test func `prints as a script that makes the same database`() async throws {
    try await withDirectory { directory async throws in
      let (printed, made) = (
        directory.appendingPathComponent("printed").path, directory.appendingPathComponent("made").path
      )
      _ = try runSQL(SQLiteSchema.script, on: printed)
      await (try await openSQLite(at: made, clock: TestClock())).close()
      let question = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
      #expect(try runSQL(question, on: printed) == runSQL(question, on: made))
    }
  }

  @Test func `lets no statement scan a whole table`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      await (try await openSQLite(at: path, clock: TestClock())).close()
      #expect(SQLiteSchema.statements.count >= 80)
      for statement in SQLiteSchema.statements {
        let plan = try runSQL("EXPLAIN QUERY PLAN " + statement, on: path)
        for line in plan.split(separator: "\n") {
          let words = line.split(separator: "|").last ?? ""
          // A scan in index order up to a limit is allowed; only fulfilled payments have no index.
          // Blocks of payments are numbers that no table holds: each is one query to an index.
          if words == "SCAN block" { continue }
          // The table has one row for each product ever granted, and a start reads all of them.
          if words == "SCAN promised_products" { continue }
          // The audit reads all postings and balances, and sums them.
          let isAudit = words == "SCAN balances" || words == "SCAN postings" && statement.contains("GROUP BY")
          let walks = words.hasPrefix("SCAN") && !words.contains("USING") && !isAudit
          if walks { #expect(statement.contains("p.state = ? AND p.first_seen_at < ?"), "\(words): \(statement)") }
        }
        if statement.contains("count(*)") { #expect(plan.contains("COVERING"), "\(plan): \(statement)") }
      }
    }
  }
}
