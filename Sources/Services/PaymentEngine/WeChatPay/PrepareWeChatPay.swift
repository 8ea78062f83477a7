package import PaymentModel
import PaymentDatabase
package import PaymentPrimitives
package import StrictJSON
package import WeChatPayProtocol

/// The parameters with which the payer's client opens WeChat's cashier.
package enum WeChatPayHandOff: Hashable, Sendable {
  case app(AppPaymentParameters)
  /// For a page within WeChat or a mini program: six names.
  case jsapi(JSAPIPaymentParameters)
  /// For a browser: the page to open.
  case h5(url: String)
  /// For a QR code: its text.
  case native(codeURL: String)

  /// The form in the answer's `weChatPay`.
  package var json: JSONValue {
    switch self {
    case .app(let parameters): parameters.json
    case .jsapi(let parameters): parameters.json
    case .h5(let url): .members([("h5Url", .string(url))])
    case .native(let url): .members([("codeUrl", .string(url))])
    }
  }
}

extension PaymentEngine {
  /// New parameters for an order that waits for its payment; none if it is paid, closed or not opened yet.
  ///
  /// - Throws: `weChatPayPrepayRefused` with WeChat Pay's code if it rejects the order permanently.
  package func prepareWeChatPay(
    _ name: OrderName, in appEnvironment: AppEnvironment, of user: UserIdentifier?, for app: AppSettings
  ) async throws -> OrderStory {
    let story = try await readOrder(name, in: [appEnvironment], of: user)
    guard story.order.store == .weChatPay else { throw CodedError<EngineErrorCode>(.storeNotConfigured) }
    return try await handOff(story, for: app)
  }

  /// The order with the payer's parameters. They come from WeChat Pay's recent answer; otherwise WeChat Pay is asked
  /// again with exactly the stored body.
  func handOff(_ story: OrderStory, for app: AppSettings) async throws -> OrderStory {
    guard case .awaitingPayment = story.order.state, let gateway = gateways[app.id] else { return story }
    let key = story.order.key
    guard let row = try await read({ try $0.weChatPayOrder(key) }), let tradeType = TradeType(rawValue: row.tradeType)
    else { return story }
    switch row.state {
    case .closing, .closed, .paid: return story
    case .preparing, .unknown, .prepared: break
    }
    var story = story
    if let handle = row.handle, dependencies.now() < handle.issuedAt + Self.handOffLimit(tradeType) {
      story.handOff = handOff(handle, row, tradeType, gateway.settings)
      return story
    }
    let call = WeChatPayCall<PrepayAnswer>.prepay(tradeType, body: Array(row.prepayBody.utf8))
    let reply = await gateway.send(call)
    switch reply.outcome.result {
    case .answered(let answer):
      let handle = WeChatPayOrder.Handle(answer.text, issuedAt: dependencies.now())
      let present = try await note(.prepared(handle), for: key)
      guard present?.state == .prepared else {
        return try await readOrder(.id(key.id), in: [key.appEnvironment], of: nil)
      }
      story.handOff = handOff(handle, row, tradeType, gateway.settings)
      return story
    case .refused(let refusal):
      return try await prepayRefused(refusal, story, row, app)
    case .unknown:
      try await note(.prepareUnknown, for: key)
      return story
    }
  }

  /// How long the answer to an opened order is used: some time must remain for the payer.
  private static func handOffLimit(_ tradeType: TradeType) -> TimeSpan {
    switch tradeType {
    case .app, .jsapi, .native: AppPaymentParameters.handOffLimit
    // Valid for five minutes and one session.
    case .h5: .minutes(4)
    }
  }

  private func handOff(
    _ handle: WeChatPayOrder.Handle, _ row: WeChatPayOrder, _ tradeType: TradeType, _ settings: WeChatPaySettings
  ) -> WeChatPayHandOff {
    let now = dependencies.now()
    let nonce = Nonce.text(randomBytes: dependencies.randomBytes(32))
    switch tradeType {
    case .app:
      return .app(
        AppPaymentParameters(
          merchant: settings.merchant, appId: row.storeApp, prepayId: handle.text, order: row.order.id, at: now,
          nonce: nonce))
    case .jsapi:
      return .jsapi(
        JSAPIPaymentParameters(
          merchant: settings.merchant, appId: row.storeApp, prepayId: handle.text, at: now, nonce: nonce))
    case .h5: return .h5(url: handle.text)
    case .native: return .native(codeURL: handle.text)
    }
  }

