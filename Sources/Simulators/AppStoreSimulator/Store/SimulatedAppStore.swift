package import HTTPMessages
package import PaymentPrimitives
package import SimulatorCore

/// A local App Store: accounts buy, get refunds and subscribe, and everything is signed as Apple signs it.
///
/// It holds the true charges. Each command is one log record, written before it takes effect. So an answered command
/// survives a kill, and a killed command took effect completely or not at all (rule AS-LOG-1).
package actor SimulatedAppStore: NotificationSource {
  /// The signing keys; a server has to trust its root.
  package nonisolated let authority: SimulatedSigningAuthority

  /// The built-in key of the App Store Server API, with its private half.
  package nonisolated let testAPIKey: SimulatedTestAPIKey

  let log: SimulatorLog
  package nonisolated let dependencies: Dependencies
  let exchange: HTTPExchange
  let settings: SimulatorSettings
  let report: Log
  var signer: AppStoreSigner
  var apiRateLimits = APIRateLimits()
  package private(set) var state: SimulatorState

  /// Set when a record write fails: the content of the log is then unknown, so no further command is accepted.
  private var isBroken = false
  private let turns = CommandTurns()

  /// Notifications that are being sent now. They are not in the log, so after a kill they are sent again.
  var inFlight: Set<AppStoreUUID> = []
  /// Attempts in progress that are to be lost.
  var lossesInFlight: Int64 = 0
  var listeners = ChangeListeners()

  private init(
    _ state: SimulatorState, _ origin: SimulatorOrigin, log: SimulatorLog, dependencies: Dependencies,
    exchange: HTTPExchange, settings: SimulatorSettings, report: @escaping Log
  ) {
    self.state = state
    authority = SimulatedSigningAuthority(seed: origin.testKeySeed, createdAt: origin.createdAt)
    testAPIKey = SimulatedTestAPIKey(seed: origin.testKeySeed)
    signer = AppStoreSigner(authority, settings.receiptKeys)
    self.log = log
    self.dependencies = dependencies
    self.exchange = exchange
    self.settings = settings
    self.report = report
  }

  /// Opens a simulator on its log; an empty log begins a new one.
  ///
  /// - Parameters:
  ///   - exchange: sends the notifications while a `NotificationSender` runs.
  ///   - report: receives the diagnostic log lines; not the same as `log`.
  /// - Throws: `logUnreadable`, `logTooNew` or `logUnavailable`.
  package static func open(
    log: SimulatorLog, dependencies: Dependencies, exchange: HTTPExchange,
    settings: SimulatorSettings = SimulatorSettings(), report: @escaping Log = { _ in }
  ) async throws(CodedError<SimulatorErrorCode>) -> SimulatedAppStore {
    let lines: [[UInt8]]
    do { lines = try await log.readAll() } catch { throw CodedError(.logUnavailable, "\(error)") }
    var (state, tornLines) = try replay(lines)
    if tornLines > 0 {
      try await Self.append(.tornLinesDropped(tornLines), to: &state, log)
      report(LogEvent(.warning, "simulator.tornLinesDropped", [("count", "\(tornLines)")]))
    }
    if state.origin == nil {
      let origin = SimulatorOrigin(
        testKeySeed: dependencies.randomBytes(SimulatorOrigin.seedByteCount), createdAt: dependencies.now())
      try await Self.append(.created(origin), to: &state, log)
    }
    guard let origin = state.origin else { throw CodedError(.logUnreadable, "It does not say how it began.") }
    report(LogEvent(.info, "simulator.opened", [("records", "\(state.recordCount)")]))
    return SimulatedAppStore(
      state, origin, log: log, dependencies: dependencies, exchange: exchange, settings: settings, report: report)
  }

  /// The state after all readable records, and the number of torn lines at the end.
  private static func replay(
    _ lines: [[UInt8]]
  ) throws(CodedError<SimulatorErrorCode>) -> (state: SimulatorState, tornLines: Int) {
    var state = SimulatorState()
    do throws(LogReplay.Failure) {
      let tornLines = try LogReplay.run(lines) { (record: SimulatorRecord) throws(StateInconsistency) in
        try state.apply(record)
      }
      return (state, tornLines)
    } catch {
      switch error {
      case .unreadable(let problem): throw CodedError(.logUnreadable, problem)
      case .tooNew(let problem): throw CodedError(.logTooNew, problem)
      }
    }
  }

  private static func append(
    _ event: SimulatorEvent, to state: inout SimulatorState, _ log: SimulatorLog
  ) async throws(CodedError<SimulatorErrorCode>) {
    let record = SimulatorRecord(number: state.recordCount + 1, event: event, spent: [])
    do { try await log.append(record.line) } catch { throw CodedError(.logUnavailable, "\(error)") }
    do { try state.apply(record) } catch { throw CodedError(.logUnreadable, error.description) }
  }

  // MARK: time

  package func now() -> Timestamp { state.clock.simulated(at: dependencies.now()) }

  // MARK: commands

  /// Decides a command on the current state, writes its event, then applies it. Commands run one at a time: a server
  /// would treat two purchases with the same number as one payment.
  ///
  /// - Parameters:
  ///   - moment: the scheduled time of an event that is processed late; default: now.
  ///   - decide: leaves `event` empty when nothing changes.
  func commit<Answer: Sendable>(
    at moment: Timestamp? = nil, _ decide: (inout CommandContext) throws(CodedError<SimulatorErrorCode>) -> Answer
  ) async throws(CodedError<SimulatorErrorCode>) -> Answer {
    await turns.take()
    defer { turns.give() }
    guard !isBroken else { throw CodedError(.logUnavailable, "An earlier record could not be written.") }
    let (answer, decided) = try decided(at: moment, by: decide)
    guard let decided else { return answer }
    let record = SimulatorRecord(number: state.recordCount + 1, event: decided.event, spent: decided.spent)
    let line = record.line
    precondition(line.count <= SimulatorLimits.recordBytesMax, "every field of a record has its bound")
    do { try await log.append(line) } catch { throw breakOff(.logUnavailable, "\(error)") }
    do { try state.apply(record) } catch { throw breakOff(.logUnreadable, error.description) }
    if let uuid = decided.claimed { inFlight.insert(uuid) }
    listeners.wake()
    return answer
  }

  private struct Decided {
    let event: SimulatorEvent
    let spent: [SimulatorBehaviour]
    let claimed: AppStoreUUID?
  }

  /// The decision references the state and must be released before the state changes. Otherwise each change would copy
  /// the whole state.
  private func decided<Answer>(
    at moment: Timestamp?, by decide: (inout CommandContext) throws(CodedError<SimulatorErrorCode>) -> Answer
  ) throws(CodedError<SimulatorErrorCode>) -> (Answer, Decided?) {
    var decision = CommandContext(state, now: moment ?? now(), dependencies)
    let answer = try decide(&decision)
    let (spent, claimed) = (decision.spent, decision.claimed)
    return (answer, decision.event.map { Decided(event: $0, spent: spent, claimed: claimed) })
  }

  /// Stops all further commands.
  private func breakOff(_ code: SimulatorErrorCode, _ details: String) -> CodedError<SimulatorErrorCode> {
    isBroken = true
    report(LogEvent(.error, "simulator.logBroken", [("error", details)]))
    return CodedError(code, details)
  }

  /// Whether commands can still be written.
  var canWrite: Bool { !isBroken }
}

/// The settings of a simulator for its whole life in one process.
package struct SimulatorSettings: Sendable {
  /// The default environment of new accounts.
  package var environment: SimulatedEnvironment
  /// The keys that sign receipts, shared by many simulators; nil for its own.
  package var receiptKeys: PreparedReceiptKeys?

  /// The settings; by default accounts buy in the sandbox.
  package init(environment: SimulatedEnvironment = .sandbox, receiptKeys: PreparedReceiptKeys? = nil) {
    self.environment = environment
    self.receiptKeys = receiptKeys
  }
}
