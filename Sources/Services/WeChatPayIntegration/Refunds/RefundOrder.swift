import Cryptography
import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

/// A request to refund money.
package struct RefundRequest: Hashable, Sendable {
  /// The amount in the smallest currency unit; nil for all that is left.
  package var amount: Int64?
  /// The text for the payer; at most 80 bytes.
  package var reason: String?
  /// The caller's key: the same key always means the same refund.
  package var idempotencyKey: String
  package var askedBy: String
  /// In the smallest currency unit: up to here one operator refunds a payment alone, all its refunds together; nil for
  /// no limit.
  package var limitForOneOperator: Int64?

  package init(amount: Int64?, reason: String?, idempotencyKey: String, askedBy: String) {
    self.amount = amount
    self.reason = reason
    self.idempotencyKey = idempotencyKey
    self.askedBy = askedBy
  }
}

extension PaymentEngine {
  /// Refunds a WeChat Pay order, wholly or in part, any number of times up to the amount paid. The grant is taken
  /// back only when the payer has the money back.
  ///
  /// The number at WeChat Pay derives from the caller's key: whatever error happens in between, a repetition is the
  /// same refund.
  /// - Throws: `orderUnknown`, `refundNotPossible`, `refundTooLarge`, `idempotencyKeyReused` for the same key with
  ///   another amount; `RefundNeedsApproval`.
  package func refundOrder(
    _ name: OrderName, in appEnvironment: AppEnvironment, _ request: RefundRequest, for app: AppPolicy
  ) async throws -> Refund {
    guard let gateway = weChatPay?.gateways[app.id] else {
      // For another app's order, even its existence is not disclosed.
      _ = try await readOrder(name, in: [appEnvironment], of: nil)
      throw CodedError<EngineErrorCode>(.refundNotPossible)
    }
    let secret = secret
    let notifyURL = gateway.access.notifyURL(of: app.id)
    let refund = try await transact { transaction in
      try RefundMaking(request: request, app: app, appEnvironment: appEnvironment, notifyURL: notifyURL, secret: secret)
        .make(for: name, in: transaction)
    }
    traces.learn(refund.order)
    return try await askOnce(for: refund, gateway, app)
  }

  /// Sends a stored refund to WeChat Pay, unless it was sent before; returns its state afterwards.
  func askOnce(for refund: Refund, _ gateway: WeChatPayGateway, _ app: AppPolicy) async throws -> Refund {
    guard refund.state == .asked else { return refund }
    await ask(for: refund, gateway, app)
    return try await read { try $0.refund(refund.number, in: refund.appEnvironment) } ?? refund
  }

  /// The refunds of an order's payment.
  package func refunds(of name: OrderName, in appEnvironment: AppEnvironment, user: UserIdentifier?) async throws
    -> [Refund]
  {
    try await read { reader in
      guard let order = try Self.find(name, in: appEnvironment, of: user, reader) else {
        throw CodedError<EngineErrorCode>(.orderUnknown)
      }
      guard let payment = try ChargeRefund.payment(of: order, reader) else { return [] }
      return try reader.refunds(of: payment.key)
    }
  }

  /// Sends a refund to WeChat Pay, with the stored body.
  private func ask(for refund: Refund, _ gateway: WeChatPayGateway, _ app: AppPolicy) async {
    guard let body = refund.body else { return }
    let reply = await gateway.send(.refund(outRefundNo: refund.number, body: Array(body.utf8)))
    switch reply.outcome.result {
    case .answered(let facts): await apply(facts, reply, app: app)
    case .refused(let error) where error.code.retry == .never && error.code != .requestBlocked:
      do { try await note(.refused(error.word), refund, evidence: "{}", origin: .storeAnswer, app: app) } catch {
        log(LogEvent(.error, "refund.notNoted", [("number", refund.number), ("error", "\(error)")]))
      }
    case .refused, .unknown:
      // The merchant balance may be filled, the answer may come: the scheduled question uses the same number.
      return
    }
  }

