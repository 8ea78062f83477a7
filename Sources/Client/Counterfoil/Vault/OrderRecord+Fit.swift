import CounterfoilAPI
import PaymentPrimitives

extension OrderRecord {
  /// The same window as the server's (docs/specification/matching.md, “Words”), by the clocks of server and store; the
  /// device's own clock is not used.
  private static let clockAllowance = TimeSpan.minutes(5)
  private static let orderLifetime = TimeSpan.days(30)

  /// Whether a transaction may be the payment of this order, and the order is sent as a candidate. The server decides.
  ///
  /// Not a candidate: an order without an opened sheet, an order that another transaction pays, an order that is
  /// owned.
  func mayBePaid(by transaction: StoreTransaction) -> Bool {
    guard case .placed(let order, let phase) = state else { return false }
    switch phase {
    case .created:
      // A token proves that this sheet was open, even if the vault lost its record.
      return transaction.token == order.id
    case .owned:
      return false
    case .paid(let other) where other != transaction.id:
      return false
    case .paying, .failedOnce, .deferred, .setAside, .paid:
      return transaction.token == order.id || isSamePurchase(transaction)
    }
  }

  /// Whether a receipt may show its payment: a receipt shows all purchases, not just the one that it is sent for.
  var mayBePaidInReceipt: Bool {
    guard case .placed(_, let phase) = state else { return false }
    switch phase {
    case .created, .owned: return false
    case .paying, .failedOnce, .deferred, .setAside, .paid: return true
    }
  }

  /// Whether the queue still holds something that could concern this record; then it must stay.
  func isConcerned(by transaction: StoreTransaction) -> Bool {
    guard case .placed(let order, let phase) = state else { return false }
    return transaction.token == order.id || (phase != .created && isSamePurchase(transaction))
  }

  private func isSamePurchase(_ transaction: StoreTransaction) -> Bool {
    guard !transaction.isRenewal, !transaction.isFamilyShared, let order, order.isSold(as: transaction.product),
      transaction.quantity == request.quantity
    else { return false }
    guard let purchaseDate = transaction.purchaseDate else { return true }
    return purchaseDate >= order.createdAt - Self.clockAllowance
      && purchaseDate <= order.createdAt + Self.orderLifetime
  }
}
