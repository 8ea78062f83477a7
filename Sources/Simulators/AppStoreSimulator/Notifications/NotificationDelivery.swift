import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// Sends the notifications that are due, and records each attempt.
///
/// It belongs to the App Store's actor: all its calls run there.
final class NotificationDelivery {
  private let exchange: HTTPExchange
  private let report: Log

  /// Notifications that are being sent now. They are not in the log, so after a kill they are sent again.
  private var inFlight: Set<AppStoreUUID> = []
  /// Attempts in progress that are to be lost.
  private var lossesInFlight: Int64 = 0

  init(_ exchange: HTTPExchange, report: @escaping Log) {
    self.exchange = exchange
    self.report = report
  }

  /// Takes a notification out of those that are due: the caller must attempt it.
  func claim(_ uuid: AppStoreUUID) { inFlight.insert(uuid) }

  /// Takes due notifications, oldest first. The caller must attempt each of them.
  func takeDue(from state: SimulatorState, upTo count: Int, at moment: Timestamp) -> [AppStoreUUID] {
    guard count > 0 else { return [] }
    var taken: [AppStoreUUID] = []
    for entry in state.due.entries {
      guard entry.moment <= moment, taken.count < count else { break }
      if inFlight.insert(entry.item).inserted { taken.append(entry.item) }
    }
    return taken
  }

  /// When the next notification is due; nil when none waits.
  func nextMoment(in state: SimulatorState) -> Timestamp? {
    state.due.entries.first { !inFlight.contains($0.item) }?.moment
  }

  /// Sends a taken notification and records the result. If the record fails, or the process is killed before, the
  /// notification is sent again. So a server may receive it more often than the log shows (rule AS-NOTE-10).
  func attempt(_ uuid: AppStoreUUID, of store: isolated SimulatedAppStore) async {
    defer { inFlight.remove(uuid) }
    let date = store.now()
    guard let notification = store.state.notifications[uuid],
      let url = store.state.apps[notification.facts.bundleId]?.notificationURL
    else { return await record(.init(date: date, result: .other, status: nil), of: uuid, at: store) }
    let noResponse = SimulatedNotification.Attempt(date: date, result: .noResponse, status: nil)
    // Rules AS-FAULT-6, AS-FAULT-7.
    if notification.isLost { return await record(noResponse, of: uuid, at: store) }
    if store.state.behaviours[.loseAttempts] > lossesInFlight {
      lossesInFlight += 1
      await record(noResponse, of: uuid, isLoss: true, at: store)
      lossesInFlight -= 1
      return
    }
    let request = HTTPRequest(
      "POST", url, json: .members([("signedPayload", .string(store.signer.sign(notification)))]))
    let (result, status) = await send(request, of: store)
    // Rule AS-NOTE-7.
    for _ in 0..<store.state.behaviours[.duplicateNotifications] { _ = await send(request, of: store) }
    if let result { await record(.init(date: date, result: result, status: status), of: uuid, at: store) }
  }

  /// - Returns: the result of the attempt and the HTTP status. The result is nil if the sender's task was cancelled.
  private func send(
    _ request: HTTPRequest, of store: isolated SimulatedAppStore
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

  private func record(
    _ attempt: SimulatedNotification.Attempt, of uuid: AppStoreUUID, isLoss: Bool = false,
    at store: isolated SimulatedAppStore
  ) async {
    do {
      try await store.commit { decision throws(CodedError<SimulatorErrorCode>) in
        if isLoss { _ = decision.strikes(.loseAttempts) }
        decision.event = .attempted(uuid, attempt)
      }
    } catch {
      return report(LogEvent(.error, "simulator.attemptNotNoted", [("notificationUUID", uuid.text)]))
    }
    report(
      LogEvent(
        attempt.result == .success ? .info : .warning, "simulator.notificationAttempted",
        [
          ("notificationUUID", uuid.text), ("result", attempt.result.rawValue),
          ("status", attempt.status.map { String($0) } ?? "none"),
        ]))
  }
}
