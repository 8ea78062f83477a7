import CounterfoilAPI
import PaymentPrimitives

// Paying through WeChat: order, vault, new parameters, WeChat. A report of WeChat ends waits and decides nothing. The
// server decides whether the order is paid, after asking WeChat Pay itself (1A.3, 1A.4).

extension Purchasing {
  /// Everything before WeChat opens.
  ///
  /// - Returns: an outcome if nothing has to be paid any more; nil if WeChat may open.
  func prepareWeChat(_ number: Int) async throws(PurchasingError) -> PurchaseOutcome? {
    guard let weChat else { throw PurchasingError(.weChatAbsent, "Hand a `WeChatApp` to `Purchasing`.") }
    let isInstalled = await bounded(configuration.policies.storeLimit) { await weChat.isInstalled() }
    guard isInstalled == true else { throw PurchasingError(.weChatNotInstalled) }
    guard await vaultIsLoaded() else { throw PurchasingError(.vaultUnavailable) }
    guard let flow = flows[number] else { throw PurchasingError(.purchaseAbandoned) }
    if let outcome = try await resume(number, flow) { return outcome }
    let record: OrderRecord
    if let claimed = flows[number]?.record, let open = await book.order(claimed) {
      record = open
    } else {
      record = try await makeOrder(number, flow).0
    }
    guard let order = record.order else { throw PurchasingError(.orderDiffers) }
    let server = self.server
    let body = try await askWhileCustomerLooks(flow.user) { await server.prepareWeChatPay(order.id, as: $0) }
    if body.state == .paid {
      await takeIn(body, about: record)
      return .fulfilled(order.id, recovered: true)
    }
    guard let request = WeChatPayRequest(body) else {
      throw PurchasingError(.orderDiffers, "Order \(order.id) carries nothing to hand to WeChat.")
    }
    guard request.appId == weChat.appId else {
      throw PurchasingError(.weChatAppDiffers, "The order is for \(request.appId), this is \(weChat.appId).")
    }
    flows[number]?.weChatRequest = request
    try await beginPaying(number, flow, record, order)
    return nil
  }

  /// Handles what an earlier tap left open. The same purchase never gets a second order while the first can still be
  /// paid (docs/decisions/0042-the-same-order-is-paid-again.md).
  ///
  /// - Returns: an outcome if it turns out to be paid. Nil if the purchase goes on; with the old order if the flow has
  ///   a record then.
  private func resume(_ number: Int, _ flow: PurchaseFlow) async throws(PurchasingError) -> PurchaseOutcome? {
    let open = await book.orders.filter {
      $0.user == flow.user && $0.request.store == .weChatPay && $0.request.product == flow.request.product
        && $0.phase != nil && $0.phase != .created
    }
    let server = self.server
    for record in open.reversed() {
      guard let order = record.order, await claim(record.id) else {
        throw PurchasingError(.earlierPurchaseUndecided)
      }
      defer { if flows[number]?.record != record.id { claimed.remove(record.id) } }
      var body = try await askWhileCustomerLooks(flow.user) { await server.order(order.id, as: $0) }
      if body.state == .awaitingPayment {
        if record.request.quantity == flow.request.quantity {
          flows[number]?.record = record.id
          return nil
        }
        // Another quantity: the old order is closed first, at WeChat Pay too, so that it cannot also be paid.
        body = try await askWhileCustomerLooks(flow.user) { await server.close(order.id, as: $0) }
      }
      await takeIn(body, about: record)
      switch body.state {
      case .paid: return .fulfilled(order.id, recovered: true)
      case .awaitingPayment: throw PurchasingError(.earlierPurchaseUndecided)
      case .closed: continue
      }
    }
    return nil
  }

  /// Claims a record; a background check may hold it for the length of a request.
  private func claim(_ id: RecordIdentifier) async -> Bool {
    for _ in 0...(configuration.policies.requestLimit.milliseconds / 1000) {
      if claimed.insert(id).inserted { return true }
      guard (try? await dependencies.sleep(.seconds(1))) != nil else { return false }
    }
    return false
  }

  /// Opens WeChat and waits until the server reports the state of the order.
  func payByWeChat(_ number: Int) async {
    guard let flow = flows[number], let request = flow.weChatRequest, let order = flow.order, let weChat else {
      return
    }
    log(.info, "client.payment.started", [("order", order.id.description)])
    await tasks.add {
      do throws(WeChatFailure) {
        try await weChat.open(request)
      } catch {
        await self.weChatDidNotOpen(number, error)
      }
    }
    await lookUntilDecided(number, flow.user)
  }

  private func weChatDidNotOpen(_ number: Int, _ failure: WeChatFailure) {
    log(
      .warning, "client.weChat.notOpened",
      [("code", failure.errCode.map { "\($0)" } ?? "none"), ("why", failure.explanation)])
    // The OpenSDK is no proof here either: the server is asked before the customer gets a message.
    comeBack(number, code: failure.errCode ?? Self.notOpened)
  }

  /// Means "WeChat was not opened" if the OpenSDK gave no number: its own numbers end at -5.
  private static let notOpened = -1

  // MARK: signs that the customer is back

  /// Listens to WeChat for as long as the client runs.
  func listenToWeChat() async {
    guard let weChat else { return }
    while !Task.isCancelled {
      for await response in await weChat.responses() {
        await tasks.add { await self.receive(response) }
      }
      if Task.isCancelled { return }
      log(.warning, "client.weChat.responses.ended")
      try? await dependencies.sleep(configuration.policies.storeLimit)
    }
  }

  /// Handles a response of WeChat. If no purchase is running, it belongs to an earlier process or comes twice: then
  /// only the server is asked.
  private func receive(_ response: WeChatResponse) async {
    guard response.isPayment else { return }
    log(.info, "client.weChat.response", [("code", "\(response.errCode)")])
    let waiting = flows.filter { $0.value.isWaitingForWeChat && $0.value.isAnswered(by: response) }
    guard !waiting.isEmpty else {
      _ = await performRecovery(.link)
      return
    }
    for number in waiting.keys.sorted() {
      // Under iOS it names no order: with two open, it applies to neither.
      comeBack(number, code: waiting.count == 1 ? response.errCode : nil)
    }
  }

  /// Handles a probable return of the customer from WeChat. Signs after the first are merged into it.
  func comeBack(_ number: Int, code: Int? = nil) {
    guard flows[number]?.isWaitingForWeChat == true else { return }
    if flows[number]?.weChatCode == nil { flows[number]?.weChatCode = code }
    flows[number]?.isBack = true
    flows[number]?.returned?.resolve(())
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
