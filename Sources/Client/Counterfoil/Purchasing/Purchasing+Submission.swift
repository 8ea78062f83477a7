import CounterfoilAPI
import PaymentPrimitives

extension Purchasing {
  /// Entries of tables that grow with the transactions seen in one run. Beyond it idle entries are forgotten, and only
  /// asked about again.
  private static let statesMax = 2000
  /// Maximum requests for one piece of evidence that needs more than one answer: a receipt of a long history.
  static let continuationsMax = 20

  /// Processes one transaction that the store shows, from any source.
  ///
  /// - Returns: its result; nil if it has nothing for the server.
  @discardableResult
  func receive(
    _ transaction: StoreTransaction, from source: TransactionSource
  ) async -> SubmissionResult? {
    switch transaction.state {
    case .purchasing:
      return nil
    case .deferred:
      await approvalIsPending(transaction)
      return nil
    case .failed(let failure):
      await storeReportedFailure(transaction, failure)
      return nil
    case .purchased, .restored, .revoked, .unverified:
      return await submit(await withoutForeignOrder(transaction), from: source)
    }
  }

  /// Submits one transaction to the server. Only one submission per transaction runs at a time: a second caller waits
  /// for the first.
  func submit(
    _ transaction: StoreTransaction, from source: TransactionSource
  ) async -> SubmissionResult {
    guard let key = TransactionKey(transaction) else {
      log(.error, "client.transaction.withoutNumber", [("state", transaction.stateName)])
      return .unknown
    }
    // Whichever submission comes first: only the entry that the queue itself showed can be finished.
    if source.isInQueue { submissions[key, default: SubmissionState()].inQueue = transaction }
    if submissions[key]?.waiting != nil {
      let isUnheard = source == .restore && submissions[key]?.isRestore != true
      let joined = OneShotPromise<SubmissionResult>()
      submissions[key]?.waiting?.append(joined)
      let result = await joined.value() ?? .unknown
      // It may have been asked for a user who has signed out since, or without a user.
      let isOutdated = user != nil && submissions[key]?.asker != user
      // The joined submission was no restore, so it could not move the purchase to this user. A restore gets its own
      // request.
      if isUnheard, result.isAnothers, !Task.isCancelled { return await submit(transaction, from: source) }
      guard isOutdated, result == .noUser || result.isSetAside, !Task.isCancelled else { return result }
      let again: TransactionSource = source.isInQueue ? .queue(.userChanged) : .vault(.userChanged)
      return await submit(transaction, from: again)
    }
    if let known = resultWithoutAsking(key, source) { return known }
    makeRoomForState()
    submissions[key, default: SubmissionState()].waiting = []
    if source != .retry { submissions[key]?.attempts = 0 }
    if source == .restore { submissions[key]?.isRestore = true }
    let result = await submitNow(transaction, key, source)
    if case .answered = result { submissions[key]?.isRestore = false }
    let waiting = submissions[key]?.waiting ?? []
    submissions[key]?.waiting = nil
    submissions[key]?.result = result
    for one in waiting { one.resolve(result) }
    return result
  }

  /// The result that is known already, if asking again now cannot change it.
  private func resultWithoutAsking(
    _ key: TransactionKey, _ source: TransactionSource
  ) -> SubmissionResult? {
    guard let state = submissions[key] else { return nil }
    if let result = state.result, result.isSetAside, !source.asksAgain { return result }
    if let notBefore = state.notBefore, source != .retry, !source.asksAgain {
      let remaining = notBefore - dependencies.now()
      // A clock that jumped back must not stop submissions for longer than any server may ask for.
      if remaining > .zero, remaining <= .hours(2) { return state.result ?? .unknown }
    }
    return nil
  }

  private func makeRoomForState() {
    guard submissions.count >= Self.statesMax else { return }
    submissions = submissions.filter { $0.value.waiting != nil || $0.value.isPausing }
  }

