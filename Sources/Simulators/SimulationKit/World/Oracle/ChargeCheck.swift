import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks that each charge of the App Store is granted once, as it was sold, to a user who may own it.
struct ChargeCheck: WorldCheck {
  let records: WorldRecords
  let ownership: ChargeOwnership
  let repeats: RepeatPurchases
  let promises: PromisedProducts
  let periods: PeriodOwnerCheck
  let held: HeldChargeCheck
  let operatorGrants: OperatorGrantCheck
  let marks: ChargeMarks

  func run() async throws {
    let reached = try await reachedAccounts()
    for charge in records.charges {
      let finding = try await finding(of: charge)
      check(charge, finding, reached: reached)
      operatorGrants.check(charge, finding)
    }
  }

  /// Apple accounts with at least one known payment.
  private func reachedAccounts() async throws -> Set<String> {
    var accounts: Set<String> = []
    for charge in records.charges where try await records.payment(for: charge.transaction.id) != nil {
      accounts.insert(charge.transaction.owner.account.text)
    }
    return accounts
  }

  /// Whether the server cannot learn of a charge: its phones are lost, its notification was never sent, and its
  /// account is otherwise unknown.
  private func isBeyondReach(_ charge: SimulatedCharge, _ reached: Set<String>) -> Bool {
    let account = charge.transaction.owner.account.text
    return records.truth(of: charge).isUnwritten && !reached.contains(account) && records.isAbandoned(account)
  }

  private func finding(of charge: SimulatedCharge) async throws -> ChargeFinding {
    try await database.read { database in
      var finding = ChargeFinding()
      finding.payment = try records.payment(of: charge, database)
      guard let payment = finding.payment else { return finding }
      finding.grant = try database.grant(payment.key)
      finding.hasMoved =
        try database.changes(of: payment.key).contains { $0.kind == .transfer }
        || database.subscription(payment.facts.originalKey)?.transfer != nil
      finding.origins = try database.evidence(of: payment.key).map(\.origin)
      finding.journal = try database.journal(of: payment.key)
      return finding
    }
  }

  private func check(_ charge: SimulatedCharge, _ finding: ChargeFinding, reached: Set<String>) {
    let (id, account) = (charge.transaction.id, charge.transaction.owner.account.text)
    guard let payment = finding.payment else {
      if !isBeyondReach(charge, reached) { events.reportViolation("the charge \(id) is unknown to the server") }
      return
    }
    marks.note(finding, payment, charge: charge)
    guard records.ids(of: charge).contains(payment.key.transaction) else { return check(charge, countedAs: payment) }
    let isNamed = ownership.names(charge, payment)
    switch payment.state {
    case .fulfilled, .reversed, .reinstated: checkGrant(charge, finding, payment: payment)
    case .revoked:
      if charge.refundedPercentage == 0, records.canKnowRefunds(of: id) {
        events.reportViolation("\(id) counts as taken back, and is not")
      }
    case .held(let reason): held.check(charge, isNamed: isNamed, because: "\(reason)")
    case .unclaimed:
      if isNamed || records.phones.contains(where: { $0.plan.account == account && !$0.plan.isLost }) {
        events.reportViolation("\(id) belongs to no user, although its owner presented it")
      }
    case .verified, .setAside, .imported: events.reportViolation("\(id) came to rest as \(payment.state.name)")
    }
  }

  private func checkGrant(_ charge: SimulatedCharge, _ finding: ChargeFinding, payment: Payment) {
    let sold = charge.transaction
    guard let grant = finding.grant else {
      return events.reportViolation("\(sold.id) is \(payment.state.name) without a grant")
    }
    let promises = promises.products(for: charge).compactMap { $0.grant.content(of: payment.facts) }
    if !promises.contains(grant.content) || payment.facts.quantity != sold.quantity {
      events.reportViolation("\(sold.id) granted \(grant.content), and was sold for \(promises)")
    }
    guard sold.period == nil else { return periods.check(charge, finding, payment: payment, grant: grant) }
    let isNamed = ownership.names(charge, payment)
    var owners = isNamed ? records.sheetUsers(records.truths[sold.id]?.token) : ownership.buyers(of: charge)
    if finding.hasMoved, ownership.mayHaveMoved(to: grant.user, on: sold.owner.account.text) {
      owners.insert(grant.user)
    }
    guard !owners.contains(grant.user) else { return }
    // An operator may name any user they believe. Whoever was merged or erased since then has another name.
    let claimants = records.ids(of: charge).compactMap { context.operatorBook.user(of: $0) }
    guard !claimants.contains(where: { context.merges.present($0) == grant.user }) else { return }
    // A further id with the token of another order became known first; the first id's token came too late.
    if payment.key.transaction != sold.id, finding.journal.contains(where: { $0.what == "payment.ownerLearnedLate" }),
      let further = records.transactions.first(where: { $0.id == payment.key.transaction })?.appAccountToken,
      records.sheetUsers(further.text).contains(grant.user)
    {
      return
    }
    let isOnAccount = records.users(of: sold.owner.account.text).contains(grant.user)
    if !isNamed, ownership.mayClaim(grant.user, sold) || ownership.isForgotten(charge) && isOnAccount {
      events.record("oracle", "\(sold.id) without a token: \(grant.user) claimed it", mark: .claimedOnSharedAccount)
    } else {
      events.reportViolation("\(sold.id) was ordered by \(owners.map(\.text).sorted()) and granted to \(grant.user)")
    }
  }

  /// Checks a charge that the server treats as another one: allowed only if the server cannot know that the other one
  /// was refunded.
  private func check(_ charge: SimulatedCharge, countedAs payment: Payment) {
    let (id, other) = (charge.transaction.id, payment.key.transaction)
    if repeats.isTiedWithARefund(charge) { return }
    // Whichever of the two became known first, the other one is an id of it.
    if let counted = records.charges.first(where: { records.ids(of: $0).contains(other) }),
      let (first, again) = repeats.pair(charge, counted),
      first.refundedPercentage == 0 || !records.canKnowRefunds(of: first.transaction.id)
        || again.refundedPercentage > 0
        // The refund in effect came after both purchases: the App Store no longer reports the earlier refund
        // (docs/specification/invariants.md, 2.7).
        || first.transaction.revocation.map({ $0.date >= again.transaction.purchaseDate }) == true
    {
      return
    }
    events.reportViolation("\(id) was charged, and counts as \(other)")
  }
}
