import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import StrictJSON

/// Performs a plan: every row of it, in one transaction.
struct FulfilmentWriter {
  let transaction: any DatabaseTransaction
  let news: PaymentUpdate
  let plan: FulfilmentPlan
  let facts: MatchInputLoader
  let before: Payment?

  init(
    _ transaction: any DatabaseTransaction, _ news: PaymentUpdate, _ plan: FulfilmentPlan,
    _ facts: MatchInputLoader, _ before: Payment?
  ) {
    self.transaction = transaction
    self.news = news
    self.plan = plan
    self.facts = facts
    self.before = before
  }

  /// Writes everything and returns the payment as written.
  func write() throws -> Payment {
    try letGoOfFormerPayment()
    let order = try writeOrder()
    var payment = plan.payment
    payment.lastSequence += plan.announcements.count
    if before == nil { try transaction.insert(payment) } else { try transaction.update(payment) }
    try writeLedger()
    try writeDeliveries(payment, order)
    try noteWhatItShows(payment)
    try noteAppStoreTasks(payment)
    try writeStory(payment)
    return payment
  }

  private var now: Timestamp { transaction.now }
  private var appEnvironment: AppEnvironment { plan.payment.key.appEnvironment }

  /// Moves the pairing to an earlier payment of the subscription: the later one keeps its grant and loses the order.
  private func letGoOfFormerPayment() throws {
    guard let key = plan.formerPayment, var former = try transaction.payment(key) else { return }
    former.order = nil
    try transaction.update(former)
    try entry("payment.orderMoved", former.key, plan.order?.key.id, [("to", plan.payment.key.transaction.text)])
  }

  private func writeOrder() throws -> Order? {
    guard var order = plan.order else {
      try noteVerdict()
      return try plan.payment.order.flatMap {
        try transaction.order(OrderKey(appEnvironment: appEnvironment, id: $0))
      }
    }
    order.lastVerdict = LastVerdict(
      verdict: plan.payment.state == .imported ? "imported" : "fulfilled", reason: nil, at: now)
    // A sandbox counterpart (MatchInputLoader.order) is stored only from here on.
    if try plan.orderIsNew || transaction.order(order.key) == nil {
      try transaction.insert(order)
    } else {
      try transaction.update(order)
    }
    return order
  }

  /// Records the verdict on an order. If a payment names an order without paying it, the order records why. The order
  /// of a payment that was taken back completely becomes `revoked`.
  private func noteVerdict() throws {
    let verdict: LastVerdict
    if case .reversed = plan.payment.state, let grant = plan.grant, !grant.isInForce, let id = plan.payment.order,
      var order = try transaction.order(OrderKey(appEnvironment: appEnvironment, id: id))
    {
      order.lastVerdict = LastVerdict(verdict: "revoked", reason: nil, at: now)
      return try transaction.update(order)
    }
    switch plan.payment.state {
    case .held(let reason): verdict = LastVerdict(verdict: "held", reason: reason.rawValue, at: now)
    case .setAside: verdict = LastVerdict(verdict: "held", reason: plan.payment.state.word, at: now)
    case .revoked: verdict = LastVerdict(verdict: "revoked", reason: nil, at: now)
    case .verified, .fulfilled, .unclaimed, .imported, .reversed, .reinstated: return
    }
    guard let token = plan.payment.facts.token,
      var order = try transaction.order(OrderKey(appEnvironment: appEnvironment, id: token)), order.state.isUnpaid
    else { return }
    order.lastVerdict = verdict
    try transaction.update(order)
  }

  private func writeLedger() throws {
    if let grant = plan.grant {
      if plan.grantIsNew {
        try transaction.insert(grant)
      } else if !plan.changes.isEmpty || plan.story.contains("grant.periodChanged") {
        try transaction.update(grant)
      }
    }
    for change in plan.changes { try transaction.insert(change) }
    for posting in plan.postings { try transaction.insert(posting) }
    if plan.freezesBalance, let grant = plan.grant, case .units(let unit, _) = grant.content {
      try transaction.freezeBalance(of: grant.user, unit: unit, in: appEnvironment)
    }
  }

  private func writeDeliveries(_ payment: Payment, _ order: Order?) throws {
    guard let grant = plan.grant else { return }
    let end = try plan.announcements.isEmpty ? nil : runningEnd(of: grant)
    for (index, announcement) in plan.announcements.enumerated() {
      try transaction.insert(
        DeliveryMaking.delivery(
          announcement, sequence: plan.payment.lastSequence + index + 1, of: payment, grant, order,
          until: end, at: now))
    }
  }

  /// The running end of the entitlement: a bought period extends it, and the backend receives this end.
  private func runningEnd(of grant: Grant) throws -> Timestamp? {
    guard case .entitlement(let name, _, .some) = grant.content, plan.payment.facts.kind != .autoRenewable else {
      return nil
    }
    let sources = try transaction.rightSources(of: grant.user, in: appEnvironment).filter { $0.kind != .autoRenewable }
    return Entitlement.all(from: sources, at: now).first { $0.entitlement == name }?.until
  }

