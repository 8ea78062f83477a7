import CounterfoilAPI
import PaymentPrimitives

/// Submits the store's transactions to the server, each only once at a time.
struct TransactionSubmission {
  /// Maximum requests for one piece of evidence that needs more than one answer: a receipt of a long history.
  static let continuationsMax = 20

  let publishableKey: String?
  let server: ServerConnection
  let log: SupportLog
  let session: UserSession
  let records: VaultRecords
  let orders: OpenOrders
  let events: EventBroadcaster
  let sheets: OpenedSheets
  let states: SubmissionStates
  let requests: SubmissionRequests
  let retries: SubmissionRetries
  let verdicts: Verdicts
  let finishing: StoreFinishing
  /// Maximum submissions at the same time, so that a long queue does not overload the server.
  let places: AsyncSemaphore

  /// Submits one transaction to the server. Only one submission per transaction runs at a time: a second caller waits
  /// for the first.
  nonisolated(nonsending) func submit(
    _ transaction: StoreTransaction, from source: TransactionSource
  ) async -> SubmissionResult {
    guard let key = TransactionKey(transaction) else {
      log.write(.error, "client.transaction.withoutNumber", with: [("state", transaction.stateName)])
      return .unknown
    }
    // Whichever submission comes first: only the entry that the queue itself showed can be finished.
    if source.isInQueue { states.noteEntry(transaction, key) }
    let isUnheard = source == .restore && states[key]?.isRestore != true
    if let joined = states.join(key) {
      let result = await joined.value() ?? .unknown
      // It may have been asked for a user who has signed out since, or without a user.
      let isOutdated = session.user != nil && states[key]?.asker != session.user
      // The joined submission was no restore, so it could not move the purchase to this user, or it was not sent. A
      // restore gets its own request.
      if isUnheard, result.isAnothers || result == .finishedBefore, !Task.isCancelled {
        return await submit(transaction, from: source)
      }
      guard isOutdated, result == .noUser || result.isSetAside, !Task.isCancelled else { return result }
      let again: TransactionSource = source.isInQueue ? .queue(.userChanged) : .vault(.userChanged)
      return await submit(transaction, from: again)
    }
    if let known = states.resultWithoutAsking(key, source) { return known }
    states.begin(key, from: source)
    let result = await submitNow(transaction, key, from: source)
    states.end(key, with: result)
    return result
  }

  nonisolated(nonsending) private func submitNow(
    _ transaction: StoreTransaction, _ key: TransactionKey, from source: TransactionSource
  ) async -> SubmissionResult {
    // Without the records the submission would name no order, and the server might give the payment to the signed-in
    // user.
    guard await orders.areLoaded() else {
      await retries.plan(transaction, key, retryAfter: nil)
      return .unknown
    }
    if states[key]?.isRestore != true, !sheets.isAnswer(key), let clearance = await records.clearance(of: key) {
      await finishing.finishAgain(transaction, key, clearance: clearance, from: source)
      return .finishedBefore
    }
    let (request, isOrphan) = await requests.prepare(transaction, key)
    await places.enter()
    let (reply, asker) = await askForVerdict(request, key)
    await places.leave()
    switch reply {
    case .answered(let answer):
      if isOrphan, states[key]?.result == nil { events.emit(.orphan(key.id)) }
      return await verdicts.apply(answer, to: transaction, key, asker: asker)
    case .noCredential where asker == nil && session.user == nil:
      return .noUser
    case .noCredential(let why), .unknown(let why, retryAfter: nil):
      log.write(.warning, "client.submission.unknown", with: [("transaction", key.id.text), ("why", why)])
      await retries.plan(transaction, key, retryAfter: nil)
      return .unknown
    case .unknown(let why, let retryAfter):
      log.write(.warning, "client.submission.unknown", with: [("transaction", key.id.text), ("why", why)])
      await retries.plan(transaction, key, retryAfter: retryAfter)
      return .unknown
    case .refused(let problem):
      return await verdicts.apply(problem, to: transaction, key)
    }
  }

  // MARK: asking

  nonisolated(nonsending) private func askForVerdict(
    _ request: SubmitAppStorePayment.Request, _ key: TransactionKey
  ) async -> (ServerReply<PaymentAnswer>, asker: UserIdentifier?) {
    let asker = session.user
    let server = self.server
    states[key]?.asker = asker
    for _ in 0..<Self.continuationsMax {
      let reply: ServerReply<SubmitAppStorePayment.Response>
      if let asker {
        reply = await session.asUser(asker) { await server.submit(request, as: $0) }
      } else if let publishableKey {
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
          states[key]?.isEvidenceStale = true
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
      && states[key]?.inQueue != nil && states[key]?.isEvidenceStale != true
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
}
