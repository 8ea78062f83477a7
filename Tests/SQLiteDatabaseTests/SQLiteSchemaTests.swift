import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import Testing

/// The rows of the first step.
private let first = """
  INSERT INTO settings VALUES ('profile', 'simulated');
    INSERT INTO settings VALUES ('installation.secret', '\(String(repeating: "0b", count: 32))');
  INSERT INTO payment_keys VALUES (1, 'game', 'appStore', 'production', '1');
  INSERT INTO orders (app, environment, order_id, user_id, store, quantity, product, product_kind, gives, gives_name,
    gives_amount, is_physical, created_at, state, state_at, paid_by, expires_at)
  VALUES ('game', 'production', x'00000000000000000000000000000001', 'alice', 'appStore', 1, 'coins', 'consumable',
    'units', 'coin', 100, 0, 0, 'paid', 5, 1, 1000);
  INSERT INTO payments (id, app, environment, original, store_product, kind, quantity, purchase_date, signed_date,
    ownership, is_renewal, is_upgraded, state, owner, order_id, first_seen_at, last_sequence)
  VALUES (1, 'game', 'production', 1, 'com.example.coins', 'consumable', 1, 0, 0, 'purchased', 0, 0, 'fulfilled',
    'alice', x'00000000000000000000000000000001', 0, 1);
  INSERT INTO grants (payment, app, environment, user_id, gives, gives_name, amount, granted_at, taken_back)
  VALUES (1, 'game', 'production', 'alice', 'units', 'coin', 100, 0, 0);
  INSERT INTO postings (app, environment, unit, debit_store, credit_user, amount, payment, cause, at)
  VALUES ('game', 'production', 'coin', 'appStore', 'alice', 100, 1, 'grant', 0);
  INSERT INTO balances VALUES ('game', 'production', 'alice', 'coin', 100);
  INSERT INTO deliveries (delivery_id, payment, app, environment, order_id, kind, sequence, body, created_at, state,
    attempts, next_attempt_at)
  VALUES ('dlv_1', 1, 'game', 'production', x'00000000000000000000000000000001', 'created', 1, '{}', 0,
      'pending', 0, 0);
  INSERT INTO journal (app, environment, at, what, order_id, payment, details)
  VALUES ('game', 'production', 5, 'payment.fulfilled', x'00000000000000000000000000000001', 1, '{}');
  """

/// The rows that the second step added.
private let second =
  first + """

    INSERT INTO orders (app, environment, order_id, user_id, store, quantity, product, product_kind, gives, gives_name,
      gives_amount, is_physical, wechat_price, wechat_currency, created_at, state, expires_at)
    VALUES ('game', 'production', x'00000000000000000000000000000002', 'bob', 'weChatPay', 1, 'coins', 'consumable',
      'units', 'coin', 100, 0, 600, 'CNY', 0, 'awaitingPayment', 1000);
    INSERT INTO wechat_pay_orders (app, environment, order_id, merchant, store_app, trade_type, amount, currency,
      prepay_body, state, next_question_at, questions)
    VALUES ('game', 'production', x'00000000000000000000000000000002', '1900000001', 'wx1', 'APP', 600, 'CNY', '{}',
      'prepared', 5, 0);
    INSERT INTO refunds (app, environment, number, payment, amount, total, currency, created_at, state, questions)
    VALUES ('game', 'production', 'R1', 1, 1, 600, 'CNY', 0, 'asked', 0);
    """

/// The rows that the third step added.
private let third =
  second + """

    INSERT INTO app_store_errands (payment, purpose, created_at, due_at, tries) VALUES (1, 'finish', 0, 5, 0);
    INSERT INTO receipts VALUES ('\(String(repeating: "a", count: 64))', 'MII', 0);
    INSERT INTO app_store_histories VALUES (1, 'game', 'production', 'r1', 0, 5);
    """

/// The rows that the fourth step added.
private let fourth =
  third + """

    INSERT INTO notifications (app, environment, notification_id, type, signed_date, signed_payload, received_at,
      effect)
    VALUES ('game', 'production', 'n1', 'TEST', 0, 'a.b.c', 0, 'applied');
    INSERT INTO notification_forwards (app, environment, notification_id, body, created_at, state, attempts,
      next_attempt_at)
    VALUES ('game', 'production', 'n1', '{}', 0, 'pending', 0, 0);
    INSERT INTO earlier_lists (app, environment, store, reach) VALUES ('game', 'production', 'appStore', 5);
    INSERT INTO imported_owners (app, environment, store, transaction_id, user_id, imported_at)
    VALUES ('game', 'production', 'appStore', '9', 'carol', 0);
    """

