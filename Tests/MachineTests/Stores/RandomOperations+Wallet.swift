import PaymentModel
import PaymentDatabase
import PaymentPrimitives

// Wallets: bookings, frozen balances, and what users said.
extension RandomOperations {
  mutating func atWallet(_ transaction: any DatabaseTransaction) throws -> String {
    switch chance.number(below: 6) {
    case 0: try transaction.freezeBalance(of: user(), unit: unit(), in: realm())
    case 1:
      try transaction.put(
        ConsumptionConsent(realm: realm(), user: user(), isGiven: chance.oneIn(2), at: moment()))
    case 2:
      let accounts: [LedgerAccount] = [.spent, .writtenOff, .issued(.weChatPay), .user(user())]
      try transaction.insert(
        Posting(
          realm: realm(), unit: unit(), debit: chance.one(of: accounts), credit: chance.one(of: accounts),
          amount: rows.positive(), payment: try known(transaction), cause: word(), at: moment()))
    default:
      var booking = Booking(
        realm: realm(), key: word() + word(), user: user(), unit: unit(),
        kind: chance.one(of: Booking.Kind.allCases),
        amount: chance.oneIn(12) ? rows.number() : Int64(1 + chance.number(below: 9)), requestDigest: word(),
        at: moment())
      if chance.oneIn(2) { booking.reason = word() }
      if chance.oneIn(2) { booking.metadata = word() }
      try transaction.insert(booking)
    }
    return "written"
  }

  mutating func askWallet(_ reading: any DatabaseReader) throws -> String {
    let before: Int64? = chance.oneIn(2) ? Int64(chance.number(below: 40)) : nil
    return try [
      rendering(reading.balance(of: user(), unit: unit(), in: realm())),
      rendering(reading.booking(word() + word(), in: realm())), rendering(reading.hasBookings(in: realm())),
      rendering(reading.entries(of: user(), unit: unit(), in: realm(), before: before, limit: limit())),
      rendering(reading.ledgerSums(of: chance.oneIn(2) ? realm().app : nil)),
      rendering(reading.refundRatio(of: user(), in: realm())),
      rendering(reading.consumptionConsent(of: user(), in: realm())),
    ].joined(separator: "\n")
  }
}
