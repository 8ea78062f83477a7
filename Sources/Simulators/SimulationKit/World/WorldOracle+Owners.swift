import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// Whose a charge is, by the notes of the App Store and of the phones alone. Nobody asks the server's book here.

extension WorldOracle {
  /// The numbers under which the store knows one charge: its own, and the further ones.
  func ids(of charge: SimulatedCharge) -> Set<TransactionIdentifier> {
    let id = charge.transaction.id
    return Set(transactions.filter { $0.repeats == id }.map(\.id)).union([id])
  }

  /// The sheets out of which a charge without a token may have come.
  private func sheets(thatMaySell charge: SimulatedCharge) -> [WorldSheet] {
    let sold = charge.transaction
    return phones.flatMap(\.sheets).filter { sheet in
      sheet.account == sold.owner.account.text && sheet.product == sold.product && sheet.quantity == sold.quantity
        && sheet.openedAt <= sold.purchaseDate + .seconds(1)
    }
  }

  /// Who ordered such a thing on the Apple account of a charge whose token was lost or unseen.
  func buyers(of charge: SimulatedCharge) -> Set<UserIdentifier> {
    sheets(thatMaySell: charge).reduce(into: []) { $0.formUnion($1.users) }
  }

  /// If a token was lost, the user who is signed in on a device of the Apple account may claim the payment
  /// (docs/specification/matching.md, rules 3 and 4), unless that device knows better. A device knows better as long as
  /// it is the account's only one and has never lost its vault.
  func mayClaim(_ user: UserIdentifier, _ sold: SimulatedTransaction) -> Bool {
    let devices = phones.filter { $0.plan.account == sold.owner.account.text }
    return devices.contains { $0.plan.users.contains(user) } && (devices.count > 1 || devices[0].plan.losesVault)
  }

  /// Whether some phone of an Apple account shows receipts, which name nobody.
  func sendsReceipts(_ account: String) -> Bool {
    phones.contains { $0.plan.account == account && $0.plan.sendsReceipts }
  }

  /// Whether a restore may have moved a right of an Apple account to a user: they tapped it there, and the shop moves
  /// rights.
  func mayHaveMoved(to user: UserIdentifier, on account: String) -> Bool {
    stage.plan.aftermath.restore == .transfer
      && phones.flatMap(\.restores).contains { $0.account == account && $0.user == user }
  }

  /// Whether each order out of which the charge may have come was closed, and its phone was told so: then the device
  /// has let go of its record, and knows no better (docs/specification/states.md, “The client's record”).
  func isForgotten(_ charge: SimulatedCharge) -> Bool {
    let sheets = sheets(thatMaySell: charge)
    return !sheets.isEmpty
      && sheets.allSatisfy { sheet in phones.contains { $0.number == sheet.phone && $0.closed.contains(sheet.token) } }
  }

  /// Whether somebody else than who ordered it may lawfully have a charge that names nobody.
  func isOpenToOthers(_ charge: SimulatedCharge) -> Bool {
    let sold = charge.transaction
    return isForgotten(charge) || users(of: sold.owner.account.text).contains { mayClaim($0, sold) }
  }

  // MARK: what is held

  /// A purchase that its owner presented rightly, where they may claim it (docs/specification/matching.md, rules 2 to
  /// 4), may not stay with the operator.
  func judge(_ charge: SimulatedCharge, isNamed: Bool, heldBecause reason: String) {
    let sold = charge.transaction
    if isBoughtAgainUnderOldOriginal(charge), reason == "boughtAgainAfterRefund" {
      return story.tell("oracle", "\(sold.id) was bought again after a refund, and waits for an operator", .held)
    }
    if reason == "productUnknown", !isNamed || isNewToItsLine(sold), !isAlwaysInCatalog(sold.product) {
      return story.tell("oracle", "\(sold.id) is in no catalog, and is held", .held)
    }
    if reason == "productUnknown", wasDroppedUnderAWrongKind(sold.product) {
      return story.tell("oracle", "\(sold.id) was sold under a wrong kind that was dropped, and is held", .held)
    }
    if reason == "productKindDiffers" {
      return story.complain("\(sold.id) is held for the kind of its product, which was put right")
    }
    guard !isNamed else { return story.complain("\(sold.id) names its order and is held: \(reason)") }
    if let user = onlyClaimant(charge) ?? keeperOfItsOrder(charge) {
      return story.complain("\(sold.id) can be nobody's but \(user)'s, who presented it, and is held: \(reason)")
    }
    story.tell("oracle", "\(sold.id) without a token is held: \(reason)", .held)
  }

  /// Whether it renews, as another product, what was ordered: the order that its token names promises another product.
  private func isNewToItsLine(_ sold: SimulatedTransaction) -> Bool {
    guard sold.reason == .renewal, let token = truths[sold.id]?.token else { return false }
    let ordered = phones.flatMap(\.sheets).filter { $0.token.appAccountToken == token }
    return ordered.allSatisfy { $0.product != sold.product }
  }

