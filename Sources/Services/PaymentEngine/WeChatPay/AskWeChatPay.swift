import PaymentModel
import PaymentDatabase
package import PaymentPrimitives
import WeChatPayProtocol

extension PaymentEngine {
  /// Asks WeChat Pay what has become of an order, and lets the answer take effect. What nobody answers is asked again
  /// by the schedule: nothing is decided here by silence.
  ///
  /// Whoever asks about the same order at the same time shares one question, and within two seconds its answer.
  ///
  /// - Parameter again: asks also about one whose payment is known: what was said of it differs from a bill.
  func askWeChatPay(about key: OrderKey, for app: AppSettings, again: Bool = false) async {
    guard let gateway = gateways[app.id] else { return }
    switch await questions.take(key, at: surroundings.now(), pause: limits.storeQuestionPause) {
    case .justAsked:
      return
    case .underWay(let listener):
      for await _ in listener.rings { break }
      await questions.stopListening(listener.number, for: key)
    case .yours:
      do { try await ask(gateway, about: key, for: app, again) } catch {
        log(LogEvent(.warning, "weChatPay.questionFailed", [("order", "\(key.id)"), ("error", "\(error)")]))
      }
      await questions.done(key, at: surroundings.now())
    }
  }

  private func ask(
    _ gateway: WeChatPayGateway, about key: OrderKey, for app: AppSettings, _ again: Bool
  ) async throws {
    guard let row = try await read({ try $0.weChatPayOrder(key) }), again || row.state != .paid else { return }
    let mchid = gateway.settings.merchant.mchid
    if case .closing = row.state {
      // Whatever it answers: only the question decides.
      _ = await gateway.send(.close(outTradeNo: key.id.outTradeNo, mchid: mchid))
    }
    let reply = await gateway.send(.transaction(outTradeNo: key.id.outTradeNo, mchid: mchid))
    switch reply.outcome.result {
    case .answered(let transaction):
      try await apply(transaction, reply, to: row, for: app)
      try await endSilence(of: key)
    case .refused(let refusal):
      try await applyRefusal(refusal, to: row)
      try await endSilence(of: key)
    case .unknown:
      try await noteSilence(of: key)
    }
  }

  private func apply(
    _ transaction: PaymentTransaction, _ reply: WeChatPayReply<PaymentTransaction>, to row: WeChatPayOrder,
    for app: AppSettings
  ) async throws {
    switch try WeChatPayEvidence.finding(
      of: transaction, app: app.id, environment: row.order.realm.environment, signedDate: reply.signedDate)
    {
    case .charged(let charge):
      let result = try await learn(charge, evidence: reply.evidence ?? "{}", origin: .storeAnswer, for: app)
      // Held, and its time has ended: an operator decides, and the bill of the day asks once more.
      if case .closing = row.state, let payment = result?.payment, payment.awaitsOwner {
        try await note(.paid(payment.key.transaction), for: row.order)
      }
    case .closed:
      try await note(.closedAtStore, for: row.order)
    case .open:
      return
    case .unknown(let word):
      metrics.count("counterfoil_wechat_pay_unknown_states_total")
      log(LogEvent(.error, "weChatPay.unknownState", [("order", "\(row.order.id)"), ("state", word)]))
    }
  }

  /// A verified "no such order" means, some minutes after it was made, that it never was opened: it is not paid then,
  /// and cannot be. An open one is left alone: its client may still open it.
  private func applyRefusal(_ refusal: WeChatPayRefusal, to row: WeChatPayOrder) async throws {
    guard refusal.code == .orderNotFound, case .closing = row.state,
      let order = try await read({ try $0.order(row.order) }),
      surroundings.now() >= order.createdAt + WeChatPayQuestions.invisibleFor
    else { return }
    try await note(.closedAtStore, for: row.order)
  }

  // MARK: for callers who wait

  /// The client is back from WeChat: WeChat Pay is asked at once and, if unpaid, again after five seconds within this
  /// call.
  package func checkWeChatPay(
    _ name: OrderName, in realm: AppEnvironment, of user: UserIdentifier?, for app: AppSettings
  ) async throws -> OrderStory {
    let story = try await readOrder(name, in: [realm], of: user)
    guard story.order.store == .weChatPay else { throw CodedError<EngineErrorCode>(.orderUnknown) }
    let (surroundings, span) = (surroundings, limits.storeQuestionSpan)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await askWhileWaiting(for: story.order) }
      group.addTask { try? await surroundings.sleep(span) }
      await group.next()
      group.cancelAll()
    }
    return try await readOrder(.id(story.order.key.id), in: [realm], of: user)
  }

  /// While a caller waits for an order: asks at once, and once more after five seconds.
  func askWhileWaiting(for order: Order) async {
    let key = order.key
    guard order.state.isUnpaid, let app = apps[key.realm.app] else { return }
    await askWeChatPay(about: key, for: app)
    guard let row = try? await read({ try $0.weChatPayOrder(key) }), row.state != .paid, row.state != .closed,
      (try? await surroundings.sleep(limits.storeQuestionRepeat)) != nil
    else { return }
    await askWeChatPay(about: key, for: app)
  }
}

/// What is being asked about at the moment, so that callers share a question.
actor RequestCoalescer<Key: Hashable & Sendable> {
  /// What a caller is to do.
  enum Turn {
    /// Ask, then say `done`.
    case yours
    /// Somebody asks: wait for the ring.
    case underWay((number: Int, rings: AsyncStream<Void>))
    /// It was asked a moment ago.
    case justAsked
  }

  private var underWay: Set<Key> = []
  private var asked: [Key: Timestamp] = [:]
  private let bell = ChangeSignal<Key>()

  func take(_ key: Key, at now: Timestamp, pause: TimeSpan) async -> Turn {
    if underWay.contains(key) {
      let listener = await bell.listen(for: key)
      // It may have ended while the bell was hung.
      if underWay.contains(key) { return .underWay(listener) }
      await bell.stop(listener.number, for: key)
      return .justAsked
    }
    if asked.count > 1000 { asked = asked.filter { now < $0.value + pause } }
    if let last = asked[key], last <= now, now < last + pause { return .justAsked }
    underWay.insert(key)
    return .yours
  }

  func done(_ key: Key, at now: Timestamp) async {
    underWay.remove(key)
    asked[key] = now
    await bell.ring(for: key)
  }

  func stopListening(_ number: Int, for key: Key) async { await bell.stop(number, for: key) }
}
