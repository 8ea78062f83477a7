package import HTTPMessages
package import PaymentPrimitives
package import SimulatorCore
import WeChatPayProtocol

/// A local WeChat Pay: merchants open orders, payers pay them in its cashier, and everything is signed as WeChat Pay
/// signs it.
///
/// It holds the true payments. Each command is one log record, written before it takes effect. So an answered command
/// survives a kill, and a killed command took effect completely or not at all.
package actor SimulatedWeChatPay: NotificationSource {
  package nonisolated let platform: SimulatedPlatform

  let log: SimulatorLog
  package nonisolated let dependencies: Dependencies
  let exchange: HTTPExchange
  let report: Log
  package private(set) var state: WeChatPayState

  /// Set when a record write fails: the content of the log is then unknown, so no further command is accepted.
  private var isBroken = false
  private let turns = CommandTurns()

  // The following values are not in the log; a new process resets them.
  var keys: [PlatformKeyName: PlatformKey] = [:]
  var rateLimits = RateLimits()
  var nonces = UsedNonces()
  var bills: [ReadyBill] = []
  var journal: [WeChatPayExchangeNote] = []
  var requestCount: Int64 = 0
  /// Notifications that are being sent now: after a kill they are sent again.
  var inFlight: Set<String> = []
  var listeners = ChangeListeners()

  private init(
    _ state: WeChatPayState, _ origin: SimulatorOrigin, log: SimulatorLog, dependencies: Dependencies,
    exchange: HTTPExchange, keys: PreparedPlatformKeys?, report: @escaping Log
  ) {
    self.state = state
    platform = SimulatedPlatform(origin, keys)
    self.log = log
    self.dependencies = dependencies
    self.exchange = exchange
    self.report = report
  }

  /// Opens a simulator on its log; an empty log begins a new one.
  ///
  /// - Parameters:
  ///   - exchange: sends the notifications while a `NotificationSender` runs.
  ///   - keys: keys that already exist, for callers that open many simulators; a log with other keys keeps its own.
  ///   - report: receives the diagnostic log lines; not the same as `log`.
  /// - Throws: `logUnreadable`, `logTooNew` or `logUnavailable`.
  package static func open(
    log: SimulatorLog, dependencies: Dependencies, exchange: HTTPExchange, keys: PreparedPlatformKeys? = nil,
    report: @escaping Log = { _ in }
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> SimulatedWeChatPay {
    let lines: [[UInt8]]
    do { lines = try await log.readAll() } catch { throw CodedError(.logUnavailable, "\(error)") }
    var (state, tornLines) = try replay(lines)
    if tornLines > 0 {
      try await append([.tornLinesDropped(tornLines)], to: &state, log)
      report(LogEvent(.warning, "weChatPaySimulator.tornLinesDropped", [("count", "\(tornLines)")]))
    }
    if state.origin == nil {
      let origin = SimulatorOrigin(
        testKeySeed: keys?.testKeySeed ?? dependencies.randomBytes(SimulatorOrigin.seedByteCount),
        createdAt: dependencies.now())
      var policy = PlatformKeyPolicy()
      policy.certificatesIssued = [origin.createdAt]
      try await append([.created(origin), .keys(policy)], to: &state, log)
    }
    guard let origin = state.origin else { throw CodedError(.logUnreadable, "It does not say how it began.") }
    report(LogEvent(.info, "weChatPaySimulator.opened", [("records", "\(state.recordCount)")]))
    return SimulatedWeChatPay(
      state, origin, log: log, dependencies: dependencies, exchange: exchange, keys: keys, report: report)
  }

  /// The state after all readable records, and the number of torn lines at the end.
  private static func replay(
    _ lines: [[UInt8]]
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) -> (state: WeChatPayState, tornLines: Int) {
    var state = WeChatPayState()
    do throws(LogReplay.Failure) {
      let tornLines = try LogReplay.run(lines) { (record: WeChatPayRecord) throws(StateInconsistency) in
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
    _ changes: [WeChatPayChange], to state: inout WeChatPayState, _ log: SimulatorLog
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    let record = WeChatPayRecord(number: state.recordCount + 1, changes: changes)
    do { try await log.append(record.line) } catch { throw CodedError(.logUnavailable, "\(error)") }
    do { try state.apply(record) } catch { throw CodedError(.logUnreadable, error.description) }
  }

  // MARK: time

  /// The simulated time: for orders, refunds and bills.
  package func now() -> Timestamp { state.clock.simulated(at: dependencies.now()) }

  /// The clock of WeChat Pay's servers: for signatures. A move of the simulator's clock does not change it.
  func wireTime() -> Timestamp { dependencies.now() + .seconds(state.behaviours[.clockSkewSeconds]) }

  // MARK: commands

  /// Decides a command on the current state, writes its changes, then applies them. Commands run one at a time.
  func commit<Answer: Sendable, Failure: SimulatorFailure>(
    _ decide: (inout CommandContext) throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    await turns.take()
    defer { turns.give() }
    guard !isBroken else {
      throw .unavailable(CodedError(.logUnavailable, "An earlier record could not be written."))
    }
    let (answer, changes) = try decided(by: decide)
    guard !changes.isEmpty else { return answer }
    let record = WeChatPayRecord(number: state.recordCount + 1, changes: changes)
    let line = record.line
    precondition(line.count <= WeChatPaySimulatorLimits.recordBytesMax, "every field of a record has its bound")
    do { try await log.append(line) } catch { throw .unavailable(breakOff(.logUnavailable, "\(error)")) }
    do { try state.apply(record) } catch { throw .unavailable(breakOff(.logUnreadable, error.description)) }
    listeners.wake()
    return answer
  }

  /// The decision references the state and must be released before the state changes. Otherwise each change would copy
  /// the whole state.
  private func decided<Answer, Failure: Error>(
    by decide: (inout CommandContext) throws(Failure) -> Answer
  ) throws(Failure) -> (Answer, [WeChatPayChange]) {
    var decision = CommandContext(state, now: now(), dependencies)
    let answer = try decide(&decision)
    return (answer, decision.changes)
  }

  /// Stops all further commands.
  private func breakOff(
    _ code: WeChatPaySimulatorErrorCode, _ details: String
  ) -> CodedError<WeChatPaySimulatorErrorCode> {
    isBroken = true
    report(LogEvent(.error, "weChatPaySimulator.logBroken", [("error", details)]))
    return CodedError(code, details)
  }

  /// Whether commands can still be written.
  var canWrite: Bool { !isBroken }
}
