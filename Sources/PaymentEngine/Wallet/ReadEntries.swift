public import PaymentModel
import PaymentStore
public import PaymentVocabulary

/// A page of the postings on a balance, newest first.
public struct EntryPage: Hashable, Sendable {
  /// The balance as it is now; nil where nothing was ever posted.
  public let balance: Balance?
  /// The postings.
  public let entries: [LedgerEntry]
  /// The number to go on below; nil on the last page.
  public let next: Int64?
}

extension PaymentEngine {
  /// The postings on a user's balance, newest first, each with what caused it.
  ///
  /// - Parameter number: only those before it: the `next` of the page before.
  public func readEntries(
    of user: UserIdentifier, unit: UnitName, in realm: Realm, before number: Int64?, limit: Int
  ) async throws -> EntryPage {
    try await read { store in
      let entries = try store.entries(of: user, unit: unit, in: realm, before: number, limit: limit)
      return EntryPage(
        balance: try store.balance(of: user, unit: unit, in: realm), entries: entries,
        next: entries.count < limit ? nil : entries.last?.number)
    }
  }

  /// How much of what a user bought was refunded.
  public func readRefundRatio(of user: UserIdentifier, in realm: Realm) async throws -> RefundRatio {
    try await read { try $0.refundRatio(of: user, in: realm) }
  }
}
