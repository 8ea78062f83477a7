import AppStoreProtocol
import PaymentModel
import PaymentStore
import PaymentVocabulary
import StrictJSON

extension PaymentEngine {
  /// Asks Apple what is still to be asked, and tells it what is still to be told, until the task is cancelled.
  func runAppStoreErrands() async {
    while !Task.isCancelled {
      do {
        let due = try await takeDueErrands()
        await run(due)
        // Without a key for Apple's servers nothing new comes: what an earlier configuration left goes on to its end.
        if appStoreGateways.isEmpty, try await read({ try $0.nextAppStoreErrand() }) == nil { return }
        if due.isEmpty { try await waitForErrands() }
      } catch is CancellationError {
        return
      } catch {
        log(LogEvent(.error, "appStore.errandsFailed", [("error", "\(error)")]))
        guard (try? await surroundings.sleep(limits.storeQuestionRepeat)) != nil else { return }
      }
    }
  }

  /// Takes what is due, with its next time already written down: a process that is killed in between goes on a little
  /// later, never not at all.
  private func takeDueErrands() async throws -> [AppStoreErrand] {
    let limit = limits.storeQuestionBatch
    return try await transact { transaction in
      let now = transaction.now
      return try transaction.appStoreErrands(dueAt: now, limit: limit).map { due in
        var errand = due
        errand.dueAt = AppStoreErrand.next(after: due.tries, now: now)
        try transaction.put(errand)
        return errand
      }
    }
  }

  private func run(_ errands: [AppStoreErrand]) async {
    await withTaskGroup(of: Void.self) { group in
      var inFlight = 0
      for errand in errands {
        if inFlight >= limits.storeQuestionsInFlight { await group.next() } else { inFlight += 1 }
        group.addTask { await run(errand) }
      }
      await group.waitForAll()
    }
  }

  private func run(_ errand: AppStoreErrand) async {
    do {
      guard let app = apps[errand.payment.app] else { return }
      switch errand.purpose {
      case .ask: try await settle(errand, for: app, .background)
      case .finish: try await finish(errand, for: app)
      case .setToken: try await setToken(errand, for: app)
      case .consumption: try await answerConsumptionRequest(errand, for: app)
      }
    } catch {
      log(
        LogEvent(
          .warning, "appStore.errandFailed",
          [("transaction", errand.payment.transaction.text), ("error", "\(error)")]))
    }
  }

  private func waitForErrands() async throws {
    let now = surroundings.now()
    let next = try await read { try $0.nextAppStoreErrand() }
    let span = max(.milliseconds(20), min(limits.storeQuestionIdle, next.map { $0 - now } ?? limits.storeQuestionIdle))
    let listener = await storeBell.listen(for: 1)
    try? await sleep(span, orUntil: listener.rings)
    await storeBell.stop(listener.number, for: 1)
    try Task.checkCancellation()
  }

  // MARK: what Apple is told

  /// Finish Transaction: a phone that died after the password leaves it unfinished, and Apple would show it for ever.
  private func finish(_ errand: AppStoreErrand, for app: AppSettings) async throws {
    let key = errand.payment
    let payment = try await read { try $0.payment(key) }
    guard let gateway = appStoreGateways[app.id], let payment, payment.finishedAt == nil else {
      return try await end(errand, nil)
    }
    let reply = await gateway.send(
      try .finishTransaction(key.transaction), environment: key.environment, priority: .background)
    switch reply.outcome {
    case .answered: try await end(errand, "payment.finishedHere")
    case .refused(let refusal): try await end(errand, "payment.notFinishedHere", "\(refusal)")
    case .unknown(let why): try await again(errand, why.retryAfter)
    }
  }

  /// Set App Account Token: from now on Apple itself says which order this payment paid.
  private func setToken(_ errand: AppStoreErrand, for app: AppSettings) async throws {
    let key = errand.payment
    let payment = try await read { try $0.payment(key) }
    guard let gateway = appStoreGateways[app.id], let payment, let order = payment.order, payment.facts.token == nil,
      payment.facts.kind != .autoRenewable
    else { return try await end(errand, nil) }
    let reply = await gateway.send(
      try .setAppAccountToken(order, of: payment.facts.originalTransaction), environment: key.environment,
      priority: .background)
    switch reply.outcome {
    case .answered: try await end(errand, "payment.tokenSet")
    case .refused(let refusal): try await end(errand, "payment.tokenNotSet", "\(refusal)")
    case .unknown(let why): try await again(errand, why.retryAfter)
    }
  }

  private func end(_ errand: AppStoreErrand, _ what: String?, _ why: String? = nil) async throws {
    let key = errand.payment
    try await transact { transaction in
      try transaction.remove(errand.purpose, about: key)
      guard let what else { return }
      try transaction.insert(
        JournalEntry(
          realm: key.realm, at: transaction.now, what: what, order: transaction.payment(key)?.order, payment: key,
          details: JSONValue.members([("why", why.map(JSONValue.string))]).text))
    }
  }

  private func again(_ errand: AppStoreErrand, _ earliest: Timestamp?) async throws {
    let span = limits.repairSpan
    try await transact { transaction in
      guard var waiting = try transaction.appStoreErrand(errand.purpose, about: errand.payment) else { return }
      guard transaction.now < waiting.createdAt + span else {
        return try transaction.remove(errand.purpose, about: errand.payment)
      }
      waiting.tries += 1
      let next = AppStoreErrand.next(after: waiting.tries, now: transaction.now)
      waiting.dueAt = max(next, min(earliest ?? next, transaction.now + .hours(6)))
      try transaction.put(waiting)
    }
  }
}
