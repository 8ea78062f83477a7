import CFaultyDisk
import Foundation
import PaymentDatabase
import SQLiteDatabase
import TestDatabases
import Testing

/// A planning connection keeps its snapshot while nothing is committed.
@Suite struct `A snapshot that stays open` {
  @Test func `is not used after a commit for which its caller waited`() async throws {
    try await withFaultyDatabase { faulty async throws in
      let database = faulty.database
      for number in 0..<20 {
        try await database.commit { try $0.set("number", to: "\(number)") }
        for _ in 0..<5 {
          #expect(try await database.commit { try $0.setting("number") } == "\(number)")
        }
      }
      #expect(await database.planCounts.answeredFromSnapshot == 100)
    }
  }

  @Test func `does not hide whether a commit failed`() async throws {
    try await withFaultyDatabase { faulty async throws in
      for _ in 0..<4 { _ = try await faulty.database.commit { try $0.setting("before") } }
      faulty.disk.fail(faulty_disk_sync, "-wal", with: faulty_disk_io_error_on_sync)
      let outcome = await faulty.database.transact { try $0.set("during", to: "written") }
      #expect(outcome.word == "store_unavailable")
      #expect(try await faulty.database.commit { try $0.setting("during") } == nil)
    }
  }

  @Test func `does not let the log grow without end`() async throws {
    try await withFaultyDatabase { faulty async throws in
      for number in 0..<80 {
        // SQLite writes no page again that stays the same.
        let large = String(repeating: number % 2 == 0 ? "x" : "y", count: 1 << 20)
        try await faulty.database.commit { try $0.set("large", to: large) }
        for _ in 0..<4 { _ = try await faulty.database.commit { try $0.setting("before") } }
      }
      let attributes = try FileManager.default.attributesOfItem(atPath: faulty.path + "-wal")
      let length = try #require(attributes[.size] as? Int)
      #expect(length < 24 << 20, "80 MiB were written through the log")
    }
  }
}
