import PaymentModel
import PaymentPrimitives

/// How each row of a user who is erased gets the alias.
extension InMemoryTransaction {
  func rename(_ order: Order, _ renaming: UserRenaming) throws {
    let place = order.key.appEnvironment
    let erased = order.erased(renaming)
    for reference in [order.reference].compactMap({ $0 }) where reference.origin == .app {
      remove(
        \.ordersByAppReference,
        ScopedText(appEnvironment: place, scope: ExactText(order.user.text), text: ExactText(reference.text)))
    }
    if let idempotency = order.idempotency {
      remove(
        \.ordersByIdempotencyKey,
        ScopedText(appEnvironment: place, scope: ExactText(idempotency.caller), text: ExactText(idempotency.key)))
    }
    func owner(_ user: UserIdentifier) -> ScopedText {
      ScopedText(appEnvironment: place, scope: "", text: ExactText(user.text))
    }
    let former = owner(order.user)
    set(\.ordersByUser, former, value: (rows.ordersByUser[former] ?? []).filter { $0 != order.key })
    append(\.ordersByUser, owner(renaming.alias), element: order.key)
    set(\.orders, order.key, value: erased)
    if let before = rows.weChatPayOrders[order.key] { set(\.weChatPayOrders, order.key, value: before.erased) }
    for entry in rows.journalByOrder[order.key] ?? [] { replace(entry, renaming) }
  }

  /// The rows of one payment.
  func rename(_ key: PaymentKey, _ renaming: UserRenaming) throws {
    if var payment = rows.payments[key] {
      payment.owner = renaming.renamed(payment.owner)
      payment.presenter = renaming.renamed(payment.presenter)
      if case .setAside(let record) = payment.state { payment.state = .setAside(record.erased(renaming)) }
      set(\.payments, key, value: payment)
      renameSubscription(payment.facts.originalKey, renaming)
    }
    renameSubscription(key, renaming)
    if var grant = rows.grants[key] {
      grant.user = renaming.renamed(grant.user)
      set(\.grants, key, value: grant)
    }
    let postings = rows.postings[key] ?? []
    set(\.postings, key, value: postings.map { renamed($0, renaming) })
    for posting in postings { try moveBalances(of: posting, renaming) }
    for entry in rows.journalByPayment[key] ?? [] { replace(entry, renaming) }
    for id in rows.deliveriesByPayment[key] ?? [] { redact(id, renaming) }
    if let evidence = rows.evidence[key] { set(\.evidence, key, value: evidence.map { $0.erased(renaming) }) }
    if let claims = rows.keptClaims[key] {
      set(
        \.keptClaims, key,
        value: claims.map { KeptClaim(payment: key, claim: renaming.redacted($0.claim), keptAt: $0.keptAt) })
    }
    for (place, value) in rows.stopped where place.payment == key {
      var stopped = value
      stopped.presentations = stopped.presentations.map(renaming.redacted)
      stopped.found = renaming.renamed(words: stopped.found)
      set(\.stopped, place, value: stopped)
    }
    for place in rows.refundsByPayment[key] ?? [] {
      if let refund = rows.refunds[place] { set(\.refunds, place, value: refund.erased(renaming)) }
    }
    for (place, value) in rows.appStoreTasks where place.payment == key {
      var task = value
      task.claim = task.claim.map(renaming.redacted)
      set(\.appStoreTasks, place, value: task)
    }
  }

  private func renameSubscription(_ key: PaymentKey, _ renaming: UserRenaming) {
    guard var subscription = rows.subscriptions[key] else { return }
    subscription.claimant = renaming.renamed(subscription.claimant)
    if let transfer = subscription.transfer {
      subscription.transfer = Subscription.Transfer(to: renaming.renamed(transfer.user), at: transfer.at)
    }
    set(\.subscriptions, key, value: subscription)
  }

