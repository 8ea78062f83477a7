/// The append-only log of a simulator's whole state. A program provides it: a file, or memory.
///
/// An appended line survives the process. A record is one line without its line end.
package struct SimulatorLog: Sendable {
  /// Appends a line and returns when it will survive a power failure. It must not stop because a task was cancelled.
  ///
  /// If it throws, the line may or may not be in the log. The simulator then rejects all further changes until it is
  /// opened again.
  package var append: @Sendable (_ line: [UInt8]) async throws -> Void
  /// All lines from the first. The last one may be torn: then it is shorter, never joined with another.
  package var readAll: @Sendable () async throws -> [[UInt8]]

  package init(
    append: @escaping @Sendable (_ line: [UInt8]) async throws -> Void,
    readAll: @escaping @Sendable () async throws -> [[UInt8]]
  ) {
    self.append = append
    self.readAll = readAll
  }
}

/// A log in memory: for runs that keep nothing, and for simulations that restart the simulator but keep its log.
package actor VolatileSimulatorLog {
  package private(set) var lines: [[UInt8]] = []

  /// An empty log, or one that begins with these lines.
  package init(lines: [[UInt8]] = []) { self.lines = lines }

  /// The log in the form that a simulator takes.
  package nonisolated var log: SimulatorLog {
    SimulatorLog(append: { await self.append($0) }, readAll: { await self.lines })
  }

  private func append(_ line: [UInt8]) { lines.append(line) }
}
