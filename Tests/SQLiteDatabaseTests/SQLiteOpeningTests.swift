import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import TestDoubles
import Testing

/// The error code of opening; nil if it succeeds.
private func error(
  at path: String, profile: DatabaseProfile = .simulated
) async throws -> CodedError<DatabaseErrorCode>? {
  do {
    let database = try await openSQLite(at: path, profile: profile, clock: TestClock())
    await database.close()
    return nil
  } catch let error as CodedError<DatabaseErrorCode> {
    return error
  }
}

private func openReader(_ path: String, profile: DatabaseProfile? = nil) async throws -> SQLiteReader {
  try await SQLiteReader.open(path: path, profile: profile, on: ThreadExecutor(), now: { at(0) })
}

@Suite struct `Opening a SQLite database` {
  @Test func `is refused while another process holds it, and names the holder`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let first = try await openSQLite(at: path, clock: TestClock())
      let second = try await error(at: path)
      #expect(second?.code == .heldByAnother)
      let words = second?.details ?? ""
      #expect(words.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
      #expect(words.contains("the tests"))
      #expect(words.contains("since \(TestClock().now.iso8601)"))
      // The refused process has changed nothing.
      try await first.commit { try $0.set("a", to: "b") }
      await first.close()
      #expect(try await error(at: path) == nil)
    }
  }

  @Test func `shows no control characters of a holder's name`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let first = try await openSQLite(at: path, clock: TestClock()) {
        $0.holder = "evil\u{1B}[2J\u{9B}\r\n" + String(repeating: "long", count: 1000)
      }
      let words = try #require(try await error(at: path)).details
      #expect(words.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
      #expect(words.utf8.count < 1000)
      await first.close()
    }
  }

  @Test func `with the other profile is refused, both ways, and for reading`() async throws {
    try await withDirectory { directory async throws in
      for profile in DatabaseProfile.allCases {
        let path = directory.appendingPathComponent(profile.rawValue).path
        let database = try await openSQLite(at: path, profile: profile, clock: TestClock())
        await database.close()
        for other in DatabaseProfile.allCases {
          #expect(try await error(at: path, profile: other)?.code == (other == profile ? nil : .otherProfile))
        }
      }
      let simulated = directory.appendingPathComponent("simulated").path
      await #expect(throws: CodedError<DatabaseErrorCode>(.otherProfile)) {
        try await openReader(simulated, profile: .production)
      }
      let reader = try await openReader(simulated)
      #expect(try await reader.read { try $0.setting(DatabaseSetting.profile) } == "simulated")
      await reader.close()
    }
  }

  @Test func `with a newer or older schema is refused, and the file does not change`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      await (try await openSQLite(at: path, clock: TestClock())).close()
      _ = try runSQL("PRAGMA user_version = \(SQLiteSchema.version + 1)", on: path)
      let before = FileManager.default.contents(atPath: path)
      #expect(try await error(at: path)?.code == .newerSchema)
      await #expect(throws: CodedError<DatabaseErrorCode>(.newerSchema)) { try await openReader(path) }
      #expect(FileManager.default.contents(atPath: path) == before)

      let older = directory.appendingPathComponent("older").path
      _ = try runSQL("PRAGMA application_id = \(SQLiteSchema.applicationIdentifier)", on: older)
      await #expect(throws: CodedError<DatabaseErrorCode>(.olderSchema)) { try await openReader(older) }
    }
  }

  @Test func `is refused for a foreign file or no database, and the file does not change`() async throws {
    try await withDirectory { directory async throws in
      let foreign = directory.appendingPathComponent("foreign").path
      _ = try runSQL("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)", on: foreign)
      let garbage = directory.appendingPathComponent("garbage").path
      try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: garbage))
      for path in [foreign, garbage] {
        let before = FileManager.default.contents(atPath: path)
        #expect(try await error(at: path)?.code == .damaged)
        #expect(FileManager.default.contents(atPath: path) == before)
      }
      let nowhere = directory.appendingPathComponent("no/such/directory").path
      #expect(try await error(at: nowhere)?.code == .unavailable)
      await #expect(throws: CodedError<DatabaseErrorCode>(.unavailable)) { try await openReader(nowhere) }
    }
  }

  @Test func `makes files that only their owner may read`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let database = try await openSQLite(at: path, clock: TestClock())
      try await database.commit { try $0.set("a", to: "b") }
      for suffix in ["", "-wal", "-shm", ".lock"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
        #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0, "\(suffix)")
      }
      await database.close()
    }
  }

  @Test func `makes a database marked as ours, with a secret from the injected random bytes`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let database = try await openSQLite(at: path, profile: .production, clock: TestClock())
      let secret = try await database.read { try $0.setting(DatabaseSetting.installationSecret) }
      #expect(secret == (UInt8(0)..<32).hexadecimal)
      await database.close()
      #expect(try runSQL("PRAGMA application_id", on: path) == "\(SQLiteSchema.applicationIdentifier)\n")
      #expect(try runSQL("PRAGMA user_version", on: path) == "\(SQLiteSchema.version)\n")
      #expect(try runSQL("PRAGMA journal_mode", on: path) == "wal\n")
      #expect(try runSQL("PRAGMA integrity_check", on: path) == "ok\n")
    }
  }
}