  /// Handles an error of WeChat Pay. If it may mean that the order changed already, WeChat Pay is asked about it.
  private func prepayRefused(
    _ refusal: WeChatPayRefusal, _ story: OrderStory, _ row: WeChatPayOrder, _ app: AppSettings
  ) async throws -> OrderStory {
    let key = story.order.key
    switch refusal.code {
    case .orderPaid, .orderClosed, .outTradeNoUsed, .invalidRequest:
      if row.state == .preparing { try await note(.prepareUnknown, for: key) }
      await askWeChatPay(about: key, for: app)
      return try await readOrder(.id(key.id), in: [key.appEnvironment], of: nil)
    default: break
    }
    if row.handle == nil {
      // No payer has received parameters, so the order cannot be in payment. WeChat Pay must be told only if an
      // earlier attempt got no answer.
      try await note(row.state == .preparing ? .prepayRefused : .close(.prepayRefused), for: key)
    }
    throw CodedError<EngineErrorCode>(.weChatPayPrepayRefused, "\(refusal)")
  }

  // MARK: new orders

  /// Checks whether the product may be paid with WeChat Pay at all.
  func checkWeChatPay(
    _ product: Product, _ request: OrderRequest, _ app: AppSettings
  ) throws(CodedError<EngineErrorCode>) {
    guard let settings = app.weChatPay else { throw CodedError(.storeNotConfigured) }
    guard product.weChatPrice != nil, product.kind != .autoRenewable else { throw CodedError(.productNotSoldAtStore) }
    let isOnIOS = request.platform.map { ["ios", "ipados"].contains($0.lowercased()) } ?? false
    guard !isOnIOS || product.isPhysical || settings.sellsVirtualGoodsOnIOS else {
      throw CodedError(.virtualGoodsNeedInAppPurchase)
    }
    guard request.platform != nil else { throw CodedError(.weChatPayOrderInvalid, "The platform is not stated.") }
  }

  /// The promise to WeChat Pay: the body is made here, once.
  func newWeChatPayOrder(
    _ order: Order, _ request: OrderRequest, for app: AppSettings
  ) throws(CodedError<EngineErrorCode>) -> WeChatPayOrder {
    guard let settings = app.weChatPay, let price = order.product.weChatPrice else {
      throw CodedError(.storeNotConfigured)
    }
    // H5 is the common name; WeChat Pay calls it MWEB.
    guard let tradeType = TradeType(rawValue: request.tradeType == "H5" ? "MWEB" : request.tradeType ?? "APP") else {
      throw CodedError(.weChatPayOrderInvalid, "There is no such trade type.")
    }
    guard let appid = settings.appids[tradeType] else {
      throw CodedError(.weChatPayOrderInvalid, "No app id is configured for \(tradeType.rawValue).")
    }
    let (total, overflow) = price.minorUnits.multipliedReportingOverflow(by: Int64(order.quantity))
    guard !overflow else { throw CodedError(.weChatPayOrderInvalid, "The amount is too large.") }
    var prepay = PrepayOrder(
      appid: appid, mchid: settings.merchant.mchid, description: settings.description(of: order.product.id),
      outTradeNo: order.key.id.outTradeNo, notifyURL: settings.notifyURL(of: app.id), total: total,
      cashier: try cashier(tradeType, request))
    prepay.timeExpire = order.expiresAt
    let body: [UInt8]
    do throws(CodedError<WeChatPayRequestErrorCode>) { body = try prepay.body() } catch {
      throw CodedError(.weChatPayOrderInvalid, "\(error)")
    }
    return WeChatPayOrder(
      order: order.key, merchant: settings.merchant.mchid, storeApp: appid, tradeType: tradeType.rawValue,
      amount: Money(minorUnits: total, currency: price.currency), prepayBody: String(decoding: body, as: UTF8.self),
      nextQuestionAt: WeChatPayQuestions.next(
        after: 0, createdAt: order.createdAt, expiresAt: order.expiresAt, now: order.createdAt))
  }

  private func cashier(
    _ tradeType: TradeType, _ request: OrderRequest
  ) throws(CodedError<EngineErrorCode>) -> PrepayOrder.Cashier {
    switch tradeType {
    case .app: return .app
    case .native: return .native
    case .jsapi:
      guard let openid = request.openid else { throw CodedError(.weChatPayOrderInvalid, "JSAPI needs openId.") }
      return .jsapi(openid: openid)
    case .h5:
      guard let address = request.payerAddress else {
        throw CodedError(.weChatPayOrderInvalid, "H5 needs the payer's address.")
      }
      let kind: PrepayOrder.PayerDevice.Kind =
        switch request.platform?.lowercased() {
        case "ios": .iOS
        case "android": .android
        default: .wap
        }
      return .h5(PrepayOrder.PayerDevice(address: address, kind: kind))
    }
  }
}

extension PrepayAnswer {
  /// The answer in its stored form.
  fileprivate var text: String {
    switch self {
    case .prepayId(let text), .h5URL(let text), .codeURL(let text): text
    }
  }
}
