import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// The owner of a charge, only from the records of the App Store and the phones. These checks do not use the server's
// database.

extension WorldOracle {
  /// The transaction ids of one charge: its own, and the further ones.
  func ids(of charge: SimulatedCharge) -> Set<TransactionIdentifier> {
    let id = charge.transaction.id
    return Set(transactions.filter { $0.repeats == id }.map(\.id)).union([id])
  }

  /// The sheets that may have produced a charge without a token.
  private func sheets(thatMaySell charge: SimulatedCharge) -> [WorldSheet] {
    let sold = charge.transaction
    return phones.flatMap(\.sheets).filter { sheet in
      sheet.account == sold.owner.account.text && sheet.product == sold.product && sheet.quantity == sold.quantity
        && sheet.openedAt <= sold.purchaseDate + .seconds(1)
    }
  }

  /// The users who ordered such a product on the Apple account of a charge with a lost or unseen token.
  func buyers(of charge: SimulatedCharge) -> Set<UserIdentifier> {
    sheets(thatMaySell: charge).reduce(into: []) { $0.formUnion($1.users) }
  }

  /// Whether a user may claim a payment whose token was lost (docs/specification/matching.md, rules 3 and 4). The user
  /// signed in on a device of the Apple account may claim it, unless that device knows the owner. A device knows its
  /// orders as long as it is the account's only one and has never lost its vault.
  func mayClaim(_ user: UserIdentifier, _ sold: SimulatedTransaction) -> Bool {
    let devices = phones.filter { $0.plan.account == sold.owner.account.text }
    return devices.contains { $0.plan.users.contains(user) } && (devices.count > 1 || devices[0].plan.losesVault)
  }

  /// Whether any phone of an Apple account sends receipts, which name no user.
  func sendsReceipts(_ account: String) -> Bool {
    phones.contains { $0.plan.account == account && $0.plan.sendsReceipts }
  }

  /// Whether a restore may have moved an entitlement of an Apple account to a user: they restored there, and the app's
  /// policy moves entitlements.
  func mayHaveMoved(to user: UserIdentifier, on account: String) -> Bool {
    context.plan.aftermath.restore == .transfer
      && phones.flatMap(\.restores).contains { $0.account == account && $0.user == user }
  }

  /// Whether each order that may have led to the charge was closed, and its phone was told so. Then the device has
  /// deleted its record (docs/specification/states.md, “The client's record”).
  func isForgotten(_ charge: SimulatedCharge) -> Bool {
    let sheets = sheets(thatMaySell: charge)
    return !sheets.isEmpty
      && sheets.allSatisfy { sheet in phones.contains { $0.number == sheet.phone && $0.closed.contains(sheet.token) } }
  }

  /// Whether a user other than the one who ordered may lawfully get a charge without a token.
  func isOpenToOthers(_ charge: SimulatedCharge) -> Bool {
    let sold = charge.transaction
    return isForgotten(charge) || users(of: sold.owner.account.text).contains { mayClaim($0, sold) }
  }

  // MARK: held payments

  /// Checks a held charge: a purchase that its owner presented correctly and may claim must not stay held
  /// (docs/specification/matching.md, rules 2 to 4).
  func judge(_ charge: SimulatedCharge, isNamed: Bool, heldBecause reason: String) {
    let sold = charge.transaction
    if isBoughtAgainUnderOldOriginal(charge), reason == "boughtAgainAfterRefund" {
      return events.record(
        "oracle", "\(sold.id) was bought again after a refund, and waits for an operator", mark: .held)
    }
    if reason == "productUnknown", !isNamed || isNewToItsLine(sold), !isAlwaysInCatalog(sold.product) {
      return events.record("oracle", "\(sold.id) is in no catalog, and is held", mark: .held)
    }
    if reason == "productUnknown", wasDroppedUnderAWrongKind(sold.product) {
      return events.record(
        "oracle", "\(sold.id) was sold under a wrong kind that was dropped, and is held", mark: .held)
    }
    if reason == "productKindDiffers" {
      return events.reportViolation("\(sold.id) is held for the kind of its product, which was put right")
    }
    guard !isNamed else { return events.reportViolation("\(sold.id) names its order and is held: \(reason)") }
    if let user = onlyClaimant(charge) ?? keeperOfItsOrder(charge) {
      return events.reportViolation(
        "\(sold.id) can belong to \(user) alone, who presented it, and is held: \(reason)")
    }
    events.record("oracle", "\(sold.id) without a token is held: \(reason)", mark: .held)
  }

  /// Whether a renewal is for another product than the order that its token names.
  private func isNewToItsLine(_ sold: SimulatedTransaction) -> Bool {
    guard sold.reason == .renewal, let token = truths[sold.id]?.token else { return false }
    let ordered = phones.flatMap(\.sheets).filter { $0.token.appAccountToken == token }
    return ordered.allSatisfy { $0.product != sold.product }
  }

  /// Whether the catalog once named a wrong kind for the product, and no longer contains it at the end. An order from
  /// that time holds no grantable content.
  private func wasDroppedUnderAWrongKind(_ product: StoreProductIdentifier) -> Bool {
    let versions = context.catalog.versions.map { version in
      version.products.filter { $0.appStoreProducts.contains(product) }
    }
    let kinds = Set(WorldShop.products.filter { $0.appStoreProducts.contains(product) }.map(\.kind))
    return versions.last?.isEmpty == true && versions.joined().contains { !kinds.contains($0.kind) }
  }

  func isAlwaysInCatalog(_ product: StoreProductIdentifier) -> Bool {
    context.catalog.versions.allSatisfy { version in
      version.products.contains { $0.appStoreProducts.contains(product) }
    }
  }

