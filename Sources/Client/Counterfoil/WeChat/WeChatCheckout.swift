import CounterfoilAPI
import PaymentPrimitives

/// Pays through WeChat: order, vault, new parameters, WeChat.
///
/// A report of WeChat ends waits and decides nothing. The server decides whether the order is paid, after asking
/// WeChat Pay itself (1A.3, 1A.4).
struct WeChatCheckout {
  /// Means "WeChat was not opened" if the OpenSDK gave no number: its own numbers end at -5.
  private static let notOpened = -1

  let app: (any WeChatApp)?
  let policies: PurchasingPolicies
  let dependencies: Dependencies
  let tasks: BackgroundTasks
  let server: ServerConnection
  let log: SupportLog
  let session: UserSession
  let records: VaultRecords
  let orders: OpenOrders
  let claims: RecordClaims
  let flows: PurchaseFlows
  let placement: OrderPlacement
  let closing: OrderClosing
  let polling: WeChatPolling
  let events: EventBroadcaster

  /// Everything before WeChat opens.
  ///
  /// - Returns: an outcome if nothing has to be paid any more; nil if WeChat may open.
  nonisolated(nonsending) func prepare(_ number: Int) async throws(PurchasingError) -> PurchaseOutcome? {
    guard let app else { throw PurchasingError(.weChatAbsent, "Hand a `WeChatApp` to `Purchasing`.") }
    let isInstalled = await tasks.asking(policies.storeLimit) { _ in await app.isInstalled() }
    guard isInstalled == true else { throw PurchasingError(.weChatNotInstalled) }
    guard await orders.areLoaded() else { throw PurchasingError(.vaultUnavailable) }
    guard let flow = flows[number] else { throw PurchasingError(.purchaseAbandoned) }
    if let outcome = try await resume(number, flow) { return outcome }
    let record: OrderRecord
    if let claimed = flows[number]?.record, let open = await records.order(claimed) {
      record = open
    } else {
      record = try await placement.makeOrder(number, flow).0
    }
    guard let order = record.order else { throw PurchasingError(.orderDiffers) }
    let server = self.server
    let body = try await session.asWaitingUser(flow.user) { await server.prepareWeChatPay(order.id, as: $0) }
    if body.state == .paid {
      await closing.apply(body, to: record)
      return .fulfilled(order.id, recovered: true)
    }
    guard let request = WeChatPayRequest(body) else {
      throw PurchasingError(.orderDiffers, "Order \(order.id) carries nothing to hand to WeChat.")
    }
    guard request.appId == app.appId else {
      throw PurchasingError(.weChatAppDiffers, "The order is for \(request.appId), this is \(app.appId).")
    }
    flows[number]?.weChatRequest = request
    try await placement.beginPaying(number, flow, record: record, order: order)
    return nil
  }

  /// Handles what an earlier tap left open. The same purchase never gets a second order while the first can still be
  /// paid (docs/decisions/0042-the-same-order-is-paid-again.md).
  ///
  /// - Returns: an outcome if it turns out to be paid. Nil if the purchase goes on; with the old order if the flow has
  ///   a record then.
  nonisolated(nonsending) private func resume(
    _ number: Int, _ flow: PurchaseFlow
  ) async throws(PurchasingError) -> PurchaseOutcome? {
    let open = await records.orders.filter {
      $0.user == flow.user && $0.request.store == .weChatPay && $0.request.product == flow.request.product
        && $0.phase != nil && $0.phase != .created
    }
    let server = self.server
    for record in open.reversed() {
      guard let order = record.order, await claim(record.id) else {
        throw PurchasingError(.earlierPurchaseUndecided)
      }
      defer { if flows[number]?.record != record.id { claims.release(record.id) } }
      var body = try await session.asWaitingUser(flow.user) { await server.order(order.id, as: $0) }
      if body.state == .awaitingPayment {
        if record.request.quantity == flow.request.quantity {
          flows[number]?.record = record.id
          return nil
        }
        // Another quantity: the old order is closed first, at WeChat Pay too, so that it cannot also be paid.
        body = try await session.asWaitingUser(flow.user) { await server.close(order.id, as: $0) }
      }
      await closing.apply(body, to: record)
      switch body.state {
      case .paid: return .fulfilled(order.id, recovered: true)
      case .awaitingPayment: throw PurchasingError(.earlierPurchaseUndecided)
      case .closed: continue
      }
    }
    return nil
  }

