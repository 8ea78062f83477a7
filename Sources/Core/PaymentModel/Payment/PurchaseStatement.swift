package import PaymentPrimitives

/// What the store says of a purchase under one of its transaction ids: the newest whole statement counts
/// (docs/specification/invariants.md, 2.8).
package struct PurchaseStatement: Hashable, Sendable {
  /// The newest whole statement; its `revocation` is what this id says, and no other.
  package var facts: VerifiedPayment
  /// When the store signed the newest REFUND_REVERSED under this id.
  package var refundReversedAt: Timestamp?
  /// What the store told of refunds under this id.
  package var refundHistory: RefundHistory
  /// Whether an operator has granted it as a purchase of its own.
  package var isOwnPurchase: Bool
  /// Earlier times during which all of it was taken back, as the changes of its grant show them: versions before
  /// record 0164 kept no `refundHistory`.
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

  /// Earlier times during which all of it was taken back: a newer statement tells of them no more.
  package var earlierRefunds: [Range<Timestamp>] { refundHistory.refunds + effectiveRefunds }
}

extension VerifiedPayment {
  /// What is known of an id after further news of it. Newer whole facts replace what is known. Everything else
  /// completes it: a receipt shows part of a transaction, and an earlier statement may come later and show the token.
  ///
  /// - Parameter isWhole: whether the news state all that the store knows of the transaction.
  package func completed(by news: VerifiedPayment, isWhole: Bool) -> VerifiedPayment {
    let isNewer = news.signedDate > signedDate
    if isWhole, isNewer { return news }
    var facts = self
    facts.token = facts.token ?? news.token
    facts.expiresDate = facts.expiresDate ?? news.expiresDate
    if isNewer, facts.revocation == nil, let revocation = news.revocation {
      facts.revocation = revocation
      facts.signedDate = news.signedDate
    }
    return facts
  }
}

/// What all ids of one purchase say together of what the store took back.
package struct PurchaseStanding: Hashable, Sendable {
  /// The revocation that is in effect; nil where nothing is taken back.
  package var revocation: Revocation?
  /// The ids whose revocation a newer statement under another id does not tell. Apple is asked about these.
  ///
  /// Nothing is given back while there are any.
  package var doubted: [PaymentKey]

  /// What the statements under all ids of one purchase come to, in whatever order they arrived.
  ///
  /// - Parameter confirmed: the date of a revocation that an operator has decided to stand.
  package init(of statements: [PurchaseStatement], confirmed: Timestamp? = nil) {
    let undone = statements.compactMap(\.refundReversedAt).max()
    let telling = statements.filter { statement in
      statement.facts.revocation != nil && undone.map { $0 > statement.facts.signedDate } != true
    }
    let doubted = telling.filter { statement in
      statement.facts.revocation?.date != confirmed && statements.contains { Self.isSilent($0, about: statement) }
    }
    self.doubted = doubted.map(\.key).sorted()
    // While nothing is given back, the greatest total stands; else the newest statement says how much.
    let deciding =
      doubted.isEmpty
      ? telling.max { ($0.facts.signedDate, $0.key) < ($1.facts.signedDate, $1.key) }
      : telling.max { Self.rank($0) < Self.rank($1) }
    revocation = deciding?.facts.revocation
  }

  /// Whether a newer statement under another id, signed after a revocation, does not tell it.
  private static func isSilent(_ other: PurchaseStatement, about statement: PurchaseStatement) -> Bool {
    guard other.key != statement.key, let revocation = statement.facts.revocation,
      other.facts.signedDate >= statement.facts.signedDate, other.facts.signedDate > revocation.date
    else { return false }
    guard let told = other.facts.revocation else { return true }
    return told.date.seconds < revocation.date.seconds
  }

  /// By the total, then by the date: the newest revocation of those that take as much.
  private static func rank(_ statement: PurchaseStatement) -> (Int64, Timestamp, Timestamp, PaymentKey) {
    let (facts, revocation) = (statement.facts, statement.facts.revocation)
    let total = revocation.map { $0.percentage ?? 100_000 } ?? 0
    return (total, revocation?.date ?? facts.signedDate, facts.signedDate, statement.key)
  }
}
