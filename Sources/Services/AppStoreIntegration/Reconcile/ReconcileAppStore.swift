import AppStoreProtocol
import PaymentDatabase
package import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Compares our ledger with Apple's records. It reads the history of notifications, failed ones first. It reads the
  /// histories of customers who are due or have orders without updates, and their refunds. A missed update is applied
  /// by the same rules as if it had arrived; everything else is reported.
  ///
  /// Progress is stored after each page, so an interruption costs one page. Live purchases have priority, and it
  /// stays within its share of Apple's rates.
  /// - Throws: `storeNotConfigured` for an app without a key for Apple's servers.
  package func reconcileAppStore(_ app: AppPolicy) async throws -> AppStoreReport {
    guard let gateway = appStore?.gateways[app.id] else { throw CodedError<EngineErrorCode>(.storeNotConfigured) }
    var reconciliation = AppStoreReconciliation(engine: self, app: app, gateway: gateway)
    try await reconciliation.run()
    let report = reconciliation.report
    metrics.count(
      .reconciliationsTotal,
      [("store", "appStore"), ("outcome", report.differences.isEmpty ? "equal" : "differences")])
    log(
      LogEvent(
        report.differences.isEmpty ? .info : .error, "reconciliation.done",
        [
          ("app", app.id.text), ("notifications", "\(report.notifications)"),
          ("transactions", "\(report.transactions)"), ("healed", "\(report.findings.count(where: \.isHealed))"),
          ("differences", "\(report.differences.count)"), ("stoppedBy", report.stoppedBy ?? "nothing"),
        ]))
    return report
  }

  /// Compares each app with Apple's records soon after the start and then every half hour, until the task is
  /// cancelled.
  func reconcileAppStoreScheduled() async {
    guard appStore?.gateways.isEmpty == false else { return }
    var pause = limits.reconciliationDelay
    while (try? await dependencies.sleep(pause)) != nil, !Task.isCancelled {
      pause = limits.reconciliationInterval
      for app in apps.all where appStore?.gateways[app.id] != nil {
        do {
          try await doAlone("reconcile.appStore.\(app.id.text)") { _ = try await reconcileAppStore(app) }
        } catch is CancellationError { return } catch {
          log(LogEvent(.error, "reconciliation.failed", [("app", app.id.text), ("error", "\(error)")]))
        }
      }
    }
  }
}

struct AppStoreReconciliation {
  let engine: PaymentEngine
  let app: AppPolicy
  let gateway: AppStoreGateway
  var report: AppStoreReport

  /// Customers read in one run; the next run comes in half an hour.
  static let customersPerRun = 2_000
  /// Pause before asking again about a customer that Apple does not know.
  static let unknownPause = TimeSpan.days(7)
  /// Pause before asking again about a customer that Apple does not know yet.
  static let notYetPause = TimeSpan.hours(1)
  /// Time without updates before an order's customer is read for it.
  static let quietAfter = TimeSpan.minutes(10)
  /// Quiet orders examined in one run, newest first.
  static let quietPerRun = 500

  init(engine: PaymentEngine, app: AppPolicy, gateway: AppStoreGateway) {
    self.engine = engine
    self.app = app
    self.gateway = gateway
    report = AppStoreReport(app: app.id)
  }

  /// Runs all parts. It stops at a call without an answer, because the following calls would get none either.
  mutating func run() async throws {
    for environment in environments {
      try await readNotifications(of: environment)
      guard report.stoppedBy == nil else { return }
    }
    try await callQuietCustomers()
    for environment in environments { try await askQuietSubscriptions(of: environment) }
    for environment in environments { try await readCustomers(in: environment) }
  }

  /// The environments in which its customers buy. A simulated App Store keeps both behind one environment of ours.
  private var environments: [StoreEnvironment] {
    [app.home] + app.counterpartEnvironments.filter { $0 == .sandbox }
  }

  mutating func stop(_ why: String) {
    if report.stoppedBy == nil { report.stoppedBy = why }
  }

  // MARK: customers

  /// Marks customers of quiet orders as due. Another transaction of a user may pay an order that is unpaid for a
  /// while. So all known customer numbers of that user are read now.
  private mutating func callQuietCustomers() async throws {
    let now = engine.now
    let appEnvironment = app.homeEnvironment
    let quiet = try await engine.read { reader in
      var query = OrderQuery(appEnvironment: appEnvironment, limit: Self.quietPerRun)
      query.openOnly = true
      query.before = OrderPosition(createdAt: now - Self.quietAfter, id: OrderIdentifier(high: 0, low: 0))
      return try reader.orders(query).filter { $0.store == .appStore }
    }
    report.quietOrders = quiet.count
    for order in quiet {
      try Task.checkCancellation()
      // Reads first: a quiet order stays in the list for weeks, and usually there is no customer to read.
      let customers = try await engine.read { try Self.customersToCall(for: order, at: now, in: $0) }
      guard !customers.isEmpty else { continue }
      try await engine.transact { transaction in
        for var history in try Self.customersToCall(for: order, at: transaction.now, in: transaction) {
          history.dueAt = transaction.now
          try transaction.put(history)
        }
      }
    }
  }