@Suite struct `A SQLite database beside others` {
  @Test func `can be read by a second process while it writes`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let database = try await openSQLite(at: path, clock: TestClock())
      let reader = try await openReader(path, profile: .simulated)
      for number in UInt64(1)...5 {
        try await database.commit { try $0.insert(sampleOrder(number)) }
        #expect(try await reader.read { try $0.orders(after: nil, limit: 9).count } == Int(number))
      }
      await reader.close()
      await database.close()
      let afterwards = try await openReader(path)
      #expect(try await afterwards.read { try $0.orders(after: nil, limit: 9).count } == 5)
      await afterwards.close()
    }
  }

  @Test func `reads one state throughout a closure, despite commits in between`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let database = try await openSQLite(at: path, clock: TestClock())
      try await database.commit { try $0.set("a", to: "before") }
      let gate = Gate()
      async let pair = database.read { reading in
        let first = try reading.setting("a")
        gate.pass()
        return [first, try reading.setting("a")]
      }
      await until { gate.reached }
      try await database.commit { try $0.set("a", to: "after") }
      gate.open()
      #expect(try await pair == ["before", "before"])
      #expect(try await database.read { try $0.setting("a") } == "after")
      await database.close()
    }
  }

  @Test func `reads while a transaction runs, and sees nothing of it`() async throws {
    try await withDirectory { directory async throws in
      let database = try await openSQLite(at: directory.appendingPathComponent("a").path, clock: TestClock())
      let gate = Gate()
      async let outcome: Void = database.commit { transaction throws in
        try transaction.set("a", to: "written")
        try gate.pass(onWriterOf: transaction)
      }
      await until { gate.reached }
      #expect(try await database.read { try $0.setting("a") } == nil)
      gate.open()
      try await outcome
      #expect(try await database.read { try $0.setting("a") } == "written")
      await database.close()
    }
  }

  @Test func `refuses a request when its queue is full`() async throws {
    try await withDirectory { directory async throws in
      let database = try await openSQLite(
        at: directory.appendingPathComponent("a").path, clock: TestClock()
      ) {
        $0.waitingMax = 2
        $0.readingMax = 1
      }
      let gate = Gate()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await database.commit { try gate.pass(onWriterOf: $0) } }
        await until { gate.reached }
        for number in 1...2 {
          group.addTask { try await database.commit { try $0.set("\(number)", to: "waited") } }
          await until { database.waitingCount == number }
        }
        #expect(await database.transact { try $0.set("3", to: "") }.word == "store_overloaded")
        gate.open()
        try await group.waitForAll()
      }
      #expect(try await database.read { [try $0.setting("1"), try $0.setting("3")] } == ["waited", nil])
      let reading = Gate()
      async let first: Void = database.read { _ in reading.pass() }
      await until { reading.reached }
      await #expect(throws: CodedError<DatabaseErrorCode>(.overloaded)) { try await database.read { _ in } }
      reading.open()
      try await first
      await database.close()
    }
  }

  @Test func `answers nothing after it was closed, and ends the waiting requests`() async throws {
    try await withDirectory { directory async throws in
      let database = try await openSQLite(at: directory.appendingPathComponent("a").path, clock: TestClock())
      let gate = Gate()
      async let waiting = database.transact { transaction throws in
        try gate.pass(onWriterOf: transaction)
        try transaction.set("a", to: "b")
      }
      await until { gate.reached }
      async let closing: Void = database.close()
      gate.open()
      #expect(await waiting.word == "committed")
      await closing
      #expect(await database.transact { try $0.set("a", to: "c") }.word == "store_unavailable")
      await #expect(throws: CodedError<DatabaseErrorCode>(.unavailable)) {
        try await database.read { try $0.setting("a") }
      }
    }
  }

  @Test func `refuses a row that was damaged by hand, and names the column`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      var database = try await openSQLite(at: path, clock: TestClock())
      try await database.commit { transaction throws in
        try transaction.insert(sampleOrder(1) { $0.product.weChatPrice = Money(minorUnits: 1, currency: .cny) })
        try transaction.insert(
          samplePayment("1") {
            $0.match = MatchRecord(rule: .exact, flags: [.late], at: at(0))
            $0.state = .held(.claimLimit)
          })
      }
      await database.close()
      for (column, sql) in [
        ("wechat_currency", "UPDATE orders SET wechat_currency = 'yuan'"),
        ("product_kind", "UPDATE orders SET wechat_currency = 'CNY', product_kind = 'house'"),
        (
          "set_aside",
          "UPDATE orders SET product_kind = 'consumable'; UPDATE payments SET hold_reason = 'bad weather'"
        ),
        ("match_flags", "UPDATE payments SET hold_reason = 'claimLimit', match_flags = 'late,lost'"),
        ("match_at", "UPDATE payments SET match_flags = 'late', match_rule = 'chance'"),
      ] {
        _ = try runSQL(sql, on: path)
        database = try await openSQLite(at: path, clock: TestClock())
        do {
          _ = try await database.read {
            [try $0.order(orderKey(1)) as Any, try $0.payment(paymentKey("1")) as Any].count
          }
          Issue.record("\(column) was read")
        } catch let error as CodedError<DatabaseErrorCode> {
          #expect(error.code == .damaged)
          #expect(error.details.contains(column), "\(error)")
        }
        await database.close()
      }
      // The rules of money are in the file itself.
      for sql in [
        "UPDATE orders SET state = 'paid'", "UPDATE orders SET quantity = 0",
        "UPDATE payments SET state = 'reversed'",
      ] {
        #expect(throws: SQLFailure.self) { try runSQL(sql, on: path) }
      }
    }
  }
}
