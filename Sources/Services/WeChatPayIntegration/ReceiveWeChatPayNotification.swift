package import HTTPMessages
import PaymentDatabase
package import PaymentEngine
import PaymentModel
package import PaymentPrimitives
import WeChatPayProtocol

/// The result of a WeChat Pay notification, with the answer to it.
package enum WeChatPayNotificationResult: Sendable {
  /// It is stored, and has taken effect.
  case kept(NotificationReceipt, HTTPResponse)
  /// It was not accepted. A probe, with which WeChat Pay tests our signature check, does not count as forged.
  case refused(HTTPResponse, isForged: Bool)
}

extension PaymentEngine {
  /// Processes a WeChat Pay notification: verifies the exact bytes, decrypts, stores and applies it, and only then
  /// answers. All of this is local, except that an unknown key is requested from WeChat Pay.
  ///
  /// A notification for an unknown order is stored and acknowledged, because WeChat Pay would send it again for a
  /// day.
  /// - Returns: the result, or the answer to one that was not accepted.
  /// - Throws: `notificationNotOurs` for an app without a merchant here, and errors of the database. After both
  ///   WeChat Pay sends it again.
  package func receiveWeChatPayNotification(
    fields: HTTPFields, body: [UInt8], for id: AppIdentifier
  ) async throws -> WeChatPayNotificationResult {
    guard let app = apps[id], let gateway = weChatPay?.gateways[id] else {
      throw CodedError<EngineErrorCode>(.notificationNotOurs, "No merchant of that app is configured.")
    }
    let notification: WeChatPayNotification
    do throws(NotificationFailure) { notification = try await gateway.open(fields, body) } catch {
      countUnverified(error, app)
      return .refused(error.answer, isForged: !error.isProbe)
    }
    let effect: ReceivedNotification.Effect
    switch notification.content {
    case .transaction, .refund, .complaint, .echo: effect = .applied
    case .other: effect = .kept
    }
    let received = ReceivedNotification(
      appEnvironment: app.homeEnvironment, id: notification.id, type: notification.eventType, subtype: nil,
      signedDate: notification.signedDate, transaction: notification.transaction,
      signedPayload: WeChatPayEvidenceText.of(fields, body, content: notification.plaintext),
      receivedAt: now, effect: effect)
    // Also if it was stored before: it may have been stored alone, because it could not take effect.
    let (isNew, isFirst) = try await take(notification, received, for: app)
    count(received, isNew: isNew)
    return .kept(
      NotificationReceipt(
        id: received.id, effect: received.effect, transaction: received.transaction, firstSeen: isFirst),
      WeChatPayNotification.accepted)
  }

  /// Stores a notification and applies it: a charge in one commit, everything else in two steps.
  private func take(
    _ notification: WeChatPayNotification, _ received: ReceivedNotification, for app: AppPolicy
  ) async throws -> (isNew: Bool, isFirst: Bool) {
    let evidence = received.signedPayload
    switch notification.content {
    case .transaction(let transaction):
      let finding = understood(app) { () throws(CodedError<WeChatPayEvidenceErrorCode>) in
        try WeChatPayEvidence.finding(
          of: transaction, app: app.id, environment: app.home, signedDate: notification.signedDate)
      }
      if case .unknown(let word) = finding { noteUnknownState(word, of: transaction.outTradeNo) }
      guard case .charged(let charge) = finding,
        let learned = try await learn(
          charge, evidence: evidence, origin: .notification, keeping: received, for: app)
      else { return (try await keep(received), false) }
      return (learned.isNew, learned.result.firstSeen)
    case .refund(let refund):
      let isNew = try await keep(received)
      guard let merchant = weChatPay?.gateways[app.id]?.access.merchant.mchid else { return (isNew, false) }
      let verified = understood(app) { () throws(CodedError<WeChatPayEvidenceErrorCode>) in
        try WeChatPayEvidence.refund(
          refund, mchid: merchant, app: app.id, environment: app.home, signedDate: notification.signedDate)
      }
      if let verified { try await learn(verified, evidence: evidence, origin: .notification, for: app) }
      return (isNew, false)
    case .complaint(let notice):
      let isNew = try await keep(received)
      // The notification only names it. If WeChat Pay does not answer now, it is asked again with the list.
      try await learnComplaint(notice.id, for: app)
      return (isNew, false)
    case .echo, .other:
      return (try await keep(received), false)
    }
  }

  /// The facts of signed content; nil if it lacks what a payment needs. Then it is stored and logged, and the
  /// scheduled question asks about the order.
  private func understood<Facts>(
    _ app: AppPolicy, _ read: () throws(CodedError<WeChatPayEvidenceErrorCode>) -> Facts
  ) -> Facts? {
    do throws(CodedError<WeChatPayEvidenceErrorCode>) { return try read() } catch {
      metrics.count(.notificationsNotUnderstoodTotal, [("reason", error.code.rawValue)])
      log(
        LogEvent(
          .error, "notification.notUnderstood",
          [("app", app.id.text), ("reason", error.code.rawValue), ("particulars", error.details)]))
      return nil
    }
  }

  private func countUnverified(_ failure: NotificationFailure, _ app: AppPolicy) {
    guard !failure.isProbe else { return metrics.count(.wechatPayProbesTotal) }
    metrics.count(.verifyFailuresTotal, [("reason", failure.code)])
    log(LogEvent(.warning, "notification.refused", [("app", app.id.text), ("reason", failure.code)]))
  }
}

extension WeChatPayNotification {
  /// The payment in the notification.
  fileprivate var transaction: TransactionIdentifier? {
    switch content {
    case .transaction(let transaction): transaction.transactionId.map { TransactionIdentifier($0) }
    case .refund(let refund): TransactionIdentifier(refund.transactionId)
    case .complaint, .echo, .other: nil
    }
  }
}
