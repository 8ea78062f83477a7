package import Foundation
package import PaymentDatabase
package import SQLiteDatabase
import TestSubprocess

/// A new directory, in memory if possible. It is gone after the tests, also after tests that were killed.
/// `FaultyDisk` tests what a disk would lose; waiting for the syncs of a real
/// disk shows nothing more.
package func makeTestDirectory() throws -> URL {
  let memory = "/dev/shm"
  let room = try? FileManager.default.attributesOfFileSystem(forPath: memory)[.systemFreeSize] as? Int
  let isRoomy = (room ?? 0) > 1 << 30
  let directory = (isRoomy ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory)
    .appendingPathComponent("counterfoil-store-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  runAfterTests("rm -rf '\(directory.path)'")
  return directory
}

/// Opens a SQLite database with its own threads.
package func openSQLite(
  at path: String, profile: DatabaseProfile = .simulated, clock: TestClock,
  change: (inout SQLiteSettings) -> Void = { _ in }
) async throws -> SQLiteDatabase {
  var settings = SQLiteSettings(path: path, profile: profile, holder: "the tests")
  change(&settings)
  return try await SQLiteDatabase.open(
    settings, dependencies: testDependencies(clock), writer: ThreadExecutor(),
    readers: [ThreadExecutor()])
}

/// Runs a test with a directory that is deleted afterwards.
package func withDirectory(_ body: (URL) async throws -> Void) async throws {
  let directory = try makeTestDirectory()
  defer { try? FileManager.default.removeItem(at: directory) }
  try await body(directory)
}
