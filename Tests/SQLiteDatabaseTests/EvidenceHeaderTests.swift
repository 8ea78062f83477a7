import CFaultyDisk
import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import Testing

/// A signed text whose header is as long as one with certificates.
private func signedText(_ number: Int, header: Character = "h") -> String {
  String(repeating: header, count: 3700) + ".payload\(number).signature\(number)"
}

private func evidence(_ text: String, of payment: String = "1", at moment: Int64 = 0) -> Evidence {
  Evidence(payment: paymentKey(payment), text: text, origin: .client, receivedAt: at(moment))
}

private func keep(_ kept: [Evidence], in database: SQLiteDatabase) async throws {
  for evidence in kept { try await database.transact { try $0.insert(evidence) }.get() }
}

private func texts(of payment: String, in database: SQLiteDatabase) async throws -> [String] {
  try await database.read { try $0.evidence(of: paymentKey(payment)).map(\.text) }
}

@Suite struct `The header of signed evidence` {
  @Test(
    arguments: [
      ("UPDATE evidence_headers SET text = replace(text, 'h', 'x')", "a header that was changed"),
      ("UPDATE evidence SET text = replace(text, 'payload1', 'payload9')", "a rest that was changed"),
      ("PRAGMA foreign_keys = OFF; DELETE FROM evidence_headers", "a header that was removed"),
    ])
  func `is never put before a text that it does not belong to`(change: String, name: String) async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      var database = try await openSQLite(at: path, clock: TestClock())
      try await keep([evidence(signedText(1))], in: database)
      await database.close()
      _ = try runSQL(change, on: path)
      database = try await openSQLite(at: path, clock: TestClock())
      await #expect(throws: CodedError<DatabaseErrorCode>.self, "\(name)") { try await texts(of: "1", in: database) }
      await database.close()
    }
  }

  @Test func `of a transaction that is refused is not relied upon by the next one`() async throws {
    struct Refused: Error {}
    try await withDirectory { directory async throws in
      let database = try await openSQLite(at: directory.appendingPathComponent("a").path, clock: TestClock())
      let outcome = await database.transact { transaction in
        try transaction.insert(evidence(signedText(1)))
        throw Refused()
      }
      guard case .refused = outcome else { return #expect(Bool(false), "it threw") }
      try await keep([evidence(signedText(2))], in: database)
      #expect(try await texts(of: "1", in: database) == [signedText(2)])
      await database.close()
    }
  }

  @Test func `is kept once, and each text is read as it was received, to the byte`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let database = try await openSQLite(at: path, clock: TestClock())
      let whole = [
        "", "{\"amount\": 1.5}", String(repeating: "h", count: 511) + ".short.header",
        String(repeating: "h", count: 600), String(repeating: "h", count: 600) + "\u{301}.accent.header",
        String(repeating: "h", count: 600) + " .space.header",
      ]
      let split = [
        signedText(1), signedText(2), signedText(3, header: "k"), signedText(1), signedText(4) + ".\u{301}é",
      ]
      try await keep((whole + split).map { evidence($0) }, in: database)
      #expect(try await texts(of: "1", in: database).map { Array($0.utf8) } == (whole + split).map { Array($0.utf8) })
      await database.close()
      #expect(try runSQL("SELECT count(*) FROM evidence_headers", on: path) == "2\n")
      #expect(try runSQL("SELECT count(*) FROM evidence WHERE header IS NOT NULL", on: path) == "5\n")
    }
  }

  @Test func `is known to a planned transaction, which then writes no header`() async throws {
    try await withDirectory { directory async throws in
      let database = try await openSQLite(at: directory.appendingPathComponent("a").path, clock: TestClock())
      let all = (0..<40).map { evidence(signedText($0), of: "\($0)") }
      try await keep(all, in: database)
      #expect(await database.planCounts.applied >= 40)
      for kept in all { #expect(try await texts(of: kept.payment.transaction.text, in: database) == [kept.text]) }
      await database.close()
    }
  }
}

@Suite struct `Evidence from before headers were kept once` {
  private static let count = 150

