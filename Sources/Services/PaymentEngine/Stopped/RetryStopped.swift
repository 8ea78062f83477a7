import PaymentDatabase
import PaymentModel
package import PaymentPrimitives

/// The result of a retry of stopped changes.
package struct StoppedRetryReport: Hashable, Sendable {
  package var tried = 0
  /// How many of them have taken effect.
  package var done = 0

  package init() {}
}

extension PaymentEngine {
  /// Tries stopped changes again by the ordinary process, the longest waiting first.
  ///
  /// It runs at start, hourly, on request, and after each change of the configuration. At most
  /// `EngineLimits.stoppedRetriesPerRun` are tried at once; the next run tries the others.
  /// - Parameters:
  ///   - moment: only those due by then; nil for all.
  ///   - payment: only those of this transaction id; nil for all.
  ///   - app: only those of this app; nil for all.
  @discardableResult
  package func retryStoppedChanges(
    dueBy moment: Timestamp? = nil, of payment: PaymentKey? = nil, in app: AppIdentifier? = nil
  ) async throws -> StoppedRetryReport {
    let limit = EngineLimits.stoppedRetriesPerRun
    var report = StoppedRetryReport()
    var waiting = try await read { reader in
      try payment.map { try Array(reader.stoppedChanges(of: $0).prefix(limit)) }
        ?? reader.stoppedChanges(dueAt: moment ?? Timestamp(milliseconds: .max), limit: limit)
    }
    if let app { waiting = waiting.filter { $0.payment.app == app } }
    // Changes that wait for a frozen order come last: the change that froze it may be done by then.
    waiting = waiting.filter { $0.kind != .orderFrozen } + waiting.filter { $0.kind == .orderFrozen }
    for stopped in waiting {
      try Task.checkCancellation()
      report.tried += 1
      let isDone = try await retry(stopped)
      if isDone { report.done += 1 }
      metrics.count(.stoppedChangeRetriesTotal, [("outcome", isDone ? "done" : "stopped")])
    }
    return report
  }

  /// The same as a background task: all at start, then each hour.
  func retryStoppedScheduled() async {
    var isFirst = true
    await repeatUntilDone(loggingErrors: "stopped.retryFailed", pause: EngineLimits.stoppedRetryPause) {
      let dueBy = isFirst ? nil : now
      guard try await doAlone("stopped", { try await retryStoppedChanges(dueBy: dueBy) }) else {
        try await dependencies.sleep(limits.workLeasePause)
        return false
      }
      isFirst = false
      let next = try await read { try $0.nextStoppedChange() }
      let now = now
      let span = next.map { min(EngineLimits.stoppedRetryInterval, $0 - now) } ?? EngineLimits.stoppedRetryInterval
      try await dependencies.sleep(max(EngineLimits.stoppedRetryPause, span))
      return false
    }
  }

  /// Counts and logs a stopped change.
  package func count(stopped broken: InvariantBroken) {
    _ = reportBroken(broken)
    metrics.count(.changesStoppedTotal, [("kind", broken.kind.rawValue)])
  }

  /// Tries one change again; true if it needs no further attempt.
  private func retry(_ stopped: StoppedChange) async throws -> Bool {
    guard let app = apps[stopped.payment.app] else {
      return try await note(stopped, "The app is not in the configuration.")
    }
    let isEarlier = stopped.kind == .stoppedByEarlierVersion && stopped.content.isEmpty
    guard let statements = isEarlier ? try await keptStatements(of: stopped, app) : StoppedStatement.all(of: stopped)
    else { return try await note(stopped, isEarlier ? stopped.found : "What is kept of it cannot be read.") }
    let context = FulfilmentContext(app: app, derivedOrder: derivedOrder(for: stopped.payment))
    do {
      let attempt = try await transactMoney { transaction in
        try StoppedAttempt(transaction, context, stopped: stopped, statements: statements).run()
      }
      for result in attempt.results { await announce(result, app) }
      return attempt.isDone
    } catch let broken as InvariantBroken {
      count(stopped: broken)
      try await transact { transaction in
        let changes = StoppedChanges(transaction)
        guard var row = try changes.row(stopped.statement, of: stopped.payment) else { return }
        row.attempts += 1
        try changes.stop(&row, because: broken)
      }
      return false
    }
  }

  /// Records an attempt that could not be started.
  private func note(_ stopped: StoppedChange, _ found: String) async throws -> Bool {
    log(
      LogEvent(
        .error, "stopped.notTried", [("transaction", stopped.payment.transaction.text), ("found", found)]))
    try await transact { transaction in
      let changes = StoppedChanges(transaction)
      guard var row = try changes.row(stopped.statement, of: stopped.payment) else { return }
      row.attempts += 1
      row.found = found
      try changes.wait(&row)
    }
    return false
  }
}

