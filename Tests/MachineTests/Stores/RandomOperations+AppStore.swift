import PaymentModel
import PaymentStore
import PaymentVocabulary

// What Apple is to be asked or told, receipts, and how far histories are read.
extension RandomOperations {
  mutating func atAppStore(_ transaction: any StoreTransaction) throws -> String {
    switch chance.number(below: 8) {
    case 0:
      var errand = AppStoreErrand(payment: paymentKey(), purpose: purpose(), createdAt: moment(), dueAt: moment())
      errand.tries = chance.number(below: 9)
      if chance.oneIn(2) { errand.claim = rows.text() }
      if chance.oneIn(2) { errand.shown = rows.text() }
      try transaction.put(errand)
    case 1: try transaction.remove(purpose(), about: paymentKey())
    case 2: try transaction.keepReceipt(rows.text(), digest: digest(), at: moment())
    case 3: try transaction.put(rows.line(paymentKey()))
    case 4: try transaction.share(paymentKey(), with: user(), at: moment())
    case 5: try transaction.noteEffect(of: word(), in: realm())
    case 6: return "\(try transaction.bringForward(waitingWork(), limit: chance.oneIn(5) ? -1 : 1000))"
    default:
      var history = AppStoreHistory(customer: paymentKey(), dueAt: moment())
      if chance.oneIn(2) { history.revision = rows.text() }
      if chance.oneIn(2) { history.readAt = moment() }
      try transaction.put(history)
    }
    return "written"
  }

  mutating func askAppStore(_ reading: any StoreReading) throws -> String {
    try [
      rendering(reading.appStoreErrand(purpose(), about: paymentKey())),
      rendering(reading.appStoreErrands(dueAt: moment(), limit: limit())), rendering(reading.nextAppStoreErrand()),
      rendering(reading.receipt(digest: digest())), rendering(reading.appStoreHistory(of: paymentKey())),
      rendering(reading.appStoreHistories(dueAt: moment(), in: realm(), limit: limit())),
    ].joined(separator: "\n")
  }

  private mutating func waitingWork() -> WaitingWork {
    chance.one(of: [
      .deliveries(realm()), .forwards(realm().app), .orderQuestions, .refundQuestions, .errands, .histories(realm()),
      .lines(realm()),
    ])
  }

  private mutating func purpose() -> AppStoreErrand.Purpose { chance.one(of: AppStoreErrand.Purpose.allCases) }

  private mutating func digest() -> String {
    String(repeating: chance.one(of: ["a", "b"]), count: chance.oneIn(12) ? 63 : 64)
  }
}
