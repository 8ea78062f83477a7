package import CFaultyDisk
import Foundation
import Synchronization

/// A disk that fails on demand: a file system of SQLite with its own name.
///
/// `@unchecked Sendable`: a mutex in C guards all its state, and the pointer to it never changes.
package final class FaultyDisk: @unchecked Sendable {
  /// The value for `SQLiteSettings.fileSystem`.
  package let name: String
  private let disk: OpaquePointer
  private let afterLogSync = Mutex<(@Sendable () -> Void)?>(nil)

  private static let made = Atomic<Int>(0)

  package init() throws {
    name = "faulty-\(Self.made.add(1, ordering: .relaxed).newValue)"
    guard let disk = faulty_disk_make(name) else { throw CocoaError(.coderInvalidValue) }
    self.disk = disk
  }

  /// Plans faults for the calls of one kind on files with this suffix, after some that succeed.
  package func fail(
    _ call: faulty_disk_call, _ suffix: String, after skip: Int32 = 0, times count: Int32 = 1,
    with code: Int32
  ) {
    faulty_disk_fail(disk, call, suffix, skip, count, code)
  }

  /// Lets everything succeed again.
  package func heal() {
    for call in [faulty_disk_read, faulty_disk_write, faulty_disk_sync, faulty_disk_open] {
      faulty_disk_fail(disk, call, "", 0, 0, 0)
    }
  }

  /// The number of planned faults of a kind that have not occurred.
  package func faultsLeft(_ call: faulty_disk_call) -> Int { Int(faulty_disk_faults_left(disk, call)) }

  /// The number of calls of a kind on files with this suffix.
  package func calls(_ call: faulty_disk_call, _ suffix: String) -> Int {
    Int(faulty_disk_calls(disk, call, suffix))
  }

  /// Calls the closure after each sync of a log, on the writer's thread.
  package func afterLogSync(_ body: @escaping @Sendable () -> Void) {
    afterLogSync.withLock { $0 = body }
    faulty_disk_after_log_sync(
      disk,
      { context in
        guard let context else { return }
        let disk = Unmanaged<FaultyDisk>.fromOpaque(context).takeUnretainedValue()
        disk.afterLogSync.withLock { $0 }?()
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Writes what a power cut would have left of a database to another path.
  package func cutPower(_ path: String, to copy: String) -> Bool {
    faulty_disk_power_cut(disk, path, copy) == 0
  }
}

/// Runs SQL on a file by a connection independent of the database; returns the rows, columns separated by `|`.
package func runSQL(_ sql: String, on path: String) throws -> String {
  var answer = [CChar](repeating: 0, count: 1 << 20)
  let code = faulty_disk_run_sql(path, sql, &answer, Int32(answer.count))
  guard code == 0 else { throw SQLFailure(code: code) }
  let bytes = answer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return String(decoding: bytes, as: UTF8.self)
}

/// SQLite's code for the SQL that failed.
package struct SQLFailure: Error { let code: Int32 }
