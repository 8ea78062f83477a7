package import PaymentModel
package import PaymentPrimitives

// What an operator lists. No key covers these lists, so a plan cannot contain them.
extension RecordingTransaction {
  package func payments(_ query: PaymentQuery) throws -> [Payment] { try readWithoutKey { try $0.payments(query) } }
  package func payments(_ query: StatedTimeQuery) throws -> [Payment] {
    try readWithoutKey { try $0.payments(query) }
  }

  package func notifications(_ query: NotificationQuery) throws -> NotificationPage {
    try readWithoutKey { try $0.notifications(query) }
  }

  package func subscriptions(
    after last: (askAt: Timestamp, key: PaymentKey)?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Subscription] {
    try readWithoutKey { try $0.subscriptions(after: last, in: appEnvironment, limit: limit) }
  }

  package func reconciliations(
    from first: String, to last: String, at store: Store, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [ReconciliationRecord] {
    try readWithoutKey { try $0.reconciliations(from: first, to: last, at: store, in: appEnvironment, limit: limit) }
  }

  package func consumptionRequests(in appEnvironment: AppEnvironment, limit: Int) throws -> [AppStoreTask] {
    try readWithoutKey { try $0.consumptionRequests(in: appEnvironment, limit: limit) }
  }

  package func journal(
    telling event: JournalEvent, since moment: Timestamp, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [JournalEntry] {
    try readWithoutKey { try $0.journal(telling: event, since: moment, in: appEnvironment, limit: limit) }
  }

  package func refundsStuck(in appEnvironment: AppEnvironment, limit: Int) throws -> [Refund] {
    try readWithoutKey { try $0.refundsStuck(in: appEnvironment, limit: limit) }
  }

  package func frozenOrders(in appEnvironment: AppEnvironment, limit: Int) throws -> [Order] {
    try readWithoutKey { try $0.frozenOrders(in: appEnvironment, limit: limit) }
  }

  package func frozenBalances(in appEnvironment: AppEnvironment, limit: Int) throws -> [Balance] {
    try readWithoutKey { try $0.frozenBalances(in: appEnvironment, limit: limit) }
  }

  package func attempts(of delivery: DeliveryIdentifier, about payment: PaymentKey) throws -> [DeliveryAttempt] {
    try readWithoutKey { try $0.attempts(of: delivery, about: payment) }
  }

  package func payments(
    ofOrderNumber number: String, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment] {
    try readWithoutKey { try $0.payments(ofOrderNumber: number, in: appEnvironment, limit: limit) }
  }

  package func journal(_ query: JournalQuery) throws -> JournalPage { try readWithoutKey { try $0.journal(query) } }

  package func firstJournalEntry(from number: Int64) throws -> NumberedJournalEntry? {
    try readWithoutKey { try $0.firstJournalEntry(from: number) }
  }

  // MARK: writes

  package func insert(_ attempt: DeliveryAttempt) throws { try write(.message(.insertAttempt(attempt))) }

  package func noteOrderNumber(_ number: String, of payment: PaymentKey, at moment: Timestamp) throws {
    try write(.appStore(.noteOrderNumber(number, payment, at: moment)))
  }
}
