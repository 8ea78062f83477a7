import HTTPMessages
package import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension SimulatedAppStore {
  /// Sends a notification of type TEST, as App Store Connect's API does on request.
  ///
  /// - Parameter environment: the environment that sends it; nil for the default of new accounts.
  /// - Throws: `appUnknown`, or `notificationAddressMissing`.
  package func requestTestNotification(
    bundleId: String, environment: SimulatedEnvironment? = nil
  ) async throws(CodedError<SimulatorErrorCode>) -> AppStoreUUID {
    let environment = environment ?? settings.environment
    return try await commit { decision throws(CodedError<SimulatorErrorCode>) in
      guard try decision.app(bundleId).notificationURL != nil else { throw CodedError(.notificationAddressMissing) }
      let notification = decision.notification(
        .test, bundleId: bundleId, environment: environment, transaction: nil)
      decision.event = .testRequested(notification)
      return notification.uuid
    }
  }

  /// All notifications in order, with their attempts; those of one app or of all.
  package func notifications(bundleId: String? = nil) -> [SimulatedNotification] {
    state.notificationOrder.ids.compactMap { state.notifications[$0] }
      .filter { bundleId == nil || $0.facts.bundleId == bundleId }
  }

  /// A notification as it is sent: the value of `signedPayload`.
  ///
  /// - Throws: `notificationUnknown`.
  package func signedPayload(of uuid: AppStoreUUID) throws(CodedError<SimulatorErrorCode>) -> String {
    guard let notification = state.notifications[uuid] else { throw CodedError(.notificationUnknown) }
    return signer.sign(notification)
  }

  /// A notification that the App Store never signs: it names another app than its transaction (rule AS-NOTE-14).
  ///
  /// - Throws: `notificationUnknown`, or `appUnknown`.
  package func signedPayload(of uuid: AppStoreUUID, naming bundleId: String) throws(CodedError<SimulatorErrorCode>)
    -> String
  {
    guard var notification = state.notifications[uuid] else { throw CodedError(.notificationUnknown) }
    guard let app = state.apps[bundleId] else { throw CodedError(.appUnknown) }
    notification = notification.naming(app)
    return signer.sign(notification)
  }

  // MARK: for the sender

  /// Takes due notifications, oldest first. The caller must attempt each of them.
  package func takeDueNotifications(upTo count: Int) -> [AppStoreUUID] {
    // Without a log no attempt can be recorded, so each would be due again at once, forever.
    guard count > 0, canWrite else { return [] }
    let moment = now()
    var taken: [AppStoreUUID] = []
    for entry in state.due.entries {
      guard entry.moment <= moment, taken.count < count else { break }
      if inFlight.insert(entry.item).inserted { taken.append(entry.item) }
    }
    return taken
  }

  /// Sends a taken notification and records the result. If the record fails, or the process is killed before, the
  /// notification is sent again. So a server may receive it more often than the log shows (rule AS-NOTE-10).
  package func attempt(_ uuid: AppStoreUUID) async {
    defer { inFlight.remove(uuid) }
    guard let notification = state.notifications[uuid],
      let url = state.apps[notification.facts.bundleId]?.notificationURL
    else { return await recordAttempt(.other, nil, at: now(), of: uuid, isLoss: false) }
    let date = now()
    // Rules AS-FAULT-6, AS-FAULT-7.
    if notification.isLost { return await recordAttempt(.noResponse, nil, at: date, of: uuid, isLoss: false) }
    if state.behaviours[.loseAttempts] > lossesInFlight {
      lossesInFlight += 1
      await recordAttempt(.noResponse, nil, at: date, of: uuid, isLoss: true)
      lossesInFlight -= 1
      return
    }
    let request = HTTPRequest(
      "POST", url, json: .members([("signedPayload", .string(signer.sign(notification)))]))
    let (result, status) = await send(request)
    // Rule AS-NOTE-7.
    for _ in 0..<state.behaviours[.duplicateNotifications] { _ = await send(request) }
    if let result { await recordAttempt(result, status, at: date, of: uuid, isLoss: false) }
  }

  /// - Returns: the result of the attempt and the HTTP status. The result is nil if the sender's task was cancelled.
  private func send(
    _ request: HTTPRequest
  ) async -> (result: SimulatedNotification.Attempt.Result?, status: Int?) {
    do throws(HTTPExchangeError) {
      let response = try await exchange.send(request, SimulatorLimits.attemptTimeLimit)
      let isSuccess = NotificationSchedule.successes.contains(response.status)
      return (isSuccess ? .success : .unsuccessfulResponseCode, response.status)
    } catch {
      switch error {
      case .unreachable: return (.socketIssue, nil)
      case .outcomeUnknown: return (.timedOut, nil)
      case .unreadableAnswer: return (.invalidResponse, nil)
      case .refusedTarget: return (.other, nil)
      // If the sender's task was cancelled, there is no result. Any other cancellation counts as no response.
      case .cancelled: return (Task.isCancelled ? nil : .noResponse, nil)
      }
    }
  }

  private func recordAttempt(
    _ result: SimulatedNotification.Attempt.Result, _ status: Int?, at date: Timestamp, of uuid: AppStoreUUID,
    isLoss: Bool
  ) async {
    let attempt = SimulatedNotification.Attempt(date: date, result: result, status: status)
    do {
      try await commit { decision throws(CodedError<SimulatorErrorCode>) in
        if isLoss { _ = decision.strikes(.loseAttempts) }
        decision.event = .attempted(uuid, attempt)
      }
    } catch {
      return report(LogEvent(.error, "simulator.attemptNotNoted", [("notificationUUID", uuid.text)]))
    }
    report(
      LogEvent(
        result == .success ? .info : .warning, "simulator.notificationAttempted",
        [
          ("notificationUUID", uuid.text), ("result", result.rawValue),
          ("status", status.map { String($0) } ?? "none"),
        ]))
  }

  /// The real time until a notification is due; nil when none waits.
  package func spanUntilDue() -> TimeSpan? {
    guard canWrite else { return nil }
    let next = state.due.entries.first { !inFlight.contains($0.item) }
    return next.map { state.clock.realSpan(of: $0.moment - now()) }
  }

  package func listen() -> (number: Int, changes: AsyncStream<Void>) { listeners.add() }

  package func stopListening(_ number: Int) { listeners.remove(number) }
}
