import AppStoreProtocol
import HTTPMessages
import PaymentModel
import PaymentDatabase
package import PaymentPrimitives
import StrictJSON

package struct NotificationReceipt: Hashable, Sendable {
  /// Apple's `notificationUUID`.
  package var id: String
  /// `applied`, or `kept` if it has no effect in this version.
  package var effect: String
  /// The transaction in the notification.
  package var transaction: TransactionIdentifier?
  /// Whether this notification stored the payment first.
  package var firstSeen: Bool
  /// Whether this notification was not stored before.
  package var isNew = true
}

extension PaymentEngine {
  /// Processes an App Store Server Notification, version 2: verifies it with all signed contents, stores it, applies
  /// it, and only then answers.
  ///
  /// What Apple signed inside takes effect, whatever the type. Types without an effect, or unknown to this version,
  /// are verified, stored and counted. So is a notification with a transaction that this version does not understand.
  ///
  /// - Parameters:
  ///   - app: the app that the URL named; otherwise it is found by the bundle id.
  ///   - sender: the sender, as any text; false signatures count against its budget of unknown certificates.
  /// - Throws: `notificationUnreadable` (answered 400: Apple need not send it again) or a code that is answered 503,
  ///   so that Apple sends it again.
  package func receiveAppStoreNotification(
    _ body: [UInt8], for named: AppIdentifier?, from sender: String? = nil
  ) async throws -> NotificationReceipt {
    let signed = try Self.signedPayload(in: body)
    let now = dependencies.now()
    let addressees = try addressees(named: named)
    let reading = try readNotification(signed, for: addressees, at: now, from: sender)
    await keepGoodChains()
    let understood = NotificationEffect(type: reading.type) == .understood
    let received = ReceivedNotification(
      appEnvironment: AppEnvironment(app: reading.app.id, environment: reading.environment), id: reading.id,
      type: reading.type,
      subtype: reading.subtype, signedDate: reading.signedDate,
      transaction: reading.transaction?.facts.key.transaction, signedPayload: signed, receivedAt: now,
      effect: reading.takesEffect || understood ? .applied : .kept)
    let forward = reading.app.forwardNotificationsTo.map { _ in Self.forward(of: received, body) }
    var receipt = NotificationReceipt(
      id: reading.id, effect: received.effect.rawValue, transaction: received.transaction, firstSeen: false)
    let isNew: Bool
    if reading.takesEffect, let update = reading.update() {
      // Also if it was stored before: it may have been stored alone, because it could not be fulfilled.
      let fulfilled = try await fulfil(update.facts.key, keeping: received, passingOn: forward, for: reading.app) { _ in
        update
      }
      (receipt.firstSeen, isNew) = (fulfilled.result.firstSeen, fulfilled.isNew)
      // Also if it was stored before: the process may have ended between the two, and a question is recorded once.
      try await noteConsumptionRequest(reading)
    } else if reading.takesEffect, let renewal = reading.renewal {
      isNew = try await transact { transaction in
        let isNew = try Self.keep(received, passingOn: forward, in: transaction)
        try Self.note(renewal, in: transaction)
        return isNew
      }
    } else {
      isNew = try await keep(received, passingOn: forward)
    }
    receipt.isNew = isNew
    count(received, isNew: isNew)
    if isNew, forward != nil { await forwardBell.ring(for: reading.app.id) }
    return receipt
  }

  /// Verifies a notification with all signed contents.
  func readNotification(
    _ signed: String, for addressees: [AppSettings], at now: Timestamp, from sender: String? = nil
  ) throws(CodedError<EngineErrorCode>) -> VerifiedNotification {
    let verdict = verifier.verifyNotification(
      signed,
      expecting: SignedDataExpectations(
        apps: addressees.compactMap(\.identity),
        environments: addressees.reduce([]) { $0.union($1.acceptedEnvironments) }), at: now, from: sender)
    guard let notification = verdict.notification.verified else {
      throw refusal(of: verdict.notification.failure)
    }
    let (environment, payload) = (notification.environment, notification.payload)
    guard let app = addressees.first(where: { $0.identity == notification.app }),
      app.acceptedEnvironments.contains(environment)
    else { throw refusal(of: CodedError(.invalidEnvironment)) }
    guard let id = payload.notificationUUID, !id.isEmpty, id.utf8.count <= 64 else {
      throw CodedError(.notificationUnreadable, "It has no notificationUUID.")
    }
    let facts = verdict.transaction?.verified.flatMap { part in
      understood { () throws(CodedError<AppStoreEvidenceErrorCode>) in
        try AppStoreEvidence.payment(of: part, app: app.id)
      }
    }
    let renewal = verdict.renewalInfo?.verified.flatMap { part in
      understood { () throws(CodedError<AppStoreEvidenceErrorCode>) in
        try AppStoreEvidence.renewal(of: part, app: app.id)
      }
    }
    var transaction: (VerifiedPayment, String)?
    if let facts, let signed = payload.data?.signedTransactionInfo { transaction = (facts, signed) }
    return VerifiedNotification(
      app: app, environment: environment, id: id, type: payload.notificationType?.rawValue ?? "",
      subtype: payload.subtype?.rawValue, signedDate: notification.effectiveDate, transaction: transaction,
      renewal: renewal, consumptionReason: payload.data?.consumptionRequestReason?.rawValue)
  }

