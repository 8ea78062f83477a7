package import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// Applies an event of an order at WeChat Pay, with all its consequences; returns the resulting row.
  @discardableResult
  package func receive(_ event: WeChatPayOrderEvent, for key: OrderKey) async throws -> WeChatPayOrder? {
    let app = apps[key.appEnvironment.app]
    let row = try await transact { transaction in try Self.receive(event, for: key, of: app, in: transaction) }
    await storeSignal.signal(for: .weChatPay)
    return row
  }

  @discardableResult
  package static func receive(
    _ event: WeChatPayOrderEvent, for key: OrderKey, of app: AppPolicy?, in transaction: any DatabaseTransaction
  ) throws -> WeChatPayOrder? {
    guard var row = try transaction.weChatPayOrder(key) else { return nil }
    let actions = row.receive(event)
    for action in actions where action == .askNow { row.nextQuestionAt = transaction.now }
    for action in actions {
      switch action {
      case .save: try transaction.update(row)
      case .askNow: break
      case .closeOrder(let reason):
        guard let order = try transaction.order(key) else { continue }
        try close(order, reason, of: app, at: transaction.now, in: transaction)
      case .journal(let event): try transaction.journal(event, key)
      }
    }
    return row
  }

  /// Applies a charge that WeChat Pay reports, from any source: granted to its order if everything matches, otherwise
  /// held. A charge with a foreign order number belongs to another system of the same merchant, and is ignored.
  @discardableResult
  package func learn(
    _ charge: VerifiedCharge, evidence: String, origin: Evidence.Origin, for app: AppPolicy
  ) async throws -> FulfilmentResult? {
    try await learn(charge, evidence: evidence, origin: origin, keeping: nil, for: app)?.result
  }

  /// The same, in one commit with its notification; a notification with a foreign order number is not stored here.
  package func learn(
    _ charge: VerifiedCharge, evidence: String, origin: Evidence.Origin, keeping received: ReceivedNotification?,
    for app: AppPolicy
  ) async throws -> (result: FulfilmentResult, isNew: Bool)? {
    guard charge.order != nil else {
      metrics.count(.wechatPayForeignNumbersTotal)
      return nil
    }
    let learned = try await fulfil(charge.key, keeping: received, from: origin, for: app) { reader in
      var update = PaymentUpdate(facts: try Self.facts(of: charge, reader), evidence: evidence, origin: origin)
      update.charge = charge
      return update
    }
    if learned.result.isContradicted {
      metrics.count(.wechatPayContradictionsTotal)
      log(
        LogEvent(
          .error, "payment.contradicted",
          [("app", app.id.text), ("transaction", charge.key.transaction.text), ("by", origin.rawValue)]))
    }
    return learned
  }

  /// The payment of a charge. WeChat Pay knows no products: only our order says what was paid for. An order that an
  /// operator paid with the charge has priority over the one that its number names.
  package static func facts(of charge: VerifiedCharge, _ reader: any DatabaseReader) throws -> VerifiedPayment {
    let appEnvironment = charge.key.appEnvironment
    let named = try reader.payment(charge.key)?.order ?? charge.order
    let order = try named.flatMap { try reader.order(OrderKey(appEnvironment: appEnvironment, id: $0)) }
    let product = order.flatMap { $0.store.opensOrders ? $0.product : nil }
    return charge.payment(
      of: StoreProductIdentifier(product?.id.text ?? ""), kind: product?.kind ?? .consumable,
      quantity: product == nil ? 1 : order?.quantity ?? 1)
  }
}

extension DatabaseReader {
  /// What a charge must equal: the promise of the order that it pays, or of the order that this one was derived from.
  package func promise(behind payment: Payment, _ order: Order?) throws -> WeChatPayOrder? {
    guard payment.key.store.opensOrders else { return nil }
    for id in [payment.order, order?.derivation?.from, payment.facts.token].compactMap(\.self) {
      if let promised = try weChatPayOrder(OrderKey(appEnvironment: payment.key.appEnvironment, id: id)) {
        return promised
      }
    }
    return nil
  }
}
