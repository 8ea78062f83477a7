import CounterfoilAPI

/// Bounds of the vault, with the reason for each.
enum VaultLimits {
  /// Records of orders: fewer than one submission may name (50), so that every fitting one can be sent along, and
  /// more than two users can keep open at the server (20 each).
  static let ordersMax = 48
  /// Steps of an order's story that its record keeps: more than a purchase has, fewer than would weigh.
  static let stepsMax = 16
  /// Records of an earlier, hand-written client: more than such code was ever seen to keep.
  static let earlierMax = 50
  /// Transactions with their evidence: what does not fit stays in the store's queue, which is where it came from.
  static let transactionsMax = 100
  /// Cleared transactions to remember: more than a queue was ever seen to hold.
  static let clearedMax = 200
  /// The evidence of one transaction.
  static let evidenceBytesMax = ContractLimits.signedDataBytesMax
  /// The id of a transaction, as the server bounds it.
  static let transactionIdentifierBytesMax = 64
  /// One item as it is written: evidence, whose characters JSON may lengthen, and the facts around it.
  static let itemBytesMax = 2 * evidenceBytesMax + (16 << 10)
  /// Names in a vault that are looked at: everything above, and room for what others put there.
  static let namesMax = 1000
}
