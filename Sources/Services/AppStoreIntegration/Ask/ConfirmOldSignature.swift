import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// Whether Apple must confirm a signed transaction before its first grant. An old signature may be followed by a
  /// refund, and evidence without an environment cannot be granted. See docs/specification/matching.md, “What Apple
  /// is asked first”.
  func mustBeConfirmed(_ facts: VerifiedPayment, for app: AppPolicy) async throws -> Bool {
    guard let settings = appStore?.gateways[app.id]?.settings else { return false }
    let isOld = settings.confirmsOldSignatures && facts.signedDate < dependencies.now() - limits.signatureAge
    guard isOld || facts.key.environment == .undetermined else { return false }
    let key = facts.key
    return try await read { reader in
      guard let known = try reader.payment(reader.duplicate(key)?.of ?? key) else { return true }
      // It was stored while Apple could not be asked.
      return known.state == .held(.environmentUnknown)
    }
  }

  /// Records the question with the presented evidence, then asks; nil while Apple has not answered.
  func confirm(_ update: PaymentUpdate, for app: AppPolicy) async throws -> FulfilmentResult? {
    let key = update.facts.key
    let shown = ShownEvidence.signed(update.evidence).json.text
    let claim = update.claim?.json.text
    let appStoreTask = try await transact { transaction in
      var appStoreTask =
        try transaction.appStoreTask(.ask, about: key)
        ?? AppStoreTask(payment: key, purpose: .ask, createdAt: transaction.now, dueAt: transaction.now)
      // The first claim stays.
      if appStoreTask.claim == nil { appStoreTask.claim = claim }
      if appStoreTask.shown == nil { appStoreTask.shown = shown }
      try transaction.put(appStoreTask)
      return appStoreTask
    }
    await storeSignal.signal(for: .appStore)
    if let result = try await resolve(appStoreTask, for: app, .livePurchase) { return result }
    let (token, presented) = (update.facts.token, update.claim)
    try await transact { transaction in
      // The answer may have arrived meanwhile.
      guard try transaction.appStoreTask(.ask, about: key) != nil else { return }
      try Self.noteSilence(about: token, presented, for: app, transaction)
    }
    return nil
  }

  /// Asks Apple about a transaction that is known by number only. The caller gains nothing by asking. What Apple
  /// signs grants only the order or the subscription that it names.
  ///
  /// - Returns: what the caller may learn; nil if the transaction is not theirs, or Apple does not know it either.
  func askApple(
    aboutBare transaction: TransactionIdentifier, by user: UserIdentifier, for app: AppPolicy
  ) async throws -> PaymentAnswer? {
    guard let appStore, let gateway = appStore.gateways[app.id], Self.number(transaction.text) != nil else {
      return nil
    }
    guard await appStore.lookups.allows(user, in: app.id, at: dependencies.now(), most: limits.bareQuestionsPerHour)
    else {
      return pending(transaction)
    }
    switch await askApple(about: transaction, in: nil, for: app, gateway, .livePurchase) {
    case .unknownToApple: return nil
    case .later: return pending(transaction)
    case .facts(let facts, let evidence):
      let result = try await fulfil(PaymentUpdate(facts: facts, evidence: evidence, origin: .storeAnswer), for: app)
      let present = try await read { try $0.present(user, in: app.homeEnvironment) }
      guard result.payment.owner == present else { return nil }
      return PaymentAnswer(result, asked: facts.key, by: present, app)
    }
  }
}

/// Counts how often each user recently caused a question to Apple about a transaction number.
actor TransactionLookupLimiter {
  private struct Caller: Hashable {
    let app: AppIdentifier
    let user: UserIdentifier
  }

  private var asked: [Caller: [Timestamp]] = [:]

  /// Whether one more is allowed; counts it.
  func allows(_ user: UserIdentifier, in app: AppIdentifier, at now: Timestamp, most: Int) -> Bool {
    if asked.count > 1000 { asked = asked.filter { ($0.value.last ?? now) > now - .hours(1) } }
    let caller = Caller(app: app, user: user)
    let recent = (asked[caller] ?? []).filter { $0 > now - .hours(1) }
    guard recent.count < most else { return false }
    asked[caller] = recent + [now]
    return true
  }
}