  /// Claims a record; a background check may hold it for the length of a request.
  nonisolated(nonsending) private func claim(_ id: RecordIdentifier) async -> Bool {
    for _ in 0...(policies.requestLimit.milliseconds / 1000) {
      if claims.claim(id) { return true }
      guard (try? await dependencies.sleep(.seconds(1))) != nil else { return false }
    }
    return false
  }

  /// Opens WeChat and waits until the server reports the state of the order.
  nonisolated(nonsending) func pay(_ number: Int) async {
    // A flow that is decided by now lost its user while the record was written: WeChat must not open.
    guard let flow = flows[number], !flow.isDecided, let request = flow.weChatRequest, let order = flow.order, let app
    else { return }
    log.write(.info, "client.payment.started", with: order.logFields(flow.request))
    await tasks.add { client in
      do throws(WeChatFailure) {
        try await app.open(request)
        await client.isolated { $0.purchases.weChat.didOpen(number, order.id) }
      } catch {
        await client.isolated { $0.purchases.weChat.didNotOpen(number, error) }
      }
    }
    await polling.pollUntilDecided(number, flow.user)
  }

  private func didOpen(_ number: Int, _ order: OrderIdentifier) {
    guard flows[number]?.isDecided == false else { return }
    log.write(.info, "client.weChat.opened", with: [("order", order.description)])
    events.emit(.openedWeChat(order))
  }

  private func didNotOpen(_ number: Int, _ failure: WeChatFailure) {
    log.write(
      .warning, "client.weChat.notOpened",
      with: [("code", failure.errCode.map { "\($0)" } ?? "none"), ("why", failure.explanation)])
    // The OpenSDK is no proof here either: the server is asked before the customer gets a message.
    flows.customerIsBack(number, code: failure.errCode ?? Self.notOpened)
  }

  // MARK: responses of WeChat

  /// Listens to WeChat for as long as the client runs.
  nonisolated(nonsending) func listen() async {
    guard let app else { return }
    while !Task.isCancelled {
      for await response in await app.responses() {
        await tasks.addIsolated { await $0.purchases.weChat.receive(response, on: $0) }
      }
      if Task.isCancelled { return }
      log.write(.warning, "client.weChat.responses.ended")
      try? await dependencies.sleep(policies.storeLimit)
    }
  }

  /// Handles a response of WeChat. If no purchase is running, it belongs to an earlier process or comes twice: then
  /// only the server is asked.
  private func receive(_ response: WeChatResponse, on client: isolated Purchasing) async {
    guard response.isPayment else { return }
    log.write(.info, "client.weChat.response", with: [("code", "\(response.errCode)")])
    let waiting = flows.oldestFirst.filter { $0.flow.isWaitingForWeChat && $0.flow.isAnswered(by: response) }
    guard !waiting.isEmpty else {
      _ = await client.recovery.run(.link, on: client)
      return
    }
    for (number, _) in waiting {
      // Under iOS it names no order: with two open, it applies to neither.
      flows.customerIsBack(number, code: waiting.count == 1 ? response.errCode : nil)
    }
  }
}

extension PurchaseFlow {
  /// Whether WeChat was opened for this flow, and its result is not known yet.
  var isWaitingForWeChat: Bool { weChatRecord != nil && !isDecided }

  /// Whether a response may be about this flow: yes, unless it names another.
  func isAnswered(by response: WeChatResponse) -> Bool {
    if let prepayId = response.prepayId, let asked = weChatRequest?.prepayId { return prepayId == asked }
    if let extData = response.extData, let asked = weChatRequest?.extData { return extData == asked }
    return true
  }
}

extension WeChatPayRequest {
  /// The values that the server signed; nil if the order carries none that an app can pass to WeChat.
  init?(_ body: OrderBody) {
    guard body.state == .awaitingPayment, let signed = body.weChatPay,
      let seconds = UInt32(exactly: signed.timeStamp)
    else { return nil }
    self.init(
      appId: signed.appId, partnerId: signed.partnerId, prepayId: signed.prepayId,
      packageValue: signed.packageValue, nonceStr: signed.nonceStr, timeStamp: seconds, sign: signed.sign,
      signType: signed.signType, extData: signed.extData ?? body.id.appAccountToken)
  }
}
