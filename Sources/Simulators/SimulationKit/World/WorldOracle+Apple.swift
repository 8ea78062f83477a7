import AppStoreProtocol
import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// What only the App Store knows of a charge: its original state, and what it has reported about it. A server may have
/// set another token since.
struct AppleTruth: Sendable {
  /// The token of the sale.
  var token: String?
  /// Whether no attempt to report the charge ever left the App Store.
  var isUntold = false
  /// Whether there was no attempt at all, so that the notification history does not name it.
  var isUnwritten = false
  /// Whether it was refunded, and no attempt to report the refund ever left the App Store.
  var isRefundUntold = false
  /// Whether no attempt to report a refund or its reversal ever left the App Store.
  var isNewsUntold = false
  /// Whether it is a renewal after a failed charge.
  var isRecovery = false
  /// The total refunded share, of 100 000, after each refund.
  var stated: Set<Int64> = []
  /// The refund dates in the notifications.
  var dates: Set<Timestamp> = []
  /// Whether a refund of it was reported about a further transaction id.
  var isToldUnderFurtherId = false

  /// Collects the facts by transaction: each charge and each refund has its notification, sent or not.
  ///
  /// - Parameter paid: the paid transaction id for each further id.
  static func truths(
    of notifications: [SimulatedNotification], _ paid: [TransactionIdentifier: TransactionIdentifier]
  ) -> [TransactionIdentifier: AppleTruth] {
    var truths: [TransactionIdentifier: AppleTruth] = [:]
    for notification in notifications {
      guard let id = notification.facts.transaction.map({ paid[$0] ?? $0 }) else { continue }
      let isUntold = notification.isLost || notification.state == .neverSent
      var truth = truths[id] ?? AppleTruth()
      switch (notification.facts.type, notification.facts.subtype) {
      case (.oneTimeCharge, _), (.subscribed, _), (.didRenew, _), (.didChangeRenewalPref, .upgrade):
        truth.token = notification.transaction?.appAccountToken
        truth.isUntold = isUntold
        truth.isUnwritten = notification.state == .neverSent
        truth.isRecovery = notification.facts.subtype == .billingRecovery
      case (.refund, _):
        truth.isRefundUntold = truth.isRefundUntold || isUntold
        truth.isNewsUntold = truth.isNewsUntold || isUntold
        truth.stated.insert(notification.transaction?.revocationPercentage ?? 100_000)
        if let date = notification.transaction?.revocationDate { truth.dates.insert(date) }
        truth.isToldUnderFurtherId = truth.isToldUnderFurtherId || notification.facts.transaction != id
      case (.refundReversed, _): truth.isNewsUntold = truth.isNewsUntold || isUntold
      default: break
      }
      truths[id] = truth
    }
    return truths
  }
}

// Results of the server's own queries to Apple.

extension WorldOracle {
  private func truth(of charge: SimulatedCharge) -> AppleTruth { truths[charge.transaction.id] ?? AppleTruth() }

  /// Whether the evidence that the server has seen of a charge names its order. A receipt names no order, and without
  /// a key for Apple's API the server cannot ask. With a key it must have asked.
  func names(_ charge: SimulatedCharge, _ payment: Payment) -> Bool {
    guard truth(of: charge).token != nil else { return false }
    guard sendsReceipts(charge.transaction.owner.account.text) else { return true }
    // A payment that was matched before its token was seen keeps its match (docs/specification/invariants.md, 2.5).
    let isUnseen = payment.match?.flags.contains(.tokenUnseen) == true
    guard payment.facts.token == nil || isUnseen else { return true }
    if context.plan.apple.hasKey {
      events.reportViolation("\(charge.transaction.id) names its order, and Apple was never asked")
    }
    return false
  }

  /// Apple accounts with at least one known payment.
  func reachedAccounts() async throws -> Set<String> {
    var accounts: Set<String> = []
    for charge in charges where try await known(charge.transaction.id) != nil {
      accounts.insert(charge.transaction.owner.account.text)
    }
    return accounts
  }

  /// Whether the server cannot learn of a charge: its phones are lost, its notification was never sent, and its
  /// account is otherwise unknown.
  func isBeyondReach(_ charge: SimulatedCharge, _ reached: Set<String>) -> Bool {
    let account = charge.transaction.owner.account.text
    return truth(of: charge).isUnwritten && !reached.contains(account) && isAbandoned(account)
  }

  private func isAbandoned(_ account: String) -> Bool {
    !phones.contains { $0.plan.account == account && !$0.plan.isLost }
  }

