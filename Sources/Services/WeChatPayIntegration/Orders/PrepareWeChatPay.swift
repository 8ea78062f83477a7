import PaymentDatabase
package import PaymentEngine
package import PaymentModel
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
    _ name: OrderName, in appEnvironment: AppEnvironment, of user: UserIdentifier?, for app: AppPolicy
  ) async throws -> OrderDetails {
    let details = try await readOrder(name, in: [appEnvironment], of: user)
    guard details.order.store == .weChatPay else { throw CodedError<EngineErrorCode>(.storeNotConfigured) }
    return try await handOff(details, for: app)
  }

  /// The order with the payer's parameters. They come from WeChat Pay's recent answer; otherwise WeChat Pay is asked
  /// again with exactly the stored body.
  func handOff(_ details: OrderDetails, for app: AppPolicy) async throws -> OrderDetails {
    guard case .awaitingPayment = details.order.state, let gateway = weChatPay?.gateways[app.id] else { return details }
    let key = details.order.key
    guard let row = try await read({ try $0.weChatPayOrder(key) }), let tradeType = TradeType(rawValue: row.tradeType)
    else { return details }
    switch row.state {
    case .closing, .closed, .paid: return details
    case .preparing, .unknown, .prepared: break
    }
    var details = details
    if let handle = row.handle, now < handle.issuedAt + Self.handOffLimit(tradeType) {
      details.handOff = handOff(handle, row, tradeType: tradeType, by: gateway.signingMerchant).json
      return details
    }
    // Its user was erased: nobody opens it any more, and it ends when it expires.
    guard row.prepayBody != WeChatPayOrder.erasedBody else { return details }
    let call = WeChatPayCall<PrepayAnswer>.prepay(tradeType, body: Array(row.prepayBody.utf8))
    let reply = await gateway.send(call)
    switch reply.outcome.result {
    case .answered(let answer):
      let handle = WeChatPayOrder.Handle(answer.text, issuedAt: now)
      let present = try await receive(.prepared(handle), for: key)
      guard present?.state == .prepared else {
        return try await readOrder(.id(key.id), in: [key.appEnvironment], of: nil)
      }
      details.handOff = handOff(handle, row, tradeType: tradeType, by: gateway.signingMerchant).json
      return details
    case .refused(let error):
      return try await closeAfterPrepayError(error, details, row: row, app: app)
    case .unknown:
      try await receive(.prepareUnknown, for: key)
      return details
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
    _ handle: WeChatPayOrder.Handle, _ row: WeChatPayOrder, tradeType: TradeType, by merchant: MerchantCredentials
  ) -> WeChatPayHandOff {
    let now = now
    let nonce = Nonce.text(randomBytes: dependencies.randomBytes(32))
    switch tradeType {
    case .app:
      return .app(
        AppPaymentParameters(
          merchant: merchant, appId: row.storeApp, prepayId: handle.text, order: row.order.id, at: now,
          nonce: nonce))
    case .jsapi:
      return .jsapi(
        JSAPIPaymentParameters(
          merchant: merchant, appId: row.storeApp, prepayId: handle.text, at: now, nonce: nonce))
    case .h5: return .h5(url: handle.text)
    case .native: return .native(codeURL: handle.text)
    }
  }

  /// Handles an error of WeChat Pay. If it may mean that the order changed already, WeChat Pay is asked about it.
  private func closeAfterPrepayError(
    _ error: WeChatPayError, _ details: OrderDetails, row: WeChatPayOrder, app: AppPolicy
  ) async throws -> OrderDetails {
    let key = details.order.key
    switch error.code {
    case .orderPaid, .orderClosed, .outTradeNoUsed, .invalidRequest:
      if row.state == .preparing { try await receive(.prepareUnknown, for: key) }
      await askWeChatPay(about: key, for: app)
      return try await readOrder(.id(key.id), in: [key.appEnvironment], of: nil)
    default: break
    }
    if row.handle == nil {
      // No payer has received parameters, so the order cannot be in payment. WeChat Pay must be told only if an
      // earlier attempt got no answer.
      try await receive(row.state == .preparing ? .prepayRefused : .close(.prepayRefused), for: key)
    }
    throw CodedError<EngineErrorCode>(.weChatPayPrepayRefused, "\(error)")
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
