package import AppStoreProtocol
package import HTTPMessages
package import PaymentEngine
package import PaymentPrimitives
import Synchronization

/// The client of Apple's servers for one app. It selects the environment, signs, observes Apple's rate limits, and
/// pauses an endpoint that fails.
///
/// Every call can be repeated. The gateway sends a call once; if it gets no answer, the caller retries.
package actor AppStoreGateway {
  private nonisolated let current: CurrentSettings
  private var choices: [AppStoreEnvironment: CredentialChoice] = [:]
  private let app: AppIdentifier
  private let exchange: HTTPExchange
  private let dependencies: Dependencies
  let limits: AppStoreGatewayLimits
  private let metrics: Metrics
  private let traces: Traces
  private let log: Log
  /// This node's part of the rates; nil if no other node uses them.
  var share: StoreShare?
  var throttles: [EndpointKey: EndpointThrottle] = [:]

  struct EndpointKey: Hashable {
    /// The endpoint's name in logs and metrics.
    let api: String
    let environment: AppStoreEnvironment
    let rate: CallRate
  }

  /// A client of Apple's servers.
  ///
  /// - Parameters:
  ///   - settings: the access to the App Store Server API; without it every such call ends without being sent.
  ///   - receipts: the access to `verifyReceipt`; without it likewise.
  package init(
    _ settings: AppStoreServerAccess?, receipts: VerifyReceiptSettings? = nil, app: AppIdentifier,
    exchange: HTTPExchange, dependencies: Dependencies,
    limits: AppStoreGatewayLimits = AppStoreGatewayLimits(), metrics: Metrics, traces: Traces = .off,
    log: @escaping Log
  ) {
    current = CurrentSettings(server: settings, receipts: receipts)
    self.app = app
    self.exchange = exchange
    self.dependencies = dependencies
    self.limits = limits
    self.metrics = metrics
    self.traces = traces
    self.log = log
  }

  private struct Settings: Sendable {
    var server: AppStoreServerAccess?
    var receipts: VerifyReceiptSettings?
  }

  /// The settings of the calls that begin now.
  private final class CurrentSettings: Sendable {
    private let settings: Mutex<Settings>

    init(server: AppStoreServerAccess?, receipts: VerifyReceiptSettings?) {
      settings = Mutex(Settings(server: server, receipts: receipts))
    }

    var value: Settings {
      get { settings.withLock { $0 } }
      set { settings.withLock { $0 = newValue } }
    }
  }

  /// The configuration of the App Store Server API; nil if there is no key for it.
  package nonisolated var settings: AppStoreServerAccess? { current.value.server }

  /// The use of `verifyReceipt`; nil if it is never called.
  nonisolated var receipts: VerifyReceiptSettings? { current.value.receipts }

  /// Calls that are sent from now on use these settings; those under way go on with theirs.
  package nonisolated func replace(by server: AppStoreServerAccess?, receipts: VerifyReceiptSettings?) {
    current.value = Settings(server: server, receipts: receipts)
  }

  // MARK: calls

  /// Sends a call to the environment of a purchase. If that is not known, it tries production, then the sandbox.
  ///
  /// - Parameter environment: where the purchase was made. `simulated` and `undetermined` count as not known, because
  ///   a simulator has both.
  package func send<Answer: Sendable>(
    _ call: AppStoreServerCall<Answer>, environment: StoreEnvironment?, priority: StoreCallPriority
  ) async -> AppStoreReply<Answer> {
    switch environment {
    case .production: return await attempt(call, .production, priority: priority)
    case .sandbox: return await attempt(call, .sandbox, priority: priority)
    case .xcode?, .localTesting?:
      return AppStoreReply(outcome: .unknown(.unaskable(environment ?? .xcode)), environment: .xcode)
    case .simulated, .undetermined, nil:
      let reply = await attempt(call, .production, priority: priority)
      guard case .refused(let error) = reply.outcome, mayBeInSandbox(error) else { return reply }
      return await attempt(call, .sandbox, priority: priority)
    }
  }

  /// A purchase that production does not know may be a sandbox purchase. For an app that was never released,
  /// production answers 401.
  private func mayBeInSandbox(_ error: AppStoreServerError) -> Bool {
    error.meansUnknownHere || (error.code == .notAuthorized && settings?.isReleased == false)
  }

  /// Sends a call with the newest key. If Apple does not accept it, sends the call with the former ones.
  private func attempt<Answer: Sendable>(
    _ call: AppStoreServerCall<Answer>, _ environment: AppStoreEnvironment, priority: StoreCallPriority
  ) async -> AppStoreReply<Answer> {
    guard let settings else {
      let why = AppStoreServerUncertainty.noAnswer(.unreachable("There is no key for the App Store Server API."))
      return AppStoreReply(outcome: .unknown(why), environment: environment)
    }
    let keys = settings.allCredentials
    let order = choices[environment, default: CredentialChoice()].order(of: keys.count, at: dependencies.now())
    var reply = await send(call, environment, priority: priority, by: keys[order[0]], to: settings.hosts)
    for number in order.dropFirst() where reply.outcome.isUnauthorized {
      // Without an answer this call may have taken effect: then its outcome is unknown, whatever the first key got.
      reply = await send(call, environment, priority: priority, by: keys[number], to: settings.hosts)
      if reply.outcome.isHeard, !reply.outcome.isUnauthorized { noteAccepted(number, of: keys, environment) }
    }
    return reply
  }

  private func noteAccepted(
    _ number: Int, of keys: [AppStoreServerCredentials], _ environment: AppStoreEnvironment
  ) {
    guard
      choices[environment, default: CredentialChoice()].accepted(number, of: keys.count, at: dependencies.now())
    else { return }
    log(
      LogEvent(
        .warning, "appStore.formerKeyUsed",
        [
          ("app", app.text), ("environment", environment.rawValue), ("refused", keys[0].keyId),
          ("accepted", keys[number].keyId),
        ]))
  }

  private func send<Answer: Sendable>(
    _ call: AppStoreServerCall<Answer>, _ environment: AppStoreEnvironment, priority: StoreCallPriority,
    by credentials: AppStoreServerCredentials, to hosts: AppStoreServerHosts
  ) async -> AppStoreReply<Answer> {
    let key = EndpointKey(
      api: call.endpoint.rawValue, environment: environment, rate: call.endpoint.rate(in: environment))
    if let delay = await waitForTurn(key, priority) {
      let outcome = AppStoreServerOutcome<Answer>.unknown(delay.uncertainty)
      note(key, outcome.label, trouble: outcome.trouble, since: nil)
      return AppStoreReply(outcome: outcome, environment: environment)
    }
    let sent = dependencies.now()
    let step = traces.begin("AskStore", .client)
    let request = call.request(by: credentials, to: hosts[environment], at: sent)
    let outcome: AppStoreServerOutcome<Answer>
    do throws(HTTPExchangeError) {
      let response = try await exchange.send(request, call.timeLimit)
      outcome = call.outcome(of: response, at: dependencies.now())
    } catch {
      outcome = .unknown(.noAnswer(error))
    }
    traces.end(step, at: key, of: app, outcome: outcome.label, isFailed: !outcome.isHeard)
    noteCompletion(key, outcome.health, priority: priority)
    note(key, outcome.label, trouble: outcome.trouble, since: sent)
    return AppStoreReply(outcome: outcome, environment: environment)
  }

  // MARK: receipts

  /// Asks `verifyReceipt` about a receipt: production first, then the host that the answer names.
  ///
  /// A receipt that Apple cannot read is sent once more, because the same status code also reports an error at Apple.
  package func verify(
    _ receipt: VerifyReceiptRequest, priority: StoreCallPriority
  ) async -> (outcome: VerifyReceiptOutcome, environment: AppStoreEnvironment) {
    var environment = AppStoreEnvironment.production
    var hasRepeated = false
    // The loop ends: the host changes once, and one attempt is repeated.
    while true {
      let outcome = await attempt(receipt, environment, priority: priority)
      switch outcome {
      case .elsewhere(.sandbox) where environment == .production: environment = .sandbox
      case .elsewhere(let other):
        let status: VerifyReceiptStatus = other == .sandbox ? .fromSandbox : .fromProduction
        return (.refused(VerifyReceiptError(status: status.rawValue)), environment)
      case .refused(let error) where error.code == .malformed && !hasRepeated: hasRepeated = true
      default: return (outcome, environment)
      }
    }
  }

  private func attempt(
    _ receipt: VerifyReceiptRequest, _ environment: AppStoreEnvironment, priority: StoreCallPriority
  ) async -> VerifyReceiptOutcome {
    guard let allowed = receipts else { return .unknown(.notAllowed) }
    let key = EndpointKey(
      api: "verify_receipt", environment: environment,
      rate: CallRate(calls: limits.receiptsPerSecond, span: .seconds(1)))
    if let delay = await waitForTurn(key, priority) {
      let outcome = VerifyReceiptOutcome.unknown(delay.ofReceipt)
      note(key, outcome.label, trouble: outcome.trouble, since: nil)
      return outcome
    }
    let sent = dependencies.now()
    let step = traces.begin("AskStore", .client)
    let outcome: VerifyReceiptOutcome
    do throws(HTTPExchangeError) {
      let request = receipt.request(to: allowed.hosts[environment], sharedSecret: allowed.sharedSecret)
      outcome = VerifyReceiptOutcome(try await exchange.send(request, VerifyReceiptRequest.timeLimit))
    } catch {
      outcome = .unknown(.noAnswer(error))
    }
    traces.end(step, at: key, of: app, outcome: outcome.label, isFailed: outcome.trouble?.level == .warning)
    noteCompletion(key, outcome.health, priority: priority)
    note(key, outcome.label, trouble: outcome.trouble, since: sent)
    return outcome
  }

  // MARK: turns

  /// Why a call is not sent.
  private enum Delay {
    case busy(until: Timestamp)
    case cancelled

    var uncertainty: AppStoreServerUncertainty {
      switch self {
      case .busy(let until): .busy(until: until)
      case .cancelled: .noAnswer(.cancelled)
      }
    }

    var ofReceipt: VerifyReceiptUncertainty {
      switch self {
      case .busy(let until): .busy(until: until)
      case .cancelled: .noAnswer(.cancelled)
      }
    }
  }

  /// Waits until the call may be sent; returns the reason if it cannot be sent in time.
  private func waitForTurn(_ key: EndpointKey, _ priority: StoreCallPriority) async -> Delay? {
    let begin = dependencies.now()
    let deadline = begin + (limits.waitMax[priority] ?? .zero)
    guard let ticket = self[lane: key].enter(priority) else { return .busy(until: begin + limits.inFlightPause) }
    while true {
      let now = dependencies.now()
      switch withoutPart(at: now, deadline) ?? self[lane: key].ask(ticket, priority, at: now, deadline: deadline) {
      case .now: return nil
      case .busy(let until):
        self[lane: key].leave(ticket)
        return .busy(until: until)
      case .wait(let until):
        do { try await dependencies.sleep(until - dependencies.now()) } catch {
          self[lane: key].leave(ticket)
          return .cancelled
        }
      }
    }
  }

  private func noteCompletion(_ key: EndpointKey, _ health: EndpointThrottle.Health, priority: StoreCallPriority) {
    if self[lane: key].completed(health, priority, at: dependencies.now()) {
      log(LogEvent(.error, "appStore.leftAlone", fields(of: key)))
    }
  }

  private subscript(lane key: EndpointKey) -> EndpointThrottle {
    get { throttles[key] ?? EndpointThrottle(part(of: key.rate), limits) }
    set { throttles[key] = newValue }
  }

  // MARK: logging

  /// Logs only codes from the request and the answer: no id, no token, nothing signed.
  private func note(_ key: EndpointKey, _ label: String, trouble: LogEvent?, since sent: Timestamp?) {
    let names = [("app", app.text), ("api", key.api), ("environment", key.environment.rawValue)]
    metrics.count(.appStoreCallsTotal, names + [("outcome", label)])
    if let sent {
      metrics.time(
        .appStoreCallSeconds, names, milliseconds: (dependencies.now() - sent).milliseconds)
    }
    if let trouble { log(LogEvent(trouble.level, trouble.name, fields(of: key) + trouble.fields)) }
  }

  private func fields(of key: EndpointKey) -> [(name: String, value: String)] {
    [("app", app.text), ("api", key.api), ("environment", key.environment.rawValue)]
  }
}

/// The outcome of a call, and the environment that answered.
package struct AppStoreReply<Answer: Sendable>: Sendable {
  package let outcome: AppStoreServerOutcome<Answer>
  /// The environment that was asked last. If both refuse because they do not know the purchase, it is the sandbox.
  package let environment: AppStoreEnvironment
}
