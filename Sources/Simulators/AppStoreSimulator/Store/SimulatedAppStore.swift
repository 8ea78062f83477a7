package import HTTPMessages
package import PaymentPrimitives
package import SimulatorCore

/// A local App Store: accounts buy, get refunds and subscribe, and everything is signed as Apple signs it.
///
/// It holds the true charges. Each command is one log record, written before it takes effect. So an answered command
/// survives a kill, and a killed command took effect completely or not at all (rule AS-LOG-1).
///
/// The actor holds the log and the state, and commits commands. Its parts decide and sign.
package actor SimulatedAppStore: LoggedSimulator {
  package typealias Code = SimulatorErrorCode

  /// The signing keys; a server has to trust its root.
  package nonisolated let authority: SimulatedSigningAuthority
  /// The built-in key of the App Store Server API, with its private half.
  package nonisolated let testAPIKey: SimulatedTestAPIKey
  package nonisolated let dependencies: Dependencies
  nonisolated let settings: SimulatorSettings

  package let commands: CommandLog<SimulatorState>
  let signer: AppStoreSigner
  let delivery: NotificationDelivery
  var apiRateLimits = APIRateLimits()
  /// How many calendars run.
  private var calendars = 0

  private init(
    _ commands: sending CommandLog<SimulatorState>, _ origin: SimulatorOrigin, dependencies: Dependencies,
    exchange: HTTPExchange, settings: SimulatorSettings, report: @escaping Log
  ) {
    authority = SimulatedSigningAuthority(seed: origin.testKeySeed, createdAt: origin.createdAt)
    testAPIKey = SimulatedTestAPIKey(seed: origin.testKeySeed)
    signer = AppStoreSigner(authority, settings.receiptKeys, after: commands.state.revocations)
    delivery = NotificationDelivery(exchange, report: report)
    self.commands = commands
    self.dependencies = dependencies
    self.settings = settings
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
    do throws(LogFailure) {
      let (commands, origin) =
        try await CommandLog<SimulatorState>.open(log, dependencies: dependencies, names: logEventNames, report: report)
      return SimulatedAppStore(
        commands, origin, dependencies: dependencies, exchange: exchange, settings: settings, report: report)
    } catch { throw CodedError<SimulatorErrorCode>(error) }
  }

  private static let logEventNames = LogEventNames(
    opened: "simulator.opened", tornLinesDropped: "simulator.tornLinesDropped", logBroken: "simulator.logBroken")

  // MARK: commands

  /// Decides a command on the current state, writes its event, then applies it. Commands run one at a time.
  ///
  /// - Parameters:
  ///   - moment: the scheduled time of an event that is processed late; default: now.
  ///   - decide: leaves `event` empty when nothing changes.
  func commit<Answer: Sendable, Failure: CommandFailure>(
    at moment: Timestamp? = nil, _ decide: @Sendable (inout CommandContext) throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    let (answer, claimed) = try await commands.commit { state throws(Failure) in
      var decision = CommandContext(state, now: moment ?? now(), dependencies)
      let answer = try decide(&decision)
      return ((answer, decision.claimed), decision.record)
    }
    if let claimed { delivery.claim(claimed) }
    return answer
  }

  // MARK: for the calendar

  /// Counts the calendars that run.
  package func noteCalendar(runs: Bool) { calendars += runs ? 1 : -1 }

  /// Lets everything take place that is due, if a calendar runs: before each answer of the API and of the control API,
  /// and before a moved clock is answered. No answer contradicts the calendar (rule AS-TIME-1).
  package func settle() async {
    guard calendars > 0 else { return }
    // The clock may be moved once more before this actor goes on: then more is due.
    for _ in 0..<Self.settleRoundsMax {
      await SubscriptionCalendar(self).keep()
      guard SubscriptionCalendar.isBehind(self) else { return }
    }
  }

  /// Rounds of one answer. Nobody moves the clock so often; a calendar that cannot go on ends here too.
  private static let settleRoundsMax = 100

  // MARK: for the sender

  package func takeDueNotifications(upTo count: Int) -> [AppStoreUUID] {
    // Without a log no attempt can be recorded, so each would be due again at once, forever.
    commands.canWrite ? delivery.takeDue(from: commands.state, upTo: count, at: now()) : []
  }

  package func attempt(_ uuid: AppStoreUUID) async { await delivery.attempt(uuid, of: self) }

  package func spanUntilDue() -> TimeSpan? {
    guard commands.canWrite, let moment = delivery.nextMoment(in: commands.state) else { return nil }
    return commands.state.clock.realSpan(of: moment - now())
  }
}

// MARK: the parts, whose calls change something

extension SimulatedAppStore {
  /// Apps, products and accounts.
  package nonisolated var catalog: AppStoreCatalog { AppStoreCatalog(store: self) }
  /// What devices ask for.
  package nonisolated var purchases: AppStorePurchases { AppStorePurchases(store: self) }
  package nonisolated var refunds: AppStoreRefunds { AppStoreRefunds(store: self) }
  package nonisolated var subscriptions: AppStoreSubscriptions { AppStoreSubscriptions(store: self) }
  package nonisolated var priceIncreases: PriceIncreases { PriceIncreases(store: self) }
  package nonisolated var renewalExtensions: RenewalExtensions { RenewalExtensions(store: self) }
  package nonisolated var familySharing: FamilySharing { FamilySharing(store: self) }
  package nonisolated var notificationCommands: NotificationCommands { NotificationCommands(store: self) }
  /// The App Store Server API, and `verifyReceipt`.
  package nonisolated var serverAPI: SimulatedServerAPI { SimulatedServerAPI(store: self) }
  /// The keys and the planned faults of the App Store Server API.
  package nonisolated var certificates: CertificateRevocations { CertificateRevocations(store: self) }
  package nonisolated var apiSettings: ServerAPISettings { ServerAPISettings(store: self) }
}
