import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Records that Apple was asked about a transaction and did not answer.
  static func noteSilence(
    about token: OrderIdentifier?, _ claim: OwnershipClaim?, for app: AppPolicy,
    _ transaction: any DatabaseTransaction
  ) throws {
    try noteSilence(of: orders(named: token, claim, app, reader: transaction), because: "askingApple", transaction)
  }

  /// Ends the question about a transaction: its orders show the result.
  static func endSilence(
    about token: OrderIdentifier?, _ claim: OwnershipClaim?, by result: FulfilmentResult?, for app: AppPolicy,
    _ transaction: any DatabaseTransaction
  ) throws {
    try endSilence(of: orders(named: token, claim, app, reader: transaction), by: result?.payment.state, transaction)
  }

  /// The orders that a question concerns: the one that the transaction names, otherwise the presenter's own orders in
  /// the claim.
  private static func orders(
    named token: OrderIdentifier?, _ claim: OwnershipClaim?, _ app: AppPolicy, reader: any DatabaseReader
  ) throws -> [Order] {
    if let token, let order = try reader.order(OrderKey(appEnvironment: app.homeEnvironment, id: token)) {
      return [order]
    }
    guard let claim else { return [] }
    let names = claim.sameRun.map { [$0] } ?? claim.orders
    let found = try names.compactMap { try find($0, in: app.homeEnvironment, of: claim.user, reader) }
    return Dictionary(found.map { ($0.key, $0) }) { first, _ in first }.sorted { $0.key < $1.key }.map(\.value)
  }
}
