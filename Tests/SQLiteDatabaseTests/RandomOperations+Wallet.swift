import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles

// Wallets: bookings, frozen balances, and users' consents.
extension RandomOperations {
  mutating func atWallet(_ transaction: any DatabaseTransaction) throws -> String {
    switch chance.number(below: 15) {
    case 11, 12: try atPromotionalEntitlements(transaction)
    case 6:
      try transaction.insert(
        UserMerge(
          appEnvironment: appEnvironment(), user: user(), into: user(), at: moment(),
          orders: Int(chance.number(below: 3)),
          payments: 1))
    case 7:
      try transaction.put(
        SpendingLimit(
          appEnvironment: appEnvironment(), user: user(),
          currency: chance.oneIn(2) ? .cny : CurrencyCode("JPY") ?? .cny,
          minorUnits: chance.oneIn(3) ? nil : rows.number(), setAt: moment()))
    case 8:
      var erasure = UserErasure(app: appEnvironment().app, alias: user(), user: user(), begunAt: moment())
      if chance.oneIn(2) { (erasure.user, erasure.doneAt) = (nil, moment()) }
      erasure.orders = Int(chance.number(below: 3))
      let known = try transaction.erasure(as: erasure.alias, of: erasure.app)
      if known == nil { try transaction.insert(erasure) } else { try transaction.update(erasure) }
    case 13, 14: return try shortenOldRows(transaction)
    case 9: return "\(try transaction.rename(renaming(), limit: Int(Int16.max)))"
    case 10: return try renameWhereNamed(transaction)
    case 0: try transaction.freezeBalance(of: user(), unit: unit(), in: appEnvironment())
    case 1:
      try transaction.put(
        ConsumptionConsent(appEnvironment: appEnvironment(), user: user(), isGiven: chance.oneIn(2), at: moment()))
    case 2:
      let accounts: [LedgerAccount] = [.spent, .writtenOff, .issued(.weChatPay), .user(user())]
      try transaction.insert(
        Posting(
          appEnvironment: appEnvironment(), unit: unit(), debit: chance.one(of: accounts),
          credit: chance.one(of: accounts),
          amount: rows.positive(), payment: try known(transaction), cause: word(), at: moment()))
    default:
      var booking = Booking(
        appEnvironment: appEnvironment(), key: word() + word(), user: user(), unit: unit(),
        kind: chance.one(of: Booking.Kind.allCases),
        amount: chance.oneIn(12) ? rows.number() : Int64(1 + chance.number(below: 9)), requestDigest: word(),
        at: moment())
      if chance.oneIn(2) { booking.reason = word() }
      if chance.oneIn(2) { booking.metadata = word() }
      try transaction.insert(booking)
    }
    return "written"
  }

  /// Gives an entitlement, takes one back, or gives it to another user.
  private mutating func atPromotionalEntitlements(_ transaction: any DatabaseTransaction) throws {
    let (place, key) = (appEnvironment(), word() + word())
    if chance.oneIn(2), var known = try transaction.promotionalEntitlement(key, in: place) {
      if chance.oneIn(2) { known.user = user() }
      if chance.oneIn(2) { known.end = PromotionalEntitlement.End(at: moment(), reason: word(), by: word()) }
      return try transaction.update(known)
    }
    let givenAt = Timestamp(milliseconds: Int64(chance.number(below: 6)))
    try transaction.insert(
      PromotionalEntitlement(
        appEnvironment: place, key: key, user: user(), entitlement: EntitlementName(word()), givenAt: givenAt,
        until: givenAt + .milliseconds(Int64(chance.number(below: 9))), reason: word(),
        givenBy: word(), requestDigest: word()))
  }

  /// An alias of its own for one or two users.
  private mutating func renaming() -> UserRenaming {
    UserRenaming(appEnvironment: appEnvironment(), names: Set([user(), user()]).sorted(), alias: "erased") { text in
      text.replacing("a", with: "E")
    }
  }

  /// Replaces a user wherever rows name them, and forgets the rest.
  private mutating func renameWhereNamed(_ transaction: any DatabaseTransaction) throws -> String {
    let renaming = renaming()
    var seen: [String] = []
    for name in renaming.names {
      for table in NamingTable.allCases {
        var found = try transaction.rows(
          naming: name, writtenAs: name.text, in: table, of: renaming.appEnvironment, after: 0,
          count: Int(Int32.max))
        found.payments.sort()
        // The numbers of entries differ between databases.
        seen.append("\(table) \(found.payments) \(found.entries.count)")
        try transaction.rename(renaming, in: found)
      }
    }
    try transaction.forgetRest(renaming)
    return seen.joined(separator: "\n")
  }

  /// Gives an order to another user, seldom with a number that the other user's order has.
  mutating func moveOrder(_ order: Order, _ transaction: any DatabaseTransaction) throws -> String {
    let (user, place) = (user(), order.key.appEnvironment)
    let reference = order.reference?.origin == .app ? order.reference : nil
    let other = try reference.flatMap { try transaction.order(referenceFromApp: $0.text, of: user, in: place) }
    try transaction.move(order, to: user, keepsReference: other == nil || chance.oneIn(12))
    return rendering(try transaction.order(order.key))
  }

  mutating func askWallet(_ reading: any DatabaseReader) throws -> String {
    // PostgreSQL leaves gaps between numbers: only bounds outside of them mean the same everywhere.
    let before: Int64? = chance.oneIn(2) ? chance.one(of: [0, 1, .max]) : nil
    return try [
      rendering(reading.balance(of: user(), unit: unit(), in: appEnvironment())),
      rendering(reading.booking(word() + word(), in: appEnvironment())),
      rendering(reading.hasBookings(in: appEnvironment())),
      rendering(reading.creditedUnits(to: user(), unit: unit(), since: moment(), in: appEnvironment())),
      rendering(reading.entries(of: user(), unit: unit(), in: appEnvironment(), before: before, limit: limit())),
      rendering(reading.ledgerSums(of: chance.oneIn(2) ? appEnvironment().app : nil)),
      rendering(reading.refundRatio(of: user(), in: appEnvironment())),
      rendering(reading.consumptionConsent(of: user(), in: appEnvironment())),
      rendering(reading.merge(of: user(), in: appEnvironment())),
      rendering(reading.spendingLimits(of: user(), in: appEnvironment())),
      rendering(reading.promotionalEntitlement(word() + word(), in: appEnvironment())),
      rendering(reading.promotionalEntitlements(of: user(), in: appEnvironment(), limit: limit())),
      rendering(
        reading.countOfPromotionalEntitlements(
          givenIn: Timestamp(milliseconds: 1)..<Timestamp(milliseconds: 5), in: appEnvironment())),
      rendering(
        reading.sumsOfCredits(
          givenIn: Timestamp(milliseconds: 1)..<Timestamp(milliseconds: 5), in: appEnvironment())),
      rendering(reading.erasure(of: user(), in: appEnvironment())),
      rendering(reading.erasure(as: user(), of: appEnvironment().app)),
      rendering(reading.erasuresUnderWay(limit: limit())),
      rendering(reading.erasures(after: nil, limit: limit())),
      rendering(reading.users(mergedInto: user(), in: appEnvironment())),
      rendering(reading.users(after: user(), in: appEnvironment(), limit: 100)),
    ].joined(separator: "\n")
  }
}