/// The rows that the fifth step added; it names the accounts of postings differently.
private let fifth =
  fourth.replacingOccurrences(of: "debit_store", with: "debit_account")
  .replacingOccurrences(of: "'coin', 'appStore', 'alice'", with: "'coin', 'issued:appStore', 'alice'")
  .replacingOccurrences(
    of: "INSERT INTO balances VALUES", with: "INSERT INTO balances (app, environment, user_id, unit, amount) VALUES")
    + """

    INSERT INTO bookings (id, app, environment, booking_key, user_id, unit, kind, amount, request_digest, at)
    VALUES (1, 'game', 'production', 'b1', 'bob', 'coin', 'debtWrittenOff', 5, '00', 0);
    INSERT INTO postings (app, environment, unit, debit_account, credit_user, amount, booking, cause, at)
    VALUES ('game', 'production', 'coin', 'writtenOff', 'bob', 5, 1, 'debtWrittenOff', 0);
    INSERT INTO balances (app, environment, user_id, unit, amount) VALUES ('game', 'production', 'bob', 'coin', 5);
    INSERT INTO consumption_consents VALUES ('game', 'production', 'bob', 1, 0);
    """

/// The rows that the sixth step added.
private let sixth =
  fifth + """

    INSERT INTO payment_keys VALUES (2, 'game', 'appStore', 'production', '2');
    INSERT INTO lines (id, app, environment, claimant, period_end, ask_at)
    VALUES (2, 'game', 'production', 'carol', 5, 10);
    INSERT INTO shared_rights VALUES ('game', 'production', 'dave', 2, 0);
    """

/// The rows that the eighth step added.
private let eighth =
  sixth.replacingOccurrences(
    of: "granted_at, taken_back)",
    with: """
      granted_at, taken_back,
        product, product_is_stores, product_kind, piece_gives, piece_name, piece_amount)
      """
  ).replacingOccurrences(
    of: "'alice', 'units', 'coin', 100, 0, 0);",
    with: "'alice', 'units', 'coin', 100, 0, 0, 'coins', 0, 'consumable', 'units', 'coin', 100);")
  + "\n  INSERT INTO promised_products VALUES ('game', 'coins', 0, 'consumable');"

/// The rows that the tenth step added.
private let tenth =
  eighth + """

    INSERT INTO stopped_changes (payment, statement, app, environment, kind, found, content, evidence, origin, attempts,
      next_attempt_at, first_seen_at, last_seen_at)
    VALUES (1, 's', 'game', 'production', 'noPlan', 'found', '{}', 'a.b.c', 'client', 0, 0, 0, 0);
    """

/// The rows that the fifteenth step added.
private let fifteenth =
  tenth + """

    INSERT INTO evidence_headers (digest, text) VALUES (zeroblob(32), 'h');
    INSERT INTO evidence (payment, text, origin, received_at, header, digest)
    VALUES (1, '.p.s', 'client', 0, 1, zeroblob(32));
    """

/// The rows of a database at each step of the schema, as SQL of that time, and how they are read today.
///
/// A new step needs its entry here: the rows of the step before it, migrated.
private let populations: [Int: String] = [
  0: "",
  1: first,
  2: second,
  3: third,
  4: fourth,
  5: fifth,
  6: sixth,
  7: sixth,
  8: eighth,
  9: eighth,
  10: tenth,
  12: tenth,
  13: tenth + "UPDATE payments SET refund_history = 'r1000,u2000';",
  14: tenth + "INSERT INTO kept_claims (payment, claim, kept_at) VALUES (1, '{}', 0);",
  15: fifteenth,
]

@Suite struct `The schema of a SQLite database` {
  @Test func `numbers its steps upwards from 1, and has rows for each`() {
    let numbers = SQLiteSchema.migrations.map(\.number)
    #expect(numbers.first == 1 && numbers == Set(numbers).sorted())
    #expect(populations.keys.sorted() == [0] + numbers)
  }

  @Test(arguments: [0] + SQLiteSchema.migrations.map(\.number))
  func `is reached from every earlier step, with the rows of that step`(step: Int) async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let steps = SQLiteSchema.migrations.filter { $0.number <= step }.flatMap(\.statements)
      _ = try runSQL(steps.map { $0 + ";\n" }.joined() + (populations[step] ?? ""), on: path)
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
        steps.map { $0 + ";\n" }.joined() + tenth + rows + entries.replacingOccurrences(of: "PAYMENT", with: "90")
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
      _ = try runSQL(steps.map { $0 + ";\n" }.joined() + sixth + rows, on: path)
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