  private func submitNow(
    _ transaction: StoreTransaction, _ key: TransactionKey, _ source: TransactionSource
  ) async -> SubmissionResult {
    // Without the records the submission would name no order, and the server might give the payment to the signed-in
    // user.
    guard await vaultIsLoaded() else {
      await pause(transaction, key, retryAfter: nil)
      return .unknown
    }
    if submissions[key]?.isRestore != true, answered[key] == nil, let clearance = await book.clearance(of: key) {
      await finishAgain(transaction, key, clearance, source)
      return .finishedBefore
    }
    let (request, isOrphan) = await prepareSubmission(await withFreshEvidence(transaction, key), key)
    await submissionPlaces.enter()
    let (reply, asker) = await askForVerdict(request, key)
    await submissionPlaces.leave()
    switch reply {
    case .answered(let answer):
      if isOrphan, submissions[key]?.result == nil { emit(.orphan(key.id)) }
      return await takeIn(answer, transaction, key, asker: asker)
    case .noCredential where asker == nil && user == nil:
      return .noUser
    case .noCredential(let why), .unknown(let why, retryAfter: nil):
      log(.warning, "client.submission.unknown", [("transaction", key.id.text), ("why", why)])
      await pause(transaction, key, retryAfter: nil)
      return .unknown
    case .unknown(let why, let retryAfter):
      log(.warning, "client.submission.unknown", [("transaction", key.id.text), ("why", why)])
      await pause(transaction, key, retryAfter: retryAfter)
      return .unknown
    case .refused(let problem):
      return await takeIn(problem, transaction, key)
    }
  }

  // MARK: what is sent

  /// Keeps the evidence, notes the order that it seems to pay, and builds the request.
  private func prepareSubmission(
    _ transaction: StoreTransaction, _ key: TransactionKey
  ) async -> (SubmitAppStorePayment.Request, isOrphan: Bool) {
    var known = transaction
    var sameRun = sheetThatSold(transaction)?.order.id
    if let record = TransactionRecord(
      transaction, app: configuration.app, sameRun: sameRun, writtenAt: dependencies.now())
    {
      do throws(VaultFailure) {
        try await book.keep(record)
      } catch {
        // Money has been paid: the queue still holds the evidence, so it goes to the server in any case.
        log(.error, "client.vault.failed", [("what", error.explanation)])
      }
    }
    if let kept = await book.transaction(key) {
      known = kept.transaction
      sameRun = kept.sameRun ?? sameRun
    }
    var request = SubmitAppStorePayment.Request(evidence: transaction.evidence ?? "")
    request.evidence = transaction.evidence ?? known.evidence
    request.transaction = key.id
    request.sameRun = sameRun
    request.deviceVerificationId = await deviceVerificationId()
    request.isRestore = submissions[key]?.isRestore == true
    request.claimed.product = known.product?.text
    request.claimed.quantity = Int64(known.quantity)
    let candidates = await book.orders.filter { $0.mayBePaid(by: known) }
    // Newest first; an order that the transaction names comes before all others.
    let ids = candidates.reversed().compactMap { $0.order?.id }
    request.orders = ids.filter { $0 == known.token } + ids.filter { $0 != known.token }
    request.orders += await ordersBesides(ids, in: request.evidence)
    let earlier = await earlierReferences(for: known)
    request.orderNames = Array((request.orderNames + earlier).prefix(ContractLimits.orderIdentifiersMax))
    // A revocation marks no record as paid. It names orders nevertheless: a partly refunded payment may be new to the
    // server, and it belongs to the user who ordered it.
    guard key.revokedAt == nil else { return (request, isOrphan: false) }
    await attribute(known, key, candidates, sameRun)
    let isNobodys = candidates.isEmpty && earlier.isEmpty && !known.isRenewal && !known.isFamilyShared
    return (request, isOrphan: isNobodys)
  }

  /// The device id with which the server checks Apple's device proof, as the queue reports it; asked for until it is
  /// known.
  func deviceVerificationId() async -> String? {
    if let deviceId { return deviceId }
    let queue = self.queue
    deviceId = await bounded(configuration.policies.storeLimit) { await queue.deviceVerificationId() } ?? nil
    return deviceId
  }

  /// Orders that a receipt may show besides the transaction that it is sent for. Another user of this device may have
  /// bought them, so the signed-in user must not claim them. A signed transaction shows only one.
  private func ordersBesides(_ ids: [OrderIdentifier], in evidence: String?) async -> [OrderIdentifier] {
    guard let evidence, !evidence.utf8.contains(UInt8(ascii: ".")) else { return [] }
    let records = await book.orders.filter(\.mayBePaidInReceipt)
    return records.reversed().compactMap { $0.order?.id }.filter { !ids.contains($0) }
  }

  /// The transaction with newly fetched evidence, if the server did not find it in the last evidence.
  private func withFreshEvidence(
    _ transaction: StoreTransaction, _ key: TransactionKey
  ) async -> StoreTransaction {
    guard submissions[key]?.isEvidenceStale == true, let entry = submissions[key]?.inQueue else { return transaction }
    let queue = self.queue
    let evidence = await bounded(configuration.policies.storeLimit) { () -> String? in
      try? await queue.freshEvidence(of: entry)
    }
    guard let fresh = evidence ?? nil else { return transaction }
    var transaction = transaction
    transaction.evidence = fresh
    return transaction
  }

