import AppStoreProtocol
import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Checks the owners of subscription periods.
struct PeriodOwnerCheck: Sendable {
  let records: WorldRecords
  let ownership: ChargeOwnership

  /// Checks the owner of a period: the user named by the subscription's latest token at that time. Without a token,
  /// any user of the Apple account may have claimed it.
  func check(_ charge: SimulatedCharge, _ finding: ChargeFinding, payment: Payment, grant: Grant) {
    let sold = charge.transaction
    let named = records.charges.map(\.transaction).filter {
      $0.originalId == sold.originalId && records.truths[$0.id]?.token != nil
        && ($0.purchaseDate, $0.id) <= (sold.purchaseDate, sold.id)
    }
    let latest = named.max { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) }
    let owners = records.sheetUsers(latest.flatMap { records.truths[$0.id]?.token })
    note(charge, finding)
    guard !owners.contains(grant.user) else { return }
    let account = sold.owner.account.text
    // A token is too late if it came under a further id, after a receipt, or after the answer about this period.
    let isLate =
      finding.journal.contains { $0.what == "payment.ownerLearnedLate" }
      && (ownership.sendsReceipts(account)
        || records.transactions.contains { $0.originalId == sold.originalId && $0.repeats != nil }
        || latest.map { finishes(sold.id, before: $0.id) } == true)
    let isMoved = finding.hasMoved && ownership.mayHaveMoved(to: grant.user, on: account)
    // A receipt names no user, and without a key the server cannot ask Apple.
    let isUnseen = !records.context.plan.apple.hasKey && ownership.sendsReceipts(account)
    if owners.isEmpty || isMoved || isLate || isUnseen, records.users(of: account).contains(grant.user) {
      if owners.isEmpty { records.events.mark(.claimedOnSharedAccount) }
      return
    }
    records.events.reportViolation(
      "the period \(sold.id) was ordered by \(owners.map(\.text).sorted()) and is \(grant.user)'s")
  }

  /// Whether a phone was answered about one transaction before any phone was answered about the other.
  private func finishes(_ id: TransactionIdentifier, before other: TransactionIdentifier) -> Bool {
    guard let first = records.phones.compactMap({ $0.finished[id] }).min() else { return false }
    return records.phones.compactMap { $0.finished[other] }.allSatisfy { first < $0 }
  }

  private func note(_ charge: SimulatedCharge, _ finding: ChargeFinding) {
    let sold = charge.transaction
    guard sold.reason == .renewal else {
      if sold.id != sold.originalId { records.events.mark(.resubscribed) }
      return
    }
    records.events.mark(.renewed)
    if finding.origins.allSatisfy({ $0 == .notification }) { records.events.mark(.renewedByNotificationAlone) }
    if records.truth(of: charge).isRecovery { records.events.mark(.billingRecovered) }
  }
}
