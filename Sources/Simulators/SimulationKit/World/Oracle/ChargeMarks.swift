import AppStoreProtocol
import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Records which coverage marks the charges of a world have reached.
struct ChargeMarks: Sendable {
  let records: WorldRecords
  let repeats: RepeatPurchases

  func note(_ finding: ChargeFinding, _ payment: Payment, charge: SimulatedCharge) {
    if finding.origins.first == .notification, finding.origins.contains(.client) {
      records.events.mark(.notificationFirst)
    }
    if finding.origins.first == .client { records.events.mark(.clientFirst) }
    if finding.origins.count(where: { $0 == .client }) > 1 { records.events.mark(.duplicateSubmission) }
    if records.truths[charge.transaction.id]?.token == nil { records.events.mark(.tokenLost) }
    noteApple(finding, payment, charge: charge)
    switch payment.match?.rule {
    case .exact: records.events.mark(.matchedExact)
    case .presented: records.events.mark(.matchedPresented)
    case .inferred: records.events.mark(.matchedInferred)
    case .derived: records.events.mark(.matchedDerived)
    case .subscription, .operator, nil: break
    }
    if payment.match?.flags.contains(.late) == true { records.events.mark(.paidLate) }
    switch payment.state {
    case .reversed, .reinstated: records.events.mark(.reversed)
    case .revoked: records.events.mark(.revokedBeforeGrant)
    case .verified, .fulfilled, .unclaimed, .held, .setAside, .imported: break
    }
    if payment.state.wasGranted, finding.journal.contains(where: { $0.details.contains("productKindDiffers") }) {
      records.events.mark(.heldForItsKind)
    }
    if payment.state.wasGranted, finding.origins.allSatisfy({ $0 == .notification }) {
      records.events.mark(.grantedWithoutPhone)
    }
  }

  /// Records coverage marks for receipts and queries to Apple.
  private func noteApple(_ finding: ChargeFinding, _ payment: Payment, charge: SimulatedCharge) {
    let truth = records.truth(of: charge)
    let showsReceipt = finding.journal.contains { $0.details.contains(#""receipt":"#) }
    if showsReceipt, finding.origins.first == .storeAnswer { records.events.mark(.receiptCompleted) }
    if payment.match?.flags.contains(.tokenUnseen) == true, payment.state.wasGranted {
      records.events.mark(.receiptAlone)
    }
    if truth.isUntold, !truth.isUnwritten, finding.origins.contains(.notification) {
      records.events.mark(.healedByNotificationHistory)
    }
    if truth.isUntold, finding.origins.allSatisfy({ $0 == .storeAnswer }), !showsReceipt,
      records.isAbandoned(charge.transaction.owner.account.text)
    {
      records.events.mark(.healedByTransactionHistory)
    }
    if truth.isRefundUntold, payment.facts.revocation != nil { records.events.mark(.refundHealed) }
    if finding.journal.contains(where: { $0.what == "payment.finishedHere" }) {
      records.events.mark(.finishedAtApple)
    }
  }

  /// Records coverage marks for optional behaviour of the App Store.
  func noteHabits() {
    let further = records.transactions.filter { $0.repeats != nil }
    let paid = Dictionary(records.transactions.map { ($0.id, $0) }) { first, _ in first }
    if further.contains(where: { $0.purchaseDate == paid[$0.repeats ?? $0.id]?.purchaseDate }) {
      records.events.mark(.restoredUnderFurtherId)
    }
    if records.truths.values.contains(where: \.isToldUnderFurtherId) {
      records.events.mark(.refundUnderFurtherId)
    }
    if records.truths.values.contains(where: { $0.stated.count > $0.dates.count }) {
      records.events.mark(.oneRefundDate)
    }
    let lasting = records.charges.filter { $0.transaction.type == .nonConsumable }
    let kinds = Dictionary(grouping: lasting) { "\($0.transaction.owner.account) \($0.transaction.product)" }
    if kinds.values.contains(where: { $0.count > 1 }) { records.events.mark(.boughtAgain) }
    if lasting.contains(where: { repeats.isUnderOldOriginal($0) }) {
      records.events.mark(.boughtAgainUnderOldOriginal)
    }
  }
}
