package import PaymentModel
package import PaymentPrimitives

/// A page of payments of an app environment, the newest purchase first.
package struct PaymentQuery: Hashable, Sendable {
  package var appEnvironment: AppEnvironment
  /// Charges (payments that state a merchant), or all others.
  package var charges: Bool
  /// Only payments that were bought at or before then.
  package var boughtUntil: Timestamp
  /// Only payments before this one: the last one of the page before.
  package var before: PaymentPosition?
  package var limit: Int

  package init(appEnvironment: AppEnvironment, charges: Bool, limit: Int) {
    self.appEnvironment = appEnvironment
    self.charges = charges
    self.boughtUntil = Timestamp(milliseconds: .max)
    self.limit = limit
  }
}

/// The place of a payment in lists by time of purchase.
package struct PaymentPosition: Hashable, Comparable, Sendable {
  package let purchaseDate: Timestamp
  package let transaction: TransactionIdentifier
  package let store: Store

  package init(purchaseDate: Timestamp, transaction: TransactionIdentifier, store: Store) {
    self.purchaseDate = purchaseDate
    self.transaction = transaction
    self.store = store
  }

  package init(of payment: Payment) {
    self.init(
      purchaseDate: payment.facts.purchaseDate, transaction: payment.key.transaction, store: payment.key.store)
  }

  package static func < (a: PaymentPosition, b: PaymentPosition) -> Bool {
    (a.purchaseDate, a.transaction, a.store) < (b.purchaseDate, b.transaction, b.store)
  }
}

/// A time that the store may state of a payment. Reports read by it.
package enum StatedTime: CaseIterable, Sendable {
  /// When the store took the payment back (`revocation`).
  case takenBack
  /// The end of the paid period.
  case periodEnd

  package func time(of payment: Payment) -> Timestamp? {
    switch self {
    case .takenBack: payment.facts.revocation?.date
    case .periodEnd: payment.facts.expiresDate
    }
  }
}

/// A page of payments with a stated time in a range, by (that time, transaction id, store).
package struct StatedTimeQuery: Sendable {
  package var appEnvironment: AppEnvironment
  package var time: StatedTime
  package var range: Range<Timestamp>
  /// The last payment of the page before, whose time is in the range.
  package var last: Payment?
  package var limit: Int

  package init(_ time: StatedTime, in range: Range<Timestamp>, of appEnvironment: AppEnvironment, limit: Int) {
    self.appEnvironment = appEnvironment
    self.time = time
    self.range = range
    self.limit = limit
  }
}

/// A page of the stores' notifications of an app environment, the newest first.
package struct NotificationQuery: Hashable, Sendable {
  /// One read looks at this many notifications at most, of all apps; the next one goes on.
  package static let scanMax: Int64 = 2_000

  package var appEnvironment: AppEnvironment
  package var effect: ReceivedNotification.Effect?
  package var store: Store?
  package var type: String?
  /// Only notifications with a smaller number: the `next` of the page before.
  package var before: Int64?
  package var limit: Int

  package init(appEnvironment: AppEnvironment, limit: Int) {
    self.appEnvironment = appEnvironment
    self.limit = limit
  }
}

package struct NotificationPage: Hashable, Sendable {
  package let notifications: [ReceivedNotification]
  /// The number before which the next page goes on; nil at the end. A page may be empty and have one.
  package let next: Int64?

  package init(notifications: [ReceivedNotification], next: Int64?) {
    self.notifications = notifications
    self.next = next
  }
}

/// What an operator lists. No plan contains these reads. Each list has at most `limit` rows; a negative limit gives
/// none.
package protocol OperatorListReader {
  /// Payments, the newest purchase first, by `PaymentPosition`.
  func payments(_ query: PaymentQuery) throws -> [Payment]
  /// Payments with a stated time in a range, by (that time, transaction id, store).
  func payments(_ query: StatedTimeQuery) throws -> [Payment]
  /// Notifications of the stores, the newest first, by the order in which they came.
  func notifications(_ query: NotificationQuery) throws -> NotificationPage
  /// Subscriptions with a question to the store ahead, by (its time, store, `originalTransactionId`), after the given
  /// one.
  func subscriptions(
    after last: (askAt: Timestamp, key: PaymentKey)?, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Subscription]
  /// The comparisons with a store's bills from one day to another, the newest day first.
  func reconciliations(
    from first: String, to last: String, at store: Store, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [ReconciliationRecord]
  /// Apple's open consumption requests, the oldest first, by (creation, transaction id).
  func consumptionRequests(in appEnvironment: AppEnvironment, limit: Int) throws -> [AppStoreTask]
  /// The newest entries of the journal that tell one of `JournalEvent.listed`, the newest first. Any other event gives
  /// none.
  func journal(
    telling event: JournalEvent, since moment: Timestamp, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [JournalEntry]
  /// Refunds that an operator must free at the store, the oldest first, by (creation, number).
  func refundsStuck(in appEnvironment: AppEnvironment, limit: Int) throws -> [Refund]
  /// Orders that a broken rule froze, the oldest first, by (creation, id).
  func frozenOrders(in appEnvironment: AppEnvironment, limit: Int) throws -> [Order]
  /// Balances that a debt froze, the longest frozen first, by (since, user, unit).
  func frozenBalances(in appEnvironment: AppEnvironment, limit: Int) throws -> [Balance]
  /// The failed attempts of a delivery, by number.
  func attempts(of delivery: DeliveryIdentifier, about payment: PaymentKey) throws -> [DeliveryAttempt]
  /// The payments that Apple named for an order number of its receipts, by `PaymentPosition`.
  func payments(
    ofOrderNumber number: String, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Payment]
}