  /// Stores what later matches may use from this one.
  private func noteWhatItShows(_ payment: Payment) throws {
    guard let owner = payment.owner, let rule = payment.match?.rule, before?.owner == nil else {
      return
    }
    let signed = payment.facts
    if rule == .exact, signed.ownership == .purchased, let account = signed.appTransaction {
      try transaction.noteUser(owner, ofAppTransaction: account, in: appEnvironment)
    }
    if plan.countsAsClaim, payment.state == .fulfilled {
      try transaction.noteClaim(by: owner, of: payment.key, at: now)
    }
    // If no token names the subscription of a claimed payment, the claim covers the subscription.
    if signed.kind == .autoRenewable, rule != .exact, rule != .line {
      var line = try transaction.line(signed.line) ?? Subscription(key: signed.line, claimant: nil)
      if line.claimant == nil {
        line.claimant = owner
        try transaction.put(line)
      }
    }
  }

  /// Adds the App Store tasks that follow a grant (docs/specification/matching.md, “After the grant”). A consumable
  /// that no client finishes within ten minutes is finished. A payment that paid a presented order gets that order's
  /// token.
  private func noteAppStoreTasks(_ payment: Payment) throws {
    try noteCustomer(payment)
    guard let settings = facts.context.app.appStore, payment.key.store == .appStore, payment.state == .fulfilled,
      before?.state.wasGranted != true, payment.facts.ownership == .purchased, let match = payment.match,
      !match.flags.contains(.tokenUnseen)
    else { return }
    if settings.finishesTransactions, payment.facts.kind == .consumable, payment.finishedAt == nil {
      try transaction.put(
        AppStoreTask(
          payment: payment.key, purpose: .finish, createdAt: now, dueAt: now + EngineLimits.finishAfter))
    }
    // Not for a subscription: Apple sets the token on the running period and on those that follow. These may belong
    // to another user, and only their own token names that user. The subscription has a claimant anyway.
    if settings.setsAppAccountToken, match.rule == .presented, payment.facts.token == nil, payment.order != nil,
      payment.facts.kind != .autoRenewable,
      payment.facts.originalTransaction == payment.key.transaction
    {
      try transaction.put(AppStoreTask(payment: payment.key, purpose: .setToken, createdAt: now, dueAt: now))
    }
  }

  /// Registers the customer of a first payment: their history is compared with our ledger from the next day on.
  private func noteCustomer(_ payment: Payment) throws {
    guard before == nil, facts.context.app.appStore != nil, payment.key.store == .appStore else { return }
    let customer = payment.facts.customer
    guard try transaction.appStoreHistory(of: customer) == nil else { return }
    try transaction.put(AppStoreHistory(customer: customer, dueAt: now + AppStoreReconciliation.customerPause))
  }

  private func writeStory(_ payment: Payment) throws {
    try transaction.insert(
      Evidence(
        payment: payment.key, text: news.evidence, origin: news.origin, receivedAt: now))
    var details: [(String, JSONValue?)] = [
      ("by", .string(news.origin.rawValue)), ("rule", payment.match.map { .string($0.rule.rawValue) }),
      ("signedDate", .string(payment.facts.signedDate.iso8601)),
    ]
    if let flags = payment.match?.flags, !flags.isEmpty {
      details.append(("flags", .array(flags.map(\.rawValue).sorted().map(JSONValue.string))))
    }
    if case .held(let reason) = payment.state {
      details.append(("reason", .string(reason.rawValue)))
      // Claims for ambiguous owners are compared again when fewer orders are presented; other claims decide once the
      // product is known.
      if reason.keepsClaims, let claim = news.claim, reason == .ownerAmbiguous || claim.mayCount {
        details.append(("claim", claim.json))
      }
    }
    if let observed = ObservedGrant(payment, in: facts.context.app.catalog), plan.payment.owner != before?.owner {
      details.append(("wouldGrant", observed.json))
    }
    if let price = payment.facts.price {
      details.append(("price", .string("\(price.milliunits) milliunits \(price.currency)")))
    }
    if let said = news.saidBeside, let json = try? JSONReader.read(said.utf8) {
      details.append(("clientSaid", json))
    }
    let text = JSONValue.members(details).text
    let story = plan.story.isEmpty ? ["payment.newsKept"] : plan.story
    for what in story {
      try transaction.insert(
        JournalEntry(
          appEnvironment: appEnvironment, at: now, what: what, order: payment.order, payment: payment.key,
          details: text))
    }
  }

  private func entry(
    _ what: String, _ payment: PaymentKey, _ order: OrderIdentifier?, _ details: [(String, String)]
  ) throws {
    try transaction.insert(
      JournalEntry(
        appEnvironment: appEnvironment, at: now, what: what, order: order, payment: payment,
        details: JSONValue.members(details.map { ($0.0, .string($0.1)) }).text))
  }
}
