import PaymentPrimitives
import CounterfoilAPI

// Paying through WeChat: order, vault, fresh parameters, WeChat. What WeChat reports ends waits and decides nothing;
// whether the order is paid is the server's word, which asks WeChat Pay itself (1A.3, 1A.4).

extension Purchasing {
  /// Everything before WeChat opens.
  ///
  /// - Returns: an outcome if there is nothing to be paid any more; nil if WeChat may open.
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

  /// Deals with what an earlier tap left open: the same thing is never sold under a second order while the first can
  /// still be paid (docs/decisions/0042-the-same-order-is-paid-again.md).
  ///
  /// - Returns: an outcome when it turns out to be paid. Nil when the purchase goes on, with the old order if the flow
  ///   has a record then.
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
        // Another quantity: the old order is closed first, at WeChat Pay too, so that it cannot be paid beside it.
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

  /// Claims a record; a look in the background may have it for the length of a request.
  private func claim(_ id: RecordIdentifier) async -> Bool {
    for _ in 0...(configuration.policies.requestLimit.milliseconds / 1000) {
      if claimed.insert(id).inserted { return true }
      guard (try? await surroundings.sleep(.seconds(1))) != nil else { return false }
    }
    return false
  }

  /// Opens WeChat and waits until the server says how the order stands.
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
    // That too is only what the OpenSDK says: the server is asked before the customer is told.
    comeBack(number, code: failure.errCode ?? Self.notOpened)
  }

  /// Stands for "WeChat was not opened" where the OpenSDK gave no number: its own numbers end at -5.
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
      try? await surroundings.sleep(configuration.policies.storeLimit)
    }
  }

  /// Takes in what WeChat said. Without a purchase under way it is the news of an earlier process, or comes twice:
  /// the server is asked, and nothing else happens.
  private func receive(_ response: WeChatResponse) async {
    guard response.isPayment else { return }
    log(.info, "client.weChat.response", [("code", "\(response.errCode)")])
    let waiting = flows.filter { $0.value.isWaitingForWeChat && $0.value.isAnswered(by: response) }
    guard !waiting.isEmpty else {
      _ = await performRecovery(.link)
      return
    }
    for number in waiting.keys.sorted() {
      // It names no order under iOS: with two open, it says of neither how it went.
      comeBack(number, code: waiting.count == 1 ? response.errCode : nil)
    }
  }

  /// The customer is back from WeChat, as far as one can tell. Signs after the first are merged into it.
  func comeBack(_ number: Int, code: Int? = nil) {
    guard flows[number]?.isWaitingForWeChat == true else { return }
    if flows[number]?.weChatCode == nil { flows[number]?.weChatCode = code }
    flows[number]?.isBack = true
    flows[number]?.returned?.resolve(())
  }
}

extension PurchaseFlow {
  /// Whether WeChat was opened for it, and it is not known yet how it went.
  var isWaitingForWeChat: Bool { weChatRecord != nil && !isDecided }

  /// Whether a response may be about it: it is, unless it names another.
  func isAnswered(by response: WeChatResponse) -> Bool {
    if let prepayId = response.prepayId, let asked = weChatRequest?.prepayId { return prepayId == asked }
    if let extData = response.extData, let asked = weChatRequest?.extData { return extData == asked }
    return true
  }
}

extension WeChatPayRequest {
  /// What the server signed; nil when the order carries nothing that an app can hand over.
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
