import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import WeChatPayProtocol

/// Sends the notifications that are due, and records each attempt.
///
/// It belongs to the actor of WeChat Pay: all its calls run there.
final class PaymentNotificationDelivery {
  private let exchange: HTTPExchange
  private let report: Log

  /// Notifications that are being sent now: after a kill they are sent again.
  private var inFlight: Set<String> = []

  init(_ exchange: HTTPExchange, report: @escaping Log) {
    self.exchange = exchange
    self.report = report
  }

  /// Takes due notifications, oldest first. The caller must attempt each of them.
  func takeDue(from state: WeChatPayState, upTo count: Int, at moment: Timestamp) -> [SimulatedPaymentNotification] {
    guard count > 0 else { return [] }
    var taken: [SimulatedPaymentNotification] = []
    for entry in state.dueNotifications.entries {
      guard entry.moment <= moment, taken.count < count else { break }
      guard case .notification(let id) = entry.item, let notification = state.notifications[id],
        inFlight.insert(id).inserted
      else { continue }
      taken.append(notification)
    }
    return taken
  }

  /// When the next notification is due; nil when none waits.
  func nextMoment(in state: WeChatPayState) -> Timestamp? {
    let waiting = state.dueNotifications.entries.first { entry in
      guard case .notification(let id) = entry.item else { return false }
      return !inFlight.contains(id)
    }
    return waiting?.moment
  }

  /// The faults that apply to one attempt.
  private static let faultsOfAttempts: Set<WeChatPayFault> = [
    .loseAttempt, .probe, .wrongSignature, .unknownKey, .staleTimestamp, .cutAnswer, .unsigned,
  ]

  /// Sends a taken notification and records the result. If the record fails, or the process is killed before, it is
  /// sent again. So a server may receive it more often than the log shows.
  func attempt(_ notification: SimulatedPaymentNotification, of service: isolated SimulatedWeChatPay) async {
    defer { inFlight.remove(notification.id) }
    let date = service.now()
    let fault = await attemptFault(notification, of: service)
    var status: Int?
    if notification.fault != .loseNotification, fault != .loseAttempt {
      let request = PaymentNotificationRequest(snapshot: service.snapshot).request(for: notification, fault: fault)
      guard let sent = await send(request, of: service) else { return }
      status = sent.status
      for _ in 0..<service.state.behaviours[.duplicateNotifications] { _ = await send(request, of: service) }
    }
    let attempt = SimulatedPaymentNotification.Attempt(date: date, fault: fault, status: status)
    if fault == .probe, attempt.isAccepted {
      report(LogEvent(.warning, "weChatPaySimulator.probeAccepted", [("mchid", notification.mchid)]))
    }
    try? await service.commit { decision throws(APIProblem) in
      guard let latest = decision.state.notifications[notification.id] else { return }
      decision.put(.notification(latest.after(attempt)))
    }
  }

  /// A probe never follows a probe: WeChat Pay then sends the same event with a real signature.
  private func attemptFault(
    _ notification: SimulatedPaymentNotification, of service: isolated SimulatedWeChatPay
  ) async -> WeChatPayFault? {
    guard notification.fault != .loseNotification else { return nil }
    let planned = try? await service.commit { decision throws(APIProblem) in
      decision.strike(notification.operation) { Self.faultsOfAttempts.contains($0) }
    }
    if let planned = planned ?? nil { return planned }
    let percent = service.state.behaviours[.probePercent]
    guard percent > 0, notification.attempts.last?.fault != .probe,
      Int64(service.dependencies.randomNumber(below: 100)) < percent
    else { return nil }
    return .probe
  }

  /// The status of the answer, if one came; nil when the sender's task was cancelled.
  private func send(
    _ request: HTTPRequest, of service: isolated SimulatedWeChatPay
  ) async -> (status: Int?, Void)? {
    do throws(HTTPExchangeError) {
      return (try await exchange.send(request, WeChatPaySimulatorLimits.attemptTimeLimit).status, ())
    } catch {
      // If the sender's task was cancelled, there is no result. A network that gives up on its own has not answered.
      return error == .cancelled && Task.isCancelled ? nil : (nil, ())
    }
  }
}
