import CFaultyDisk
import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import Testing

@Suite struct `A SQLite database that joins the writes of a commit` {
  /// Writes a row `settings.during`, and so many more rows that they fill about as many pages.
  private func commit(_ pages: Int, to faulty: FaultyDatabase) async throws {
    try await faulty.database.commit { transaction throws in
      try transaction.set("during", to: "written")
      for _ in 0..<pages {
        try transaction.insert(
          Evidence(
            payment: paymentKey("1"), text: String(repeating: "e", count: 4000), origin: .client,
            receivedAt: at(0)))
      }
    }
  }

  @Test func `refuses a file system that is not registered`() async throws {
    try await withDirectory { directory async throws in
      await #expect(throws: CodedError<DatabaseErrorCode>(.unavailable)) {
        try await openSQLite(at: directory.appendingPathComponent("test.sqlite").path, clock: TestClock()) {
          $0.fileSystem = "not registered"
        }
      }
    }
  }

  @Test func `writes all pages of a commit to the log by one call of the system`() async throws {
    var calls: [Bool: Int] = [:]
    for joins in [true, false] {
      try await withFaultyDatabase(change: { $0.joinsWrites = joins }) { faulty async throws in
        let before = faulty.disk.calls(faulty_disk_write, "-wal")
        try await commit(20, to: faulty)
        calls[joins] = faulty.disk.calls(faulty_disk_write, "-wal") - before
      }
    }
    #expect(calls[true] == 1)
    // Two for each page.
    #expect(calls[false] ?? 0 > 40)
  }

  @Test func `keeps a commit that is larger than what waits in memory`() async throws {
    try await withFaultyDatabase(change: { $0.cacheKibibytes = 64 }) { faulty async throws in
      try await commit(400, to: faulty)
      let copy = try faulty.leftByPowerCut("cut")
      #expect(try await settings(["before", "during"], at: copy) == ["committed", "written"])
    }
  }

  @Test func `writes a page again that left the cache before the commit, and a recovery finds the last one`()
    async throws
  {
    // A cache of 16 pages: the page of the settings leaves it in each round, is read again and changed again.
    try await withFaultyDatabase(change: { $0.cacheKibibytes = 64 }) { faulty async throws in
      let read = try await faulty.database.commit { transaction throws in
        var read: [String?] = []
        for round in 0..<60 {
          read.append(try transaction.setting("round"))
          try transaction.set("round", to: "\(round)")
          for _ in 0..<16 + round % 8 {
            try transaction.insert(
              Evidence(
                payment: paymentKey("1"), text: String(repeating: "e", count: 4000), origin: .client,
                receivedAt: at(0)))
          }
        }
        return read
      }
      #expect(read == [nil] + (0..<59).map { "\($0)" })
      #expect(try await settings(["before", "round"], at: try faulty.leftByPowerCut("cut")) == ["committed", "59"])
    }
  }

  @Test func `writes nothing of a rolled back transaction over what another process commits later`() async throws {
    try await withFaultyDatabase(change: { $0.cacheKibibytes = 64 }) { faulty async throws in
      // Its pages leave the cache before it is given up, each time at another one.
      for pages in 10..<40 {
        let outcome = await faulty.database.transact { transaction throws in
          // On the writer: a closure that reads a list without a key cannot be planned.
          _ = try transaction.orders(after: nil, limit: 1)
          for _ in 0..<pages {
            try transaction.insert(
              Evidence(
                payment: paymentKey("1"), text: String(repeating: "e", count: 4000), origin: .client,
                receivedAt: at(0)))
          }
          throw ClosureError(word: "given up")
        }
        #expect(outcome.word != "committed")
        _ = try runSQL("UPDATE settings SET value = 'by hand \(pages)' WHERE name = 'before'", on: faulty.path)
        try await faulty.database.commit { try $0.set("after", to: "\(pages)") }
        #expect(try runSQL("PRAGMA integrity_check", on: faulty.path) == "ok\n")
        let found = try await settings(["before", "after"], at: try faulty.copyOfFiles("\(pages)"))
        #expect(found == ["by hand \(pages)", "\(pages)"])
      }
    }
  }

  @Test func `is whole without the last commit, wherever its one write is torn`() async throws {
    try await withFaultyDatabase { faulty async throws in
      let old = Array(try Data(contentsOf: URL(fileURLWithPath: try faulty.copyOfFiles("before") + "-wal")))
      try await commit(3, to: faulty)
      let copy = try faulty.copyOfFiles("after")
      let new = Array(try Data(contentsOf: URL(fileURLWithPath: copy + "-wal")))
      let changed = new.indices.filter { $0 >= old.count || new[$0] != old[$0] }
      let (first, last) = (try #require(changed.first), try #require(changed.last))
      try #require(last - first > 3 * 4096)
      for cut in [first, first + 1, first + 24] + Array(stride(from: first + 777, to: last, by: 1031)) + [last] {
        let torn = copy + "-\(cut)"
        try FileManager.default.copyItem(atPath: copy, toPath: torn)
        try Data(new[..<cut] + old.dropFirst(cut)).write(to: URL(fileURLWithPath: torn + "-wal"))
        #expect(try await settings(["before", "during"], at: torn) == ["committed", nil], "torn at \(cut)")
      }
      #expect(try await settings(["before", "during"], at: copy) == ["committed", "written"])
    }
  }
}
