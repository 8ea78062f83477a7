import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
import WeChatPayProtocol

extension PaymentEngine {
  /// Refunds a WeChat Pay charge, wholly or in part, with or without a known order.
  ///
  /// - Throws: `paymentUnknown`; `refundNotPossible`; what `refundOrder` throws. It refuses a purchase at the App
  ///   Store, which Apple refunds, and a charge paid to another merchant. It also refuses a charge without a price in
  ///   CNY.
  package func refundPayment(_ key: PaymentKey, _ request: RefundRequest) async throws -> Refund {
    guard let app = apps[key.app] else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
    guard key.store == .weChatPay, let gateway = weChatPay?.gateways[app.id] else {
      let atAppStore = PaymentKey(
        app: key.app, store: .appStore, environment: key.environment, transaction: key.transaction)
      let isKnown = try await read { try $0.payment(key) != nil || $0.payment(atAppStore) != nil }
      guard isKnown else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
      throw CodedError<EngineErrorCode>(.refundNotPossible, "Only WeChat Pay is refunded from here.")
    }
    let access = gateway.access
    let making = RefundMaking(
      request: request, app: app, appEnvironment: key.appEnvironment, notifyURL: access.notifyURL(of: app.id),
      secret: secret)
    let refund = try await transact { transaction in
      guard let payment = try transaction.payment(key) else { throw CodedError<EngineErrorCode>(.paymentUnknown) }
      guard payment.facts.merchant == access.merchant.mchid else {
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
