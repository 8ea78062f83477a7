import AppStoreProtocol
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// Takes in a receipt: each of its purchases is processed by its id, never "the last one".
  ///
  /// A receipt shows no order, so Apple is asked about each unknown purchase. The questions, with the claim and the
  /// evidence, are stored before the answer. So neither an interruption nor a missing answer loses one. The first few
  /// are asked within the call, the others on schedule.
  func submitReceipt(
    _ text: String, _ form: ReceiptForm, request: SubmitAppStorePayment.Request, from user: UserIdentifier?,
    for app: AppPolicy, identity: AppIdentity, sender: String?
  ) async throws -> SubmitAppStorePayment.Response {
    let reading: VerifiedReceipt
    let found = readReceipt(text, form, for: app, identity: identity, sender: sender)
    await keepGoodChains()
    switch found {
    case .read(let found): reading = found
    case .unproven(let transaction):
      return try await answerUnproven(text, transaction, request: request, from: user, for: app)
    case .refused(let error, let claimed): return try answerUnverified(error, claimed ?? request.transaction)
    }
    let claim = user.map { OwnershipClaim(of: request, by: $0, proof: .missing) }
    let known = try await keep(reading, claim, for: app)
    var answers: [PaymentAnswer] = []
    if let named = request.transaction, !reading.purchases.contains(where: { $0.transaction == named }) {
      answers.append(try await answerMissing(named, request, user: user, app: app))
    }
    let ordered = Self.inOrder(reading.purchases, named: request.transaction) { known[$0.key(in: app)]?.payment }
    var asked = 0
    for purchase in ordered.prefix(limits.receiptAnswers) {
      let key = purchase.key(in: app)
      let payment = known[key]?.payment
      if let known = known[key], Self.isDecided(known.payment, shownBy: purchase), app.restore == .keepOwner {
        answers.append(PaymentAnswer(known, asked: key, by: user, app))
      } else if asksApple(about: purchase, payment, for: app) {
        let isNow = asked < limits.receiptQuestions
        asked += 1
        answers.append(try await answerAsked(purchase, known[key], isAskedNow: isNow, user: user, app: app))
      } else {
        let facts = payment.map { purchase.facts(beside: $0.facts, in: app) } ?? purchase.facts(in: app)
        var update = PaymentUpdate(facts: facts, evidence: reading.evidence(of: purchase), origin: .client)
        update.isHeldByClient = true
        update.isTokenUnseen = payment == nil
        update.isWhole = false
        update.claim = claim
        answers.append(PaymentAnswer(try await fulfil(update, for: app), asked: key, by: user, app))
      }
    }
    await storeSignal.signal(for: .appStore)
    return SubmitAppStorePayment.Response(payments: answers, more: ordered.count > limits.receiptAnswers)
  }

  /// Whether the receipt contains nothing that could change the payment.
  private static func isDecided(_ payment: Payment, shownBy purchase: ReceiptPurchase) -> Bool {
    (payment.state.wasGranted || payment.state == .revoked) && !purchase.saysTakenBack(payment.facts)
  }

  /// Whether Apple is asked before a purchase takes effect. A receipt shows no order, and for a refund it does not
  /// show how much. Without a key for Apple's servers the receipt is the only source.
  private func asksApple(about purchase: ReceiptPurchase, _ payment: Payment?, for app: AppPolicy) -> Bool {
    guard asksAboutReceipts(of: app) else { return false }
    guard let payment, payment.state != .held(.environmentUnknown) else { return true }
    return appStore?.gateways[app.id] != nil && purchase.saysTakenBack(payment.facts)
  }

  /// The purchase that the caller names, then the undecided ones, then the newest.
  private static func inOrder(
    _ purchases: [ReceiptPurchase], named: TransactionIdentifier?, _ payment: (ReceiptPurchase) -> Payment?
  ) -> [ReceiptPurchase] {
    func rank(_ purchase: ReceiptPurchase) -> Int {
      if purchase.transaction == named { return 0 }
      return payment(purchase).map { $0.awaitsOwner ? 1 : 2 } ?? 1
    }
    var seen: Set<TransactionIdentifier> = []
    return
      purchases.filter { seen.insert($0.transaction).inserted }
      .map { (rank: rank($0), purchase: $0) }
      .sorted {
        ($0.rank, $1.purchase.purchaseDate, $0.purchase.transaction)
          < ($1.rank, $0.purchase.purchaseDate, $1.purchase.transaction)
      }
      .map(\.purchase)
  }

  /// Stores a receipt that shows something new, and records the questions. Returns what is already known.
  private func keep(
    _ reading: VerifiedReceipt, _ claim: OwnershipClaim?, for app: AppPolicy
  ) async throws -> [PaymentKey: FulfilmentResult] {
    let (text, digest, user) = (reading.text, reading.digest, claim?.user)
    let purchases = Dictionary(reading.purchases.map { ($0.key(in: app), $0) }) { first, _ in first }
    let known = try await read { try Self.known(purchases.keys, to: user, $0) }
    let isNew = purchases.contains { key, purchase in
      known[key].map { !Self.isDecided($0.payment, shownBy: purchase) } ?? true
    }
    guard isNew else { return known }
    let (claimText, shown) = (claim?.json.text, ShownEvidence.receipt(digest: digest).json.text)
    return try await transact { transaction in
      let known = try Self.known(purchases.keys, to: user, transaction)
      try transaction.keepReceipt(text, digest: digest, at: transaction.now)
      for (key, purchase) in purchases.sorted(by: { $0.key < $1.key })
      where asksApple(about: purchase, known[key]?.payment, for: app) {
        if var waiting = try transaction.appStoreTask(.ask, about: key) {
          // The first claim stays; a question without a claim takes the first one that comes.
          guard waiting.claim == nil, claimText != nil else { continue }
          waiting.claim = claimText
          try transaction.put(waiting)
        } else {
          var appStoreTask = AppStoreTask(
            payment: key, purpose: .ask, createdAt: transaction.now, dueAt: transaction.now)
          appStoreTask.claim = claimText
          appStoreTask.shown = shown
          try transaction.put(appStoreTask)
        }
      }
      return known
    }
  }

  private static func known(
    _ keys: some Sequence<PaymentKey>, to user: UserIdentifier?, _ reader: any DatabaseReader
  ) throws -> [PaymentKey: FulfilmentResult] {
    var known: [PaymentKey: FulfilmentResult] = [:]
    for key in keys {
      known[key] = try reader.payment(reader.duplicate(key)?.of ?? key).map {
        try FulfilmentResult(known: $0, to: user, reader)
      }
    }
    return known
  }

  /// Asks within the call, or leaves it to the schedule. A granted purchase stays granted until Apple has answered.
  private func answerAsked(
    _ purchase: ReceiptPurchase, _ known: FulfilmentResult?, isAskedNow: Bool, user: UserIdentifier?,
    app: AppPolicy
  ) async throws -> PaymentAnswer {
    let key = purchase.key(in: app)
    if isAskedNow, let appStoreTask = try await read({ try $0.appStoreTask(.ask, about: key) }),
      let result = try await resolve(appStoreTask, for: app, .livePurchase)
    {
      return PaymentAnswer(result, asked: key, by: user, app)
    }
    if let known, known.payment.state.wasGranted { return PaymentAnswer(known, asked: key, by: user, app) }
    return keptPending(key.transaction, for: app)
  }

  /// The answer for a question that is recorded and not answered yet.
  func keptPending(_ transaction: TransactionIdentifier, for app: AppPolicy) -> PaymentAnswer {
    var answer = pending(transaction)
    answer.finish = app.finishesWhatIsKept
    return answer
  }

  /// The answer for genuine data that waits until Apple has said whether its certificate is revoked.
  func keptForStatus(_ transaction: TransactionIdentifier, for app: AppPolicy) -> PaymentAnswer {
    var answer = keptPending(transaction, for: app)
    answer.reason = SignedDataErrorCode.certificateStatusUnknown.rawValue
    return answer
  }

  /// The answer for genuine data that only a later version can read.
  func keptUnread(
    _ transaction: TransactionIdentifier, because code: AppStoreEvidenceErrorCode, for app: AppPolicy
  ) -> PaymentAnswer {
    var answer = keptPending(transaction, for: app)
    answer.reason = code.rawValue
    return answer
  }

  /// The answer for an unknown result. It does not say that anything is stored, so nothing may be finished.
  func pending(_ transaction: TransactionIdentifier) -> PaymentAnswer {
    var answer = PaymentAnswer(transaction: transaction, verdict: .pending, reason: "askingApple")
    answer.retryAfter = limits.pendingRetryAfter
    return answer
  }

  /// Handles a named transaction that the receipt does not show: it was finished, or the receipt is older.
  private func answerMissing(
    _ transaction: TransactionIdentifier, _ request: SubmitAppStorePayment.Request, user: UserIdentifier?,
    app: AppPolicy
  ) async throws -> PaymentAnswer {
    do {
      let known = try await answerQuestion(about: request, from: user, for: app)
      if let answer = known.payments.first { return answer }
    } catch let error as CodedError<EngineErrorCode> where error.code == .transactionUnknown {}
    return PaymentAnswer(transaction: transaction, verdict: .refused, reason: PaymentAnswer.notInReceipt)
  }

  /// Handles a receipt that is not genuine, or not for this app. Only a counter and a log event are recorded.
  private func answerUnverified(
    _ error: CodedError<ReceiptErrorCode>, _ named: TransactionIdentifier?
  ) throws -> SubmitAppStorePayment.Response {
    metrics.count(.verifyFailuresTotal, [("reason", error.code.rawValue)])
    log(
      LogEvent(
        .warning, "evidence.refused", [("reason", error.code.rawValue), ("particulars", error.details)]))
    switch error.code {
    case .busy: throw CodedError<EngineErrorCode>(.verificationBusy)
    case .tooLarge, .notBase64, .isSignedData, .otherKind, .malformed, .malformedAttribute:
      throw CodedError<EngineErrorCode>(.evidenceUnreadable, "\(error.code.meaning.english) \(error.details)")
    case .algorithm, .otherApp, .undated, .fromTheFuture, .signerMissing, .certificateUnusable, .untrusted,
      .markerMissing, .certificateExpired, .chainNotShown, .otherEnvironment, .invalidSignature, .otherDevice:
      let number = named.flatMap { Self.number($0.text) }
      return SubmitAppStorePayment.Response(payments: [
        PaymentAnswer(
          transaction: number ?? TransactionIdentifier("unknown"), verdict: .refused, reason: error.code.rawValue)
      ])
    }
  }
}
