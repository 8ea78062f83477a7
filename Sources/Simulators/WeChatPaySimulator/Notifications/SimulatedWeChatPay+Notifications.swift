import Cryptography
package import HTTPMessages
package import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

extension SimulatedWeChatPay {
  /// All notifications in order, with their attempts; those of one merchant or of all.
  package func notifications(mchid: String? = nil) -> [SimulatedPaymentNotification] {
    state.notificationSequence.compactMap { state.notifications[$0] }.filter { mchid == nil || $0.mchid == mchid }
  }

  /// A notification as it would be sent now, with a new signature.
  ///
  /// - Throws: `notificationUnknown`.
  package func request(
    of id: String
  ) throws(CodedError<WeChatPaySimulatorErrorCode>) -> HTTPRequest {
    guard let notification = state.notifications[id] else { throw CodedError(.notificationUnknown) }
    return request(for: notification, nil)
  }

  /// Makes a notification due at once, in whatever state it is.
  ///
  /// - Throws: `notificationUnknown`.
  package func sendAgain(_ id: String) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard var notification = decision.state.notifications[id] else { throw CodedError(.notificationUnknown) }
      if notification.attempts.count > SimulatedPaymentNotification.delays.count { notification.attempts.removeLast() }
      notification.state = .waiting(until: decision.now)
      decision.put(.notification(notification))
    }
  }

  private func request(for notification: SimulatedPaymentNotification, _ fault: WeChatPayFault?) -> HTTPRequest {
    let merchant = state.merchants[notification.mchid]
    let text = notification.fault == .otherAPIv3Key ? "another-test-key-of-32-bytes-000" : merchant?.testAPIv3Key ?? ""
    var body: [UInt8] = []
    if let key = try? APIv3Key(Secret(text.utf8)) {
      let kind = notification.operation.resourceType
      let resource = SealedResource(
        sealing: Array(notification.plaintext.utf8), key: key, nonce: notification.nonce,
        associatedData: state.behaviours.isOn(.noAssociatedData) ? "" : kind, originalType: kind)
      body =
        WeChatPayNotification.body(
          id: notification.id, createTime: notification.createdAt, eventType: notification.eventType,
          summary: notification.summary, resource: resource
        ).bytes
    }
    var fields = signature(of: body, by: notificationKey(), fault)
    if fault == .unsigned { fields = [:] }
    if fault == .cutAnswer { body = Array(body.prefix(body.count / 2)) }
    fields.add("Content-Type", "application/json")
    fields.add("Accept", "*/*")
    fields.add("User-Agent", "Mozilla/4.0")
    return HTTPRequest(
      "POST", merchant?.notificationTarget(notification.url) ?? notification.url, fields: fields, body: body)
  }

  // MARK: for the sender

  /// Takes due notifications, oldest first. The caller must attempt each of them.
  package func takeDueNotifications(upTo count: Int) async -> [SimulatedPaymentNotification] {
    await settle()
    // Without a log no attempt can be noted, so each would be due again at once, forever.
    guard count > 0, canWrite else { return [] }
    let moment = now()
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

  /// The faults that apply to one attempt.
  private static let faultsOfAttempts: Set<WeChatPayFault> = [
    .loseAttempt, .probe, .wrongSignature, .unknownKey, .staleTimestamp, .cutAnswer, .unsigned,
  ]

  /// Sends a taken notification and records the result. If the record fails, or the process is killed before, it is
  /// sent again. So a server may receive it more often than the log shows.
  package func attempt(_ notification: SimulatedPaymentNotification) async {
    defer { inFlight.remove(notification.id) }
    let date = now()
    let fault = await attemptFault(notification)
    var status: Int?
    if notification.fault != .loseNotification, fault != .loseAttempt {
      let request = request(for: notification, fault)
      guard let sent = await send(request) else { return }
      status = sent.status
      for _ in 0..<state.behaviours[.duplicateNotifications] { _ = await send(request) }
    }
    let attempt = SimulatedPaymentNotification.Attempt(date: date, fault: fault, status: status)
    if fault == .probe, attempt.isAccepted {
      report(LogEvent(.warning, "weChatPaySimulator.probeAccepted", [("mchid", notification.mchid)]))
    }
    try? await commit { decision throws(APIProblem) in
      guard let latest = decision.state.notifications[notification.id] else { return }
      decision.put(.notification(latest.after(attempt)))
    }
  }

  /// A probe never follows a probe: WeChat Pay then sends the same event with a real signature.
  private func attemptFault(_ notification: SimulatedPaymentNotification) async -> WeChatPayFault? {
    guard notification.fault != .loseNotification else { return nil }
    let planned = try? await commit { decision throws(APIProblem) in
      decision.strike(notification.operation) { Self.faultsOfAttempts.contains($0) }
    }
    if let planned = planned ?? nil { return planned }
    let percent = state.behaviours[.probePercent]
    guard percent > 0, notification.attempts.last?.fault != .probe,
      Int64(dependencies.randomNumber(below: 100)) < percent
    else { return nil }
    return .probe
  }

  /// The status of the answer, if one came; nil when the sender's task was cancelled.
  private func send(_ request: HTTPRequest) async -> (status: Int?, Void)? {
    do throws(HTTPExchangeError) {
      return (try await exchange.send(request, WeChatPaySimulatorLimits.attemptTimeLimit).status, ())
    } catch {
      // If the sender's task was cancelled, there is no result. A network that gives up on its own has not answered.
      return error == .cancelled && Task.isCancelled ? nil : (nil, ())
    }
  }

  /// The real time until something is due; nil when nothing waits, `.zero` when something is already due.
  package func spanUntilDue() -> TimeSpan? {
    guard canWrite else { return nil }
    let waiting = state.dueNotifications.entries.first { entry in
      guard case .notification(let id) = entry.item else { return false }
      return !inFlight.contains(id)
    }
    let moments = [waiting?.moment, state.dueEndings.entries.first?.moment].compactMap { $0 }
    guard let next = moments.min() else { return nil }
    return state.clock.realSpan(of: max(.zero, next - now()))
  }

  package func listen() -> (number: Int, changes: AsyncStream<Void>) { listeners.add() }

  package func stopListening(_ number: Int) { listeners.remove(number) }
}

extension WeChatPayOperation {
  /// `original_type` and `associated_data` of a notification.
  fileprivate var resourceType: String {
    switch self {
    case .refundNotification: "refund"
    case .echoNotification: "security"
    default: "transaction"
    }
  }
}

extension SimulatedPaymentNotification {
  fileprivate var summary: String {
    switch eventType {
    case "TRANSACTION.SUCCESS": "支付成功"
    case "REFUND.SUCCESS": "退款成功"
    case "REFUND.ABNORMAL": "退款异常"
    case "REFUND.CLOSED": "退款关闭"
    default: "通知"
    }
  }
}
