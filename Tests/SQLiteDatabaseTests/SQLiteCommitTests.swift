import CFaultyDisk
import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import Synchronization
import TestDatabases
import Testing

@Suite struct `A SQLite database with a failed COMMIT` {
  @Test func `finds out that the commit failed, and reports that`() async throws {
    try await withFaultyDatabase { faulty async throws in
      faulty.disk.fail(faulty_disk_sync, "-wal", with: faulty_disk_io_error_on_sync)
      let outcome = await faulty.database.transact { try $0.set("during", to: "written") }
      #expect(faulty.disk.faultsLeft(faulty_disk_sync) == 0)
      #expect(outcome.word == "store_unavailable")
      #expect(try await faulty.database.read { try $0.setting("during") } == nil)
      // The log held the whole transaction, unsynced: no later recovery may find it.
      #expect(
        try await settings(["before", "during"], at: try faulty.copyOfFiles("killed")) == ["committed", nil])
      #expect(
        try await settings(["before", "during"], at: try faulty.leftByPowerCut("cut")) == ["committed", nil])
      try await faulty.database.commit { try $0.set("after", to: "committed") }
      #expect(
        try await settings(["during", "after"], at: try faulty.leftByPowerCut("later")) == [nil, "committed"])
    }
  }

  @Test func `finds out that the commit succeeded, and reports that`() async throws {
    // A connection for snapshots would hold the log's index.
    try await withFaultyDatabase(change: { $0.plannersMax = 0 }) { faulty async throws in
      // The reading connection meets an error and closes: now no other connection holds the log's index.
      faulty.disk.fail(faulty_disk_read, "", times: 1000, with: faulty_disk_io_error_on_read)
      await #expect(throws: CodedError<DatabaseErrorCode>(.unavailable)) {
        try await faulty.database.read { try $0.apiKey("not in the cache") }
      }
      faulty.disk.heal()
      // The COMMIT's sync fails, and so does that of the checkpoint at closing: recovery then finds the frames whole.
      faulty.disk.fail(faulty_disk_sync, "-wal", times: 2, with: faulty_disk_io_error_on_sync)
      let outcome = await faulty.database.transact { try $0.set("during", to: "written") }
      #expect(faulty.disk.faultsLeft(faulty_disk_sync) == 0)
      #expect(outcome.word == "committed")
      #expect(try await settings(["during"], at: try faulty.leftByPowerCut("cut")) == ["written"])
      #expect(try await faulty.database.read { try $0.setting("during") } == "written")
    }
  }

  @Test func `reports an unknown outcome if it cannot find out, and continues once it can`() async throws {
    try await withFaultyDatabase { faulty async throws in
      faulty.disk.fail(faulty_disk_sync, "", times: 1_000_000, with: faulty_disk_io_error_on_sync)
      let outcome = await faulty.database.transact { try $0.set("during", to: "written") }
      #expect(outcome.word == "unknown")
      faulty.disk.heal()
      let runs = Counter()
      let found = try await faulty.database.commit { transaction throws in
        runs.next()
        let found = try transaction.setting("during")
        try transaction.set("during", to: "asked again")
        return found
      }
      #expect(found == nil || found == "written")
      #expect(
        try await settings(["before", "during"], at: try faulty.leftByPowerCut("cut"))
          == ["committed", "asked again"])
    }
  }

  @Test func `gives the whole batch the same answer`() async throws {
    try await withFaultyDatabase { faulty async throws in
      let gate = Gate()
      let words = try await withThrowingTaskGroup(of: String.self) { group in
        group.addTask { await faulty.database.transact { try gate.pass(onWriterOf: $0) }.word }
        await until { gate.reached }
        for number in 0..<5 {
          group.addTask {
            await faulty.database.transact { transaction throws in
              try transaction.set("\(number)", to: "written")
              // It refuses because of a write of the same batch that was never committed.
              if number == 4, try transaction.setting("0") != nil { throw ClosureError(word: "too late") }
            }.word
          }
          await until { faulty.database.waitingCount == number + 1 }
        }
        faulty.disk.fail(faulty_disk_sync, "-wal", with: faulty_disk_io_error_on_sync)
        gate.open()
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(words.sorted() == ["committed"] + Array(repeating: "store_unavailable", count: 5))
      #expect(
        try await settings((0..<5).map { "\($0)" }, at: try faulty.leftByPowerCut("cut"))
          == Array(repeating: nil, count: 5))
    }
  }

  @Test func `never creates a database again after it was removed`() async throws {
    try await withFaultyDatabase { faulty async throws in
      for suffix in ["", "-wal", "-shm"] {
        try FileManager.default.removeItem(atPath: faulty.path + suffix)
      }
      faulty.disk.fail(faulty_disk_sync, "-wal", with: faulty_disk_io_error_on_sync)
      let outcome = await faulty.database.transact { try $0.set("during", to: "written") }
      #expect(outcome.word == "unknown")
      let next = await faulty.database.transact { try $0.set("after", to: "written") }
      #expect(next.word == "store_unavailable")
      #expect(!FileManager.default.fileExists(atPath: faulty.path))
    }
  }
}
