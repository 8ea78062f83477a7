package import PaymentPrimitives

/// A subscription: all transactions with one `originalTransactionId`, owned by one user at a time.
package struct Subscription: Hashable, Sendable {
  /// (app, store, environment, `originalTransactionId`).
  package let key: PaymentKey
  /// The user who claimed it when no token of ours named one.
  package var claimant: UserIdentifier?
  /// To whom it was last moved by a restore, where the app lets rights move.
  package var transfer: Transfer?
  /// The newest that the store has signed of how it goes on.
  package var renewal: VerifiedRenewal?
  /// The latest end of a period that is known of it.
  package var periodEnd: Timestamp?
  /// When the store is asked how it stands; nil while there is nothing to ask.
  package var askAt: Timestamp?

  package struct Transfer: Hashable, Sendable {
    package let user: UserIdentifier
    /// Since when: what is bought on the line from then on is his.
    package let at: Timestamp

    package init(to user: UserIdentifier, at moment: Timestamp) {
      self.user = user
      self.at = moment
    }
  }

  /// A line with its claimant, if any.
  package init(key: PaymentKey, claimant: UserIdentifier?) {
    self.key = key
    self.claimant = claimant
  }
}

extension Subscription {
  /// What is learned of a line.
  package enum Event: Hashable, Sendable {
    /// The store has signed how it goes on.
    case renewal(VerifiedRenewal)
    /// A period of it is known, to its end.
    case period(until: Timestamp)
    /// The store was asked and has answered.
    case asked
  }

  /// How long after the end of a period the store is asked why nothing was heard of the next.
  package static let silence = TimeSpan.hours(1)
  /// How long Apple tries to charge a renewal that failed.
  package static let billingRetry = TimeSpan.days(60)

  /// Takes an event in; what changed in words for the journal, nothing where it is no news.
  ///
  /// The store's signed dates decide what is newer, never arrival: in whatever order the same events come, the line
  /// ends the same.
  package mutating func receive(_ event: Event, at now: Timestamp) -> [String] {
    var story: [String] = []
    switch event {
    case .renewal(let news):
      guard news.line == key, renewal.map({ news.isNewer(than: $0) }) ?? true else { return [] }
      // The end of a period that was bought since is another end, be its reason the same.
      let isNewPeriod = renewal.map { known in periodEnd.map { known.signedDate < $0 } ?? false } ?? true
      story = Self.story(from: renewal, to: news, isNewPeriod: isNewPeriod)
      renewal = news
    case .period(let until):
      guard periodEnd.map({ until > $0 }) ?? true else { return [] }
      periodEnd = until
    case .asked: break
    }
    askAt = nextQuestion(after: now)
    return story
  }

  /// When the store is asked next: an hour after the period's end, then daily while it may still be charging.
  private func nextQuestion(after now: Timestamp) -> Timestamp? {
    guard let periodEnd else { return nil }
    let first = max(periodEnd, renewal?.gracePeriodExpiresDate ?? periodEnd) + Self.silence
    guard first <= now else { return first }
    // What the buyer ended stays ended until a new purchase says otherwise.
    if let renewal, renewal.signedDate >= periodEnd, !renewal.willRenew, !renewal.isInBillingRetry { return nil }
    let next = now + .days(1)
    return next <= periodEnd + Self.billingRetry + .days(1) ? next : nil
  }

  private static func story(
    from before: VerifiedRenewal?, to after: VerifiedRenewal, isNewPeriod: Bool
  ) -> [String] {
    var story: [String] = []
    if before?.willRenew != after.willRenew { story.append(after.willRenew ? "line.renews" : "line.endsWithItsPeriod") }
    if let before, before.renewsTo != after.renewsTo { story.append("line.renewsToAnother") }
    if (before?.isInBillingRetry ?? false) != after.isInBillingRetry {
      story.append(after.isInBillingRetry ? "line.billingRetry" : "line.billingRecovered")
    }
    if let grace = after.gracePeriodExpiresDate, before?.gracePeriodExpiresDate != grace {
      story.append("line.gracePeriod")
    }
    if let expiration = after.expiration, isNewPeriod || before?.expiration != expiration {
      story.append("line.expired")
    }
    if let price = after.priceIncrease, before?.priceIncrease != price {
      story.append(price == .pending ? "line.priceIncreasePending" : "line.priceIncreaseAccepted")
    }
    return story.isEmpty ? ["line.newsKept"] : story
  }
}

extension VerifiedRenewal {
  /// Whether it is newer than another; of two of one instant one is chosen by what they say, so that arrival decides
  /// nothing.
  func isNewer(than other: VerifiedRenewal) -> Bool {
    guard signedDate == other.signedDate else { return signedDate > other.signedDate }
    return self != other && "\(self)" > "\(other)"
  }
}
