import AppStoreProtocol
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Apple's answer about a transaction.
enum AppStoreAnswer: Sendable {
  case facts(VerifiedPayment, evidence: String)
  /// Apple knows no such transaction, neither in production nor in the sandbox.
  case unknownToApple
  /// The answer is not known yet; asking again before this time is useless.
  case later(Timestamp?)
}

extension PaymentEngine {
  /// Asks Apple about a transaction (Get Transaction Info), and verifies what Apple signed.
  ///
  /// - Parameter environment: where it was made; nil if that is not known. Then production and sandbox are asked.
  func askApple(
    about transaction: TransactionIdentifier, in environment: StoreEnvironment?, for app: AppPolicy,
    _ gateway: AppStoreGateway, _ priority: StoreCallPriority
  ) async -> AppStoreAnswer {
    let call: AppStoreServerCall<TransactionInfoResponse>
    do throws(CodedError<AppStoreServerRequestErrorCode>) { call = try .transactionInfo(transaction) } catch {
      return .unknownToApple
    }
    let reply = await gateway.send(call, environment: environment, priority: priority)
    switch reply.outcome {
    case .answered(let answer):
      guard let facts = try? await verified(answer.signedTransactionInfo, for: app),
        facts.key.transaction == transaction
      else { return .later(nil) }
      return .facts(facts, evidence: answer.signedTransactionInfo)
    case .refused(let error):
      return error.meansUnknownHere ? .unknownToApple : .later(error.retryAfter)
    case .unknown(let why):
      return .later(why.retryAfter)
    }
  }

  /// The payment in a transaction that Apple signed; nil, with a log event, if it does not verify. An answer over TLS
  /// needs the same verification as data from a client.
  ///
  /// - Throws: `verificationBusy` if it must be asked about again, because it is not known whether its certificate is
  ///   revoked.
  func verified(_ signed: String, for app: AppPolicy) async throws -> VerifiedPayment? {
    guard let verdict = await verdict(on: signed, for: app) else { return nil }
    if verdict.waiting != nil {
      throw CodedError<EngineErrorCode>(.verificationBusy, verdict.failure?.details ?? "")
    }
    do {
      guard let verified = verdict.verified else {
        throw verdict.failure ?? CodedError(.invalidFormat)
      }
      return try AppStoreEvidence.payment(of: verified, app: app.id)
    } catch {
      metrics.count(.appStoreAnswersRefusedTotal)
      log(LogEvent(.error, "appStore.answerRefused", [("app", app.id.text), ("why", "\(error)")]))
      if let verified = verdict.verified {
        _ = try await keepIfTypeIsUnknown(verified, signed, from: .storeAnswer, for: app)
      }
      return nil
    }
  }

  /// The verdict on a transaction in an answer of Apple, or in evidence that was stored; nil if the app does not sell
  /// there.
  private func verdict(
    on signed: String, for app: AppPolicy
  ) async -> SignedDataVerdict<JWSTransactionDecodedPayload>? {
    guard let appStore, let identity = appStore.identity(of: app.id) else { return nil }
    return await withCertificateStatus {
      appStore.verifier.verifyTransaction(
        signed, expecting: SignedDataExpectations(apps: [identity], environments: app.acceptedEnvironments),
        at: dependencies.now())
    } isUnknown: {
      $0.statusIsUnknown
    }
  }

  /// The renewal info that Apple signed; nil, with a log event, if it does not verify.
  func verifiedRenewal(_ signed: String, for app: AppPolicy) -> VerifiedRenewal? {
    guard let appStore, let identity = appStore.identity(of: app.id) else { return nil }
    let verdict = appStore.verifier.verifyRenewalInfo(
      signed, expecting: SignedDataExpectations(apps: [identity], environments: app.acceptedEnvironments),
      at: dependencies.now())
    if verdict.waiting != nil { return nil }
    do {
      guard let verified = verdict.verified else { throw verdict.failure ?? CodedError(.invalidFormat) }
      return try AppStoreEvidence.renewal(of: verified, app: app.id)
    } catch {
      metrics.count(.appStoreAnswersRefusedTotal)
      log(LogEvent(.error, "appStore.answerRefused", [("app", app.id.text), ("why", "\(error)")]))
      return nil
    }
  }

