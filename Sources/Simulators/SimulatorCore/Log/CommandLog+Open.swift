package import PaymentPrimitives

extension CommandLog {
  /// Opens a log and replays it; an empty log begins a new simulator.
  ///
  /// - Parameters:
  ///   - seed: the seed of a new simulator's keys; nil for random bytes.
  ///   - report: receives the diagnostic log lines; not the same as `log`.
  /// - Returns: the log, and how the simulator was created.
  package static func open(
    _ log: SimulatorLog, seed: [UInt8]? = nil, dependencies: Dependencies, names: LogEventNames,
    report: @escaping Log
  ) async throws(LogFailure) -> sending (commands: CommandLog<State>, origin: SimulatorOrigin) {
    let lines: [[UInt8]]
    do { lines = try await log.readAll() } catch { throw .unavailable("\(error)") }
    var state = State()
    let tornLines = try LogReplay.run(lines) { (record: State.Record) throws(StateInconsistency) in
      try state.apply(record)
    }
    if tornLines > 0 {
      try await append(.tornLinesDropped(tornLines), to: &state, log)
      report(LogEvent(.warning, names.tornLinesDropped, [("count", "\(tornLines)")]))
    }
    if state.origin == nil {
      let origin = SimulatorOrigin(
        testKeySeed: seed ?? dependencies.randomBytes(SimulatorOrigin.seedByteCount), createdAt: dependencies.now())
      try await append(.created(origin), to: &state, log)
    }
    guard let origin = state.origin else { throw .unreadable("It does not say how it began.") }
    report(LogEvent(.info, names.opened, [("records", "\(state.recordCount)")]))
    return (CommandLog(state, log, names: names, report: report), origin)
  }

  private static func append(
    _ change: SharedChange<State.Behaviour>, to state: inout State, _ log: SimulatorLog
  ) async throws(LogFailure) {
    let record = State.Record(number: state.recordCount + 1, change)
    do { try await log.append(record.line) } catch { throw .unavailable("\(error)") }
    do { try state.apply(record) } catch { throw .unreadable(error.description) }
  }
}