/// One attempt of a stopped change, in one transaction. It lifts the freeze that the change caused; the freeze stays
/// lifted if the change takes effect.
struct StoppedAttempt {
  let transaction: any DatabaseTransaction
  let context: FulfilmentContext
  let stopped: StoppedChange
  let statements: [StoppedStatement]

  init(
    _ transaction: any DatabaseTransaction, _ context: FulfilmentContext, stopped: StoppedChange,
    statements: [StoppedStatement]
  ) {
    self.transaction = transaction
    self.context = context
    self.stopped = stopped
    self.statements = statements
  }

  func run() throws -> (results: [FulfilmentResult], isDone: Bool) {
    let changes = StoppedChanges(transaction)
    guard let before = try changes.row(stopped.statement, of: stopped.payment) else { return ([], true) }
    let key = try transaction.duplicate(before.payment)?.of ?? before.payment
    try changes.thaw(before)
    if var payment = try transaction.payment(key), payment.state == .held(.orderFrozen) {
      _ = try payment.receive(.thawed)
      try transaction.update(payment)
    }
    var results: [FulfilmentResult] = []
    let newest = try newestFacts()
    for statement in statements {
      if let result = try take(statement, newest) { results.append(result) }
    }
    if let result = try decide(key) { results.append(result) }
    let isDone = try transaction.payment(key).map { try !isWithheld($0) } ?? true
    if isDone {
      try transaction.remove(before)
      try transaction.insert(
        JournalEntry(
          .stoppedChangeTookEffect, in: key.appEnvironment, at: transaction.now,
          order: transaction.payment(key)?.order,
          payment: key, details: "{}"))
    } else {
      var row = try changes.row(before.statement, of: before.payment) ?? before
      row.attempts += 1
      if try transaction.payment(key)?.state == .held(.orderFrozen) { row.kind = .orderFrozen }
      row.orders = []
      try changes.wait(&row)
    }
    try changes.freezeForOthers(before)
    return (results, isDone)
  }

  /// The newest whole statement about this id among all stopped ones: what it takes back is not granted first.
  private func newestFacts() throws -> VerifiedPayment? {
    guard !stopped.payment.store.opensOrders else { return nil }
    let whole = try transaction.stoppedChanges(of: stopped.payment)
      .flatMap { StoppedStatement.all(of: $0) ?? [] }
      .compactMap { statement -> VerifiedPayment? in
        guard case .payment(let update) = statement, update.isWhole else { return nil }
        return update.facts
      }
    return whole.max { $0.signedDate < $1.signedDate }
  }

  private func take(_ statement: StoppedStatement, _ newest: VerifiedPayment?) throws -> FulfilmentResult? {
    switch statement {
    case .payment(var update):
      if let newest, newest.signedDate > update.facts.signedDate { update.facts = newest }
      // Only our order says what a charge paid for.
      if let charge = update.charge { update.facts = try PaymentEngine.facts(of: charge, transaction) }
      return try FulfilmentTransaction(transaction, context, update: update).run()
    case .refund(let update, let evidence, let origin):
      guard let refund = try ChargeRefund.known(update, in: transaction) else { return nil }
      return try ChargeRefund.take(
        .update(update), of: refund, evidence, origin: origin, context: context, in: transaction)
    }
  }

  /// Decides by newer updates, if some came while the order was frozen.
  private func decide(_ key: PaymentKey) throws -> FulfilmentResult? {
    guard let payment = try transaction.payment(key), payment.state == .verified else { return nil }
    var update = PaymentUpdate(facts: payment.facts, evidence: stopped.evidence, origin: stopped.origin)
    update.charge = VerifiedCharge(payment.facts)
    if let charge = update.charge { update.facts = try PaymentEngine.facts(of: charge, transaction) }
    let result = try FulfilmentTransaction(transaction, context, update: update).run()
    if var payment = try transaction.payment(key), payment.state == .verified {
      _ = try payment.receive(.held(.orderFrozen))
      try transaction.update(payment)
    }
    return result
  }

  /// Whether its grant waits for something else.
  private func isWithheld(_ payment: Payment) throws -> Bool {
    if payment.state == .held(.orderFrozen) || payment.isSetAside { return true }
    return try payment.awaitsOwner && transaction.isRefundUnderWay(payment)
  }
}
