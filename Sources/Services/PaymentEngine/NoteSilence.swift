import PaymentModel
import PaymentDatabase
import PaymentPrimitives

// While a store is asked about a payment and does not answer, the order shows `pending`. So a reader learns that a
// payment may be in progress. An earlier verdict stays.
extension PaymentEngine {
  /// Records that WeChat Pay was asked about an order and did not answer.
  func noteSilence(of key: OrderKey) async throws {
    guard let order = try await read({ try $0.order(key) }), order.state.isUnpaid, order.lastVerdict == nil else {
      return
    }
    try await transact { transaction in
      try Self.noteSilence(of: [transaction.order(key)].compactMap(\.self), because: "askingWeChatPay", transaction)
    }
  }

  /// Records that WeChat Pay has answered; the answer itself is recorded elsewhere.
  func endSilence(of key: OrderKey) async throws {
    // Usually nothing was recorded: then nothing is written.
    guard try await read({ try $0.order(key) })?.lastVerdict?.verdict == .pending else { return }
    try await transact { transaction in
      try Self.endSilence(of: [transaction.order(key)].compactMap(\.self), by: nil, transaction)
    }
  }

  /// Records that Apple was asked about a transaction and did not answer.
  static func noteSilence(
    about token: OrderIdentifier?, _ claim: OwnershipClaim?, for app: AppSettings,
    _ transaction: any DatabaseTransaction
  ) throws {
    try noteSilence(of: orders(named: token, claim, app, transaction), because: "askingApple", transaction)
  }

  /// Ends the question about a transaction: its orders show the result.
  static func endSilence(
    about token: OrderIdentifier?, _ claim: OwnershipClaim?, by result: FulfilmentResult?, for app: AppSettings,
    _ transaction: any DatabaseTransaction
  ) throws {
    try endSilence(of: orders(named: token, claim, app, transaction), by: result?.payment.state, transaction)
  }

  /// The orders that a question concerns: the one that the transaction names, otherwise the presenter's own orders in
  /// the claim.
  private static func orders(
    named token: OrderIdentifier?, _ claim: OwnershipClaim?, _ app: AppSettings, _ store: any DatabaseReader
  ) throws -> [Order] {
    if let token, let order = try store.order(OrderKey(appEnvironment: app.homeEnvironment, id: token)) {
      return [order]
    }
    guard let claim else { return [] }
    let names = claim.sameRun.map { [$0] } ?? claim.orders
    let found = try names.compactMap { try find($0, in: app.homeEnvironment, of: claim.user, store) }
    return Dictionary(found.map { ($0.key, $0) }) { first, _ in first }.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func noteSilence(
    of orders: [Order], because reason: String, _ transaction: any DatabaseTransaction
  ) throws {
    for var order in orders where order.state.isUnpaid && order.lastVerdict == nil {
      order.lastVerdict = LastVerdict(.pending, reason: reason, at: transaction.now)
      try transaction.update(order)
    }
  }

  private static func endSilence(
    of orders: [Order], by state: PaymentState?, _ transaction: any DatabaseTransaction
  ) throws {
    for var order in orders where order.lastVerdict?.verdict == .pending {
      order.lastVerdict = state.flatMap { LastVerdict(namedByPaymentIn: $0, at: transaction.now) }
      try transaction.update(order)
    }
  }
}
