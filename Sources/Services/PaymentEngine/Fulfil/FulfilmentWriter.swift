import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Performs a plan: every row of it, in one transaction.
struct FulfilmentWriter {
  let transaction: any DatabaseTransaction
  let update: PaymentUpdate
  let plan: FulfilmentPlan
  let facts: MatchInputLoader
  let before: Payment?

  init(
    _ transaction: any DatabaseTransaction, _ update: PaymentUpdate, plan: FulfilmentPlan,
    facts: MatchInputLoader, before: Payment?
  ) {
    self.transaction = transaction
    self.update = update
    self.plan = plan
    self.facts = facts
    self.before = before
  }

  /// Writes everything and returns the payment as written.
  func write() throws -> Payment {
    try removeOrderFromFormerPayment()
    let order = try writeOrder()
    var payment = plan.payment
    payment.lastSequence += plan.announcements.count
    if before == nil { try transaction.insert(payment) } else { try transaction.update(payment) }
    try writeLedger()
    try writeDeliveries(payment, order)
    try noteWhatItShows(payment)
    try keepClaim(with: payment)
    try noteAppStoreTasks(payment)
    try writeJournal(payment, order)
    return payment
  }

  private var now: Timestamp { transaction.now }
  private var appEnvironment: AppEnvironment { plan.payment.key.appEnvironment }

  /// Moves the pairing to an earlier payment of the subscription: the later one keeps its grant and loses the order.
  private func removeOrderFromFormerPayment() throws {
    guard let key = plan.formerPayment, var former = try transaction.payment(key) else { return }
    try transaction.journal(
      .paymentOrderMoved, former, details: ["to": .string(plan.payment.key.transaction.text)])
    former.order = nil
    try transaction.update(former)
  }

  private func writeOrder() throws -> Order? {
    guard var order = plan.order else {
      try noteVerdict()
      return try plan.payment.order.flatMap {
        try transaction.order(OrderKey(appEnvironment: appEnvironment, id: $0))
      }
    }
    order.lastVerdict = LastVerdict(paidByPaymentIn: plan.payment.state, at: now)
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
    if case .reversed = plan.payment.state, let grant = plan.grant, !grant.isInForce, let id = plan.payment.order,
      var order = try transaction.order(OrderKey(appEnvironment: appEnvironment, id: id))
    {
      order.lastVerdict = LastVerdict(.revoked, at: now)
      return try transaction.update(order)
    }
    guard let verdict = LastVerdict(namedByPaymentIn: plan.payment.state, at: now),
      let token = plan.payment.facts.token,
      var order = try transaction.order(OrderKey(appEnvironment: appEnvironment, id: token)), order.state.isUnpaid
    else { return }
    order.lastVerdict = verdict
    try transaction.update(order)
  }

  private func writeLedger() throws {
    if let grant = plan.grant {
      if plan.grantIsNew {
        try transaction.insert(grant)
      } else if !plan.changes.isEmpty || plan.extendsPeriod {
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
          announcement, sequence: plan.payment.lastSequence + index + 1, of: payment, grant, order: order,
          until: end, at: now))
    }
  }

  /// The running end of the entitlement: a bought period extends it, and the backend receives this end.
  private func runningEnd(of grant: Grant) throws -> Timestamp? {
    guard case .entitlement(let name, _, .some) = grant.content, plan.payment.facts.kind != .autoRenewable else {
      return nil
    }
    let sources = try transaction.entitlementSources(of: grant.user, in: appEnvironment).filter {
      $0.kind != .autoRenewable
    }
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
    if signed.kind == .autoRenewable, rule != .exact, rule != .subscription {
      var subscription =
        try transaction.subscription(signed.originalKey) ?? Subscription(key: signed.originalKey, claimant: nil)
      if subscription.claimant == nil {
        subscription.claimant = owner
        try transaction.put(subscription)
      }
    }
  }

  /// Keeps the claim with a payment that waits: it decides later (record 165).
  private func keepClaim(with payment: Payment) throws {
    guard case .held(let reason) = payment.state, let claim = update.claim, reason.keeps(claim) else { return }
    _ = try transaction.keep(claim, with: payment.key)
  }

  private func noteAppStoreTasks(_ payment: Payment) throws {
    try noteCustomer(payment)
    guard let policy = facts.context.app.appStoreTasks else { return }
    let tasks = AppStoreTask.following(
      payment, before: before, finishes: policy.finishesTransactions, setsToken: policy.setsAppAccountToken, at: now)
    for task in tasks { try transaction.put(task) }
  }

  /// Registers the customer of a first payment: their history is compared with our ledger from the next day on.
  private func noteCustomer(_ payment: Payment) throws {
    guard before == nil, facts.context.app.appStoreTasks != nil, !payment.key.store.opensOrders else { return }
    let customer = payment.facts.customer
    guard try transaction.appStoreHistory(of: customer) == nil else { return }
    try transaction.put(AppStoreHistory(customer: customer, dueAt: now + AppStoreHistory.pause))
  }

  private func writeJournal(_ payment: Payment, _ order: Order?) throws {
    try transaction.insert(
      Evidence(
        payment: payment.key, text: update.evidence, origin: update.origin, receivedAt: now))
    var details = JSONMemberText()
    details.add("by", text: update.origin.rawValue)
    details.add("rule", text: payment.match?.rule.rawValue)
    details.add("signedDate", text: payment.facts.signedDate.iso8601)
    if let flags = payment.match?.flags, !flags.isEmpty {
      details.add("flags", texts: flags.map(\.rawValue).sorted())
    }
    if case .held(let reason) = payment.state {
      details.add("reason", text: reason.rawValue)
      if let claim = update.claim, reason.keeps(claim) { details.add("claim", value: claim.json) }
    }
    if let observed = ObservedGrant(payment, in: facts.context.app.catalog), plan.payment.owner != before?.owner {
      details.add("wouldGrant", value: observed.json)
    }
    if let price = payment.facts.price {
      details.add("price", text: "\(price.milliunits) milliunits \(price.currency)")
    }
    if let said = update.clientDetails { details.add("clientSaid", value: try? JSONReader.read(said.utf8)) }
    let events = plan.events.isEmpty ? [.paymentUpdateKept] : plan.events
    let text = details.text
    var told =
      EventMaking(facts.context.app, at: now)?.bodies(
        from: before, to: payment, order: order, grant: plan.grant)[...] ?? []
    for event in events { try transaction.journal(event, payment, detailsText: text, telling: told.popFirst()) }
    for body in told { try transaction.journal(.eventTold, payment, detailsText: "{}", telling: body) }
  }
}
