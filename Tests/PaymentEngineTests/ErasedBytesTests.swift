import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import ShopFixtures
import Synchronization
import TestDatabases
import Testing

@Suite struct `An erased user in the bytes of a SQLite file` {
  private static let personal = ErasedUserStory.personal + ErasedUserStory.personalAtWeChat

  /// Lines of the log.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ event: LogEvent) { lines.withLock { $0.append("\(event)") } }
  }

  private static func found(in path: String) throws -> [String] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    return personal.filter { bytes.range(of: Data($0.utf8)) != nil }
  }

  @Test func `is in none of them after VACUUM, nor in a backup made before it, nor in the log`() async throws {
    try await withDirectory { directory in
      let path = directory.appendingPathComponent("shop.sqlite").path
      let copy = directory.appendingPathComponent("copy.sqlite").path
      let (clock, lines) = (TestClock(), Lines())
      clock.set(EngineFixture.noon)
      let database = try await openSQLite(at: path, clock: clock)
      let story = try await ErasedUserStory.open(over: database, at: clock) { lines.add($0) }
      let shop = story.shop
      try await story.use()
      #expect(try Self.found(in: path + "-wal").count == Self.personal.count)
      _ = try await shop.engine.eraseUser(ErasedUserStory.user, of: shop.app)
      #expect(try await shop.engine.auditInvariants(atRest: false).violations == [])
      let log = try await shop.engine.read { try AuditLogVerification(of: $0) }
      #expect(log.broken == nil && log.redactions.count == 9)
      await database.close()
      try await DatabaseCopier(on: ThreadExecutor(), now: { EngineFixture.noon }).copy(
        path, profile: .simulated, into: copy, logBytesMax: .max)
      let copied = try Self.found(in: copy)
      #expect(copied == [])
      _ = try runSQL("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);", on: path)
      let kept = try Self.found(in: path)
      #expect(kept == [])
      let named = Self.personal + [ErasedUserStory.openid]
      #expect(lines.all.filter { line in named.contains { line.contains($0) } } == [])
    }
  }
}