  /// The only user who can own a charge without a token. The Apple account's phones have no other user, and one phone
  /// was opened after all faults ended. The claims stay within the daily limit.
  private func onlyClaimant(_ charge: SimulatedCharge) -> UserIdentifier? {
    let account = charge.transaction.owner.account.text
    let devices = phones.filter { $0.plan.account == account }
    let users = users(of: account)
    guard users.count == 1, devices.contains(where: { !$0.plan.isLost }),
      devices.allSatisfy({ $0.handset.spoiled.isEmpty })
    else { return nil }
    let claims = charges.count {
      $0.transaction.owner == charge.transaction.owner && truths[$0.transaction.id]?.token == nil
    }
    return claims <= 5 ? users.first : nil
  }

  /// The owner of a charge without a token if several users share the Apple account. Only this user ever wanted such a
  /// product, and the phone that showed the sheet still has the record of the order (docs/specification/matching.md,
  /// rule 2).
  private func keeperOfItsOrder(_ charge: SimulatedCharge) -> UserIdentifier? {
    let account = charge.transaction.owner.account.text
    let devices = phones.filter { $0.plan.account == account }
    let wanting = devices.flatMap(\.taps).filter { tap in
      context.catalog.versions.flatMap(\.products).contains {
        $0.id == tap.product && $0.appStoreProducts.contains(charge.transaction.product)
      }
    }
    guard Set(wanting.map(\.user)).count == 1, buyers(of: charge) == Set(wanting.map(\.user)),
      devices.allSatisfy({ !$0.plan.isLost && !$0.plan.losesVault && $0.handset.spoiled.isEmpty }), !isForgotten(charge)
    else { return nil }
    // If another phone of the account finished the transaction first, the phone with the record never saw it.
    let keepers = Set(sheets(thatMaySell: charge).map(\.phone))
    let hasPresented = phones.contains {
      keepers.contains($0.number) && $0.finished[charge.transaction.id] != nil
    }
    return hasPresented ? wanting.first?.user : nil
  }

  // MARK: repeat purchases

  /// Whether a non-consumable was bought again, after a refund, under the original id of its first purchase.
  func isBoughtAgainUnderOldOriginal(_ charge: SimulatedCharge) -> Bool {
    let sold = charge.transaction
    return sold.type == .nonConsumable && sold.originalId != sold.id
  }

  /// Whether a repeat purchase counts as another id of this charge, and was refunded. The server could not know of the
  /// first refund at that time, so a refund under one id also reverses the other.
  func isRefundedUnderAnother(_ charge: SimulatedCharge) async throws -> Bool {
    for other in charges
    where other.transaction.originalId == charge.transaction.originalId && isBoughtAgainUnderOldOriginal(other)
      && other.refundedPercentage > 0
    {
      guard let counted = try await known(other.transaction.id)?.key.transaction else { continue }
      if counted != other.transaction.id, ids(of: charge).contains(counted) { return true }
    }
    return false
  }

  /// Whether a transaction with the same original id was bought in the same second as a reported refund. Stores report
  /// whole seconds only, so the order of the two is unknown.
  func isTiedWithARefund(_ charge: SimulatedCharge) -> Bool {
    let line = transactions.filter { $0.originalId == charge.transaction.originalId }
    let refunds = Set(line.flatMap { truths[$0.id]?.dates ?? [] }.map(\.seconds))
    return charge.transaction.type == .nonConsumable && line.contains { refunds.contains($0.purchaseDate.seconds) }
  }

  /// Checks a charge that the server treats as another one: allowed only if the server cannot know that the other one
  /// was refunded.
  func judge(_ charge: SimulatedCharge, countedAs payment: Payment) {
    let (id, other) = (charge.transaction.id, payment.key.transaction)
    let first = charges.first { self.ids(of: $0).contains(other) }
    if isTiedWithARefund(charge) { return }
    if isBoughtAgainUnderOldOriginal(charge), let first,
      first.refundedPercentage == 0 || !canKnowRefunds(of: first.transaction.id) || charge.refundedPercentage > 0
        // The refund in effect came after both purchases: the App Store no longer reports the earlier refund
        // (docs/specification/invariants.md, 2.7).
        || first.transaction.revocation.map({ $0.date >= charge.transaction.purchaseDate }) == true
    {
      return
    }
    events.reportViolation("\(id) was charged, and counts as \(other)")
  }

  /// Records coverage marks for optional behaviour of the App Store.
  func noteHabits() {
    let further = transactions.filter { $0.repeats != nil }
    let paid = Dictionary(transactions.map { ($0.id, $0) }) { first, _ in first }
    if further.contains(where: { $0.purchaseDate == paid[$0.repeats ?? $0.id]?.purchaseDate }) {
      events.mark(.restoredUnderFurtherId)
    }
    if truths.values.contains(where: \.isToldUnderFurtherId) { events.mark(.refundUnderFurtherId) }
    if truths.values.contains(where: { $0.stated.count > $0.dates.count }) { events.mark(.oneRefundDate) }
    let lasting = charges.filter { $0.transaction.type == .nonConsumable }
    let kinds = Dictionary(grouping: lasting) { "\($0.transaction.owner.account) \($0.transaction.product)" }
    if kinds.values.contains(where: { $0.count > 1 }) { events.mark(.boughtAgain) }
    if lasting.contains(where: isBoughtAgainUnderOldOriginal) { events.mark(.boughtAgainUnderOldOriginal) }
  }
}

extension Payment {
  /// Whether it waits for a decision, so that nothing is due yet.
  var isInQueue: Bool {
    switch state {
    case .held, .unclaimed, .setAside: true
    case .verified, .fulfilled, .revoked, .imported, .reversed, .reinstated: false
    }
  }
}