  /// Whether the catalog named a wrong kind for it once, and ends without it: an order from that time says nothing that
  /// can be granted.
  private func wasDroppedUnderAWrongKind(_ product: StoreProductIdentifier) -> Bool {
    let versions = stage.catalog.versions.map { version in
      version.products.filter { $0.appStoreProducts.contains(product) }
    }
    let kinds = Set(WorldShop.products.filter { $0.appStoreProducts.contains(product) }.map(\.kind))
    return versions.last?.isEmpty == true && versions.joined().contains { !kinds.contains($0.kind) }
  }

  func isAlwaysInCatalog(_ product: StoreProductIdentifier) -> Bool {
    stage.catalog.versions.allSatisfy { version in
      version.products.contains { $0.appStoreProducts.contains(product) }
    }
  }

  /// Whose a charge without a token must be: the only user of its Apple account's phones, of which one was opened after
  /// everything had healed, and who made no more claims than a day allows.
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

  /// Whose a charge without a token must be where several users share the Apple account: nobody else of them ever
  /// wanted such a thing, and the phone that showed the sheet still has the record of the order
  /// (docs/specification/matching.md, rule 2).
  private func keeperOfItsOrder(_ charge: SimulatedCharge) -> UserIdentifier? {
    let account = charge.transaction.owner.account.text
    let devices = phones.filter { $0.plan.account == account }
    let wanting = devices.flatMap(\.taps).filter { tap in
      stage.catalog.versions.flatMap(\.products).contains {
        $0.id == tap.product && $0.appStoreProducts.contains(charge.transaction.product)
      }
    }
    guard Set(wanting.map(\.user)).count == 1, buyers(of: charge) == Set(wanting.map(\.user)),
      devices.allSatisfy({ !$0.plan.isLost && !$0.plan.losesVault && $0.handset.spoiled.isEmpty }), !isForgotten(charge)
    else { return nil }
    return wanting.first?.user
  }

  // MARK: what was bought again

  /// Whether something that lasts was bought again, after a refund, under the original id of its first purchase.
  func isBoughtAgainUnderOldOriginal(_ charge: SimulatedCharge) -> Bool {
    let sold = charge.transaction
    return sold.type == .nonConsumable && sold.originalId != sold.id
  }

  /// Whether what was bought again counts as another id of a charge, and was refunded: nobody can have told the server
  /// that the first one had been taken back at that time, so a refund under one id takes the other.
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

  /// Whether an id of its line was bought in the very second for which the store told a refund: stores state no smaller
  /// unit, so nobody can tell which came first.
  func isTiedWithARefund(_ charge: SimulatedCharge) -> Bool {
    let line = transactions.filter { $0.originalId == charge.transaction.originalId }
    let refunds = Set(line.flatMap { truths[$0.id]?.dates ?? [] }.map(\.seconds))
    return charge.transaction.type == .nonConsumable && line.contains { refunds.contains($0.purchaseDate.seconds) }
  }

  /// A charge that the server takes for another one: only where it cannot know that the other one was refunded.
  func judge(_ charge: SimulatedCharge, countedAs payment: Payment) {
    let (id, other) = (charge.transaction.id, payment.key.transaction)
    let first = charges.first { self.ids(of: $0).contains(other) }
    if isTiedWithARefund(charge) { return }
    if isBoughtAgainUnderOldOriginal(charge), let first,
      first.refundedPercentage == 0 || !canKnowRefunds(of: first.transaction.id) || charge.refundedPercentage > 0
        // The refund that is in effect came after both: the store says no more that there was one before
        // (docs/specification/invariants.md, 2.7).
        || first.transaction.revocation.map({ $0.date >= charge.transaction.purchaseDate }) == true
    {
      return
    }
    story.complain("\(id) was charged, and counts as \(other)")
  }

  /// What the store has done that it need not do.
  func noteHabits() {
    let further = transactions.filter { $0.repeats != nil }
    let paid = Dictionary(transactions.map { ($0.id, $0) }) { first, _ in first }
    if further.contains(where: { $0.purchaseDate == paid[$0.repeats ?? $0.id]?.purchaseDate }) {
      story.see(.restoredUnderFurtherId)
    }
    if truths.values.contains(where: \.isToldUnderFurtherId) { story.see(.refundUnderFurtherId) }
    if truths.values.contains(where: { $0.stated.count > $0.dates.count }) { story.see(.oneRefundDate) }
    let lasting = charges.filter { $0.transaction.type == .nonConsumable }
    let kinds = Dictionary(grouping: lasting) { "\($0.transaction.owner.account) \($0.transaction.product)" }
    if kinds.values.contains(where: { $0.count > 1 }) { story.see(.boughtAgain) }
    if lasting.contains(where: isBoughtAgainUnderOldOriginal) { story.see(.boughtAgainUnderOldOriginal) }
  }
}

extension Payment {
  /// Whether it waits for somebody, so that nothing of it is due.
  var isInQueue: Bool {
    switch state {
    case .held, .unclaimed, .setAside: true
    case .verified, .fulfilled, .revoked, .imported, .reversed, .reinstated: false
    }
  }
}
