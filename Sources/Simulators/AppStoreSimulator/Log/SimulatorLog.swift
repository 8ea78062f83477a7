/// The append-only log that holds everything a simulator knows, as handed in by a program: a file, or memory.
///
/// What was appended survives the process. A record is one line without its end.
package struct SimulatorLog: Sendable {
  /// Appends a line and returns once it will survive a power cut. It must not give up because a task was cancelled.
  ///
  /// When it throws, the line may be there or not: the simulator then refuses all further changes until it is opened
  /// again.
  package var append: @Sendable (_ line: [UInt8]) async throws -> Void
  /// All lines from the first. The last one may be torn; it is shorter then, never joined with another.
  package var readAll: @Sendable () async throws -> [[UInt8]]

  package init(
    append: @escaping @Sendable (_ line: [UInt8]) async throws -> Void,
    readAll: @escaping @Sendable () async throws -> [[UInt8]]
  ) {
    self.append = append
    self.readAll = readAll
  }
}

/// A log in memory: for runs that keep nothing, and for simulated worlds, which let the simulator die and not its log.
package actor VolatileSimulatorLog {
  package private(set) var lines: [[UInt8]] = []

  /// An empty log, or one that begins with these lines.
  package init(lines: [[UInt8]] = []) { self.lines = lines }

  /// The log as a simulator takes it.
  package nonisolated var log: SimulatorLog {
    SimulatorLog(append: { await self.append($0) }, readAll: { await self.lines })
  }

  private func append(_ line: [UInt8]) { lines.append(line) }
}