  /// The known customer numbers of the user of a quiet order, if they were not read since the order.
  private static func customersToCall(
    for order: Order, at now: Timestamp, in reader: any DatabaseReader
  ) throws -> [AppStoreHistory] {
    var query = OrderQuery(appEnvironment: order.key.appEnvironment, limit: 20)
    query.user = order.user
    return try reader.orders(query).compactMap { paid in
      guard let key = paid.state.payment, let payment = try reader.payment(key), key.store == .appStore,
        let history = try reader.appStoreHistory(of: payment.facts.customer),
        history.readAt.map({ $0 < order.createdAt + quietAfter }) ?? true, history.dueAt > now
      else { return nil }
      return history
    }
  }

  private mutating func readCustomers(in environment: StoreEnvironment) async throws {
    let appEnvironment = AppEnvironment(app: app.id, environment: environment)
    while report.stoppedBy == nil, report.customers < Self.customersPerRun {
      let now = engine.now
      let due = try await engine.read { try $0.appStoreHistories(dueAt: now, in: appEnvironment, limit: 50) }
      guard !due.isEmpty else { return }
      for history in due where report.stoppedBy == nil {
        try Task.checkCancellation()
        try await read(history)
      }
    }
  }

  /// Reads a customer's history from the stored position to its end.
  private mutating func read(_ known: AppStoreHistory) async throws {
    var history = known
    var wasLost = false
    while true {
      let call: AppStoreServerCall<HistoryResponse> = try .transactionHistory(
        ofCustomerWith: history.customer.transaction.text, revision: history.revision)
      let reply = await gateway.send(call, environment: history.customer.environment, priority: .reconciliation)
      let now = engine.now
      switch reply.outcome {
      case .answered(let page):
        for signed in page.signedTransactions { try await take(signed) }
        guard !page.hasMore || page.revision.map({ $0 != history.revision }) == true else {
          return stop("Apple says that there is more, and not where.")
        }
        history.revision = page.revision ?? history.revision
        if !page.hasMore {
          history.readAt = now
          history.dueAt = now + AppStoreHistory.pause
        }
        try await put(history)
        guard page.hasMore else {
          report.customers += 1
          return
        }
      case .refused(let error)
      where error.number == .known(.invalidRequestRevision) && history.revision != nil && !wasLost:
        // Apple no longer knows the position: start from the beginning, once. Known transactions change nothing.
        wasLost = true
        history.revision = nil
      case .refused(let error) where isAboutOurAccess(error, in: history.customer.environment):
        return stop("\(error)")
      case .refused(let error):
        history.dueAt = now + Self.unknownPause
        try await put(history)
        if !error.meansUnknownHere {
          report.add(.unreadable, history.customer.transaction.text, state: "\(error)", isHealed: false)
        }
        return
      case .unknown(.undecided(let error)) where concernsThisCallOnly(error):
        // Apple asks to wait for this customer; the others continue.
        history.dueAt = now + Self.notYetPause
        return try await put(history)
      case .unknown(let why):
        return stop(why.summary)
      }
    }
  }

  /// Whether the error concerns our access and not the customer. Then the other customers would get no answer either,
  /// and none is postponed. Production does not count for an app that was never released: it always returns this
  /// error, and has no customers.
  func isAboutOurAccess(_ error: AppStoreServerError, in environment: StoreEnvironment) -> Bool {
    error.code == .notAuthorized && !(environment == .production && gateway.settings?.isReleased == false)
  }

  /// Whether Apple will know this one customer later; the error says nothing about others.
  func concernsThisCallOnly(_ error: AppStoreServerError) -> Bool {
    error.code == .notFoundYet && error.number != .known(.appNotFoundRetryable)
  }

  private func put(_ history: AppStoreHistory) async throws {
    try await engine.transact { try $0.put(history) }
  }

  /// Takes in one signed transaction if it contains something new.
  mutating func take(_ signed: String, _ renewal: VerifiedRenewal? = nil) async throws {
    report.transactions += 1
    guard let facts = try await engine.verified(signed, for: app) else {
      return report.add(.unreadable, "unknown", state: "the signed transaction does not verify", isHealed: false)
    }
    let key = facts.key
    let (known, stated) = try await engine.read { reader in
      let duplicate = try reader.duplicate(key)
      let known = try reader.payment(duplicate?.of ?? key)
      return (known, duplicate == nil ? known?.statement.facts : duplicate?.facts)
    }
    if let known, let stated, renewal == nil, !facts.saysMore(than: stated, awaitsOwner: known.awaitsOwner) { return }
    var update = PaymentUpdate(facts: facts, evidence: signed, origin: .storeAnswer)
    if let renewal, renewal.subscription == facts.originalKey { update.renewal = renewal }
    let result = try await engine.fulfil(update, for: app)
    let payment = result.payment
    if known == nil {
      report.add(.missedPayment, key.transaction.text, state: payment.state.name, isHealed: !payment.awaitsOwner)
    } else if facts.revocation != nil, stated?.revocation != facts.revocation {
      report.add(.missedRefund, key.transaction.text, state: payment.state.name, isHealed: true)
    }
  }
}

extension VerifiedPayment {
  /// Whether it changes what is known; Apple signs again for each answer.
  fileprivate func saysMore(than facts: VerifiedPayment, awaitsOwner: Bool) -> Bool {
    guard signedDate > facts.signedDate else { return false }
    return revocation != facts.revocation || isUpgraded != facts.isUpgraded || expiresDate != facts.expiresDate
      || (token != facts.token && awaitsOwner)
  }
}
