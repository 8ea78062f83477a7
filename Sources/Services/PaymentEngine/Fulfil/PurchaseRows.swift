package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// The rows of all ids that are one event with the updated transaction (invariant 2).
package struct PurchaseRows {
  /// The payments that stand for a purchase; mostly one.
  var payments: [PaymentKey: Payment] = [:]
  /// The rows of payments that were never granted and turned out to be duplicates.
  var repeated: [PaymentKey: Payment] = [:]
  var duplicates: [PaymentKey: DuplicateTransaction] = [:]
  /// Refunds of granted payments that were undone.
  private var effectiveRefunds: [PaymentKey: [Range<Timestamp>]] = [:]

  init() {}

  package init(around facts: VerifiedPayment, _ reader: any DatabaseReader) throws {
    let duplicate = try reader.duplicate(facts.key)
    let known = try reader.payment(facts.key)
    let original = duplicate?.original ?? facts.originalKey
    var siblings: [Payment] = []
    // A known payment has duplicates, or stands alone; only a non-consumable may have several purchases.
    if known == nil || duplicate != nil || facts.kind == .nonConsumable {
      siblings = try reader.payments(ofOriginal: original)
      guard !siblings.isEmpty else { return }
    }
    // An id without an environment is stored under the environment that Apple has named since.
    let knownIds = Dictionary(
      try reader.duplicates(ofOriginal: original).filter { $0.key.appEnvironment == original.appEnvironment }.map {
        ($0.key, $0)
      }
    ) { first, _ in first }
    if siblings.isEmpty {
      siblings = knownIds.isEmpty ? [known].compactMap(\.self) : try reader.payments(ofOriginal: original)
    }
    let standing = siblings.filter { knownIds[$0.key] == nil }
    let base: Payment? =
      if let duplicate {
        standing.first { $0.key == duplicate.of }
      } else {
        standing.first { $0.key == facts.key } ?? standing.first { Duplicates.areOneEvent($0.facts, facts) }
      }
    guard let base else { return }
    for payment in standing where payment.key == base.key || Duplicates.areOneEvent(payment.facts, base.facts) {
      payments[payment.key] = payment
    }
    duplicates = knownIds.filter { payments[$0.value.of] != nil }
    for payment in siblings where duplicates[payment.key] != nil { repeated[payment.key] = payment }
    // Only a non-consumable is bought again.
    guard facts.kind == .nonConsumable else { return }
    let reversals = payments.values.map(\.refundReversedAt) + duplicates.values.map(\.refundReversedAt)
    let undone = reversals.compactMap(\.self).max()
    for payment in payments.values where payment.state.wasGranted {
      var refunds = GrantChange.earlierRefunds(in: try reader.changes(of: payment.key))
      // The store signed when the last refund was undone; this server may have learned it later.
      if let last = refunds.last, let undone, last.contains(undone) {
        refunds[refunds.count - 1] = last.lowerBound..<undone
      }
      effectiveRefunds[payment.key] = refunds
    }
  }

  /// The store's statement under each id.
  var statements: [PaymentKey: PurchaseStatement] {
    var statements = payments.mapValues(\.statement)
    for (key, refunds) in effectiveRefunds { statements[key]?.effectiveRefunds = refunds }
    for duplicate in duplicates.values {
      statements[duplicate.key] = duplicate.statement ?? repeated[duplicate.key]?.statement
    }
    return statements
  }

  /// The ids of a payment's purchase that Apple must be asked about.
  package func doubted(of payment: Payment) -> [PaymentKey] {
    let purchases = Duplicates.purchases(Array(statements.values))
    let ids = purchases.first { $0.contains { $0.key == payment.key } } ?? []
    return PurchaseStanding(of: ids, confirmed: payment.confirmedRevocation).doubted
  }
}

/// One of the purchases that the ids of an event form.
struct PurchaseIds {
  /// The store's statement under each of its ids.
  var statements: [PurchaseStatement] = []
  /// Whether it was bought again after a refund, and was not granted as a separate purchase.
  var isBoughtAgain = false
}
