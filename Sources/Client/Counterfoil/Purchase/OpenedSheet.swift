import PaymentPrimitives

/// A payment sheet that opened in this run; a transaction that appears now may belong to it.
struct OpenedSheet: Sendable {
  let record: RecordIdentifier
  let order: PlacedOrder
  let quantity: Int
  /// Transactions known before it opened; they are not its payment.
  let known: Set<TransactionKey>
  /// Whether the store has reported a failure of it.
  var hasFailed = false

  /// The largest difference between server and store clocks (docs/specification/matching.md, “Words”).
  private static let clockAllowance = TimeSpan.minutes(5)

  /// Whether this sheet may have sold a transaction.
  func maySell(_ transaction: StoreTransaction) -> Bool {
    if let token = transaction.token { return token == order.id }
    if let key = TransactionKey(transaction), known.contains(key) { return false }
    if let date = transaction.purchaseDate, date < order.createdAt - Self.clockAllowance {
      return false
    }
    // A renewal or a family share does not come from a tap.
    guard !transaction.isRenewal, !transaction.isFamilyShared else { return false }
    return order.isSold(as: transaction.product) && transaction.quantity == quantity
  }

  /// Whether the store has answered this sheet with an earlier sale.
  func isAnswered(byEarlier transaction: StoreTransaction) -> Bool {
    guard transaction.answers == order.id else { return false }
    if let key = TransactionKey(transaction), known.contains(key) { return true }
    if let token = transaction.token, token != order.id { return true }
    // A payment is never older than its order, whatever the queue says. Both dates come from servers.
    return transaction.purchaseDate.map { $0 < order.createdAt - Self.clockAllowance } ?? false
  }

  /// Whether a transaction plainly belongs to this sheet, so that the server may be told across users (`sameRun`).
  ///
  /// Within one run a payment keeps its token. The exception: the store showed its own screens, reported a failure,
  /// and sold afterwards (S4). So a charge without a token beside a sheet without a failure is an earlier one, perhaps
  /// another user's.
  func plainlySold(_ transaction: StoreTransaction) -> Bool {
    maySell(transaction) && (transaction.token != nil || hasFailed)
  }
}
