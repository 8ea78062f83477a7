import AppStoreProtocol
import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Checks the charges that the server holds.
struct HeldChargeCheck: Sendable {
  let records: WorldRecords
  let ownership: ChargeOwnership
  let repeats: RepeatPurchases
  let promises: PromisedProducts

  /// Checks a held charge: a purchase that its owner presented correctly and may claim must not stay held
  /// (docs/specification/matching.md, rules 2 to 4).
  func check(_ charge: SimulatedCharge, isNamed: Bool, because reason: String) {
    let sold = charge.transaction
    if repeats.isUnderOldOriginal(charge), reason == "boughtAgainAfterRefund" {
      return records.events.record(
        "oracle", "\(sold.id) was bought again after a refund, and waits for an operator", mark: .held)
    }
    if reason == "productUnknown", !isNamed || isNewToItsLine(sold), !promises.isAlwaysInCatalog(sold.product) {
      return records.events.record("oracle", "\(sold.id) is in no catalog, and is held", mark: .held)
    }
    if reason == "productUnknown", promises.wasDroppedUnderAWrongKind(sold.product) {
      return records.events.record(
        "oracle", "\(sold.id) was sold under a wrong kind that was dropped, and is held", mark: .held)
    }
    if reason == "productKindDiffers" {
      return records.events.reportViolation(
        "\(sold.id) is held for the kind of its product, which was put right")
    }
    guard !isNamed else {
      return records.events.reportViolation("\(sold.id) names its order and is held: \(reason)")
    }
    if let user = onlyClaimant(charge) ?? keeperOfItsOrder(charge) {
      return records.events.reportViolation(
        "\(sold.id) can belong to \(user) alone, who presented it, and is held: \(reason)")
    }
    records.events.record("oracle", "\(sold.id) without a token is held: \(reason)", mark: .held)
  }

  /// Whether a renewal is for another product than the order that its token names.
  private func isNewToItsLine(_ sold: SimulatedTransaction) -> Bool {
    guard sold.reason == .renewal, let token = records.truths[sold.id]?.token else { return false }
    let ordered = records.phones.flatMap(\.sheets).filter { $0.token.appAccountToken == token }
    return ordered.allSatisfy { $0.product != sold.product }
  }

  /// The only user who can own a charge without a token. The Apple account's phones have no other user, and one phone
  /// was opened after all faults ended. The claims stay within the daily limit.
  private func onlyClaimant(_ charge: SimulatedCharge) -> UserIdentifier? {
    let account = charge.transaction.owner.account.text
    let devices = records.phones.filter { $0.plan.account == account }
    let users = records.users(of: account)
    // What was held before a merge is decided anew when it is presented again, or by an operator.
    guard records.context.merges.isEmpty, users.count == 1, devices.contains(where: { !$0.plan.isLost }),
      devices.allSatisfy({ $0.handset.spoiled.isEmpty })
    else { return nil }
    let claims = records.charges.count {
      $0.transaction.owner == charge.transaction.owner && records.truths[$0.transaction.id]?.token == nil
    }
    return claims <= 5 ? users.first : nil
  }

  /// The owner of a charge without a token if several users share the Apple account. Only this user ever wanted such a
  /// product, and the phone that showed the sheet still has the record of the order (docs/specification/matching.md,
  /// rule 2).
  private func keeperOfItsOrder(_ charge: SimulatedCharge) -> UserIdentifier? {
    let account = charge.transaction.owner.account.text
    let devices = records.phones.filter { $0.plan.account == account }
    let wanting = devices.flatMap(\.taps).filter { tap in
      records.context.catalog.versions.flatMap(\.products).contains {
        $0.id == tap.product && $0.appStoreProducts.contains(charge.transaction.product)
      }
    }
    guard records.context.merges.isEmpty, Set(wanting.map(\.user)).count == 1,
      ownership.buyers(of: charge) == Set(wanting.map(\.user)),
      devices.allSatisfy({ !$0.plan.isLost && !$0.plan.losesVault && $0.handset.spoiled.isEmpty }),
      !ownership.isForgotten(charge)
    else { return nil }
    // If another phone of the account finished the transaction first, the phone with the record never saw it.
    let keepers = Set(ownership.sheets(thatMaySell: charge).map(\.phone))
    let hasPresented = records.phones.contains {
      keepers.contains($0.number) && $0.finished[charge.transaction.id] != nil
    }
    return hasPresented ? wanting.first?.user : nil
  }
}
