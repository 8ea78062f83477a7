package import PaymentPrimitives

/// The store's statement on a purchase under one of its transaction ids. The newest whole statement counts
/// (docs/specification/invariants.md, 2.8).
package struct PurchaseStatement: Hashable, Sendable {
  /// The newest whole statement; its `revocation` is only what this id says.
  package var facts: VerifiedPayment
  /// When the store signed the newest REFUND_REVERSED under this id.
  package var refundReversedAt: Timestamp?
  /// The refunds that the store reported under this id.
  package var refundHistory: RefundHistory
  /// Whether an operator granted it as a separate purchase.
  package var isOwnPurchase: Bool
  /// Past periods in which all of it was taken back, from the changes of its grant: versions before record 0164 kept
  /// no `refundHistory`.
  package var effectiveRefunds: [Range<Timestamp>] = []

  package init(
    _ facts: VerifiedPayment, refundReversedAt: Timestamp? = nil, refundHistory: RefundHistory = RefundHistory(),
    isOwnPurchase: Bool = false
  ) {
    self.facts = facts
    self.refundReversedAt = refundReversedAt
    self.refundHistory = refundHistory
    self.isOwnPurchase = isOwnPurchase
  }

  package var key: PaymentKey { facts.key }
}

extension VerifiedPayment {
  /// The known facts of an id after an update. Newer whole facts replace the known ones. Other updates fill gaps: a
  /// receipt shows part of a transaction, and an earlier statement may arrive later and show the token.
  ///
  /// - Parameter isWhole: whether the update contains all that the store knows of the transaction.
  package func completed(by update: VerifiedPayment, isWhole: Bool) -> VerifiedPayment {
    let isNewer = update.signedDate > signedDate
    if isWhole, isNewer { return update }
    var facts = self
    facts.token = facts.token ?? update.token
    facts.expiresDate = facts.expiresDate ?? update.expiresDate
    // What an earlier version did not keep, and what a receipt does not state.
    facts.price = facts.price ?? update.price
    facts.storefront = facts.storefront ?? update.storefront
    facts.offer = facts.offer ?? update.offer
    if isNewer, facts.revocation == nil, let revocation = update.revocation {
      facts.revocation = revocation
      facts.signedDate = update.signedDate
    }
    return facts
  }
}

/// What all ids of one purchase together say about revocations.
package struct PurchaseStanding: Hashable, Sendable {
  /// The revocation in effect; nil if nothing is taken back.
  package var revocation: Revocation?
  /// The ids with a revocation that a newer statement under another id does not report. Apple is asked about these.
  ///
  /// While there are any, nothing is given back.
  package var doubted: [PaymentKey]

  /// The combined result of the statements under all ids of one purchase, in any order of arrival.
  ///
  /// - Parameter confirmed: the date of a revocation that an operator confirmed.
  package init(of statements: [PurchaseStatement], confirmed: Timestamp? = nil) {
    let undone = statements.compactMap(\.refundReversedAt).max()
    let telling = statements.filter { statement in
      statement.facts.revocation != nil && undone.map { $0 > statement.facts.signedDate } != true
    }
    let doubted = telling.filter { statement in
      statement.facts.revocation?.date != confirmed && statements.contains { Self.isSilent($0, about: statement) }
    }
    self.doubted = doubted.map(\.key).sorted()
    // While nothing may be given back, the greatest total counts; otherwise the newest statement decides the total.
    let deciding =
      doubted.isEmpty
      ? telling.max { ($0.facts.signedDate, $0.key) < ($1.facts.signedDate, $1.key) }
      : telling.max { Self.rank($0) < Self.rank($1) }
    revocation = deciding?.facts.revocation
  }

  /// Whether a newer statement under another id is signed after a revocation and does not report it.
  private static func isSilent(_ other: PurchaseStatement, about statement: PurchaseStatement) -> Bool {
    guard other.key != statement.key, let revocation = statement.facts.revocation,
      other.facts.signedDate >= statement.facts.signedDate, other.facts.signedDate > revocation.date
    else { return false }
    guard let told = other.facts.revocation else { return true }
    return told.date.seconds < revocation.date.seconds
  }

  /// Order: by total, then by date, so that the newest revocation of the greatest total wins.
  private static func rank(_ statement: PurchaseStatement) -> (Int64, Timestamp, Timestamp, PaymentKey) {
    let (facts, revocation) = (statement.facts, statement.facts.revocation)
    let total = revocation.map { $0.percentage ?? 100_000 } ?? 0
    return (total, revocation?.date ?? facts.signedDate, facts.signedDate, statement.key)
  }
}
