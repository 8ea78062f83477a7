package import Foundation
import PaymentDatabase
package import SQLiteDatabase

/// A SQLite database on a disk that fails on demand.
package struct FaultyDatabase: Sendable {
  package let disk: FaultyDisk
  package let directory: URL
  package let database: SQLiteDatabase

  package var path: String { directory.appendingPathComponent("test.sqlite").path }

  /// A copy of the database's files: what a killed process leaves.
  package func copyOfFiles(_ name: String) throws -> String {
    let copy = directory.appendingPathComponent(name).path
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    return copy
  }

  /// What a power cut would leave now.
  package func leftByPowerCut(_ name: String) throws -> String {
    let copy = directory.appendingPathComponent(name).path
    guard disk.cutPower(path, to: copy) else { throw CocoaError(.fileWriteUnknown) }
    return copy
  }
}

/// Runs a test with a database on a faulty disk that has committed one row, `settings.before`.
package func withFaultyDatabase(
  change: (inout SQLiteSettings) -> Void = { _ in }, _ body: (FaultyDatabase) async throws -> Void
) async throws {
  try await withDirectory { directory async throws in
    let disk = try FaultyDisk()
    let database = try await openSQLite(
      at: directory.appendingPathComponent("test.sqlite").path, clock: TestClock()
    ) {
      $0.fileSystem = disk.name
      change(&$0)
    }
    let faulty = FaultyDatabase(disk: disk, directory: directory, database: database)
    do {
      try await database.transact { try $0.set("before", to: "committed") }.get()
      try await body(faulty)
    } catch {
      disk.heal()
      await database.close()
      throw error
    }
    disk.heal()
    await database.close()
  }
}