  /// Asks Apple about a waiting transaction, and applies the answer. Concurrent callers for the same transaction
  /// share one request.
  ///
  /// - Returns: the result; nil while it still waits.
  @discardableResult
  func resolve(
    _ appStoreTask: AppStoreTask, for app: AppPolicy, _ priority: StoreCallPriority
  ) async throws -> FulfilmentResult? {
    guard canBeAsked(appStoreTask, for: app) else {
      // The key was removed from the configuration: the process continues at once with what is known without Apple.
      return try await continueTask(appStoreTask, for: app, isUnknownToStore: false)
    }
    guard let questions = appStore?.questions else { return nil }
    let key = appStoreTask.payment
    switch await questions.take(key, at: dependencies.now(), pause: limits.storeQuestionPause) {
    case .justAsked: return nil
    case .underWay(let listener):
      for await _ in listener.signals { break }
      await questions.stopListening(listener.number, for: key)
      return try await known(key)
    case .yours: break
    }
    do {
      let result = try await ask(appStoreTask, for: app, priority)
      await questions.done(key, at: dependencies.now())
      return result
    } catch {
      await questions.done(key, at: dependencies.now())
      throw error
    }
  }

  private func known(_ key: PaymentKey) async throws -> FulfilmentResult? {
    try await read { reader in
      try reader.payment(reader.duplicate(key)?.of ?? key).map { try FulfilmentResult(known: $0, to: nil, reader) }
    }
  }

  private func ask(
    _ appStoreTask: AppStoreTask, for app: AppPolicy, _ priority: StoreCallPriority
  ) async throws -> FulfilmentResult? {
    let asked = appStoreTask.payment
    var isUnknown = false
    var earliest: Timestamp?
    let gateway = appStore?.gateways[app.id]
    if let gateway {
      switch await askApple(about: asked.transaction, in: asked.environment, for: app, gateway, priority) {
      case .facts(let facts, let evidence):
        return try await takeIn(facts, evidence, isWhole: true, appStoreTask: appStoreTask, app: app)
      case .unknownToApple: isUnknown = true
      case .later(let moment): earliest = moment
      }
    }
    let isOver = now >= appStoreTask.createdAt + limits.appStoreAnswerSpan
    if gateway == nil || isUnknown || isOver {
      switch try await askVerifyReceipt(about: appStoreTask, for: app, priority) {
      case .facts(let facts, let evidence)?:
        return try await takeIn(facts, evidence, isWhole: false, appStoreTask: appStoreTask, app: app)
      case .unknownToApple?: isUnknown = true
      case .later(let moment)?: earliest = moment ?? earliest
      case nil: break
      }
    }
    if isOver { return try await continueTask(appStoreTask, for: app, isUnknownToStore: isUnknown) }
    try await askLater(appStoreTask, earliest, for: app)
    return nil
  }

  /// - Parameter earliest: asking before this moment is useless.
  private func askLater(_ appStoreTask: AppStoreTask, _ earliest: Timestamp?, for app: AppPolicy) async throws {
    try await transact { transaction in
      guard var waiting = try transaction.appStoreTask(.ask, about: appStoreTask.payment) else { return }
      waiting.tries += 1
      let next = AppStoreTask.next(after: waiting.tries, now: transaction.now)
      waiting.dueAt = max(next, min(earliest ?? next, transaction.now + .hours(6)))
      try transaction.put(waiting)
      try Self.noteSilence(about: nil, OwnershipClaim(text: waiting.claim), for: app, transaction)
    }
  }

