package import PaymentPrimitives

/// Which transaction ids are one purchase (docs/specification/invariants.md, 2.2). Pure; the order in which the
/// store's statements arrive does not count.
package enum Duplicates {
  /// Whether two transactions are one event. Both need the same `originalTransactionId` and ownership, no two
  /// different `appTransactionId`s, and the same `webOrderLineItemId`. Without that item id: the same product and the
  /// same purchase date to the second. All ids of a non-consumable are one event.
  package static func areOneEvent(_ one: VerifiedPayment, _ other: VerifiedPayment) -> Bool {
    guard one.key.store == .appStore, one.originalKey == other.originalKey, one.ownership == other.ownership,
      one.kind == other.kind
    else { return false }
    if let account = one.appTransaction, let another = other.appTransaction, account != another { return false }
    switch one.kind {
    case .nonConsumable: return true
    case .autoRenewable, .nonRenewing, .consumable:
      if let item = one.webOrderLineItem, let another = other.webOrderLineItem { return item == another }
      return one.storeProduct == other.storeProduct && one.purchaseDate.seconds == other.purchaseDate.seconds
    }
  }

  /// Groups the ids of one event into purchases, each by purchase date; the earliest purchase comes first.
  ///
  /// Usually there is one. A further purchase begins with an id that an operator granted as a separate purchase. It
  /// also begins with an id that was bought again after a refund: the store took back everything before it, and says
  /// so.
  package static func purchases(_ statements: [PurchaseStatement]) -> [[PurchaseStatement]] {
    let byDate = statements.sorted { ($0.facts.purchaseDate, $0.key) < ($1.facts.purchaseDate, $1.key) }
    var purchases: [[PurchaseStatement]] = []
    for statement in byDate {
      if purchases.isEmpty || statement.isOwnPurchase || wasBoughtAgain(statement, after: purchases) {
        purchases.append([statement])
      } else {
        purchases[purchases.count - 1].append(statement)
      }
    }
    return purchases
  }

  /// Whether an id was bought after the store took back everything before it, and is not taken back itself.
  ///
  /// In all observed cases the store gives such a purchase a new `originalTransactionId`.
  private static func wasBoughtAgain(_ statement: PurchaseStatement, after purchases: [[PurchaseStatement]]) -> Bool {
    guard statement.facts.kind == .nonConsumable, statement.facts.revocation == nil else { return false }
    return purchases.allSatisfy { purchase in
      guard let revocation = PurchaseStanding(of: purchase).revocation else { return false }
      // Stores state revocations to the second: within that second nothing can be bought again.
      let bought = statement.facts.purchaseDate
      if revocation.date.seconds < bought.seconds { return true }
      let refunds = RefundHistory(merging: purchase.map(\.refundHistory)).refunds + purchase.flatMap(\.effectiveRefunds)
      return refunds.contains { $0.lowerBound.seconds < bought.seconds && bought < $0.upperBound }
    }
  }
}
