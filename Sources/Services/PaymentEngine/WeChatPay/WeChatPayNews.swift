import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// Something happened to an order at WeChat Pay: written with everything that follows from it. Gives the row as it is
  /// then.
  @discardableResult
  func note(_ event: WeChatPayOrderEvent, for key: OrderKey) async throws -> WeChatPayOrder? {
    let row = try await transact { transaction in try Self.note(event, for: key, in: transaction) }
    await bell.ring(for: key.id)
    await storeBell.ring(for: 0)
    return row
  }

  @discardableResult
  static func note(
    _ event: WeChatPayOrderEvent, for key: OrderKey, in transaction: any DatabaseTransaction
  ) throws -> WeChatPayOrder? {
    guard var row = try transaction.weChatPayOrder(key) else { return nil }
    let actions = row.receive(event)
    for action in actions where action == .askNow { row.nextQuestionAt = transaction.now }
    for action in actions {
      switch action {
      case .store: try transaction.update(row)
      case .askNow: break
      case .closeOrder(let reason):
        if let order = try transaction.order(key) { try close(order, reason, at: transaction.now, in: transaction) }
      case .record(let what):
        try transaction.insert(
          JournalEntry(
            realm: key.realm, at: transaction.now, what: what, order: key.id, payment: nil, details: "{}"))
      }
    }
    return row
  }

  /// A charge that WeChat Pay says it took, by whichever path: granted to its order where everything is equal,
  /// otherwise held. One with a number that is none of ours belongs to another system of the same merchant, and is left
  /// alone.
  @discardableResult
  func learn(
    _ charge: VerifiedCharge, evidence: String, origin: Evidence.Origin, for app: AppSettings
  ) async throws -> FulfilmentResult? {
    try await learn(charge, evidence: evidence, origin: origin, keeping: nil, for: app)?.result
  }

  /// The same, in one commit with the notification that told it; one with a number that is none of ours is not kept
  /// here.
  func learn(
    _ charge: VerifiedCharge, evidence: String, origin: Evidence.Origin, keeping received: ReceivedNotification?,
    for app: AppSettings
  ) async throws -> (result: FulfilmentResult, isNew: Bool)? {
    guard let id = charge.order else {
      metrics.count("counterfoil_wechat_pay_foreign_numbers_total")
      return nil
    }
    let learned = try await fulfil(charge.key, keeping: received, for: app) { store in
      var news = PaymentUpdate(facts: try Self.facts(of: charge, store), evidence: evidence, origin: origin)
      news.charge = charge
      return news
    }
    if learned.result.isContradicted {
      metrics.count("counterfoil_wechat_pay_contradictions_total")
      log(
        LogEvent(
          .error, "payment.contradicted",
          [("app", app.id.text), ("transaction", charge.key.transaction.text), ("by", origin.rawValue)]))
    }
    await bell.ring(for: id)
    return learned
  }

  /// The payment that a charge is. WeChat Pay knows no products: what was paid for, only our order says. An order that
  /// an operator paid with it stands before the one that its number names.
  static func facts(of charge: VerifiedCharge, _ store: any DatabaseReader) throws -> VerifiedPayment {
    let realm = charge.key.realm
    let named = try store.payment(charge.key)?.order ?? charge.order
    let order = try named.flatMap { try store.order(OrderKey(realm: realm, id: $0)) }
    let product = order.flatMap { $0.store == .weChatPay ? $0.product : nil }
    return charge.payment(
      of: StoreProductIdentifier(product?.id.text ?? ""), kind: product?.kind ?? .consumable,
      quantity: product == nil ? 1 : order?.quantity ?? 1)
  }
}

extension DatabaseReader {
  /// What a charge had to equal: the promise of the order that it pays, or of the order that this one was derived from.
  func promise(behind payment: Payment, _ order: Order?) throws -> WeChatPayOrder? {
    guard payment.key.store == .weChatPay else { return nil }
    for id in [payment.order, order?.derivation?.from, payment.facts.token].compactMap(\.self) {
      if let promised = try weChatPayOrder(OrderKey(realm: payment.key.realm, id: id)) { return promised }
    }
    return nil
  }
}
