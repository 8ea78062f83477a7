import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDoubles

// Tasks for Apple, receipts, and the positions in histories.
extension RandomOperations {
  mutating func atAppStore(_ transaction: any DatabaseTransaction) throws -> String {
    switch chance.number(below: 10) {
    case 0:
      var appStoreTask = AppStoreTask(payment: paymentKey(), purpose: purpose(), createdAt: moment(), dueAt: moment())
      appStoreTask.tries = chance.number(below: 9)
      if chance.oneIn(2) { appStoreTask.claim = rows.text() }
      if chance.oneIn(2) { appStoreTask.shown = rows.text() }
      try transaction.put(appStoreTask)
    case 1: try transaction.remove(purpose(), about: paymentKey())
    case 2: try transaction.keepReceipt(rows.text(), digest: digest(), at: moment())
    case 3: try transaction.put(rows.subscription(paymentKey()))
    case 4: try transaction.share(paymentKey(), with: user(), at: moment())
    case 5: try transaction.noteEffect(of: word(), in: appEnvironment())
    case 6: try transaction.put(stoppedChange())
    case 7: try transaction.remove(stoppedChange())
    case 8: return "\(try transaction.bringForward(waitingWork(), limit: chance.oneIn(5) ? -1 : 1000))"
    default:
      var history = AppStoreHistory(customer: paymentKey(), dueAt: moment())
      if chance.oneIn(2) { history.revision = rows.text() }
      if chance.oneIn(2) { history.readAt = moment() }
      try transaction.put(history)
    }
    return "written"
  }

  mutating func askAppStore(_ reading: any DatabaseReader) throws -> String {
    try [
      rendering(reading.appStoreTask(purpose(), about: paymentKey())),
      rendering(reading.appStoreTasks(dueAt: moment(), limit: limit())), rendering(reading.nextAppStoreTask()),
      rendering(reading.receipt(digest: digest())), rendering(reading.appStoreHistory(of: paymentKey())),
      rendering(reading.appStoreHistories(dueAt: moment(), in: appEnvironment(), limit: limit())),
      rendering(reading.stoppedChanges(of: paymentKey())),
      rendering(reading.stoppedChanges(dueAt: moment(), limit: limit())),
      rendering(reading.stoppedChanges(in: appEnvironment(), limit: limit())),
      rendering(reading.stoppedChanges(naming: orderKey())), rendering(reading.nextStoppedChange()),
      reading.countOfStoppedChanges(in: appEnvironment()).map { "\($0.kind) \($0.count)" }.joined(separator: ","),
    ].joined(separator: "\n")
  }

  private mutating func stoppedChange() -> StoppedChange {
    var row = StoppedChange(
      payment: paymentKey(), statement: word(), kind: chance.one(of: StoppedChange.Kind.allCases), found: rows.text(),
      content: rows.text(), evidence: rows.text(), origin: chance.one(of: [.client, .notification]), at: moment(),
      nextAttemptAt: moment())
    if chance.oneIn(2) { row.invariant = chance.one(of: Invariant.allCases) }
    row.orders = (0..<chance.number(below: 3)).map { _ in orderIdentifier() }
    row.presentations = (0..<chance.number(below: 3)).map { _ in rows.text() }
    row.attempts = chance.number(below: 9)
    row.lastSeenAt = moment()
    return row
  }

  private mutating func waitingWork() -> WaitingWork {
    chance.one(of: [
      .deliveries(appEnvironment()), .forwards(appEnvironment().app), .orderQuestions, .refundQuestions, .appStoreTasks,
      .histories(appEnvironment()),
      .subscriptions(appEnvironment()),
    ])
  }

  private mutating func purpose() -> AppStoreTask.Purpose { chance.one(of: AppStoreTask.Purpose.allCases) }

  mutating func digest() -> String {
    String(repeating: chance.one(of: ["a", "b"]), count: chance.oneIn(12) ? 63 : 64)
  }
}