  /// Applies Apple's answer and closes the question.
  private func takeIn(
    _ facts: VerifiedPayment, _ evidence: String, isWhole: Bool, appStoreTask: AppStoreTask, app: AppPolicy
  ) async throws -> FulfilmentResult {
    let asked = appStoreTask.payment
    let claim = OwnershipClaim(text: appStoreTask.claim)
    var update = PaymentUpdate(facts: facts, evidence: evidence, origin: .storeAnswer)
    update.isHeldByClient = appStoreTask.shown != nil
    update.isTokenUnseen = !isWhole && facts.token == nil
    update.isWhole = isWhole
    update.claim = claim
    update.clientDetails = appStoreTask.shown.flatMap { ShownEvidence(text: $0)?.beside }
    let result = try await fulfil(update, for: app)
    try await transact { transaction in
      if facts.key != asked { try Self.noteEnvironment(of: asked, isThatOf: result.payment.key, transaction) }
      // A newer update than the answer may disagree again: then Apple is asked once more.
      if let payment = try transaction.payment(result.payment.key), payment.idsDisagreeSince != nil,
        try PurchaseRows(around: payment.facts, transaction).doubted(of: payment).contains(asked),
        var waiting = try transaction.appStoreTask(.ask, about: asked)
      {
        waiting.tries += 1
        waiting.dueAt = AppStoreTask.next(after: waiting.tries, now: transaction.now)
        return try transaction.put(waiting)
      }
      try transaction.remove(.ask, about: asked)
      try Self.endSilence(about: facts.token, claim, by: result, for: app, transaction)
    }
    return result
  }

  /// Stores a held payment under its environment: the evidence named none, and now Apple named it.
  private static func noteEnvironment(
    of held: PaymentKey, isThatOf payment: PaymentKey, _ transaction: any DatabaseTransaction
  ) throws {
    guard try transaction.payment(held) != nil, try transaction.duplicate(held) == nil else { return }
    let original = try transaction.payment(payment)?.facts.originalKey ?? payment
    try transaction.insert(
      DuplicateTransaction(key: held, of: payment, original: original, firstSeenAt: transaction.now))
    try transaction.insert(
      JournalEntry(
        .environmentLearned, in: held.appEnvironment, at: transaction.now, order: nil,
        payment: held,
        details: JSONValue.members([("environment", .string(payment.environment.rawValue))]).text))
  }

  /// Ends a question after a day without an answer from Apple. What is known without Apple is used, flagged; a
  /// payment that Apple does not know is held.
  private func continueTask(
    _ appStoreTask: AppStoreTask, for app: AppPolicy, isUnknownToStore: Bool
  ) async throws -> FulfilmentResult? {
    var result: FulfilmentResult?
    let claim = OwnershipClaim(text: appStoreTask.claim)
    if case .signed(let text)? = appStoreTask.shown.flatMap({ ShownEvidence(text: $0) }),
      await verdict(on: text, for: app)?.waiting != nil
    {
      // However long it takes: genuine data is never given up because Apple does not say whether its certificate holds.
      try await askLater(appStoreTask, nil, for: app)
      return nil
    }
    if let shown = appStoreTask.shown.flatMap({ ShownEvidence(text: $0) }),
      var update = try await update(of: shown, about: appStoreTask.payment, for: app)
    {
      update.isHeldByClient = true
      update.claim = claim
      update.isUnknownToStore = isUnknownToStore
      result = try await fulfil(update, for: app)
    } else {
      log(LogEvent(.error, "appStore.questionGivenUp", [("transaction", appStoreTask.payment.transaction.text)]))
    }
    try await transact { [result] transaction in
      try transaction.remove(.ask, about: appStoreTask.payment)
      try Self.endSilence(about: result?.payment.facts.token, claim, by: result, for: app, transaction)
    }
    return result
  }

  /// The presented evidence, verified once more: being stored does not make it trusted.
  private func update(
    of shown: ShownEvidence, about key: PaymentKey, for app: AppPolicy
  ) async throws -> PaymentUpdate? {
    switch shown {
    case .signed(let text):
      return try await verified(text, for: app).map { PaymentUpdate(facts: $0, evidence: text, origin: .client) }
    case .receipt(let digest):
      guard let text = try await read({ try $0.receipt(digest: digest) }), let form = ReceiptForm(text),
        let identity = appStore?.identity(of: app.id),
        case .read(let reading) = readReceipt(text, form, for: app, identity: identity),
        let purchase = reading.purchases.first(where: { $0.key(in: app) == key })
      else { return nil }
      let known = try await known(key)?.payment.facts
      var update = PaymentUpdate(
        facts: known.map { purchase.facts(beside: $0, in: app) } ?? purchase.facts(in: app),
        evidence: reading.evidence(of: purchase), origin: .client)
      update.isTokenUnseen = known == nil
      update.isWhole = false
      return update
    }
  }
}
