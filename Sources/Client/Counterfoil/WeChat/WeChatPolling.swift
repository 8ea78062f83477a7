import CounterfoilAPI
import PaymentPrimitives

/// Asks about orders at WeChat Pay. A callback is not reliable: eight ways are known in which it never comes (1A.15).
/// So every sign of a return leads to the same question, and so does silence.
final class WeChatPolling {
  /// The poll after which the caller learns that nothing is confirmed: the second one (1A.16).
  static let decidingPoll = 1

  private let policies: PurchasingPolicies
  private let dependencies: Dependencies
  private let tasks: BackgroundTasks
  private let server: ServerConnection
  private let records: VaultRecords
  private let session: UserSession
  private let events: EventBroadcaster
  private let orders: OpenOrders
  private let claims: RecordClaims
  private let flows: PurchaseFlows
  private let closing: OrderClosing
  /// Orders that a background task is asking about.
  private var watched: Set<RecordIdentifier> = []

  init(_ resources: PurchasingResources, _ state: PurchasingState, closing: OrderClosing) {
    policies = resources.configuration.policies
    dependencies = resources.dependencies
    tasks = resources.tasks
    server = resources.server
    records = resources.records
    session = state.session
    events = state.events
    orders = state.orders
    claims = state.claims
    flows = state.flows
    self.closing = closing
  }

  nonisolated(nonsending) func pollUntilDecided(_ number: Int, _ user: UserIdentifier) async {
    while !Task.isCancelled, flows[number]?.isDecided == false {
      let isBack = await waitForReturn(number)
      guard !Task.isCancelled else { return }
      let marks = policies.weChatLooks
      let first = await poll(number, user, waiting: marks.count > 1 ? marks[1] - marks[0] : nil)
      guard first == nil || first == .awaitingPayment else { return decideClosed(number, first) }
      // Silence alone decides nothing: the customer may still be in WeChat, typing the password.
      guard isBack else { continue }
      let second = await poll(number, user, waiting: nil)
      guard second == nil || second == .awaitingPayment else { return decideClosed(number, second) }
      await decideUnpaid(number, isCertain: second == .awaitingPayment)
      return
    }
  }

  /// Waits for a sign that the customer is back, at most for the time that a store may be silent.
  ///
  /// - Returns: whether there was a sign.
  nonisolated(nonsending) private func waitForReturn(_ number: Int) async -> Bool {
    guard flows[number]?.isBack == false else { return true }
    let returned = OneShotPromise<Void>()
    flows[number]?.returned = returned
    return await dependencies.limited(to: policies.silenceLimit) { await returned.value() } != nil
      && flows[number]?.isBack == true
  }

  /// Asks the server once, which asks WeChat Pay.
  ///
  /// - Parameter span: how long the server may wait for the payment. The poll lasts at least that long, so that the
  ///   next one keeps its distance, even if the server cannot be reached.
  /// - Returns: the state of the order; nil if it is not known.
  nonisolated(nonsending) private func poll(
    _ number: Int, _ user: UserIdentifier, waiting span: TimeSpan?
  ) async -> OrderBody.State? {
    guard let flow = flows[number], let id = flow.weChatRecord, let order = flow.order,
      let record = await records.order(id)
    else { return nil }
    let begin = dependencies.now()
    let seconds = span.map { min($0.milliseconds / 1000, ContractLimits.waitSecondsMax) }
    let server = self.server
    let reply = await session.asUser(user) { await server.order(order.id, waitingSeconds: seconds, as: $0) }
    var state: OrderBody.State?
    if case .answered(let body) = reply {
      await closing.apply(body, to: record)
      state = body.state
    }
    if let span, state == nil || state == .awaitingPayment {
      let rest = span - (dependencies.now() - begin)
      // A clock that was set back must not extend the wait.
      if rest > .zero { try? await dependencies.sleep(min(rest, span)) }
    }
    return state
  }

  private func decideClosed(_ number: Int, _ state: OrderBody.State?) {
    guard let order = flows[number]?.order else { return }
    if state == .paid {
      flows.decide(number, .success(.fulfilled(order.id, recovered: false)))
    } else {
      // The server closed it, at WeChat Pay first: nothing was paid, and it cannot be paid any more.
      flows.decide(number, .success(.cancelled(order.id)))
    }
  }

  /// Tells the caller that no payment of the order is known. It stays open (X18).
  nonisolated(nonsending) private func decideUnpaid(_ number: Int, isCertain: Bool) async {
    guard let flow = flows[number], let order = flow.order, let id = flow.weChatRecord else { return }
    events.emit(.notConfirmed(order.id))
    let code = flow.weChatCode
    if isCertain, let code, code != 0 { await orders.applyIfPossible(.storeFailed, to: id) }
    switch code {
    case let code? where isCertain && code == WeChatCode.cancelled:
      flows.decide(number, .success(.cancelled(order.id)))
    case let code? where isCertain && code != WeChatCode.done:
      flows.decide(number, .failure(PurchasingError(.weChatFailed, "WeChat said \(code).", weChatCode: code)))
    default:
      flows.decide(number, .success(.awaitingConfirmation(order.id)))
    }
  }

  // MARK: afterwards

  /// Asks about an order at the remaining times, in the background: WeChat's cashier stays open, and a later payment
  /// in it counts (X18).
  ///
  /// - Parameter polls: the number of polls so far.
  nonisolated(nonsending) func pollLater(_ id: RecordIdentifier, after polls: Int) async {
    guard let record = await records.order(id), record.isOpenAtWeChat, watched.insert(id).inserted else { return }
    await tasks.addIsolated { await $0.purchases.polling.pollAtMarks(id, polls) }
  }

  nonisolated(nonsending) private func pollAtMarks(_ id: RecordIdentifier, _ polls: Int) async {
    let marks = policies.weChatLooks.dropFirst(polls - 1)
    for (mark, next) in zip(marks, marks.dropFirst()) {
      guard (try? await dependencies.sleep(next - mark)) != nil else { break }
      guard let user = session.user, let record = await records.order(id), record.user == user,
        record.isOpenAtWeChat
      else { break }
      guard claims.claim(id) else { continue }
      _ = await closing.ask(about: record, user)
      claims.release(id)
    }
    watched.remove(id)
  }

  /// Asks about all orders of the user that may have been paid in WeChat while the app was away. A return to the
  /// foreground leaves out those that the customer cancelled: the list of orders shows a late payment of them.
  nonisolated(nonsending) func pollOpenOrdersLater(_ reason: RecoveryReason) async {
    for record in await records.orders where record.user == session.user && record.isOpenAtWeChat {
      guard reason != .foreground || record.phase == .paying else { continue }
      await pollLater(record.id, after: 1)
    }
  }
}

/// WeChat's numbers in the response to a payment. None of them is a verdict (X20).
enum WeChatCode {
  /// WeChat reports a payment.
  static let done = 0
  /// The customer left.
  static let cancelled = -2
}

extension OrderRecord {
  /// Whether WeChat was opened for it and its result is not known.
  var isOpenAtWeChat: Bool {
    request.store == .weChatPay && phase != nil && phase != .created && phase != .owned
  }
}
