import AppStoreProtocol
import AppStoreSimulator
import PaymentModel
import PaymentDatabase
import PaymentPrimitives

/// What the App Store alone knows of a charge: how it was when it was made, and what it has told of it. A server may
/// have set another token since.
struct AppleTruth: Sendable {
  /// The token with which it was sold.
  var token: String?
  /// Whether no attempt to tell of it ever left the store.
  var isUntold = false
  /// Whether there was not even an attempt, so that no history of notifications names it.
  var isUnwritten = false
  /// Whether it was refunded, and no attempt to tell of that ever left the store.
  var isRefundUntold = false
  /// The same, or that a refund was taken back.
  var isNewsUntold = false
  /// Whether it is a renewal whose charge had failed before.
  var isRecovery = false
  /// How much had been given back in all, of 100 000, each time that something was.
  var stated: Set<Int64> = []
  /// The dates that it was told with.
  var dates: Set<Timestamp> = []
  /// Whether a refund of it was told about a further id.
  var isToldUnderFurtherId = false

  /// By their transactions: each charge and each refund has its notification, sent or not.
  ///
  /// - Parameter paid: what was paid, by the further ids of it.
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

// What the shop's own questions to Apple came to.

extension WorldOracle {
  private func truth(of charge: SimulatedCharge) -> AppleTruth { truths[charge.transaction.id] ?? AppleTruth() }

  /// Whether what the server has been shown of a charge names its order. A receipt names none, and a shop without a key
  /// cannot ask; with a key it must have asked.
  func names(_ charge: SimulatedCharge, _ payment: Payment) -> Bool {
    guard truth(of: charge).token != nil else { return false }
    guard sendsReceipts(charge.transaction.owner.account.text) else { return true }
    // Matched before anybody showed the token, it stays as it was matched (docs/specification/invariants.md, 2.5).
    let isUnseen = payment.match?.flags.contains(.tokenUnseen) == true
    guard payment.facts.token == nil || isUnseen else { return true }
    if stage.plan.apple.hasKey { story.complain("\(charge.transaction.id) names its order, and Apple was never asked") }
    return false
  }

  /// Apple accounts of which some payment is known.
  func reachedAccounts() async throws -> Set<String> {
    var accounts: Set<String> = []
    for charge in charges where try await known(charge.transaction.id) != nil {
      accounts.insert(charge.transaction.owner.account.text)
    }
    return accounts
  }

  /// Neither a phone nor a notification nor a question of ours can bring news of a charge whose phones are gone for
  /// good, whose notification was never sent, and whose account is otherwise unknown.
  func isBeyondReach(_ charge: SimulatedCharge, _ reached: Set<String>) -> Bool {
    let account = charge.transaction.owner.account.text
    return truth(of: charge).isUnwritten && !reached.contains(account) && isAbandoned(account)
  }

  private func isAbandoned(_ account: String) -> Bool {
    !phones.contains { $0.plan.account == account && !$0.plan.isLost }
  }

  /// What of a payment came by receipts and questions.
  func noteApple(_ finding: Finding, _ payment: Payment, _ charge: SimulatedCharge) {
    let truth = truth(of: charge)
    let showsReceipt = finding.journal.contains { $0.details.contains(#""receipt":"#) }
    if showsReceipt, finding.origins.first == .storeAnswer { story.see(.receiptCompleted) }
    if payment.match?.flags.contains(.tokenUnseen) == true, payment.state.wasGranted { story.see(.receiptAlone) }
    if truth.isUntold, !truth.isUnwritten, finding.origins.contains(.notification) {
      story.see(.healedByNotificationHistory)
    }
    if truth.isUntold, finding.origins.allSatisfy({ $0 == .storeAnswer }), !showsReceipt,
      isAbandoned(charge.transaction.owner.account.text)
    {
      story.see(.healedByTransactionHistory)
    }
    if truth.isRefundUntold, payment.facts.revocation != nil { story.see(.refundHealed) }
    if finding.journal.contains(where: { $0.what == "payment.finishedHere" }) { story.see(.finishedAtApple) }
  }

  /// Apple is told of an order only by a payment that came without a token, and that paid an order which the phone had
  /// shown.
  func judgeTokens() async throws {
    for charge in charges {
      guard truth(of: charge).token == nil, let token = charge.transaction.appAccountToken?.text else { continue }
      story.see(.tokenSetAtApple)
      // A subscription's token would be that of later periods, too, whoever ordered those.
      let payment = try await known(charge.transaction.id)
      guard charge.transaction.period == nil, payment?.match?.rule == .presented,
        payment?.order?.appAccountToken == token
      else {
        story.complain("\(charge.transaction.id) carries the token \(token), which nobody may have set")
        continue
      }
    }
  }

  /// What was taken back must have become known, too, whatever became of its notification.
  func judgeRefunds() async throws {
    for charge in charges where charge.refundedPercentage > 0 {
      guard let payment = try await known(charge.transaction.id), payment.facts.revocation == nil,
        ids(of: charge).contains(payment.key.transaction)
      else { continue }
      story.complain("\(charge.transaction.id) was refunded, and the server does not know it")
    }
  }

  // MARK: subscriptions

  /// A period is his whom the latest token of the subscription named by then; without one, somebody's of the Apple
  /// account, who claimed it.
  func judgeOwner(_ charge: SimulatedCharge, _ finding: Finding, _ payment: Payment, _ grant: Grant) {
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
    // A token that came under a further id, after a receipt, or after this period was answered, came too late.
    let isLate =
      finding.journal.contains { $0.what == "payment.ownerLearnedLate" }
      && (sendsReceipts(account) || transactions.contains { $0.originalId == sold.originalId && $0.repeats != nil }
        || latest.map { finishes(sold.id, before: $0.id) } == true)
    let isMoved = finding.hasMoved && mayHaveMoved(to: grant.user, on: account)
    // A receipt names nobody, and a shop without a key cannot ask.
    let isUnseen = !stage.plan.apple.hasKey && sendsReceipts(account)
    if owners.isEmpty || isMoved || isLate || isUnseen, users(of: account).contains(grant.user) {
      if owners.isEmpty { story.see(.claimedOnSharedAccount) }
      return
    }
    story.complain("the period \(sold.id) was ordered by \(owners.map(\.text).sorted()) and is \(grant.user)'s")
  }

  /// Whether a phone was answered about one transaction before any was answered about the other.
  private func finishes(_ id: TransactionIdentifier, before other: TransactionIdentifier) -> Bool {
    guard let first = phones.compactMap({ $0.finished[id] }).min() else { return false }
    return phones.compactMap { $0.finished[other] }.allSatisfy { first < $0 }
  }

  private func note(_ charge: SimulatedCharge, _ finding: Finding) {
    let sold = charge.transaction
    guard sold.reason == .renewal else {
      if sold.id != sold.originalId { story.see(.resubscribed) }
      return
    }
    story.see(.renewed)
    if finding.origins.allSatisfy({ $0 == .notification }) { story.see(.renewedByNotificationAlone) }
    if truth(of: charge).isRecovery { story.see(.billingRecovered) }
  }
}
