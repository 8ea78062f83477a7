import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Asks WeChat Pay about due orders and refunds, until the task is cancelled.
  func askScheduled() async {
    guard weChatPay?.gateways.isEmpty == false else { return }
    await repeatUntilDone(loggingErrors: "store.questionsFailed", pause: limits.storeQuestionRepeat) {
      let orders = try await takeDueOrders()
      let refunds = try await takeDueRefunds()
      await ask(orders, refunds)
      if orders.isEmpty, refunds.isEmpty { try await waitForQuestions() }
      return false
    }
  }

  /// Takes the due orders and stores their next question at once. If the process ends in between, it asks a little
  /// later, but never not at all. At its expiry an order begins to close.
  private func takeDueOrders() async throws -> [OrderKey] {
    let (limit, apps) = (limits.storeQuestionBatch, apps)
    return try await transact { transaction in
      let now = transaction.now
      return try transaction.takeWeChatPayOrders(limit: limit).compactMap { due in
        guard let order = try transaction.order(due.order) else { return nil }
        if now >= order.expiresAt {
          let app = apps[order.key.appEnvironment.app]
          try Self.receive(.close(.expired), for: due.order, of: app, in: transaction)
        }
        guard var row = try transaction.weChatPayOrder(due.order) else { return nil }
        row.nextQuestionAt = Self.nextQuestion(about: row, order, at: now)
        row.questions += 1
        try transaction.update(row)
        return row.nextQuestionAt == nil ? nil : due.order
      }
    }
  }

  private static func nextQuestion(about row: WeChatPayOrder, _ order: Order, at now: Timestamp) -> Timestamp? {
    switch row.state {
    case .paid, .closed: nil
    case .closing: WeChatPayQuestions.nextWhileClosing(after: row.questions, now: now)
    case .preparing, .unknown, .prepared:
      WeChatPayQuestions.next(
        after: row.questions + 1, createdAt: min(order.createdAt, now), expiresAt: order.expiresAt, now: now)
    }
  }

  private func takeDueRefunds() async throws -> [Refund] {
    let limit = limits.storeQuestionBatch
    return try await transact { transaction in
      let now = transaction.now
      return try transaction.takeRefunds(limit: limit).map { due in
        var refund = due
        refund.nextQuestionAt = due.state.isFinal ? nil : RefundQuestions.next(after: due.questions + 1, now: now)
        refund.questions += 1
        try transaction.update(refund)
        return refund
      }
    }
  }

  /// Asks several at a time: a slow answer delays few others, and the rate stays far below WeChat Pay's limits.
  private func ask(_ orders: [OrderKey], _ refunds: [Refund]) async {
    await withTaskGroup(of: Void.self) { group in
      var inFlight = 0
      func makeRoom() async {
        if inFlight >= limits.storeQuestionsInFlight { await group.next() } else { inFlight += 1 }
      }
      for key in orders {
        await makeRoom()
        group.addTask {
          if let app = apps[key.appEnvironment.app] { await askWeChatPay(about: key, for: app) }
        }
      }
      for refund in refunds {
        await makeRoom()
        group.addTask {
          if let app = apps[refund.appEnvironment.app] { await askAbout(refund, for: app) }
        }
      }
      await group.waitForAll()
    }
  }

  private func waitForQuestions() async throws {
    let now = now
    let next = try await read { try $0.nextStoreQuestion() }
    let span = max(.milliseconds(20), min(limits.storeQuestionIdle, next.map { $0 - now } ?? limits.storeQuestionIdle))
    let listener = await storeSignal.listen(for: .weChatPay)
    try? await sleep(span, orUntil: listener.signals)
    await storeSignal.stop(listener.number, for: .weChatPay)
    try Task.checkCancellation()
  }
}