  /// Asks for the progress of a refund that may be unknown here, because it was made at WeChat Pay itself.
  func askAboutRefund(_ number: String, for app: AppPolicy) async {
    guard let gateway = weChatPay?.gateways[app.id] else { return }
    let reply = await gateway.send(.refund(outRefundNo: number))
    if case .answered(let facts) = reply.outcome.result { await apply(facts, reply, app: app) }
  }

  /// Asks for the progress of a refund; one that WeChat Pay never received is sent again with the same bytes.
  ///
  /// - Returns: whether WeChat Pay said what the refund is, and it was applied; or that it does not know it.
  @discardableResult
  func askAbout(_ refund: Refund, for app: AppPolicy) async -> Bool {
    guard let gateway = weChatPay?.gateways[app.id] else { return false }
    let reply = await gateway.send(.refund(outRefundNo: refund.number))
    switch reply.outcome.result {
    case .answered(let facts):
      return await apply(facts, reply, app: app)
    case .refused(let error) where error.code == .resourceNotFound:
      await ask(for: refund, gateway, app)
      return true
    case .refused, .unknown:
      return false
    }
  }

  /// - Returns: whether it was applied.
  @discardableResult
  func apply(_ facts: RefundFacts, _ reply: WeChatPayReply<RefundFacts>, app: AppPolicy) async -> Bool {
    do {
      let verified = try WeChatPayEvidence.refund(
        facts, app: app.id, environment: app.home, signedDate: reply.signedDate)
      try await learn(verified, evidence: reply.evidence ?? "{}", origin: .storeAnswer, for: app)
      return true
    } catch {
      log(LogEvent(.error, "refund.notNoted", [("number", facts.outRefundNo), ("error", "\(error)")]))
      return false
    }
  }

  /// Applies an update of a refund, made here or at WeChat Pay itself. If the payment is not known yet, WeChat Pay is
  /// asked first: a refund implies a payment.
  func learn(
    _ update: VerifiedRefund, evidence: String, origin: Evidence.Origin, for app: AppPolicy
  ) async throws {
    if case .unknown(let word) = update.progress { noteUnknownState(word, of: update.number) }
    // The money moves all the same, so it changes nothing here. The refund's journal shows the word.
    if let word = update.channel, RefundChannel(rawValue: word) == nil { noteUnknownState(word, of: update.number) }
    if try await read({ try $0.payment(update.charge) }) == nil, let id = OrderIdentifier(update.orderNumber) {
      await askWeChatPay(about: OrderKey(appEnvironment: update.charge.appEnvironment, id: id), for: app)
    }
    let refund = try await transact { transaction in try ChargeRefund.known(update, in: transaction) }
    guard let refund else {
      metrics.count(.refundsWithoutPaymentTotal)
      log(LogEvent(.error, "refund.paymentUnknown", [("app", app.id.text), ("number", update.number)]))
      // The payment of a known order will be known once WeChat Pay answers: until then the update must come again.
      guard try await isOurs(update) else { return }
      throw CodedError<EngineErrorCode>(.outcomeUnknown, "The payment that is refunded is not known yet.")
    }
    try await note(.update(update), refund, evidence: evidence, origin: origin, app: app)
  }

  private func isOurs(_ update: VerifiedRefund) async throws -> Bool {
    guard let id = OrderIdentifier(update.orderNumber), id.outTradeNo.utf8.elementsEqual(update.orderNumber.utf8) else {
      return false
    }
    let key = OrderKey(appEnvironment: update.charge.appEnvironment, id: id)
    return try await read { try $0.weChatPayOrder(key) != nil }
  }

  /// Applies an event of a refund, with all its consequences.
  private func note(
    _ event: RefundEvent, _ refund: Refund, evidence: String, origin: Evidence.Origin, app: AppPolicy
  ) async throws {
    let context = FulfilmentContext(app: app, derivedOrder: derivedOrder(for: refund.payment))
    let result: FulfilmentResult?
    do {
      result = try await transactMoney { transaction in
        try ChargeRefund.take(event, of: refund, evidence, origin: origin, context: context, in: transaction)
      }
    } catch let broken as InvariantBroken {
      guard case .update(let update) = event else { throw self.reportBroken(broken) }
      count(stopped: broken)
      // It is in the operator's queue and is retried: the store need not send it again.
      try await transact { transaction in
        _ = try StoppedChanges(transaction).keep(
          .refund(update, evidence: evidence, origin: origin), because: broken)
      }
      result = nil
    }
    await storeSignal.signal(for: .weChatPay)
    if let result { await announce(result, app) }
  }
}