  /// Notes in the record that its payment seems to be here. The server decides; a guess that it does not confirm is
  /// undone.
  private func attribute(
    _ transaction: StoreTransaction, _ key: TransactionKey, _ candidates: [OrderRecord],
    _ sameRun: OrderIdentifier?
  ) async {
    let named = candidates.first { $0.order?.id == transaction.token }
    let only = candidates.count == 1 ? candidates.first : nil
    let seen = candidates.first { $0.order?.id == sameRun }
    guard let record = named ?? only ?? seen else { return }
    await takeIfPossible(.charged(key.id), for: record.id)
  }

  /// The sheet of this run that plainly caused a charge; nil if there is none or more than one.
  func sheetThatSold(_ transaction: StoreTransaction) -> OpenedSheet? {
    let fitting = sheets.filter { $0.plainlySold(transaction) }
    return fitting.count == 1 ? fitting[0] : nil
  }

  // MARK: asking

  private func askForVerdict(
    _ request: SubmitAppStorePayment.Request, _ key: TransactionKey
  ) async -> (ServerReply<PaymentAnswer>, asker: UserIdentifier?) {
    let asker = user
    let server = self.server
    submissions[key]?.asker = asker
    for _ in 0..<Self.continuationsMax {
      let reply: ServerReply<SubmitAppStorePayment.Response>
      if let asker {
        reply = await asUser(asker) { await server.submit(request, as: $0) }
      } else if let publishableKey = configuration.publishableKey {
        reply = await server.submit(request, as: .app(publishableKey: publishableKey))
      } else {
        return (.noCredential("No user is signed in."), nil)
      }
      switch reply {
      case .answered(let response):
        let answer = Self.answer(about: key, in: response)
        let isOutdated = answer.map { isToBeRefreshed($0, key) } ?? false
        if let answer, !isOutdated { return (.answered(answer), asker) }
        guard response.more, !isOutdated else {
          submissions[key]?.isEvidenceStale = true
          return (.unknown("The answer does not name the transaction.", retryAfter: nil), asker)
        }
      case .refused(let problem): return (.refused(problem), asker)
      case .unknown(let why, let retryAfter): return (.unknown(why, retryAfter: retryAfter), asker)
      case .noCredential(let why): return (.noCredential(why), asker)
      }
    }
    return (.unknown("The evidence holds too many transactions.", retryAfter: nil), asker)
  }

  /// Whether the receipt lags behind the queue. Then the store's current receipt is sent once more, before an error is
  /// reported.
  private func isToBeRefreshed(_ answer: PaymentAnswer, _ key: TransactionKey) -> Bool {
    answer.verdict == .refused && answer.reason == PaymentAnswer.notInReceipt
      && submissions[key]?.inQueue != nil && submissions[key]?.isEvidenceStale != true
  }

  /// The answer about a transaction. Evidence that is not genuine may claim another number than the queue shows. A
  /// single answer still applies to the transaction, unless it would allow a finish.
  private static func answer(
    about key: TransactionKey, in response: SubmitAppStorePayment.Response
  ) -> PaymentAnswer? {
    if let exact = response.payments.first(where: { $0.transaction == key.id }) { return exact }
    guard response.payments.count == 1, !response.more, !response.payments[0].finish else { return nil }
    return response.payments[0]
  }

  /// Submits it again after a pause, if the schedule has one left.
  func pause(
    _ transaction: StoreTransaction, _ key: TransactionKey, retryAfter: TimeSpan?
  ) async {
    guard let state = submissions[key], !state.isPausing else { return }
    let pauses = configuration.policies.verificationPauses
    let now = dependencies.now()
    submissions[key]?.notBefore = retryAfter.map { now + $0 }
    guard state.attempts < pauses.count else { return }
    let pause = dependencies.jittered(max(retryAfter ?? .zero, pauses[state.attempts]))
    submissions[key]?.attempts += 1
    submissions[key]?.isPausing = true
    await tasks.add {
      try? await self.dependencies.sleep(pause)
      await self.endPause(transaction, key)
    }
  }

  private func endPause(_ transaction: StoreTransaction, _ key: TransactionKey) async {
    submissions[key]?.isPausing = false
    guard !Task.isCancelled else { return }
    await receive(transaction, from: .retry)
  }
}
