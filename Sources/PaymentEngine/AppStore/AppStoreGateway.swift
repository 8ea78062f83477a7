public import AppStoreProtocol
public import HTTPMessages
public import PaymentVocabulary

/// The way to Apple's servers for one app: chooses the environment, signs, keeps to Apple's rates, and leaves an endpoint
/// alone that fails.
///
/// Every call can be repeated, so a call that got no answer is asked again by whoever wanted to know; here it is sent
/// once.
public actor AppStoreGateway {
  /// What the configuration says.
  public nonisolated let settings: AppStoreSettings
  private let app: AppIdentifier
  private let exchange: HTTPExchange
  private let surroundings: Surroundings
  private let limits: AppStoreGatewayLimits
  private let metrics: Metrics
  private let log: Log
  private var lanes: [LaneKey: AppStoreLane] = [:]

  private struct LaneKey: Hashable {
    let endpoint: AppStoreServerEndpoint
    let environment: AppStoreEnvironment
  }

  /// A way to Apple's servers.
  public init(
    _ settings: AppStoreSettings, app: AppIdentifier, exchange: HTTPExchange, surroundings: Surroundings,
    limits: AppStoreGatewayLimits = AppStoreGatewayLimits(), metrics: Metrics, log: @escaping Log
  ) {
    self.settings = settings
    self.app = app
    self.exchange = exchange
    self.surroundings = surroundings
    self.limits = limits
    self.metrics = metrics
    self.log = log
  }

  // MARK: calls

  /// Sends a call to the environment of a purchase, or where that is not known to production and then to the sandbox.
  ///
  /// - Parameter environment: where the purchase was made. `simulated` and `undetermined` count as not known: a
  ///   simulator has both.
  public func send<Answer: Sendable>(
    _ call: AppStoreServerCall<Answer>, environment: StoreEnvironment?, priority: StoreCallPriority
  ) async -> AppStoreReply<Answer> {
    switch environment {
    case .production: return await attempt(call, .production, priority)
    case .sandbox: return await attempt(call, .sandbox, priority)
    case .xcode?, .localTesting?:
      return AppStoreReply(outcome: .unknown(.unaskable(environment ?? .xcode)), environment: .xcode)
    case .simulated, .undetermined, nil:
      let reply = await attempt(call, .production, priority)
      guard case .refused(let refusal) = reply.outcome, mayBeInSandbox(refusal) else { return reply }
      return await attempt(call, .sandbox, priority)
    }
  }

  /// What production does not know may be a sandbox purchase. For an app that was never released it answers 401.
  private func mayBeInSandbox(_ refusal: AppStoreServerRefusal) -> Bool {
    refusal.meansUnknownHere || (refusal.code == .notAuthorized && !settings.isReleased)
  }

  private func attempt<Answer: Sendable>(
    _ call: AppStoreServerCall<Answer>, _ environment: AppStoreEnvironment, _ priority: StoreCallPriority
  ) async -> AppStoreReply<Answer> {
    let key = LaneKey(endpoint: call.endpoint, environment: environment)
    let begin = surroundings.now()
    if let busy = await waitForTurn(key, priority, since: begin) {
      let outcome = AppStoreServerOutcome<Answer>.unknown(busy)
      note(key, outcome, since: nil)
      return AppStoreReply(outcome: outcome, environment: environment)
    }
    let sent = surroundings.now()
    let request = call.request(by: settings.credentials, to: settings.hosts[environment], at: sent)
    let outcome: AppStoreServerOutcome<Answer>
    do throws(HTTPExchangeError) {
      let response = try await exchange.send(request, call.timeLimit)
      outcome = call.outcome(of: response, at: surroundings.now())
    } catch {
      outcome = .unknown(.noAnswer(error))
    }
    let isLeftAlone = self[lane: key].came(back: outcome.health, priority, at: surroundings.now())
    note(key, outcome, since: sent)
    if isLeftAlone { log(LogEvent(.error, "appStore.leftAlone", fields(of: key))) }
    return AppStoreReply(outcome: outcome, environment: environment)
  }

  /// Waits until the call may go; says why not where it may not in time.
  private func waitForTurn(
    _ key: LaneKey, _ priority: StoreCallPriority, since begin: Timestamp
  ) async -> AppStoreServerUncertainty? {
    let deadline = begin + (limits.patience[priority] ?? .zero)
    guard let ticket = self[lane: key].enter(priority) else { return .busy(until: begin + limits.inFlightPause) }
    while true {
      switch self[lane: key].ask(ticket, priority, at: surroundings.now(), deadline: deadline) {
      case .now: return nil
      case .busy(let until):
        self[lane: key].leave(ticket)
        return .busy(until: until)
      case .wait(let until):
        do { try await surroundings.sleep(until - surroundings.now()) } catch {
          self[lane: key].leave(ticket)
          return .noAnswer(.cancelled)
        }
      }
    }
  }

  private subscript(lane key: LaneKey) -> AppStoreLane {
    get { lanes[key] ?? AppStoreLane(key.endpoint.rate(in: key.environment), limits) }
    set { lanes[key] = newValue }
  }

  // MARK: what is told

  /// Nothing of what was asked or answered but codes: no id, no token, nothing signed.
  private func note<Answer>(_ key: LaneKey, _ outcome: AppStoreServerOutcome<Answer>, since sent: Timestamp?) {
    let word =
      switch outcome {
      case .answered: "answered"
      case .refused(let refusal): refusal.code.rawValue
      case .unknown(.busy): "busy"
      case .unknown(.undecided(let refusal)): refusal.code.rawValue
      case .unknown: "unknown"
      }
    let names = [("api", key.endpoint.rawValue), ("environment", key.environment.rawValue)]
    metrics.count("counterfoil_app_store_calls_total", names + [("outcome", word)])
    if let sent {
      metrics.time(
        "counterfoil_app_store_call_seconds", names, milliseconds: (surroundings.now() - sent).milliseconds)
    }
    let fields = fields(of: key)
    switch outcome {
    case .answered: return
    case .refused(let refusal): log(LogEvent(.info, "appStore.refused", fields + [("refusal", "\(refusal)")]))
    case .unknown(let why): log(LogEvent(.warning, "appStore.outcomeUnknown", fields + [("why", why.summary)]))
    }
  }

  private func fields(of key: LaneKey) -> [(name: String, value: String)] {
    [("app", app.text), ("api", key.endpoint.rawValue), ("environment", key.environment.rawValue)]
  }
}

/// What came of a call, and which environment said so.
public struct AppStoreReply<Answer: Sendable>: Sendable {
  /// What came of it.
  public let outcome: AppStoreServerOutcome<Answer>
  /// Who was asked last: where Apple refuses because it knows nothing, it is the sandbox, and neither knows.
  public let environment: AppStoreEnvironment
}

extension AppStoreServerUncertainty {
  /// For the log.
  var summary: String {
    switch self {
    case .noAnswer(let error): "no answer: \(error)"
    case .undecided(let refusal): "undecided: \(refusal)"
    case .unreadable(let status, let why): "unreadable: status \(status): \(why)"
    case .busy(let until): "not sent: busy until \(until.iso8601)"
    case .unaskable(let environment): "not sent: Apple keeps nothing of \(environment.rawValue)"
    }
  }
}