  func renameBooking(_ key: String, _ renaming: UserRenaming) throws {
    let place = ScopedText(appEnvironment: renaming.appEnvironment, scope: "", text: ExactText(key))
    guard let before = rows.bookings[place] else { return }
    try moveBalances(of: before.posting, renaming)
    set(\.bookings, place, value: before.erased(renaming))
  }

  private func renamed(_ posting: Posting, _ renaming: UserRenaming) -> Posting {
    Posting(
      appEnvironment: posting.appEnvironment, unit: posting.unit, debit: renaming.renamed(posting.debit),
      credit: renaming.renamed(posting.credit), amount: posting.amount, source: posting.source, at: posting.at)
  }

  /// The movements of a posting change their balance, under the same number.
  private func moveBalances(of posting: Posting, _ renaming: UserRenaming) throws {
    let after = renamed(posting, renaming)
    guard after != posting else { return }
    for change in posting.balanceChanges {
      let key = InMemoryRows.BalanceKey(appEnvironment: posting.appEnvironment, user: change.user, unit: posting.unit)
      let other = InMemoryRows.BalanceKey(
        appEnvironment: posting.appEnvironment, user: renaming.renamed(change.user), unit: posting.unit)
      var movements = rows.movements[key] ?? []
      guard let index = movements.firstIndex(where: { $0.posting == posting && $0.amount == change.amount }) else {
        throw fail(.inconsistent, "A balance has no movement of a posting.")
      }
      let movement = movements.remove(at: index)
      set(\.movements, key, value: movements)
      try add(0 &- change.amount, to: key)
      let moved =
        (rows.movements[other] ?? []) + [
          .init(amount: change.amount, number: movement.number, posting: after)
        ]
      set(\.movements, other, value: moved.sorted { $0.number < $1.number })
      try add(change.amount, to: other)
    }
  }

  private func add(_ amount: Int64, to key: InMemoryRows.BalanceKey) throws {
    let before = rows.balances[key]
    let (sum, overflow) = (before?.amount ?? 0).addingReportingOverflow(amount)
    guard !overflow else { throw fail(.balanceOutOfRange, "The unit is \(key.unit).") }
    if before == nil { move(\.balanceKeys, from: nil, to: key) }
    set(
      \.balances, key,
      value: Balance(
        appEnvironment: key.appEnvironment, user: key.user, unit: key.unit, amount: sum,
        frozenSince: sum < 0 ? before?.frozenSince : nil))
  }

  private func redact(_ id: DeliveryIdentifier, _ renaming: UserRenaming) {
    guard let delivery = rows.deliveries[id] else { return }
    set(\.deliveries, id, value: delivery.erased(renaming))
    guard let attempts = rows.attempts[id] else { return }
    set(
      \.attempts, id,
      value: attempts.map { attempt in
        var attempt = attempt
        attempt.answer = []
        attempt.problem = renaming.erasedReason(attempt.problem)
        return attempt
      })
  }

  /// Replaces an entry of the journal, wherever it is listed.
  func replace(_ entry: JournalEntry, _ renaming: UserRenaming) {
    let after = entry.redacted(renaming.redacted)
    guard after != entry else { return }
    func renewed(_ entries: [JournalEntry]?) -> [JournalEntry] { (entries ?? []).map { $0 == entry ? after : $0 } }
    for (number, value) in rows.journal where value == entry { set(\.journal, number, value: after) }
    if let order = entry.order {
      let key = OrderKey(appEnvironment: entry.appEnvironment, id: order)
      set(\.journalByOrder, key, value: renewed(rows.journalByOrder[key]))
    }
    if let payment = entry.payment {
      set(\.journalByPayment, payment, value: renewed(rows.journalByPayment[payment]))
    }
    let event = InMemoryRows.EventPlace(appEnvironment: entry.appEnvironment, name: entry.what)
    if let listed = rows.journalByEvent[event] { set(\.journalByEvent, event, value: renewed(listed)) }
  }
}
