package import PaymentModel
import PaymentDatabase
package import PaymentPrimitives
import WeChatPayProtocol

extension PaymentEngine {
  /// Gives the money of a charge at WeChat Pay back, wholly or in part, whether or not an order of ours explains it.
  ///
  /// - Throws: `paymentUnknown`; `refundNotPossible` for a purchase at the App Store, which Apple refunds, for a charge
  ///   that another merchant was paid, and for one that states no price in CNY; what `refundOrder` throws.
  package func refundPayment(_ key: PaymentKey, _ request: RefundRequest) async throws -> Refund {
    guard let app = apps[key.app] else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    guard key.store == .weChatPay, let gateway = gateways[app.id] else {
      let atAppStore = PaymentKey(
        app: key.app, store: .appStore, environment: key.environment, transaction: key.transaction)
      let isKnown = try await read { try $0.payment(key) != nil || $0.payment(atAppStore) != nil }
      guard isKnown else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
      throw CodedError<EngineErrorCode>(.refundNotPossible, "Only WeChat Pay is refunded from here.")
    }
    let settings = gateway.settings
    let making = RefundMaking(
      request: request, realm: key.realm, notifyURL: settings.notifyURL(of: app.id), secret: secret)
    let refund = try await transact { transaction in
      guard let payment = try transaction.payment(key) else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
      guard payment.facts.merchant == settings.merchant.mchid else {
        throw CodedError<EngineErrorCode>(.refundNotPossible, "Another merchant was paid.")
      }
      guard let charge = VerifiedCharge(payment.facts) else {
        throw CodedError<EngineErrorCode>(.refundNotPossible, "The charge states no price in CNY.")
      }
      let total = try transaction.promise(behind: payment, nil)?.amount ?? charge.amount
      return try making.make(of: payment, for: payment.order ?? charge.order, total: total, in: transaction)
    }
    return try await askOnce(for: refund, gateway, app)
  }
}
