import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives

/// A page of the postings on a balance, newest first.
package struct EntryPage: Hashable, Sendable {
  /// The present balance; nil if nothing was ever posted.
  package let balance: Balance?
  package let entries: [LedgerEntry]
  /// The number below which the next page starts; nil on the last page.
  package let next: Int64?
}

extension PaymentEngine {
  /// The postings on a user's balance, newest first, each with its cause.
  ///
  /// - Parameter number: only those before it: the `next` of the page before.
  package func readEntries(
    of user: UserIdentifier, unit: UnitName, in appEnvironment: AppEnvironment, before number: Int64?, limit: Int
  ) async throws -> EntryPage {
    try await read { reader in
      let entries = try reader.entries(of: user, unit: unit, in: appEnvironment, before: number, limit: limit)
      return EntryPage(
        balance: try reader.balance(of: user, unit: unit, in: appEnvironment), entries: entries,
        next: entries.count < limit ? nil : entries.last?.number)
    }
  }

  /// The refunded share of what a user bought.
  package func readRefundRatio(of user: UserIdentifier, in appEnvironment: AppEnvironment) async throws -> RefundRatio {
    try await read { try $0.refundRatio(of: user, in: appEnvironment) }
  }
}
