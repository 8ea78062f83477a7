import AppStoreProtocol
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

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
    let verdict = await withCertificateStatus {
      verifyNotification(kept.signedPayload, for: [app], at: dependencies.now())
    } isUnknown: {
      $0?.statusIsUnknown == true
    }
    let reading: VerifiedNotification
    do throws(CodedError<EngineErrorCode>) {
      reading = try readNotification(verdict, for: [app])
    } catch {
      // It was genuine when it came. Whatever is wrong now, it stays stored, and the operator gets a log event.
      log(LogEvent(.error, "notification.keptNotApplied", [("id", kept.id), ("why", "\(error)")]))
      return
    }
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
      try await noteConsumptionRequest(reading)
    } else if let renewal = reading.renewal {
      try await transact { try Self.receive(renewal, for: app, in: $0) }
    }
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
