public import HTTPMessages
import PaymentModel
import PaymentStore
public import PaymentVocabulary
import WeChatPayProtocol

/// What became of a notification of WeChat Pay's, with the answer to it.
public enum WeChatPayNotificationResult: Sendable {
  /// It is kept, and has taken effect.
  case kept(NotificationReceipt, HTTPResponse)
  /// It was not taken. A probe, by which WeChat Pay sees whether we check, is not forged.
  case refused(HTTPResponse, isForged: Bool)
}

extension PaymentEngine {
  /// Takes in a notification of WeChat Pay's: verifies the very bytes, decrypts, keeps it, lets it take effect, and
  /// only then answers. All of it is local work; nothing is asked of WeChat Pay here but a key that is not known yet.
  ///
  /// What is not for an order of ours is kept and acknowledged, because WeChat Pay would send it again for a day.
  /// - Returns: what became of it, or the answer to one that was not taken.
  /// - Throws: `notificationNotOurs` for an app that has no merchant here, and what the database refuses: after both
  ///   WeChat Pay sends it again.
  public func receiveWeChatPayNotification(
    fields: HTTPFields, body: [UInt8], for id: AppIdentifier
  ) async throws -> WeChatPayNotificationResult {
    guard let app = apps[id], let gateway = gateways[id] else {
      throw Refusal<EngineErrorCode>(.notificationNotOurs, "No merchant of that app is configured.")
    }
    let notification: WeChatPayNotification
    do throws(NotificationFailure) { notification = try await gateway.open(fields, body) } catch {
      count(refused: error, app)
      return .refused(error.answer, isForged: !error.isProbe)
    }
    let effect: ReceivedNotification.Effect
    switch notification.content {
    case .transaction, .refund, .echo: effect = .applied
    case .other: effect = .kept
    }
    let received = ReceivedNotification(
      realm: app.homeRealm, id: notification.id, type: notification.eventType, subtype: nil,
      signedDate: notification.signedDate, transaction: notification.transaction,
      signedPayload: WeChatPayEvidenceText.of(fields, body, content: notification.plaintext),
      receivedAt: surroundings.now(), effect: effect)
    let isNew = try await keep(received)
    // Also when it was kept before: the process may have been killed between keeping and fulfilling.
    let isFirst = try await apply(notification, received.signedPayload, for: app)
    count(received, isNew: isNew)
    return .kept(
      NotificationReceipt(
        id: received.id, effect: received.effect.rawValue, transaction: received.transaction, firstSeen: isFirst),
      WeChatPayNotification.accepted)
  }

  private func apply(
    _ notification: WeChatPayNotification, _ evidence: String, for app: AppSettings
  ) async throws -> Bool {
    let environment = app.home
    do {
      switch notification.content {
      case .transaction(let transaction):
        let finding = try WeChatPayEvidence.finding(
          of: transaction, app: app.id, environment: environment, signedDate: notification.signedDate)
        guard case .charged(let charge) = finding else { return false }
        return try await learn(charge, evidence: evidence, origin: .notification, for: app)?.firstSeen ?? false
      case .refund(let refund):
        guard let merchant = app.weChatPay?.merchant.mchid else { return false }
        let verified = try WeChatPayEvidence.refund(
          refund, mchid: merchant, app: app.id, environment: environment, signedDate: notification.signedDate)
        try await learn(verified, evidence: evidence, origin: .notification, for: app)
        return false
      case .echo, .other:
        return false
      }
    } catch let refusal as Refusal<WeChatPayEvidenceErrorCode> {
      // Signed, and without what a payment needs: it is kept, somebody is told, and the schedule asks for the order.
      metrics.count("counterfoil_notifications_not_understood_total", [("reason", refusal.code.rawValue)])
      log(
        LogEvent(
          .error, "notification.notUnderstood",
          [("app", app.id.text), ("reason", refusal.code.rawValue), ("particulars", refusal.particulars)]))
      return false
    }
  }

  private func count(refused failure: NotificationFailure, _ app: AppSettings) {
    guard !failure.isProbe else { return metrics.count("counterfoil_wechat_pay_probes_total") }
    metrics.count("counterfoil_verify_failures_total", [("reason", failure.code)])
    log(LogEvent(.warning, "notification.refused", [("app", app.id.text), ("reason", failure.code)]))
  }
}

extension WeChatPayNotification {
  /// The payment that it speaks of.
  fileprivate var transaction: TransactionIdentifier? {
    switch content {
    case .transaction(let transaction): transaction.transactionId.map { TransactionIdentifier($0) }
    case .refund(let refund): TransactionIdentifier(refund.transactionId)
    case .echo, .other: nil
    }
  }
}
