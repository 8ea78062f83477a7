package import HTTPMessages
package import PaymentPrimitives

/// The notifications to merchants, for a person, a test or a demo.
package struct WeChatPayNotifications: Sendable {
  let service: SimulatedWeChatPay

  /// All notifications in order, with their attempts; those of one merchant or of all.
  nonisolated(nonsending) package func all(mchid: String? = nil) async -> [SimulatedPaymentNotification] {
    await service.read { snapshot in
      let state = snapshot.state
      return state.notificationSequence.compactMap { state.notifications[$0] }
        .filter { mchid == nil || $0.mchid == mchid }
    }
  }

  /// A notification as it would be sent now, with a new signature.
  ///
  /// - Throws: `notificationUnknown`.
  nonisolated(nonsending) package func request(
    of id: String
  ) async throws(CodedError<WeChatPaySimulatorErrorCode>) -> HTTPRequest {
    try await service.read { snapshot throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard let notification = snapshot.state.notifications[id] else { throw CodedError(.notificationUnknown) }
      return PaymentNotificationRequest(snapshot: snapshot).request(for: notification, fault: nil)
    }
  }

  /// Makes a notification due at once, in whatever state it is.
  ///
  /// - Throws: `notificationUnknown`.
  nonisolated(nonsending) package func sendAgain(_ id: String) async throws(CodedError<WeChatPaySimulatorErrorCode>) {
    try await service.commit { decision throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard var notification = decision.state.notifications[id] else { throw CodedError(.notificationUnknown) }
      if notification.attempts.count > SimulatedPaymentNotification.delays.count { notification.attempts.removeLast() }
      notification.state = .waiting(until: decision.now)
      decision.put(.notification(notification))
    }
  }
}
