#if os(Linux)
  import Foundation
  import SQLiteDatabase
  import TestDatabases
  import TestDoubles
  import Testing

  @Suite struct `The lock of a database file` {
    @Test func `is free once the database was closed, while a starting program has a copy of it`() async throws {
      try await withDirectory { directory async throws in
        let path = directory.appendingPathComponent("a").path
        let first = try await openSQLite(at: path, clock: TestClock())
        let copies = (0..<1024).filter { number in
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path + ".lock"
        }.map { dup(Int32($0)) }
        defer { for copy in copies { close(copy) } }
        #expect(!copies.isEmpty)
        await first.close()
        let second = try await openSQLite(at: path, clock: TestClock())
        await second.close()
      }
    }
  }
#endif
