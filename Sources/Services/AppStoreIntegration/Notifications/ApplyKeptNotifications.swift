import AppStoreProtocol
import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives

extension PaymentEngine {
  /// The version of the effects that were applied to the stored notifications; raised when a type gains an effect.
  private static let effectsVersion = "2"

  /// Applies notifications that an earlier version stored without effect, once. Each is verified again. The data that
  /// Apple signed inside is applied by its own dates, so it changes nothing that is newer.
  ///
  /// Each notification is marked after it took effect. If the process ends in between, one is applied again, which
  /// changes nothing.
  package func applyKeptNotifications() async throws {
    let setting = "notifications.effectsApplied"
    guard try await read({ try $0.setting(setting) }) != Self.effectsVersion else { return }
    for app in apps.all where appStore?.identity(of: app.id) != nil {
      for environment in app.acceptedEnvironments.sorted() {
        for type in NotificationEffect.typesWithFacts {
          try await applyKept(type, AppEnvironment(app: app.id, environment: environment), app: app)
        }
      }
    }
    try await transact { try $0.set(setting, to: Self.effectsVersion) }
  }

  private func applyKept(_ type: String, _ appEnvironment: AppEnvironment, app: AppPolicy) async throws {
    var last: String?
    while true {
      try Task.checkCancellation()
      let after = last
      let page = try await read { try $0.keptNotifications(of: type, after: after, in: appEnvironment, limit: 100) }
      guard let end = page.last else { return }
      for kept in page { try await apply(kept, app) }
      last = end.id
    }
  }

  private func apply(_ kept: ReceivedNotification, _ app: AppPolicy) async throws {
    let reading: VerifiedNotification
    let verdict = await verdict(about: kept, for: app)
    do throws(CodedError<EngineErrorCode>) {
      reading = try readNotification(verdict, for: [app])
    } catch {
      // It was genuine when it came. Whatever is wrong now, it stays stored, and the operator gets a log event.
      log(LogEvent(.error, "notification.keptNotApplied", [("id", kept.id), ("why", "\(error)")]))
      return
    }
    try await apply(reading, of: kept, app)
  }

  /// Works a stored notification of Apple again, as if it had come now. What it says is applied by its own dates, so it
  /// changes nothing that is newer.
  ///
  /// - Throws: `notificationUnknown` for one that Apple did not send; the reason for which it is not genuine now.
  package func applyNotificationAgain(
    _ id: String, in appEnvironment: AppEnvironment, for app: AppPolicy
  ) async throws {
    guard let kept = try await read({ try $0.notification(id, in: appEnvironment) }),
      appStore?.identity(of: app.id) != nil, kept.isFromAppStore
    else { throw CodedError<EngineErrorCode>(.notificationUnknown) }
    let verdict = await verdict(about: kept, for: app)
    try await apply(try readNotification(verdict, for: [app]), of: kept, app)
  }

  private func verdict(about kept: ReceivedNotification, for app: AppPolicy) async -> NotificationVerdict? {
    await withCertificateStatus {
      verifyNotification(kept.signedPayload, for: [app], at: dependencies.now())
    } isUnknown: {
      $0?.statusIsUnknown == true
    }
  }

  private func apply(_ reading: VerifiedNotification, of kept: ReceivedNotification, _ app: AppPolicy) async throws {
    guard reading.takesEffect else { return }
    if let update = reading.update() {
      // An old purchase may have been refunded since.
      if try await mustBeConfirmed(update.facts, for: app) {
        _ = try await confirm(update, for: app)
        // Apple's answer covers the transaction only; the renewal info was signed beside it.
        if let renewal = reading.renewal { try await transact { try Self.receive(renewal, for: app, in: $0) } }
      } else {
        _ = try await fulfil(update, for: app)
      }
      // Apple was answered, or the answer came too late.
      if kept.effect == .kept { try await noteConsumptionRequest(reading) }
    } else if let renewal = reading.renewal {
      try await transact { try Self.receive(renewal, for: app, in: $0) }
    }
    guard kept.effect == .kept else { return }
    try await transact { try $0.noteEffect(of: kept.id, in: kept.appEnvironment) }
    log(LogEvent(.info, "notification.keptApplied", [("id", kept.id), ("type", kept.type)]))
  }

  /// The same as a background task: if the database cannot be reached at start, it tries again.
  func applyKeptAtStart() async {
    await repeatUntilDone(loggingErrors: "notification.keptFailed", pause: limits.storeQuestionRepeat) {
      guard try await doAlone("notifications.kept", { try await applyKeptNotifications() }) else {
        try await dependencies.sleep(limits.workLeasePause)
        return false
      }
      return true
    }
  }
}

extension ReceivedNotification {
  /// What Apple signs is one text of three parts; what WeChat Pay signs is stored as JSON.
  package var isFromAppStore: Bool { store == .appStore }
}
