import CounterfoilAPI

/// Bounds of the vault, with the reason for each.
enum VaultLimits {
  /// Records of orders. Fewer than one submission may name (50), so that every matching one can be sent along. More
  /// than two users can keep open at the server (20 each).
  static let ordersMax = 48
  /// Steps in the trace of an order that its record keeps: more than a purchase has, few enough to stay small.
  static let stepsMax = 16
  /// Records of an earlier, hand-written client: more than such code is known to keep.
  static let earlierMax = 50
  /// Transactions with their evidence: the rest stays in the store's queue, where it came from.
  static let transactionsMax = 100
  /// Cleared transactions to remember: more than a queue is known to hold.
  static let clearedMax = 200
  /// The evidence of one transaction, in bytes.
  static let evidenceBytesMax = ContractLimits.signedDataBytesMax
  /// The id of a transaction in bytes, with the server's limit.
  static let transactionIdentifierBytesMax = 64
  /// One stored item in bytes: evidence, which JSON escapes may lengthen, and the facts around it.
  static let itemBytesMax = 2 * evidenceBytesMax + (16 << 10)
  /// Names in a vault that are examined: everything above, and room for items of others.
  static let namesMax = 1000
}
