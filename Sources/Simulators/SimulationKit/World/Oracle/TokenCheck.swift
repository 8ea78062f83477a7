import AppStoreSimulator
import PaymentModel
import PaymentPrimitives

/// Checks the tokens that the server set at Apple.
struct TokenCheck: WorldCheck {
  let records: WorldRecords

  /// Checks the tokens that the server set at Apple. Only a payment without a token that paid an order shown by the
  /// phone may cause this.
  func run() async throws {
    for charge in records.charges {
      guard records.truth(of: charge).token == nil, let token = charge.transaction.appAccountToken?.text else {
        continue
      }
      events.mark(.tokenSetAtApple)
      // The token of a subscription would also apply to later periods, although another user may order those.
      let payment = try await records.payment(for: charge.transaction.id)
      guard charge.transaction.period == nil, payment?.match?.rule == .presented,
        payment?.order?.appAccountToken == token
      else {
        events.reportViolation("\(charge.transaction.id) carries the token \(token), which no order may have set")
        continue
      }
    }
  }
}
