package import PaymentPrimitives

/// A subscription: all transactions with one `originalTransactionId`, owned by one user at a time.
package struct Subscription: Hashable, Sendable {
  /// (app, store, environment, `originalTransactionId`).
  package let key: PaymentKey
  /// The user who claimed it when no token of ours named a user.
  package var claimant: UserIdentifier?
  /// The last move by a restore, if the app allows entitlements to move.
  package var transfer: Transfer?
  /// The store's newest signed statement on how it continues.
  package var renewal: VerifiedRenewal?
  /// The latest known end of a period.
  package var periodEnd: Timestamp?
  /// When to ask the store for its state; nil if there is nothing to ask.
  package var askAt: Timestamp?

  package struct Transfer: Hashable, Sendable {
    package let user: UserIdentifier
    /// The time of the move: later purchases on the subscription belong to this user.
    package let at: Timestamp

    package init(to user: UserIdentifier, at moment: Timestamp) {
      self.user = user
      self.at = moment
    }
  }

  /// A subscription with its claimant, if any.
  package init(key: PaymentKey, claimant: UserIdentifier?) {
    self.key = key
    self.claimant = claimant
  }
}

extension Subscription {
  /// New information about a subscription.
  package enum Event: Hashable, Sendable {
    /// The store signed how it continues.
    case renewal(VerifiedRenewal)
    /// A period of it is known, with its end.
    case period(until: Timestamp)
    /// The store was asked and answered.
    case asked
  }

  /// How long after the end of a period to ask the store, if no update on the next period arrived.
  package static let silence = TimeSpan.hours(1)
  /// How long Apple retries the charge of a failed renewal.
  package static let billingRetry = TimeSpan.days(60)

  /// Applies an event; returns the changes as events for the journal, empty if nothing is new.
  ///
  /// The store's signed dates decide what is newer, never arrival. The same events in any order give the same
  /// subscription.
  package mutating func receive(_ event: Event, at now: Timestamp) -> [JournalEvent] {
    var events: [JournalEvent] = []
    switch event {
    case .renewal(let update):
      guard update.subscription == key, renewal.map({ update.isNewer(than: $0) }) ?? true else { return [] }
      // The end of a period that was bought since then is a new event, even with the same reason.
      let isNewPeriod = renewal.map { known in periodEnd.map { known.signedDate < $0 } ?? false } ?? true
      events = Self.events(from: renewal, to: update, isNewPeriod: isNewPeriod)
      renewal = update
    case .period(let until):
      guard periodEnd.map({ until > $0 }) ?? true else { return [] }
      periodEnd = until
    case .asked: break
    }
    askAt = nextQuestion(after: now)
    return events
  }

  /// When to ask the store next: an hour after the period's end, then daily while the store may still retry the
  /// charge.
  private func nextQuestion(after now: Timestamp) -> Timestamp? {
    guard let periodEnd else { return nil }
    let first = max(periodEnd, renewal?.gracePeriodExpiresDate ?? periodEnd) + Self.silence
    guard first <= now else { return first }
    // A subscription that the buyer cancelled stays ended until a new purchase.
    if let renewal, renewal.signedDate >= periodEnd, !renewal.willRenew, !renewal.isInBillingRetry { return nil }
    let next = now + .days(1)
    return next <= periodEnd + Self.billingRetry + .days(1) ? next : nil
  }

  private static func events(
    from before: VerifiedRenewal?, to after: VerifiedRenewal, isNewPeriod: Bool
  ) -> [JournalEvent] {
    var events: [JournalEvent] = []
    if before?.willRenew != after.willRenew {
      events.append(after.willRenew ? .subscriptionRenews : .subscriptionEndsWithItsPeriod)
    }
    if let before, before.renewsTo != after.renewsTo { events.append(.subscriptionRenewsToAnother) }
    if (before?.isInBillingRetry ?? false) != after.isInBillingRetry {
      events.append(after.isInBillingRetry ? .subscriptionInBillingRetry : .subscriptionBillingRecovered)
    }
    if let grace = after.gracePeriodExpiresDate, before?.gracePeriodExpiresDate != grace {
      events.append(.subscriptionInGracePeriod)
    }
    if let expiration = after.expiration, isNewPeriod || before?.expiration != expiration {
      events.append(.subscriptionExpired)
    }
    if let price = after.priceIncrease, before?.priceIncrease != price {
      events.append(price == .pending ? .priceIncreasePending : .priceIncreaseAccepted)
    }
    return events.isEmpty ? [.renewalUpdateKept] : events
  }
}

extension VerifiedRenewal {
  /// Whether it is newer than another. With equal dates the content decides, so that arrival never does.
  func isNewer(than other: VerifiedRenewal) -> Bool {
    guard signedDate == other.signedDate else { return signedDate > other.signedDate }
    return self != other && "\(self)" > "\(other)"
  }
}
