import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentDatabase
package import PaymentEngine
import PaymentModel
package import PaymentPrimitives
import StrictJSON

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
    let step = traces.begin("VerifyEvidence")
    let verdict = await withCertificateStatus {
      verifyNotification(signed, for: addressees, at: now, from: sender)
    } isUnknown: {
      $0?.statusIsUnknown == true
    }
    if verdict?.notification.failure?.code == .certificateRevoked {
      try await askInstead(of: verdict?.transaction?.unverifiedPayload, for: addressees)
    }
    if let verdict, verdict.notification.waiting != nil { try await keepQuestion(of: verdict, for: addressees) }
    let reading = try readNotification(verdict, for: addressees)
    if let part = verdict?.transaction?.verified,
      let signed = verdict?.notification.verified?.payload.data?.signedTransactionInfo
    {
      _ = try await keepIfTypeIsUnknown(part, signed, from: .notification, for: reading.app)
    }
    if var step {
      step.note("counterfoil.kind", "notification")
      traces.end(step)
    }
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
      id: reading.id, effect: received.effect, transaction: received.transaction)
    let isNew: Bool
    if reading.takesEffect, let update = reading.update() {
      // Also if it was stored before: it may have been stored alone, because it could not be fulfilled.
      let fulfilled = try await fulfil(
        update.facts.key, keeping: received, passingOn: forward, from: .notification, for: reading.app
      ) { _ in update }
      (receipt.firstSeen, isNew) = (fulfilled.result.firstSeen, fulfilled.isNew)
      // Also if it was stored before: the process may have ended between the two, and a question is recorded once.
      try await noteConsumptionRequest(reading)
    } else if reading.takesEffect, let renewal = reading.renewal {
      isNew = try await transact { transaction in
        let isNew = try Self.keep(received, passingOn: forward, in: transaction)
        try Self.receive(renewal, for: reading.app, in: transaction)
        return isNew
      }
    } else {
      isNew = try await keep(received, passingOn: forward)
    }
    receipt.isNew = isNew
    count(received, isNew: isNew)
    if isNew, forward != nil { await forwardSignal.signal(for: reading.app.id) }
    return receipt
  }

  /// Verifies a notification with all signed contents; nil if no app sells through the App Store.
  func verifyNotification(
    _ signed: String, for addressees: [AppPolicy], at now: Timestamp, from sender: String? = nil
  ) -> NotificationVerdict? {
    appStore?.verifier.verifyNotification(
      signed,
      expecting: SignedDataExpectations(
        apps: addressees.compactMap { appStore?.identity(of: $0.id) },
        environments: addressees.reduce([]) { $0.union($1.acceptedEnvironments) }), at: now, from: sender)
  }

  /// A notification that takes effect when Apple sends it again: until then its payment is a question of ours.
  private func keepQuestion(of verdict: NotificationVerdict, for addressees: [AppPolicy]) async throws {
    guard let signed = verdict.notification.waiting?.payload.data?.signedTransactionInfo,
      let part = verdict.transaction?.waiting ?? verdict.transaction?.verified,
      let app = addressees.first(where: { appStore?.identity(of: $0.id) == part.app }),
      let facts = understood({ () throws(CodedError<AppStoreEvidenceErrorCode>) in
        try AppStoreEvidence.payment(of: part, app: app.id)
      })
    else { return }
    _ = try await confirm(PaymentUpdate(facts: facts, evidence: signed, origin: .notification), for: app)
  }

  /// The contents of a verified notification.
  func readNotification(
    _ verdict: NotificationVerdict?, for addressees: [AppPolicy]
  ) throws(CodedError<EngineErrorCode>) -> VerifiedNotification {
    guard let appStore, let verdict else {
      throw CodedError(.notificationNotOurs, "No app sells through the App Store.")
    }
    guard let notification = verdict.notification.verified else {
      throw reject(verdict.notification.failure)
    }
    let (environment, payload) = (notification.environment, notification.payload)
    guard let app = addressees.first(where: { appStore.identity(of: $0.id) == notification.app }),
      app.acceptedEnvironments.contains(environment)
    else { throw reject(CodedError(.invalidEnvironment)) }
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

  /// The signed payload of the posted body; a body without one gets a permanent error.
  private static func signedPayload(in body: [UInt8]) throws(CodedError<EngineErrorCode>) -> String {
    let json: JSONValue
    do { json = try JSONReader.read(body, limits: JSONLimits(bytesMax: 512 << 10, depthMax: 8)) } catch {
      throw CodedError(.notificationUnreadable, "It is not JSON: \(error).")
    }
    if json["notification_type"] != nil, json["signedPayload"] == nil {
      throw CodedError(.notificationUnreadable, "It is a version 1 notification; choose version 2.")
    }
    guard var signed = json["signedPayload"]?.string,
      let parts = signed.withUTF8({ CompactJWSParts(UnsafeRawBufferPointer($0)) }), !parts.hasMore
    else { throw CodedError(.notificationUnreadable, "It has no signedPayload of three parts.") }
    return signed
  }

  /// The apps that it may be for: the one that the URL names, otherwise all; the verifier finds which.
  private func addressees(
    named: AppIdentifier?
  ) throws(CodedError<EngineErrorCode>) -> [AppPolicy] {
    let addressees = apps.all.filter { appStore?.identity(of: $0.id) != nil && (named == nil || $0.id == named) }
    guard !addressees.isEmpty else {
      throw CodedError(.notificationNotOurs, "No app of that name is configured.")
    }
    return addressees
  }

  /// Records a notification that does not verify, and returns the error for it.
  /// If the cause may be on our side, Apple sends it again.
  private func reject(_ failure: CodedError<SignedDataErrorCode>?) -> CodedError<EngineErrorCode> {
    let code = failure?.code ?? .invalidFormat
    metrics.count(.verifyFailuresTotal, [("reason", code.rawValue)])
    log(
      LogEvent(
        .warning, "notification.refused",
        [("reason", code.rawValue), ("particulars", failure?.details ?? "")]))
    switch code {
    case .verificationBusy, .certificateStatusUnknown:
      return CodedError(.verificationBusy, failure?.details ?? "")
    case .invalidAppIdentifier, .certificateRevoked, .invalidEnvironment, .invalidChain, .invalidChainLength,
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
      metrics.count(.notificationsNotUnderstoodTotal, [("reason", error.code.rawValue)])
      log(
        LogEvent(
          .error, "notification.notUnderstood",
          [("reason", error.code.rawValue), ("particulars", error.details)]))
      return nil
    }
  }

  /// The forward of a notification. The JSON reader accepts only UTF-8, so the text has the same bytes.
  private static func forward(of received: ReceivedNotification, _ body: [UInt8]) -> NotificationForward {
    NotificationForward(
      appEnvironment: received.appEnvironment, notification: received.id, body: String(decoding: body, as: UTF8.self),
      createdAt: received.receivedAt)
  }
}
