package import PaymentPrimitives

/// A request to Apple about one transaction. It is kept until it is done, so that no crash and no outage of Apple
/// loses it.
package struct AppStoreTask: Hashable, Sendable {
  /// The purpose of the request. A transaction has each purpose at most once.
  package enum Purpose: String, CaseIterable, Hashable, Sendable {
    /// Get Transaction Info: asks what this transaction is. Nothing is granted before the answer arrives or the day in
    /// which it may arrive is over.
    case ask
    /// Finish Transaction: a consumable was granted, and no client reported that it finished the transaction.
    case finish
    /// Set App Account Token: the payment paid an order that its transaction does not name.
    case setToken
    /// Send Consumption Information: Apple asks how far the purchase is used (`CONSUMPTION_REQUEST`). The creation
    /// time is the time when Apple signed the question.
    case consumption
  }

  package let payment: PaymentKey
  package let purpose: Purpose
  package let createdAt: Timestamp
  package var dueAt: Timestamp
  package var tries: Int
  /// Who presents the transaction, and with what, as JSON text. It counts even if the device is gone.
  package var claim: String?
  /// What is known of the transaction without Apple, as JSON text. Processing continues from it if Apple does not
  /// answer for a day.
  package var shown: String?

  /// A task that is due at a given time.
  package init(payment: PaymentKey, purpose: Purpose, createdAt: Timestamp, dueAt: Timestamp) {
    self.payment = payment
    self.purpose = purpose
    self.createdAt = createdAt
    self.dueAt = dueAt
    self.tries = 0
  }

  /// Time from a grant until the server finishes a consumable at Apple, if no client reports that it did.
  package static let finishAfter = TimeSpan.minutes(10)

  /// The tasks that follow a grant (docs/specification/matching.md, “After the grant”). A consumable that no client
  /// finishes is finished. A payment that paid a presented order gets that order's token.
  ///
  /// - Parameters:
  ///   - before: the payment before this update; nil if it is new.
  ///   - finishes: whether the server finishes transactions for the app.
  ///   - setsToken: whether the server sets the order's token at Apple.
  package static func following(
    _ payment: Payment, before: Payment?, finishes: Bool, setsToken: Bool, at now: Timestamp
  ) -> [AppStoreTask] {
    let facts = payment.facts
    guard payment.key.store == .appStore, payment.state == .fulfilled, before?.state.wasGranted != true,
      facts.ownership == .purchased, let match = payment.match, !match.flags.contains(.tokenUnseen)
    else { return [] }
    var tasks: [AppStoreTask] = []
    if finishes, facts.kind == .consumable, payment.finishedAt == nil {
      tasks.append(AppStoreTask(payment: payment.key, purpose: .finish, createdAt: now, dueAt: now + finishAfter))
    }
    // Not for a subscription: Apple sets the token on the running period and on those that follow. These may belong
    // to another user, and only their own token names that user. The subscription has a claimant anyway.
    if setsToken, match.rule == .presented, facts.token == nil, payment.order != nil, facts.kind != .autoRenewable,
      facts.originalTransaction == payment.key.transaction
    {
      tasks.append(AppStoreTask(payment: payment.key, purpose: .setToken, createdAt: now, dueAt: now))
    }
    return tasks
  }

  /// Pauses between the attempts of a task; the last one repeats.
  package static let pauses: [TimeSpan] = [
    .seconds(2), .seconds(5), .seconds(15), .minutes(1), .minutes(5), .minutes(15), .minutes(30), .hours(1),
  ]

  /// When the next attempt is due after that many attempts.
  package static func next(after tries: Int, now: Timestamp) -> Timestamp {
    now + pauses[min(max(tries, 0), pauses.count - 1)]
  }
}
