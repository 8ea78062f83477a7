import PaymentModel
import PaymentPrimitives

/// Users who are erased.
extension InMemoryTransaction {
  // MARK: questions

  func erasure(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserErasure? {
    try proceed()
    return rows.erasures.values.first { $0.app == appEnvironment.app && $0.user == user }
  }

  func erasure(as alias: UserIdentifier, of app: AppIdentifier) throws -> UserErasure? {
    try proceed()
    return rows.erasures[.init(app: app, alias: alias)]
  }

  func erasuresUnderWay(limit: Int) throws -> [UserErasure] {
    try proceed()
    return rows.erasures.sorted { $0.key < $1.key }.map(\.value).filter { $0.doneAt == nil }.limited(to: limit)
  }

  func erasures(after last: UserErasure?, limit: Int) throws -> [UserErasure] {
    try proceed()
    let place = last.map { InMemoryRows.ErasureKey(app: $0.app, alias: $0.alias) }
    return rows.erasures.filter { erasure in place.map { $0 < erasure.key } ?? true }
      .sorted { $0.key < $1.key }.map(\.value).limited(to: limit)
  }

  func users(mergedInto user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [UserIdentifier] {
    try proceed()
    return rows.merges.values.filter { $0.into == user && $0.appEnvironment == appEnvironment }.map(\.user).sorted()
  }

  func users(
    after user: UserIdentifier?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [UserIdentifier] {
    try proceed()
    let all =
      rows.orders.values.filter { $0.key.appEnvironment == appEnvironment }.map(\.user)
      + rows.grants.values.filter { $0.payment.appEnvironment == appEnvironment }.map(\.user)
      + rows.balances.values.filter { $0.appEnvironment == appEnvironment }.map(\.user)
      + rows.consents.values.filter { $0.appEnvironment == appEnvironment }.map(\.user)
      + rows.spendingLimits.values.joined().filter { $0.appEnvironment == appEnvironment }.map(\.user)
      + rows.shares.keys.filter { $0.original.appEnvironment == appEnvironment }.map(\.user)
      + rows.promotionalEntitlements.values.filter { $0.appEnvironment == appEnvironment }.map(\.user)
    return Set(all).filter { one in user.map { $0 < one } ?? true }.sorted().limited(to: limit)
  }

  func rows(
    naming user: UserIdentifier, writtenAs text: String, in table: NamingTable, of appEnvironment: AppEnvironment,
    after number: Int64, count: Int
  ) throws -> NamingRows {
    try proceed()
    var found = NamingRows()
    guard number == 0 else { return found }
    // Bytes are compared, as by the other databases.
    let name = Array(text.utf8)
    func isNamed(_ text: String?) -> Bool { text.map { Array($0.utf8).contains(name) } ?? false }
    switch table {
    case .payments:
      found.payments = rows.payments.values.filter { payment in
        if case .setAside(let record) = payment.state, record.reason.contains(user.text) { return true }
        return payment.owner == user || payment.presenter == user
      }.map(\.key)
    case .subscriptions:
      found.payments =
        rows.subscriptions.filter { $0.value.claimant == user || $0.value.transfer?.user == user }.map(\.key)
    case .deliveries:
      found.payments = rows.deliveries.values.filter { isNamed($0.body) || isNamed($0.lastProblem) }.map(\.payment)
    case .keptClaims: found.payments = rows.keptClaims.filter { $0.value.contains { isNamed($0.claim) } }.map(\.key)
    case .stoppedChanges:
      found.payments = rows.stopped.values.filter { stopped in
        isNamed(stopped.found) || stopped.presentations.contains { isNamed($0) }
      }.map(\.payment)
    case .appStoreTasks: found.payments = rows.appStoreTasks.values.filter { isNamed($0.claim) }.map(\.payment)
    case .journal:
      found.entries = rows.journal.filter { entry in
        entry.value.appEnvironment == appEnvironment && (isNamed(entry.value.details) || isNamed(entry.value.event))
      }.map(\.key).sorted()
    }
    found.payments = Set(found.payments.filter { $0.appEnvironment == appEnvironment }).sorted()
    return found
  }

  // MARK: writes

  func insert(_ erasure: UserErasure) throws {
    try proceed()
    let key = InMemoryRows.ErasureKey(app: erasure.app, alias: erasure.alias)
    let isTaken = rows.erasures.values.contains {
      $0.app == erasure.app && $0.user != nil && $0.user == erasure.user
    }
    guard rows.erasures[key] == nil, !isTaken else { throw conflict(on: "erasure") }
    set(\.erasures, key, value: erasure)
  }

  func update(_ erasure: UserErasure) throws {
    try proceed()
    let key = InMemoryRows.ErasureKey(app: erasure.app, alias: erasure.alias)
    guard var updated = rows.erasures[key] else {
      throw fail(.inconsistent, "An erasure to be updated is missing.")
    }
    (updated.user, updated.doneAt) = (erasure.user, erasure.doneAt)
    (updated.orders, updated.payments) = (erasure.orders, erasure.payments)
    set(\.erasures, key, value: updated)
  }

  func rename(_ renaming: UserRenaming, limit: Int) throws -> RenamedRows {
    try proceed()
    var done = RenamedRows()
    let place = renaming.appEnvironment
    let orders = rows.orders.values.filter { $0.key.appEnvironment == place && renaming.names.contains($0.user) }
      .sorted { $0.key < $1.key }.limited(to: limit)
    var payments = Set(orders.compactMap(\.state.payment))
    for order in orders { try rename(order, renaming) }
    done.orders = orders.count
    let granted = rows.grants.values.filter {
      $0.payment.appEnvironment == place && renaming.names.contains($0.user)
    }.map(\.payment).sorted().limited(to: limit)
    payments.formUnion(granted)
    for name in renaming.names {
      for balance in rows.balances.values where balance.user == name && balance.appEnvironment == place {
        let key = InMemoryRows.BalanceKey(appEnvironment: place, user: name, unit: balance.unit)
        for movement in (rows.movements[key] ?? []).limited(to: limit) {
          switch movement.posting.source {
          case .payment(let payment, _): payments.insert(payment)
          case .booking(let text, _):
            try renameBooking(text, renaming)
            done.bookings += 1
          }
        }
      }
    }
    done.payments = payments.sorted()
    for payment in done.payments { try rename(payment, renaming) }
    return done
  }

  func rename(_ renaming: UserRenaming, in found: NamingRows) throws {
    for payment in found.payments { try rename(payment, renaming) }
    for number in found.entries {
      guard let entry = rows.journal[number] else { continue }
      replace(entry, renaming)
    }
  }

  func forgetRest(_ renaming: UserRenaming) throws {
    try proceed()
    let (place, names) = (renaming.appEnvironment, renaming.names)
    for (share, since) in rows.shares
    where names.contains(share.user) && share.original.appEnvironment == place {
      remove(\.shares, share)
      set(\.shares, .init(original: share.original, user: renaming.alias), value: since)
    }
    for (key, owner) in rows.importedOwners where names.contains(owner.user) && key.appEnvironment == place {
      set(
        \.importedOwners, key,
        value: ImportedOwner(
          transaction: key, user: renaming.alias, product: owner.product, importedAt: owner.importedAt))
    }
    if let claims = rows.claims[place] { set(\.claims, place, value: claims.filter { !names.contains($0.user) }) }
    for (key, users) in rows.knownUsers where key.appEnvironment == place && !users.isDisjoint(with: names) {
      set(\.knownUsers, key, value: users.subtracting(names))
    }
    for name in names {
      let key = ScopedText(appEnvironment: place, scope: "", text: ExactText(name.text))
      if rows.consents[key] != nil { remove(\.consents, key) }
      if rows.spendingLimits[key] != nil { remove(\.spendingLimits, key) }
      erasePromotional(of: name, in: place, alias: renaming.alias)
    }
    for (key, merge) in rows.merges
    where key.appEnvironment == place && (names.contains(merge.user) || names.contains(merge.into)) {
      remove(\.merges, key)
    }
    try forgetTexts(renaming)
    for (key, balance) in rows.balances
    where key.appEnvironment == place && names.contains(key.user) && balance.amount == 0 {
      remove(\.balances, key)
      remove(\.movements, key)
      move(\.balanceKeys, from: key, to: nil)
    }
  }

  private func forgetTexts(_ renaming: UserRenaming) throws {
    for (key, value) in rows.complaints where key.appEnvironment == renaming.appEnvironment {
      guard let user = value.user, renaming.names.contains(user) else { continue }
      var complaint = value
      complaint.user = renaming.alias
      complaint.facts = renaming.redacted(complaint.facts)
      complaint.history = "[]"
      set(\.complaints, key, value: complaint)
    }
    for (key, approval) in rows.approvals where approval.app == renaming.appEnvironment.app {
      set(\.approvals, key, value: approval.erased(renaming))
    }
  }
}
