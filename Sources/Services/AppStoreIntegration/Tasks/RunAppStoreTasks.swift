import AppStoreProtocol
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// Processes the App Store tasks, both questions and messages to Apple, until the task is cancelled.
  func runAppStoreTasks() async {
    await repeatUntilDone(loggingErrors: "appStore.errandsFailed", pause: limits.storeQuestionRepeat) {
      let due = try await takeDueAppStoreTasks()
      await run(due)
      // Without a key for Apple's servers no new tasks come; tasks of an earlier configuration are still completed.
      // Where a certificate's status must be known, tasks come without a key too.
      if appStore?.gateways.isEmpty != false, appStore?.verifier.statuses.check != .hard,
        try await read({ try $0.nextAppStoreTask() }) == nil
      {
        return true
      }
      if due.isEmpty { try await waitForAppStoreTasks() }
      return false
    }
  }

  /// Takes the due tasks and stores their next time at once. If the process ends in between, they run a little later,
  /// but are never lost.
  private func takeDueAppStoreTasks() async throws -> [AppStoreTask] {
    let limit = limits.storeQuestionBatch
    return try await transact { transaction in
      let now = transaction.now
      return try transaction.takeAppStoreTasks(limit: limit).map { due in
        var appStoreTask = due
        appStoreTask.dueAt = AppStoreTask.next(after: due.tries, now: now)
        try transaction.put(appStoreTask)
        return appStoreTask
      }
    }
  }

  private func run(_ appStoreTasks: [AppStoreTask]) async {
    await withTaskGroup(of: Void.self) { group in
      var inFlight = 0
      for appStoreTask in appStoreTasks {
        if inFlight >= limits.storeQuestionsInFlight { await group.next() } else { inFlight += 1 }
        group.addTask { await run(appStoreTask) }
      }
      await group.waitForAll()
    }
  }

  private func run(_ appStoreTask: AppStoreTask) async {
    do {
      guard let app = apps[appStoreTask.payment.app] else { return }
      switch appStoreTask.purpose {
      case .ask: try await resolve(appStoreTask, for: app, .background)
      case .finish: try await finish(appStoreTask, for: app)
      case .setToken: try await setToken(appStoreTask, for: app)
      case .consumption: try await answerConsumptionRequest(appStoreTask, for: app)
      }
    } catch {
      log(
        LogEvent(
          .warning, "appStore.errandFailed",
          [("transaction", appStoreTask.payment.transaction.text), ("error", "\(error)")]))
    }
  }

  private func waitForAppStoreTasks() async throws {
    let now = now
    let next = try await read { try $0.nextAppStoreTask() }
    let span = max(.milliseconds(20), min(limits.storeQuestionIdle, next.map { $0 - now } ?? limits.storeQuestionIdle))
    let listener = await storeSignal.listen(for: .appStore)
    try? await sleep(span, orUntil: listener.signals)
    await storeSignal.stop(listener.number, for: .appStore)
    try Task.checkCancellation()
  }

  // MARK: messages to Apple

  /// Finish Transaction: a client that stopped after the purchase leaves it unfinished, and Apple would present it
  /// again and again.
  private func finish(_ appStoreTask: AppStoreTask, for app: AppPolicy) async throws {
    let key = appStoreTask.payment
    let payment = try await read { try $0.payment(key) }
    guard let gateway = appStore?.gateways[app.id], let payment, payment.finishedAt == nil else {
      return try await end(appStoreTask, nil)
    }
    let reply = await gateway.send(
      try .finishTransaction(key.transaction), environment: key.environment, priority: .background)
    switch reply.outcome {
    case .answered: try await end(appStoreTask, .finishedHere)
    case .refused(let error): try await end(appStoreTask, .notFinishedHere, why: "\(error)")
    case .unknown(let why): try await again(appStoreTask, why.retryAfter)
    }
  }

  /// Set App Account Token: from now on Apple's own data names the order that this payment paid.
  private func setToken(_ appStoreTask: AppStoreTask, for app: AppPolicy) async throws {
    let key = appStoreTask.payment
    let payment = try await read { try $0.payment(key) }
    guard let gateway = appStore?.gateways[app.id], let payment, let order = payment.order, payment.facts.token == nil,
      payment.facts.kind != .autoRenewable
    else { return try await end(appStoreTask, nil) }
    let reply = await gateway.send(
      try .setAppAccountToken(order, of: payment.facts.originalTransaction), environment: key.environment,
      priority: .background)
    switch reply.outcome {
    case .answered: try await end(appStoreTask, .tokenSet)
    case .refused(let error): try await end(appStoreTask, .tokenNotSet, why: "\(error)")
    case .unknown(let why): try await again(appStoreTask, why.retryAfter)
    }
  }

  private func end(_ appStoreTask: AppStoreTask, _ event: JournalEvent?, why: String? = nil) async throws {
    let key = appStoreTask.payment
    try await transact { transaction in
      try transaction.remove(appStoreTask.purpose, about: key)
      guard let event else { return }
      try transaction.insert(
        JournalEntry(
          event, in: key.appEnvironment, at: transaction.now, order: transaction.payment(key)?.order,
          payment: key,
          details: JSONValue.members([("why", why.map(JSONValue.string))]).text))
    }
  }

  private func again(_ appStoreTask: AppStoreTask, _ earliest: Timestamp?) async throws {
    let span = limits.repairSpan
    try await transact { transaction in
      guard var waiting = try transaction.appStoreTask(appStoreTask.purpose, about: appStoreTask.payment) else {
        return
      }
      guard transaction.now < waiting.createdAt + span else {
        return try transaction.remove(appStoreTask.purpose, about: appStoreTask.payment)
      }
      waiting.tries += 1
      let next = AppStoreTask.next(after: waiting.tries, now: transaction.now)
      waiting.dueAt = max(next, min(earliest ?? next, transaction.now + .hours(6)))
      try transaction.put(waiting)
    }
  }
}
