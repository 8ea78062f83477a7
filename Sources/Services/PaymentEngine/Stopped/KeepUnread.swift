import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// A genuine statement of a store that this version cannot read: money depends on a word that it does not know.
package struct UnreadStatement: Sendable {
  /// The name of its row: there is one for each transaction id, however often the store or a phone repeats it.
  package static let name = "unread"

  package let payment: PaymentKey
  /// What is not known, as text for people.
  package let found: String
  package let evidence: String
  package let origin: Evidence.Origin
  package var claim: OwnershipClaim?

  package init(payment: PaymentKey, found: String, evidence: String, origin: Evidence.Origin) {
    (self.payment, self.found, self.evidence, self.origin) = (payment, found, evidence, origin)
  }

  fileprivate var presentation: String? {
    guard origin == .client else { return nil }
    return JSONValue.members([("claim", claim?.json), ("isHeldByClient", .bool(true))]).text
  }
}

extension PaymentEngine {
  /// Keeps a statement that this version cannot read, in the operator's queue. It is tried again from its evidence: a
  /// later version may know the word.
  package func keep(unread statement: UnreadStatement) async throws {
    let isNew = try await transact { try StoppedChanges($0).keep(statement) }
    guard isNew else { return }
    metrics.count(.changesStoppedTotal, [("kind", StoppedChange.Kind.stoppedByEarlierVersion.rawValue)])
    log(
      LogEvent(
        .error, "stopped.unread",
        [("transaction", statement.payment.transaction.text), ("found", statement.found)]))
  }
}

extension StoppedChanges {
  /// - Returns: whether it was not kept before.
  fileprivate func keep(_ statement: UnreadStatement) throws -> Bool {
    let known = try row(UnreadStatement.name, of: statement.payment)
    // A version that runs beside this one must be able to read the row, so its kind is not a new one.
    var row =
      known
      ?? StoppedChange(
        payment: statement.payment, statement: UnreadStatement.name, kind: .stoppedByEarlierVersion,
        found: statement.found, content: "", evidence: statement.evidence, origin: statement.origin,
        at: transaction.now, nextAttemptAt: transaction.now)
    if let presentation = statement.presentation, !row.presentations.contains(presentation),
      row.presentations.count < StoppedChange.presentationsMax
    {
      row.presentations.append(presentation)
    }
    try wait(&row)
    if known == nil {
      try transaction.insert(
        Evidence(
          payment: statement.payment, text: statement.evidence, origin: statement.origin, receivedAt: transaction.now))
    }
    return known == nil
  }
}
