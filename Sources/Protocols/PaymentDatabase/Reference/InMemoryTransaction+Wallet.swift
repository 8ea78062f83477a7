import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  // MARK: questions

  func entries(
    of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment, before number: Int64?, limit: Int
  ) throws -> [LedgerEntry] {
    try proceed()
    let movements =
      rows.movements[InMemoryRows.BalanceKey(appEnvironment: appEnvironment, user: user, unit: unit)] ?? []
    var found: [LedgerEntry] = []
    // A posting from a user to the same user changes the balance twice, but is one posting.
    for movement in movements.reversed() where movement.number < number ?? .max {
      guard found.count < limit, found.last?.number != movement.number else { continue }
      var booking: Booking?
      if case .booking(let key, _) = movement.posting.source {
        booking = rows.bookings[scoped(key, in: appEnvironment)]
      }
      found.append(LedgerEntry(number: movement.number, posting: movement.posting, booking: booking))
    }
    return found
  }

  func booking(_ key: String, in appEnvironment: AppEnvironment) throws -> Booking? {
    try proceed()
    return rows.bookings[scoped(key, in: appEnvironment)]
  }

  func hasBookings(in appEnvironment: AppEnvironment) throws -> Bool {
    try proceed()
    return rows.bookings.keys.contains { $0.appEnvironment == appEnvironment }
  }

  func creditedUnits(
    to user: UserIdentifier, unit: UnitName, since moment: Timestamp, in appEnvironment: AppEnvironment
  ) throws -> Int64 {
    try proceed()
    return rows.bookings.values.reduce(0) { sum, booking in
      guard booking.kind == .credit, booking.user == user, booking.unit == unit, booking.at >= moment,
        booking.appEnvironment == appEnvironment
      else { return sum }
      let (more, overflows) = sum.addingReportingOverflow(booking.amount)
      return overflows ? .max : more
    }
  }

  func sumsOfCredits(
    givenIn range: Range<Timestamp>, in appEnvironment: AppEnvironment
  ) throws -> [CreditSum] {
    try proceed()
    let given = rows.bookings.values.filter {
      $0.kind == .credit && $0.appEnvironment == appEnvironment && range.contains($0.at)
    }
    return Dictionary(grouping: given, by: \.unit).sorted { $0.key < $1.key }.map { unit, credits in
      let amount = credits.reduce(Int64(0)) { sum, credit in
        let (more, overflows) = sum.addingReportingOverflow(credit.amount)
        return overflows ? .max : more
      }
      return CreditSum(unit, count: credits.count, amount: amount)
    }
  }

  func ledgerSums(of app: AppIdentifier?) throws -> [LedgerSum] {
    try proceed()
    var sums: [InMemoryRows.UnitInEnvironment: LedgerSum] = [:]
    func note(_ place: InMemoryRows.UnitInEnvironment, _ change: (inout LedgerSum) -> Void) {
      guard app == nil || place.appEnvironment.app == app else { return }
      change(
        &sums[
          place,
          default: LedgerSum(appEnvironment: place.appEnvironment, unit: place.unit, balances: 0, otherAccounts: 0)])
    }
    for balance in rows.balances.values {
      note(.init(appEnvironment: balance.appEnvironment, unit: balance.unit)) {
        $0.balances = $0.balances &+ balance.amount
      }
    }
    for (place, amount) in rows.otherAccounts { note(place) { $0.otherAccounts = amount } }
    return sums.sorted { $0.key < $1.key }.map(\.value)
  }

  func refundRatio(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> RefundRatio {
    try proceed()
    let grants = rows.grants.values.filter { $0.user == user && $0.payment.appEnvironment == appEnvironment }
    return RefundRatio(
      granted: grants.count, refunded: grants.count { $0.takenBack > 0 },
      refundedWholly: grants.count { !$0.isInForce })
  }

  func consumptionConsent(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> ConsumptionConsent? {
    try proceed()
    return rows.consents[scoped(user.text, in: appEnvironment)]
  }

  func merge(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> UserMerge? {
    try proceed()
    return rows.merges[scoped(user.text, in: appEnvironment)]
  }

  func spendingLimits(of user: UserIdentifier, in appEnvironment: AppEnvironment) throws -> [SpendingLimit] {
    try proceed()
    return rows.spendingLimits[scoped(user.text, in: appEnvironment)] ?? []
  }

  // MARK: writes

  func insert(_ merge: UserMerge) throws {
    try proceed()
    try require(merge.user != merge.into, "A user is merged into themselves.")
    let key = scoped(merge.user.text, in: merge.appEnvironment)
    guard rows.merges[key] == nil else { throw conflict(on: "merge") }
    set(\.merges, key, value: merge)
  }

  func put(_ limit: SpendingLimit) throws {
    try proceed()
    let key = scoped(limit.user.text, in: limit.appEnvironment)
    let others = (rows.spendingLimits[key] ?? []).filter { $0.currency != limit.currency }
    set(\.spendingLimits, key, value: (others + [limit]).sorted { precedes($0.currency.code, $1.currency.code) })
  }

  func insert(_ booking: Booking) throws {
    try proceed()
    try require(booking.amount >= 1, "A booking moves nothing.")
    let key = scoped(booking.key, in: booking.appEnvironment)
    guard rows.bookings[key] == nil else { throw conflict(on: "booking") }
    set(\.bookings, key, value: booking)
    try post(booking.posting)
  }

  func freezeBalance(of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment) throws {
    try proceed()
    let key = InMemoryRows.BalanceKey(appEnvironment: appEnvironment, user: user, unit: unit)
    guard var balance = rows.balances[key], balance.amount < 0, balance.frozenSince == nil else { return }
    balance.frozenSince = now
    set(\.balances, key, value: balance)
  }

  func put(_ consent: ConsumptionConsent) throws {
    try proceed()
    set(\.consents, scoped(consent.user.text, in: consent.appEnvironment), value: consent)
  }

  private func scoped(_ text: String, in appEnvironment: AppEnvironment) -> ScopedText {
    ScopedText(appEnvironment: appEnvironment, scope: ExactText(""), text: ExactText(text))
  }
}
