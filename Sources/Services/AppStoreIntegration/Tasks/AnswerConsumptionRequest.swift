import AppStoreProtocol
import CounterfoilAPI
import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// How long Apple waits for an answer to `CONSUMPTION_REQUEST`.
  package static let consumptionAnswerSpan = TimeSpan.hours(12)

  /// Records that Apple asks how much of a purchase is consumed; the answer is due within twelve hours.
  ///
  /// - Parameters:
  ///   - key: the transaction in question.
  ///   - reason: why the customer requests a refund (`consumptionRequestReason`).
  ///   - signedDate: when Apple signed the request; the twelve hours start here.
  /// - Returns: whether it will be processed; false if the app does not answer, or the time is over.
  @discardableResult
  package func noteConsumptionRequest(
    about key: PaymentKey, reason: String?, signedDate: Timestamp, for app: AppPolicy
  ) async throws -> Bool {
    let isNoted = try await transact { transaction in
      try noteConsumptionRequest(about: key, reason: reason, signedDate: signedDate, for: app, in: transaction)
    }
    if isNoted { await signalConsumptionRequest() }
    return isNoted
  }

  /// The same within the transaction that stores the notification. Call `signalConsumptionRequest` after its commit.
  func noteConsumptionRequest(
    about key: PaymentKey, reason: String?, signedDate: Timestamp, for app: AppPolicy,
    in transaction: any DatabaseTransaction
  ) throws -> Bool {
    guard appStore?.server(of: app.id)?.consumption != nil else { return false }
    let isLate = transaction.now >= signedDate + Self.consumptionAnswerSpan
    if let known = try transaction.appStoreTask(.consumption, about: key), known.createdAt >= signedDate {
      return false
    }
    var entry = try Self.entry(
      isLate ? .consumptionAskedTooLate : .consumptionAsked, key, details: [("reason", reason.map(JSONValue.string))],
      in: transaction)
    entry.event = try refundAsked(about: key, reason: reason, at: signedDate, for: app, transaction)
    try transaction.insert(entry)
    guard !isLate else { return false }
    try transaction.put(
      AppStoreTask(payment: key, purpose: .consumption, createdAt: signedDate, dueAt: transaction.now))
    return true
  }

  /// The event of a refund that the customer asks Apple for, as JSON text; nil if the backend is told nothing.
  private func refundAsked(
    about key: PaymentKey, reason: String?, at moment: Timestamp, for app: AppPolicy,
    _ transaction: any DatabaseTransaction
  ) throws -> String? {
    guard let making = EventMaking(app, at: transaction.now),
      let payment = try transaction.payment(transaction.duplicate(key)?.of ?? key)
    else { return nil }
    var body = try making.body(
      .refundAsked, of: payment, cause: ["\(moment.milliseconds)"], reading: transaction)
    body.refund = EventBody.Refund(at: moment)
    body.reason = reason
    return body.json.text
  }

  func signalConsumptionRequest() async { await storeSignal.signal(for: .appStore) }

  /// Answers Apple from our records if the user consents. Without consent Apple gets no answer. The user may still
  /// consent within the twelve hours.
  func answerConsumptionRequest(_ appStoreTask: AppStoreTask, for app: AppPolicy) async throws {
    let key = appStoreTask.payment
    let now = dependencies.now()
    guard let gateway = appStore?.gateways[app.id], let policy = appStore?.server(of: app.id)?.consumption else {
      return try await endConsumption(appStoreTask, .consumptionNotAnswered, details: [("why", "not configured")])
    }
    guard now < appStoreTask.createdAt + Self.consumptionAnswerSpan else {
      return try await endConsumption(
        appStoreTask, .consumptionNotAnswered, details: [("why", "twelve hours are over")])
    }
    let home = app.homeEnvironment
    let known = try await read { reader in
      try ConsumptionRecords(reader: reader, app: app).facts(of: key).map { known in
        let consent = try known.user.flatMap { try reader.consumptionConsent(of: $0, in: home) }
        return (facts: known.facts, isConsented: consent?.isGiven ?? false)
      }
    }
    guard let known else {
      return try await endConsumption(
        appStoreTask, .consumptionNotAnswered, details: [("why", "nothing of it is left")])
    }
    guard known.isConsented else { return try await waitForConsent(appStoreTask) }
    let request = ConsumptionAnswer.request(known.facts, policy, at: now)
    let reply = await gateway.send(
      try .consumption(request, of: key.transaction), environment: key.environment, priority: .background)
    metrics.count(.consumptionAnswersTotal, [("outcome", reply.outcome.label)])
    switch reply.outcome {
    case .answered:
      try await endConsumption(
        appStoreTask, .consumptionAnswered,
        details: [
          ("deliveryStatus", .string(request.deliveryStatus.rawValue)),
          ("consumptionPercentage", request.consumptionPercentage.map { .integer($0) }),
          ("refundPreference", request.refundPreference.map { .string($0.rawValue) }),
        ])
    case .refused(let error):
      try await endConsumption(appStoreTask, .consumptionRefused, details: [("why", .string("\(error)"))])
    case .unknown(let why):
      try await later(
        appStoreTask, AppStoreTask.next(after: appStoreTask.tries + 1, now: now), earliest: why.retryAfter)
    }
  }

  /// Tries again in an hour, and a last time ten minutes before the end of the twelve hours.
  private func waitForConsent(_ appStoreTask: AppStoreTask) async throws {
    let last = appStoreTask.createdAt + Self.consumptionAnswerSpan - .minutes(10)
    let now = dependencies.now()
    guard now < last else {
      return try await endConsumption(
        appStoreTask, .consumptionNotAnswered, details: [("why", "the user has not consented")])
    }
    try await later(appStoreTask, min(now + .hours(1), last), earliest: nil)
  }

  private func later(_ appStoreTask: AppStoreTask, _ next: Timestamp, earliest: Timestamp?) async throws {
    try await transact { transaction in
      guard var waiting = try transaction.appStoreTask(.consumption, about: appStoreTask.payment),
        waiting.createdAt == appStoreTask.createdAt
      else { return }
      waiting.tries += 1
      waiting.dueAt = max(next, min(earliest ?? next, appStoreTask.createdAt + Self.consumptionAnswerSpan))
      try transaction.put(waiting)
    }
  }

  /// Ends the task; a newer request from Apple stays.
  private func endConsumption(
    _ appStoreTask: AppStoreTask, _ event: JournalEvent, details: [(String, JSONValue?)]
  ) async throws {
    try await transact { transaction in
      guard let waiting = try transaction.appStoreTask(.consumption, about: appStoreTask.payment),
        waiting.createdAt == appStoreTask.createdAt
      else { return }
      try transaction.remove(.consumption, about: appStoreTask.payment)
      try transaction.insert(Self.entry(event, appStoreTask.payment, details: details, in: transaction))
    }
  }

  private static func entry(
    _ event: JournalEvent, _ key: PaymentKey, details: [(String, JSONValue?)], in transaction: any DatabaseTransaction
  ) throws -> JournalEntry {
    let payment = try transaction.payment(transaction.duplicate(key)?.of ?? key)
    return JournalEntry(
      event, in: key.appEnvironment, at: transaction.now, order: payment?.order,
      payment: payment?.key ?? key,
      details: JSONValue.members(details).text)
  }

  // MARK: consent

  /// Stores whether a user consents to telling Apple how much of their purchases is consumed.
  package func setConsumptionConsent(
    _ isGiven: Bool, of user: UserIdentifier, for app: AppPolicy
  ) async throws -> ConsumptionConsent {
    try await transact { transaction in
      let consent = ConsumptionConsent(
        appEnvironment: app.homeEnvironment, user: user, isGiven: isGiven, at: transaction.now)
      // A repeated answer changes nothing: the time of the first one stays.
      if let known = try transaction.consumptionConsent(of: user, in: consent.appEnvironment), known.isGiven == isGiven
      {
        return known
      }
      try transaction.put(consent)
      return consent
    }
  }

  /// The answer of a user; nil if they gave none, which is no consent.
  package func readConsumptionConsent(
    of user: UserIdentifier, for app: AppPolicy
  ) async throws -> ConsumptionConsent? {
    try await read { try $0.consumptionConsent(of: user, in: app.homeEnvironment) }
  }
}