  /// A database of the fourteenth step with evidence of many payments, every third without a long header.
  private func makeFormer(at path: String) throws {
    let steps = SQLiteSchema.migrations.prefix { $0.number <= 14 }.flatMap(\.statements).map { $0 + ";\n" }.joined()
    let rows = (0..<Self.count).map { number in
      """
      INSERT INTO payment_keys VALUES (\(number + 1), 'game', 'appStore', 'production', '\(number)');
      INSERT INTO evidence (payment, text, origin, received_at)
      VALUES (\(number + 1), '\(Self.text(number))', 'client', \(number));
      """
    }
    let settings = """
      INSERT INTO settings VALUES ('profile', 'simulated');
      INSERT INTO settings VALUES ('installation.secret', '\(String(repeating: "0b", count: 32))');
      PRAGMA application_id = \(SQLiteSchema.applicationIdentifier); PRAGMA user_version = 14;
      """
    _ = try runSQL(steps + rows.joined(separator: "\n") + settings, on: path)
  }

  private static func text(_ number: Int) -> String {
    number % 3 == 0 ? "{\"number\":\(number)}" : signedText(number, header: number % 2 == 0 ? "h" : "k")
  }

  private func expectAll(in database: SQLiteDatabase) async throws {
    for number in 0..<Self.count { #expect(try await texts(of: "\(number)", in: database) == [Self.text(number)]) }
  }

  @Test func `is split in bounded parts, reads the same before, between and after them, and goes on after a kill`()
    async throws
  {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      try makeFormer(at: path)
      var database = try await openSQLite(at: path, clock: TestClock())
      try await expectAll(in: database)
      #expect(try await database.continueMigration(), "64 of 150")
      try await expectAll(in: database)
      await database.close()
      #expect(try runSQL("SELECT count(*) FROM evidence WHERE header IS NOT NULL", on: path) == "43\n")
      database = try await openSQLite(at: path, clock: TestClock())
      #expect(try await database.continueMigration())
      #expect(try await !database.continueMigration(), "22 are left")
      #expect(try await !database.continueMigration(), "nothing is left")
      try await expectAll(in: database)
      await database.close()
      #expect(try runSQL("SELECT count(*) FROM evidence WHERE header IS NOT NULL", on: path) == "100\n")
      #expect(try runSQL("SELECT count(*) FROM evidence_headers", on: path) == "2\n")
    }
  }

  @Test func `whose commit fails leaves a log on which later commits are safe`() async throws {
    try await withFaultyDatabase { faulty async throws in
      let wholeUpTo = "evidence.wholeUpTo"
      try await keep([evidence(signedText(1))], in: faulty.database)
      try await faulty.database.transact { try $0.set(wholeUpTo, to: "1") }.get()
      faulty.disk.fail(faulty_disk_sync, "-wal", with: faulty_disk_io_error_on_sync)
      await #expect(throws: CodedError<DatabaseErrorCode>.self) { try await faulty.database.continueMigration() }
      #expect(faulty.disk.faultsLeft(faulty_disk_sync) == 0)
      // The log held the whole part, unsynced: no later recovery may find it.
      let state = ["before", wholeUpTo]
      #expect(try await settings(state, at: try faulty.copyOfFiles("killed")) == ["committed", "1"])
      try await faulty.database.transact { try $0.set("after", to: "committed") }.get()
      let found = try await settings(state + ["after"], at: try faulty.leftByPowerCut("cut"))
      #expect(found == ["committed", "1", "committed"])
      #expect(try await !faulty.database.continueMigration())
      #expect(try await texts(of: "1", in: faulty.database) == [signedText(1)])
    }
  }

  @Test func `is split beside transactions, none of which is refused`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      try makeFormer(at: path)
      let database = try await openSQLite(at: path, clock: TestClock())
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { while try await database.continueMigration() { await Task.yield() } }
        for caller in 0..<8 {
          group.addTask {
            for number in 0..<30 {
              try await keep([evidence(signedText(number), of: "new \(caller) \(number)")], in: database)
              #expect(try await texts(of: "\(number)", in: database) == [Self.text(number)])
            }
          }
        }
        try await group.waitForAll()
      }
      try await expectAll(in: database)
      for caller in 0..<8 { #expect(try await texts(of: "new \(caller) 29", in: database) == [signedText(29)]) }
      await database.close()
      #expect(try runSQL("PRAGMA integrity_check; PRAGMA foreign_key_check", on: path) == "ok\n")
    }
  }
}
