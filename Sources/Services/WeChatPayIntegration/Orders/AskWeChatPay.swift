import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
import WeChatPayProtocol

extension PaymentEngine {
  /// Asks WeChat Pay about an order, and applies the answer. A question without an answer is repeated on schedule:
  /// silence decides nothing.
  ///
  /// Concurrent callers for the same order share one question, and for two seconds its answer.
  ///
  /// - Parameter again: also asks about an order with a known payment, because its facts differ from a bill.
  /// - Returns: whether this caller's question was answered, and the answer was applied.
  @discardableResult
  func askWeChatPay(about key: OrderKey, for app: AppPolicy, again: Bool = false) async -> Bool {
    guard let weChatPay, let gateway = weChatPay.gateways[app.id] else { return false }
    let questions = weChatPay.questions
    switch await questions.take(key, at: dependencies.now(), pause: limits.storeQuestionPause) {
    case .justAsked:
      return false
    case .underWay(let listener):
      for await _ in listener.signals { break }
      await questions.stopListening(listener.number, for: key)
      return false
    case .yours:
      var isAnswered = false
      do {
        guard try await mayAsk(about: key) else {
          await questions.done(key, at: dependencies.now())
          return false
        }
        isAnswered = try await traces.about(key.id, "AskScheduled") {
          try await ask(gateway, about: key, for: app, again)
        }
      } catch {
        log(LogEvent(.warning, "weChatPay.questionFailed", [("order", "\(key.id)"), ("error", "\(error)")]))
      }
      await questions.done(key, at: dependencies.now())
      return isAnswered
    }
  }

  private func ask(
    _ gateway: WeChatPayGateway, about key: OrderKey, for app: AppPolicy, _ again: Bool
  ) async throws -> Bool {
    guard let row = try await read({ try $0.weChatPayOrder(key) }), again || row.state != .paid else { return true }
    let mchid = gateway.access.merchant.mchid
    if case .closing = row.state {
      // Its answer is ignored: only the question decides.
      _ = await gateway.send(.close(outTradeNo: key.id.outTradeNo, mchid: mchid))
    }
    let reply = await gateway.send(.transaction(outTradeNo: key.id.outTradeNo, mchid: mchid))
    switch reply.outcome.result {
    case .answered(let transaction):
      try await apply(transaction, reply, to: row, for: app)
      try await endSilence(of: key)
      return true
    case .refused(let error):
      try await applyError(error, to: row)
      try await endSilence(of: key)
      // A refused signature, or a rate that is used up, says nothing about the order.
      return error.code == .orderNotFound
    case .unknown:
      try await noteSilence(of: key)
      return false
    }
  }

  private func apply(
    _ transaction: PaymentTransaction, _ reply: WeChatPayReply<PaymentTransaction>, to row: WeChatPayOrder,
    for app: AppPolicy
  ) async throws {
    switch try WeChatPayEvidence.finding(
      of: transaction, app: app.id, environment: row.order.appEnvironment.environment, signedDate: reply.signedDate)
    {
    case .charged(let charge):
      let result = try await learn(charge, evidence: reply.evidence ?? "{}", origin: .storeAnswer, for: app)
      // The payment is held, and the order has expired: an operator decides, and the bill of the day causes one more
      // question.
      if case .closing = row.state, let payment = result?.payment, payment.awaitsOwner {
        try await receive(.paid(payment.key.transaction), for: row.order)
      }
    case .closed:
      try await receive(.closedAtStore, for: row.order)
    case .open:
      return
    case .unknown(let word):
      noteUnknownState(word, of: "\(row.order.id)")
    }
  }

  /// A state that this version does not know is neither success nor failure: it is counted, and WeChat Pay is asked
  /// again.
  ///
  /// - Parameter number: that of the order or of the refund.
  func noteUnknownState(_ word: String, of number: String) {
    metrics.count(.wechatPayUnknownStatesTotal)
    log(LogEvent(.error, "weChatPay.unknownState", [("order", number), ("state", word)]))
  }

  /// Applies a verified "no such order". Some minutes after the creation it means that the order was never opened: it
  /// is not paid and cannot be. An open order stays open, because its client may still open it at WeChat Pay.
  private func applyError(_ error: WeChatPayError, to row: WeChatPayOrder) async throws {
    guard error.code == .orderNotFound, case .closing = row.state,
      let order = try await read({ try $0.order(row.order) }),
      now >= order.createdAt + WeChatPayQuestions.invisibleFor
    else { return }
    try await receive(.closedAtStore, for: row.order)
  }

  // MARK: for callers who wait

  /// Handles a client's return from WeChat: asks WeChat Pay at once and, if unpaid, again after five seconds within
  /// this call.
  package func checkWeChatPay(
    _ name: OrderName, in appEnvironment: AppEnvironment, of user: UserIdentifier?, for app: AppPolicy
  ) async throws -> OrderDetails {
    let details = try await readOrder(name, in: [appEnvironment], of: user)
    guard details.order.store == .weChatPay else { throw CodedError<EngineErrorCode>(.orderUnknown) }
    let (dependencies, span) = (dependencies, limits.storeQuestionSpan)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await askWhileWaiting(for: details.order) }
      group.addTask { try? await dependencies.sleep(span) }
      await group.next()
      group.cancelAll()
    }
    return try await readOrder(.id(details.order.key.id), in: [appEnvironment], of: user)
  }

  /// Asks while a caller waits for an order: at once, and once more after five seconds.
  func askWhileWaiting(for order: Order) async {
    let key = order.key
    guard order.state.isUnpaid, let app = apps[key.appEnvironment.app] else { return }
    await askWeChatPay(about: key, for: app)
    guard let row = try? await read({ try $0.weChatPayOrder(key) }), row.state != .paid, row.state != .closed,
      (try? await dependencies.sleep(limits.storeQuestionRepeat)) != nil
    else { return }
    await askWeChatPay(about: key, for: app)
  }
}
