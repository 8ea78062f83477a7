package import HTTPMessages
package import PaymentPrimitives
package import SimulatorCore
import WeChatPayProtocol

/// A local WeChat Pay: merchants open orders, payers pay them in its cashier, and everything is signed as WeChat Pay
/// signs it.
///
/// It holds the true payments. Each command is one log record, written before it takes effect. So an answered command
/// survives a kill, and a killed command took effect completely or not at all.
///
/// The actor holds the log and the state, and commits commands. Its parts decide and sign.
package actor SimulatedWeChatPay: LoggedSimulator {
  package typealias Code = WeChatPaySimulatorErrorCode

  package nonisolated let platform: SimulatedPlatform
  package nonisolated let dependencies: Dependencies
  package let commands: CommandLog<WeChatPayState>

  // The following parts are not in the log; a new process resets them.
  let keys: PlatformKeys
  let delivery: PaymentNotificationDelivery
  let exchangeJournal = ExchangeJournal()
  let readyBills = ReadyBills()
  var rateLimits = RateLimits()
  var nonces = UsedNonces()

  private init(
    _ commands: sending CommandLog<WeChatPayState>, _ origin: SimulatorOrigin, dependencies: Dependencies,
    exchange: HTTPExchange, keys: PreparedPlatformKeys?, report: @escaping Log
  ) {
    platform = SimulatedPlatform(origin, keys)
    self.keys = PlatformKeys(platform)
    delivery = PaymentNotificationDelivery(exchange, report: report)
    self.commands = commands
    self.dependencies = dependencies
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
    do throws(LogFailure) {
      let (commands, origin) = try await CommandLog<WeChatPayState>.open(
        log, seed: keys?.testKeySeed, dependencies: dependencies, names: logEventNames, report: report)
      return SimulatedWeChatPay(
        commands, origin, dependencies: dependencies, exchange: exchange, keys: keys, report: report)
    } catch { throw CodedError<WeChatPaySimulatorErrorCode>(error) }
  }

  private static let logEventNames = LogEventNames(
    opened: "weChatPaySimulator.opened", tornLinesDropped: "weChatPaySimulator.tornLinesDropped",
    logBroken: "weChatPaySimulator.logBroken")

  // MARK: commands

  /// Decides a command on the current state, writes its changes, then applies them. Commands run one at a time.
  ///
  /// - Parameter moment: the scheduled time of an event that is processed late; default: now.
  func commit<Answer: Sendable, Failure: CommandFailure>(
    at moment: Timestamp? = nil, _ decide: @Sendable (inout CommandContext) throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    try await commands.commit { state throws(Failure) in
      var decision = CommandContext(state, now: moment ?? now(), dependencies)
      let answer = try decide(&decision)
      return (answer, decision.record)
    }
  }

  /// Processes all due events: payments in progress arrive, refunds end.
  package func settle() async {
    while let entry = state.dueEndings.entries.first, entry.moment <= now(), commands.canWrite {
      // An event that is processed late takes place at its scheduled time.
      try? await commit(at: entry.moment) { decision throws(APIProblem) in
        switch entry.item {
        case .payment(let key): OrderDecision.landPayment(key, &decision)
        case .refund(let key): OrderRefundDecision.end(key, &decision)
        case .notification: break
        }
      }
    }
  }

  // MARK: for the sender

  package func takeDueNotifications(upTo count: Int) async -> [SimulatedPaymentNotification] {
    await settle()
    // Without a log no attempt can be noted, so each would be due again at once, forever.
    return commands.canWrite ? delivery.takeDue(from: commands.state, upTo: count, at: now()) : []
  }

  package func attempt(_ notification: SimulatedPaymentNotification) async {
    await delivery.attempt(notification, of: self)
  }

  /// The real time until something is due; nil when nothing waits, `.zero` when something is already due.
  package func spanUntilDue() -> TimeSpan? {
    guard commands.canWrite else { return nil }
    let state = commands.state
    let moments = [delivery.nextMoment(in: state), state.dueEndings.entries.first?.moment].compactMap { $0 }
    guard let next = moments.min() else { return nil }
    return state.clock.realSpan(of: max(.zero, next - now()))
  }
}

// MARK: the parts, whose calls change something

extension SimulatedWeChatPay {
  /// What merchants call.
  package nonisolated var api: MerchantAPI { MerchantAPI(service: self) }
  /// Where payers pay.
  package nonisolated var cashier: WeChatPayCashier { WeChatPayCashier(service: self) }
  /// What a person, a test or a demo sets.
  package nonisolated var control: WeChatPayControl { WeChatPayControl(service: self) }
}
