import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// Purchases with transaction ids that disagree on a refund, after Apple was asked or if it cannot be asked.
  /// Nothing is given back until an operator decides. Ordered by waiting time, longest first.
  package func disputedRefunds(in appEnvironments: [AppEnvironment], limit: Int) async throws -> [Payment] {
    let found = try await read { reader in
      try appEnvironments.flatMap { try reader.paymentsWithDisagreeingIds(in: $0, limit: limit) }
    }
    return Array(
      found.sorted { ($0.idsDisagreeSince ?? $0.firstSeenAt, $0.key) < ($1.idsDisagreeSince ?? $1.firstSeenAt, $1.key) }
        .prefix(max(0, limit)))
  }

  /// Lets an operator decide a refund that one id of a purchase states and a newer statement under another id does
  /// not.
  ///
  /// - Parameters:
  ///   - stands: whether the refund stands; otherwise it is undone, and what it took is given back.
  ///   - reason: stays in the journal.
  /// - Throws: `paymentUnknown`, or `paymentNotClaimable` if its ids do not disagree.
  package func decideDisputedRefund(
    _ key: PaymentKey, stands: Bool, by operatorName: String, reason: String
  ) async throws -> FulfilmentResult {
    guard let app = apps[key.app] else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    let context = FulfilmentContext(app: app, derivedOrder: derivedOrder(for: key))
    let details = Self.byOperator(operatorName, reason: reason)
    let result = try await transact { transaction in
      guard let payment = try transaction.payment(key) else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
      guard payment.idsDisagreeSince != nil, let revocation = payment.facts.revocation else {
        // A repetition of the same decision is answered, not rejected.
        let isKnown =
          payment.facts.revocation.map { stands && $0.date == payment.confirmedRevocation }
          ?? (!stands && payment.refundReversedAt != nil)
        if isKnown { return try FulfilmentResult(known: payment, to: nil, transaction) }
        throw CodedError<EngineErrorCode>(.paymentNotClaimable, "Its transaction ids do not disagree on a refund.")
      }
      let update = PaymentUpdate(facts: payment.facts, evidence: details, origin: .operator)
      return try FulfilmentTransaction(transaction, context, update: update).decide(payment, stands ? revocation : nil)
    }
    await announce(result, app)
    return result
  }
}
