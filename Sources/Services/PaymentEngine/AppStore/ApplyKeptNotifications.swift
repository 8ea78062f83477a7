import PaymentModel
import PaymentDatabase
import PaymentPrimitives

extension PaymentEngine {
  /// Says of which effects the kept notifications were gone through; raised whenever a type gains an effect.
  private static let effectsVersion = "2"

  /// Lets those notifications take effect that an earlier version kept without one, once: each is verified anew, and
  /// what Apple signed inside is taken in by its own dates, so it changes nothing that is newer.
  ///
  /// Each is marked when it has taken effect; a kill costs nothing but doing one again, which changes nothing.
  package func applyKeptNotifications() async throws {
    let setting = "notifications.effectsApplied"
    guard try await read({ try $0.setting(setting) }) != Self.effectsVersion else { return }
    for app in apps.all where app.identity != nil {
      for environment in app.acceptedEnvironments.sorted() {
        for type in NotificationEffect.typesWithFacts {
          try await applyKept(type, AppEnvironment(app: app.id, environment: environment), app)
        }
      }
    }
    try await transact { try $0.set(setting, to: Self.effectsVersion) }
  }

  private func applyKept(_ type: String, _ realm: AppEnvironment, _ app: AppSettings) async throws {
    var last: String?
    while true {
      try Task.checkCancellation()
      let after = last
      let page = try await read { try $0.keptNotifications(of: type, after: after, in: realm, limit: 100) }
      guard let end = page.last else { return }
      for kept in page { try await apply(kept, app) }
      last = end.id
    }
  }

  private func apply(_ kept: ReceivedNotification, _ app: AppSettings) async throws {
    let reading: VerifiedNotification
    do throws(CodedError<EngineErrorCode>) {
      reading = try readNotification(kept.signedPayload, for: [app], at: surroundings.now())
    } catch {
      // It was genuine when it came; whatever is wrong now, it stays kept, and somebody is told.
      log(LogEvent(.error, "notification.keptNotApplied", [("id", kept.id), ("why", "\(error)")]))
      return
    }
    guard reading.takesEffect else { return }
    if let news = reading.news() {
      // What was bought long ago may have been refunded since.
      if try await mustBeConfirmed(news.facts, for: app) {
        _ = try await confirm(news, for: app)
        // Apple's answer speaks of the transaction alone; how the line goes on was signed beside it.
        if let renewal = reading.renewal { try await transact { try Self.note(renewal, in: $0) } }
      } else {
        _ = try await fulfil(news, for: app)
      }
      try await noteConsumptionRequest(reading)
    } else if let renewal = reading.renewal {
      try await transact { try Self.note(renewal, in: $0) }
    }
    try await transact { try $0.noteEffect(of: kept.id, in: kept.realm) }
    log(LogEvent(.info, "notification.keptApplied", [("id", kept.id), ("type", kept.type)]))
  }

  /// The same as standing work: a store that cannot be reached at start is tried again.
  func applyKeptAtStart() async {
    while !Task.isCancelled {
      do { return try await applyKeptNotifications() } catch is CancellationError { return } catch {
        log(LogEvent(.error, "notification.keptFailed", [("error", "\(error)")]))
        guard (try? await surroundings.sleep(limits.storeQuestionRepeat)) != nil else { return }
      }
    }
  }
}
