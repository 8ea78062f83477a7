import AppStoreProtocol
import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives

/// The transactions of an order number, as Apple named them, after they were taken in.
package struct LookedUpOrder: Hashable, Sendable {
  package let number: AppleOrderNumber
  package let payments: [Payment]
  /// How many of Apple's transactions this server did not accept: of another app or environment, or not verified.
  package let refused: Int
}

extension PaymentEngine {
  /// More transactions than one order of Apple has.
  private static let transactionsOfOrderMax = 100

  /// Asks Apple which transactions an order number of its receipts has. Each is verified and taken in, as if the server
  /// had asked about that transaction. The number is kept, so that a search finds it.
  ///
  /// Only Apple's production knows order numbers.
  /// - Throws: `storeNotConfigured` without a key for the App Store Server API; `orderNumberUnknown`;
  ///   `appStoreUnanswered`.
  package func lookUpOrder(_ number: AppleOrderNumber, for app: AppPolicy) async throws -> LookedUpOrder {
    guard let gateway = appStore?.gateways[app.id], gateway.settings != nil, app.home != .sandbox else {
      throw CodedError<EngineErrorCode>(.storeNotConfigured, "The app has no key for Apple's production.")
    }
    let call: AppStoreServerCall<OrderLookupResponse>
    do throws(CodedError<AppStoreServerRequestErrorCode>) { call = try .orderLookup(number.text) } catch {
      throw CodedError<EngineErrorCode>(.orderNumberUnknown)
    }
    let reply = await gateway.send(call, environment: app.home, priority: .reconciliation)
    guard case .answered(let answer) = reply.outcome else {
      throw CodedError<EngineErrorCode>(.appStoreUnanswered, "The outcome was \(reply.outcome.label).")
    }
    guard answer.status == .known(.valid) else { throw CodedError<EngineErrorCode>(.orderNumberUnknown) }
    var (payments, refused) = ([Payment](), max(0, answer.signedTransactions.count - Self.transactionsOfOrderMax))
    let signed = answer.signedTransactions.prefix(Self.transactionsOfOrderMax)
    for text in signed {
      guard let facts = try await verified(text, for: app) else {
        refused += 1
        continue
      }
      let update = PaymentUpdate(facts: facts, evidence: text, origin: .storeAnswer)
      let payment = try await fulfil(update, for: app).payment
      try await transact { try $0.noteOrderNumber(number.text, of: payment.key, at: $0.now) }
      if !payments.contains(where: { $0.key == payment.key }) { payments.append(payment) }
    }
    log(
      LogEvent(
        .info, "appStore.orderLookedUp", [("app", app.id.text), ("transactions", "\(answer.signedTransactions.count)")])
    )
    return LookedUpOrder(number: number, payments: payments, refused: refused)
  }
}