/// The refund would pass the limit for one operator: another one has to approve it. Nothing was stored.
package struct RefundNeedsApproval: Error {}

/// Stores a refund before it is requested.
struct RefundMaking {
  let request: RefundRequest
  let app: AppPolicy
  let appEnvironment: AppEnvironment
  let notifyURL: String
  let secret: Secret

  func make(for name: OrderName, in transaction: any DatabaseTransaction) throws -> Refund {
    guard let order = try PaymentEngine.find(name, in: appEnvironment, of: nil, transaction) else {
      throw CodedError<EngineErrorCode>(.orderUnknown)
    }
    // WeChat Pay's total is the amount with which the order was opened, whatever was stated about the charge since.
    guard let payment = try ChargeRefund.payment(of: order, transaction),
      let total = try transaction.promise(behind: payment, order)?.amount ?? VerifiedCharge(payment.facts)?.amount
    else { throw CodedError<EngineErrorCode>(.refundNotPossible, "The order is not paid at WeChat Pay.") }
    return try make(of: payment, for: order.key.id, total: total, in: transaction)
  }

  /// - Parameters:
  ///   - order: the order of the refunded payment, if one is known.
  ///   - total: the charged amount.
  func make(
    of payment: Payment, for order: OrderIdentifier?, total: Money, in transaction: any DatabaseTransaction
  ) throws -> Refund {
    let number = number(of: payment.key)
    if let known = try transaction.refund(number, in: appEnvironment) {
      guard request.amount == nil || request.amount == known.amount.minorUnits else {
        throw CodedError<EngineErrorCode>(.idempotencyKeyReused)
      }
      return known
    }
    let before = try transaction.refunds(of: payment.key).filter(\.state.counts)
    let sum = before.reduce(0) { $0 + $1.amount.minorUnits }
    let left = total.minorUnits - sum
    let amount = request.amount ?? left
    guard amount >= 1, amount <= left else {
      throw CodedError<EngineErrorCode>(.refundTooLarge, "\(left) of \(total.minorUnits) are left, asked \(amount).")
    }
    // Counted here, where the refunds of this payment stand still: two that are asked for at once cannot pass it.
    if let limit = request.limitForOneOperator, sum + amount > limit { throw RefundNeedsApproval() }
    var ask = RefundOrder(
      charge: .transactionId(payment.key.transaction.text), outRefundNo: number, notifyURL: notifyURL, refund: amount,
      total: total.minorUnits)
    ask.reason = request.reason
    let body: [UInt8]
    do throws(CodedError<WeChatPayRequestErrorCode>) { body = try ask.body() } catch {
      throw CodedError<EngineErrorCode>(.weChatPayOrderInvalid, "\(error)")
    }
    var refund = Refund(
      appEnvironment: appEnvironment, number: number, order: order, payment: payment.key,
      amount: Money(minorUnits: amount, currency: total.currency), total: total, reason: request.reason,
      body: String(decoding: body, as: UTF8.self), createdAt: transaction.now)
    refund.nextQuestionAt = RefundQuestions.next(after: 0, now: transaction.now)
    try transaction.insert(refund)
    var entry = ChargeRefund.entry(
      .refundAsked, refund, at: transaction.now, more: [("by", .string(request.askedBy))])
    entry.event = try ChargeRefund.body(of: refund, payment, for: app, transaction)
    try transaction.insert(entry)
    return refund
  }

  /// The number of a refund: the same key gives the same number on every node, and after a restore.
  private func number(of payment: PaymentKey) -> String {
    let digest = HMACSHA256.code(
      for: StableBytes.of("refund:" + request.idempotencyKey, payment), key: secret)
    let digits = Array("0123456789ABCDEF".utf8)
    return "R"
      + String(decoding: digest.prefix(15).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