  func noteConsumptionRequest(_ reading: VerifiedNotification) async throws {
    guard reading.asksForConsumption, let key = reading.transaction?.facts.key else { return }
    try await noteConsumptionRequest(
      about: key, reason: reading.consumptionReason, signedDate: reading.signedDate, for: reading.app)
  }

  /// Applies the renewal info of a subscription that came without its transaction.
  static func note(_ renewal: VerifiedRenewal, in transaction: any DatabaseTransaction) throws {
    var line = try transaction.line(renewal.line) ?? Subscription(key: renewal.line, claimant: nil)
    let before = line
    let events = line.receive(.renewal(renewal), at: transaction.now)
    guard line != before else { return }
    try transaction.put(line)
    for event in events {
      try transaction.insert(
        JournalEntry(
          event, in: renewal.line.appEnvironment, at: transaction.now, order: nil,
          payment: renewal.line,
          details: renewal.details.text))
    }
  }

  func count(_ received: ReceivedNotification, isNew: Bool) {
    metrics.count(
      "counterfoil_notifications_total",
      [
        ("type", received.type), ("effect", isNew ? received.effect.rawValue : "repeated"),
        ("environment", received.appEnvironment.environment.rawValue),
      ])
    log(
      LogEvent(
        .info, "notification.received",
        [
          ("app", received.appEnvironment.app.text), ("id", received.id), ("type", received.type),
          ("effect", isNew ? received.effect.rawValue : "repeated"),
        ]))
  }

  /// The signed payload of the posted body; a body without one gets a permanent error.
  private static func signedPayload(in body: [UInt8]) throws(CodedError<EngineErrorCode>) -> String {
    let json: JSONValue
    do { json = try JSONReader.read(body, limits: JSONLimits(bytesMax: 512 << 10, depthMax: 8)) } catch {
      throw CodedError(.notificationUnreadable, "It is not JSON: \(error).")
    }
    if json["notification_type"] != nil, json["signedPayload"] == nil {
      throw CodedError(.notificationUnreadable, "It is a version 1 notification; choose version 2.")
    }
    guard let signed = json["signedPayload"]?.string, signed.split(separator: ".").count == 3 else {
      throw CodedError(.notificationUnreadable, "It has no signedPayload of three parts.")
    }
    return signed
  }

  /// The apps that it may be for: the one that the URL names, otherwise all; the verifier finds which.
  private func addressees(
    named: AppIdentifier?
  ) throws(CodedError<EngineErrorCode>) -> [AppSettings] {
    let addressees = apps.all.filter { $0.identity != nil && (named == nil || $0.id == named) }
    guard !addressees.isEmpty else {
      throw CodedError(.notificationNotOurs, "No app of that name is configured.")
    }
    return addressees
  }

  /// The error for a notification that does not verify; if the cause may be on our side, Apple sends it again.
  private func refusal(of failure: CodedError<SignedDataErrorCode>?) -> CodedError<EngineErrorCode> {
    let code = failure?.code ?? .invalidFormat
    metrics.count("counterfoil_verify_failures_total", [("reason", code.rawValue)])
    log(
      LogEvent(
        .warning, "notification.refused",
        [("reason", code.rawValue), ("particulars", failure?.details ?? "")]))
    switch code {
    case .verificationBusy: return CodedError(.verificationBusy)
    case .invalidAppIdentifier, .invalidEnvironment, .invalidChain, .invalidChainLength,
      .invalidCertificate, .missingOID, .expired, .signedInTheFuture, .unsafeConfiguration:
      return CodedError(.notificationNotOurs, code.meaning.english)
    case .signedDataTooLarge, .invalidFormat, .invalidAlgorithm, .invalidHeader, .malformedPayload,
      .unexpectedKind, .invalidSignature, .invalidNestedData:
      return CodedError(.notificationUnreadable, code.meaning.english)
    }
  }

  /// The facts of a genuine part; nil, with a log event, if this version does not understand it. The notification is
  /// then stored, because Apple would not send it again after an error.
  private func understood<Facts>(_ read: () throws(CodedError<AppStoreEvidenceErrorCode>) -> Facts) -> Facts? {
    do { return try read() } catch {
      metrics.count("counterfoil_notifications_not_understood_total", [("reason", error.code.rawValue)])
      log(
        LogEvent(
          .error, "notification.notUnderstood",
          [("reason", error.code.rawValue), ("particulars", error.details)]))
      return nil
    }
  }

  /// Stores a notification together with its forward; true if it was not known.
  func keep(_ received: ReceivedNotification, passingOn forward: NotificationForward? = nil) async throws -> Bool {
    try await transact { transaction in try Self.keep(received, passingOn: forward, in: transaction) }
  }

  static func keep(
    _ received: ReceivedNotification, passingOn forward: NotificationForward?, in transaction: any DatabaseTransaction
  ) throws -> Bool {
    guard try transaction.notification(received.id, in: received.appEnvironment) == nil else { return false }
    try transaction.insert(received)
    if let forward { try transaction.insert(forward) }
    return true
  }

  /// The forward of a notification. The JSON reader accepts only UTF-8, so the text has the same bytes.
  private static func forward(of received: ReceivedNotification, _ body: [UInt8]) -> NotificationForward {
    NotificationForward(
      appEnvironment: received.appEnvironment, notification: received.id, body: String(decoding: body, as: UTF8.self),
      createdAt: received.receivedAt)
  }
}
