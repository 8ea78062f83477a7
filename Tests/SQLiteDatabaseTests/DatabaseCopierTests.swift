import Foundation
import PaymentDatabase
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import TestDoubles
import Testing

@Suite struct `A copy of a database` {
  private static func copier() -> DatabaseCopier { DatabaseCopier(on: ThreadExecutor(), now: { at(0) }) }

  private static func code(_ body: () async throws -> Void) async throws -> DatabaseErrorCode? {
    do { try await body() } catch let error as CodedError<DatabaseErrorCode> { return error.code }
    return nil
  }

  /// A database of a running writer, with something in its log.
  private static func withRunning(
    _ body: (_ database: SQLiteDatabase, _ path: String) async throws -> Void
  ) async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("running.db").path
      let database = try await openSQLite(at: path, clock: TestClock())
      try await database.commit { try $0.set("first", to: "committed") }
      do { try await body(database, path) } catch {
        await database.close()
        throw error
      }
      await database.close()
    }
  }

  @Test func `never replaces a file`() async throws {
    try await Self.withRunning { _, path async throws in
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path + ".copy"))
      let code = try await Self.code {
        try await Self.copier().copy(path, profile: .simulated, into: path + ".copy", logBytesMax: .max)
      }
      #expect(code == .unavailable)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".copy")) == Data("mine".utf8))
    }
  }

  @Test func `is refused for another profile, for no database, and for a file without its log`() async throws {
    try await Self.withRunning { _, path async throws in
      let other = try await Self.code {
        try await Self.copier().copy(path, profile: .production, into: path + ".copy", logBytesMax: .max)
      }
      #expect(other == .otherProfile)
      let none = try await Self.code {
        try await Self.copier().copy(path + ".none", profile: .simulated, into: path + ".copy", logBytesMax: .max)
      }
      #expect(none == .unavailable)
      // What `cp` makes: everything is still in the log.
      try FileManager.default.copyItem(atPath: path, toPath: path + ".cp")
      #expect(try await Self.code { _ = try await Self.copier().examine(path + ".cp") } == .damaged)
      #expect(!FileManager.default.fileExists(atPath: path + ".copy"))
    }
  }

  @Test func `is given up when the log grows too long, and leaves nothing`() async throws {
    try await Self.withRunning { database, path async throws in
      try await database.commit { transaction in
        for number in 0..<2000 { try transaction.set("\(number)", to: "x") }
      }
      let code = try await Self.code {
        try await Self.copier().copy(path, profile: .simulated, into: path + ".copy", logBytesMax: 1000)
      }
      #expect(code == .unavailable)
      #expect(!FileManager.default.fileExists(atPath: path + ".copy"))
    }
  }

  @Test func `beside a writer holds what was committed before, and later commits change the database alone`()
    async throws
  {
    try await Self.withRunning { database, path async throws in
      let copier = Self.copier()
      try await copier.copy(path, profile: .simulated, into: path + ".copy", logBytesMax: .max)
      try await database.commit { try $0.set("second", to: "later") }
      let contents = try await copier.examine(path + ".copy")
      #expect(contents.profile == "simulated" && contents.schema == SQLiteSchema.version)
      #expect(contents.rows["orders"] == 0 && contents.journalNumber == 0 && contents.journalUntil == nil)
      let attributes = try FileManager.default.attributesOfItem(atPath: path + ".copy")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let reader = try await SQLiteReader.open(
        path: path + ".copy", profile: .simulated, on: ThreadExecutor(), now: { at(0) })
      #expect(try await reader.read { try $0.setting("first") } == "committed")
      #expect(try await reader.read { try $0.setting("second") } == nil)
      await reader.close()
    }
  }

  @Test func `with a spoiled page is found damaged`() async throws {
    try await Self.withRunning { database, path async throws in
      try await database.commit { transaction in
        for number in 0..<300 { try transaction.set("\(number)", to: String(repeating: "x", count: 500)) }
      }
      let copier = Self.copier()
      try await copier.copy(path, profile: .simulated, into: path + ".copy", logBytesMax: .max)
      let url = URL(fileURLWithPath: path + ".copy")
      var bytes = try Data(contentsOf: url)
      // The pages of the settings are the only ones with these letters.
      let place = try #require(bytes.range(of: Data(repeating: 0x78, count: 400))?.lowerBound)
      let page = place / 4096 * 4096
      bytes.replaceSubrange(page..<(page + 16), with: Data(repeating: 0xFF, count: 16))
      try bytes.write(to: url)
      #expect(try await Self.code { _ = try await copier.examine(path + ".copy") } == .damaged)
    }
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func `is not restored where a file is, or what SQLite keeps beside one`(suffix: String) async throws {
    try await Self.withRunning { _, path async throws in
      let copier = Self.copier()
      try await copier.copy(path, profile: .simulated, into: path + ".copy", logBytesMax: .max)
      try Data("old".utf8).write(to: URL(fileURLWithPath: path + ".new" + suffix))
      let code = try await Self.code {
        try await copier.restore(path + ".copy", as: path + ".new", setting: { _ in [:] })
      }
      #expect(code == .unavailable)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".new" + suffix)) == Data("old".utf8))
      #expect(!FileManager.default.fileExists(atPath: path + ".new.restoring"))
    }
  }

  @Test func `is restored as a database with its settings, which opens for writing`() async throws {
    try await Self.withRunning { _, path async throws in
      let copier = Self.copier()
      try await copier.copy(path, profile: .simulated, into: path + ".copy", logBytesMax: .max)
      try await copier.restore(path + ".copy", as: path + ".new", setting: { _ in ["gap": "open"] })
      let beside = try FileManager.default.contentsOfDirectory(
        atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
      #expect(beside.filter { $0.hasPrefix("running.db.new") } == ["running.db.new"])
      let restored = try await openSQLite(at: path + ".new", clock: TestClock())
      #expect(try await restored.read { try $0.setting("first") } == "committed")
      #expect(try await restored.read { try $0.setting("gap") } == "open")
      try await restored.commit { try $0.set("third", to: "written") }
      await restored.close()
    }
  }
}

/// The log beside the file holds what was written last.
@Suite struct `A database without its log` {
  private static func lostSince(_ path: String) async throws -> String? {
    let database = try await openSQLite(at: path, clock: TestClock())
    let since = try await database.read { try $0.setting(DatabaseSetting.logLostSince) }
    await database.close()
    return since
  }

  private static func lacksLog(_ path: String) async throws -> Bool {
    let reader = try await SQLiteReader.open(path: path, profile: nil, on: ThreadExecutor(), now: { at(0) })
    let lacks = reader.lacksLog
    await reader.close()
    return lacks
  }

  @Test func `is recognised by readers and by the next writer, and a closed or copied one is not`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let first = try await openSQLite(at: path, clock: TestClock())
      await first.close()
      #expect(try await !Self.lacksLog(path), "a closed database needs none")
      #expect(try await Self.lostSince(path) == nil)

      let second = try await openSQLite(at: path, clock: TestClock())
      try await second.commit { try $0.set("late", to: "only in the log") }
      try FileManager.default.copyItem(atPath: path, toPath: path + ".cp")
      try FileManager.default.copyItem(atPath: path, toPath: path + ".killed")
      try FileManager.default.copyItem(atPath: path + "-wal", toPath: path + ".killed-wal")
      let copier = DatabaseCopier(on: ThreadExecutor(), now: { at(0) })
      try await copier.copy(path, profile: .simulated, into: path + ".copy", logBytesMax: .max)
      await second.close()

      #expect(try await !Self.lacksLog(path + ".killed"), "its log is beside it")
      #expect(try await !Self.lacksLog(path + ".copy"))
      #expect(try await Self.lacksLog(path + ".cp"))
      #expect(try await Self.lostSince(path + ".killed") == nil)
      #expect(try await Self.lostSince(path + ".copy") == nil)
      #expect(try await Self.lostSince(path + ".cp") == "0")
    }
  }
}