  /// Records coverage marks for receipts and queries to Apple.
  func noteApple(_ finding: Finding, _ payment: Payment, charge: SimulatedCharge) {
    let truth = truth(of: charge)
    let showsReceipt = finding.journal.contains { $0.details.contains(#""receipt":"#) }
    if showsReceipt, finding.origins.first == .storeAnswer { events.mark(.receiptCompleted) }
    if payment.match?.flags.contains(.tokenUnseen) == true, payment.state.wasGranted { events.mark(.receiptAlone) }
    if truth.isUntold, !truth.isUnwritten, finding.origins.contains(.notification) {
      events.mark(.healedByNotificationHistory)
    }
    if truth.isUntold, finding.origins.allSatisfy({ $0 == .storeAnswer }), !showsReceipt,
      isAbandoned(charge.transaction.owner.account.text)
    {
      events.mark(.healedByTransactionHistory)
    }
    if truth.isRefundUntold, payment.facts.revocation != nil { events.mark(.refundHealed) }
    if finding.journal.contains(where: { $0.what == "payment.finishedHere" }) { events.mark(.finishedAtApple) }
  }

  /// Checks the tokens that the server set at Apple. Only a payment without a token that paid an order shown by the
  /// phone may cause this.
  func judgeTokens() async throws {
    for charge in charges {
      guard truth(of: charge).token == nil, let token = charge.transaction.appAccountToken?.text else { continue }
      events.mark(.tokenSetAtApple)
      // The token of a subscription would also apply to later periods, although another user may order those.
      let payment = try await known(charge.transaction.id)
      guard charge.transaction.period == nil, payment?.match?.rule == .presented,
        payment?.order?.appAccountToken == token
      else {
        events.reportViolation("\(charge.transaction.id) carries the token \(token), which no order may have set")
        continue
      }
    }
  }

  /// Checks that the server knows each refund, even if its notification was lost.
  func judgeRefunds() async throws {
    for charge in charges where charge.refundedPercentage > 0 {
      guard let payment = try await known(charge.transaction.id), payment.facts.revocation == nil,
        ids(of: charge).contains(payment.key.transaction)
      else { continue }
      events.reportViolation("\(charge.transaction.id) was refunded, and the server does not know it")
    }
  }

  // MARK: subscriptions

  /// Checks the owner of a period: the user named by the subscription's latest token at that time. Without a token,
  /// any user of the Apple account may have claimed it.
  func judgeOwner(_ charge: SimulatedCharge, _ finding: Finding, payment: Payment, grant: Grant) {
    let sold = charge.transaction
    let named = charges.map(\.transaction).filter {
      $0.originalId == sold.originalId && truths[$0.id]?.token != nil
        && ($0.purchaseDate, $0.id) <= (sold.purchaseDate, sold.id)
    }
    let latest = named.max { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) }
    let owners = sheetUsers(latest.flatMap { truths[$0.id]?.token })
    note(charge, finding)
    guard !owners.contains(grant.user) else { return }
    let account = sold.owner.account.text
    // A token is too late if it came under a further id, after a receipt, or after the answer about this period.
    let isLate =
      finding.journal.contains { $0.what == "payment.ownerLearnedLate" }
      && (sendsReceipts(account) || transactions.contains { $0.originalId == sold.originalId && $0.repeats != nil }
        || latest.map { finishes(sold.id, before: $0.id) } == true)
    let isMoved = finding.hasMoved && mayHaveMoved(to: grant.user, on: account)
    // A receipt names no user, and without a key the server cannot ask Apple.
    let isUnseen = !context.plan.apple.hasKey && sendsReceipts(account)
    if owners.isEmpty || isMoved || isLate || isUnseen, users(of: account).contains(grant.user) {
      if owners.isEmpty { events.mark(.claimedOnSharedAccount) }
      return
    }
    events.reportViolation("the period \(sold.id) was ordered by \(owners.map(\.text).sorted()) and is \(grant.user)'s")
  }

  /// Whether a phone was answered about one transaction before any phone was answered about the other.
  private func finishes(_ id: TransactionIdentifier, before other: TransactionIdentifier) -> Bool {
    guard let first = phones.compactMap({ $0.finished[id] }).min() else { return false }
    return phones.compactMap { $0.finished[other] }.allSatisfy { first < $0 }
  }

  private func note(_ charge: SimulatedCharge, _ finding: Finding) {
    let sold = charge.transaction
    guard sold.reason == .renewal else {
      if sold.id != sold.originalId { events.mark(.resubscribed) }
      return
    }
    events.mark(.renewed)
    if finding.origins.allSatisfy({ $0 == .notification }) { events.mark(.renewedByNotificationAlone) }
    if truth(of: charge).isRecovery { events.mark(.billingRecovered) }
  }
}
