import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ends each program at its deadline, from its own thread: tests that block every other thread do not delay it.
enum Deadlines {
  private struct Entry {
    weak var program: OtherProgram?
    let end: ContinuousClock.Instant
  }

  private static let entries = Mutex<[Entry]>([])
  private static let watch: Void = {
    let thread = Thread {
      while true {
        usleep(50_000)
        for program in takeDue() { program.reachDeadline() }
      }
    }
    thread.start()
  }()

  static func add(_ program: OtherProgram, after duration: Duration) {
    let end = ContinuousClock.now + duration
    entries.withLock { $0.append(Entry(program: program, end: end)) }
    _ = watch
  }

  private static func takeDue() -> [OtherProgram] {
    let now = ContinuousClock.now
    return entries.withLock { entries in
      let due = entries.filter { $0.end <= now }.compactMap(\.program)
      entries.removeAll { $0.end <= now || $0.program == nil }
      return due
    }
  }
}
