import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Who may own a charge, from the records of the App Store and the phones alone: not from the server's database.
struct ChargeOwnership: Sendable {
  let records: WorldRecords

  /// The sheets that may have produced a charge without a token.
  func sheets(thatMaySell charge: SimulatedCharge) -> [WorldSheet] {
    let sold = charge.transaction
    return records.phones.flatMap(\.sheets).filter { sheet in
      sheet.account == sold.owner.account.text && sheet.product == sold.product && sheet.quantity == sold.quantity
        && sheet.openedAt <= sold.purchaseDate + .seconds(1)
    }
  }

  /// The users who ordered such a product on the Apple account of a charge with a lost or unseen token.
  func buyers(of charge: SimulatedCharge) -> Set<UserIdentifier> {
    sheets(thatMaySell: charge).reduce(into: []) { $0.formUnion($1.users) }
  }

  /// Whether the evidence that the server has seen of a charge names its order. A receipt names no order, and without
  /// a key for Apple's API the server cannot ask. With a key it must have asked.
  func names(_ charge: SimulatedCharge, _ payment: Payment) -> Bool {
    guard records.truth(of: charge).token != nil else { return false }
    guard sendsReceipts(charge.transaction.owner.account.text) else { return true }
    // A payment that was matched before its token was seen keeps its match (docs/specification/invariants.md, 2.5).
    let isUnseen = payment.match?.flags.contains(.tokenUnseen) == true
    guard payment.facts.token == nil || isUnseen else { return true }
    // The server met a further id first. The charge's own id is a duplicate there, and its token named the owner.
    if payment.key.transaction != charge.transaction.id, payment.match?.rule == .exact, !isUnseen { return true }
    // The purchase as which it counts had its owner before, so its token decides nothing and nobody asks for it.
    let isFurther = !records.ids(of: charge).contains(payment.key.transaction)
    if isFurther, let match = payment.match, match.at <= charge.transaction.purchaseDate { return false }
    if records.context.plan.apple.hasKey {
      records.events.reportViolation("\(charge.transaction.id) names its order, and Apple was never asked")
    }
    return false
  }

  /// Whether a user may claim a payment whose token was lost (docs/specification/matching.md, rules 3 and 4). The user
  /// signed in on a device of the Apple account may claim it, unless that device knows the owner. A device knows its
  /// orders as long as it is the account's only one and has never lost its vault.
  func mayClaim(_ user: UserIdentifier, _ sold: SimulatedTransaction) -> Bool {
    let devices = records.phones.filter { $0.plan.account == sold.owner.account.text }
    return devices.contains { $0.users.contains(user) } && (devices.count > 1 || devices[0].plan.losesVault)
  }

  /// Whether any phone of an Apple account sends receipts, which name no user.
  func sendsReceipts(_ account: String) -> Bool {
    records.phones.contains { $0.plan.account == account && $0.plan.sendsReceipts }
  }

  /// Whether a restore may have moved an entitlement of an Apple account to a user: they restored there, and the app's
  /// policy moves entitlements.
  func mayHaveMoved(to user: UserIdentifier, on account: String) -> Bool {
    records.context.plan.aftermath.restore == .transfer
      && records.phones.flatMap(\.restores).contains { $0.account == account && $0.user == user }
  }

  /// Whether each order that may have led to the charge was closed, and its phone was told so. Then the device has
  /// deleted its record (docs/specification/states.md, “The client's record”).
  func isForgotten(_ charge: SimulatedCharge) -> Bool {
    let sheets = sheets(thatMaySell: charge)
    return !sheets.isEmpty
      && sheets.allSatisfy { sheet in
        records.phones.contains { $0.number == sheet.phone && $0.closed.contains(sheet.token) }
      }
  }

  /// Whether a user other than the one who ordered may lawfully get a charge without a token.
  func isOpenToOthers(_ charge: SimulatedCharge) -> Bool {
    let sold = charge.transaction
    return isForgotten(charge) || records.users(of: sold.owner.account.text).contains { mayClaim($0, sold) }
  }
}
