package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
import WeChatPayProtocol

extension WeChatPayIntegration {
  /// Checks whether the product may be paid with WeChat Pay at all.
  package func check(
    _ product: Product, for request: OrderRequest, of app: AppPolicy
  ) throws(CodedError<EngineErrorCode>) {
    guard let access = gateways[app.id]?.access else { throw CodedError(.storeNotConfigured) }
    guard product.weChatPrice != nil, product.kind != .autoRenewable else { throw CodedError(.productNotSoldAtStore) }
    let isOnIOS = request.platform.map { ["ios", "ipados"].contains($0.lowercased()) } ?? false
    guard !isOnIOS || product.isPhysical || access.sellsVirtualGoodsOnIOS else {
      throw CodedError(.virtualGoodsNeedInAppPurchase)
    }
    guard request.platform != nil else { throw CodedError(.weChatPayOrderInvalid, "The platform is not stated.") }
  }

  /// The row of an order with the body that opens it: made here, once.
  package func opening(
    of order: Order, for request: OrderRequest, in app: AppPolicy
  ) throws(CodedError<EngineErrorCode>) -> WeChatPayOrder? {
    guard let access = gateways[app.id]?.access, let price = order.product.weChatPrice else {
      throw CodedError(.storeNotConfigured)
    }
    // H5 is the common name; WeChat Pay calls it MWEB.
    guard let tradeType = TradeType(rawValue: request.tradeType == "H5" ? "MWEB" : request.tradeType ?? "APP") else {
      throw CodedError(.weChatPayOrderInvalid, "There is no such trade type.")
    }
    guard let appid = access.appids[tradeType] else {
      throw CodedError(.weChatPayOrderInvalid, "No app id is configured for \(tradeType.rawValue).")
    }
    let (total, overflow) = price.minorUnits.multipliedReportingOverflow(by: Int64(order.quantity))
    guard !overflow else { throw CodedError(.weChatPayOrderInvalid, "The amount is too large.") }
    var prepay = PrepayOrder(
      appid: appid, mchid: access.merchant.mchid,
      description: app.descriptions[order.product.id] ?? order.product.id.text,
      outTradeNo: order.key.id.outTradeNo, notifyURL: access.notifyURL(of: app.id), total: total,
      cashier: try cashier(tradeType, request))
    prepay.timeExpire = order.expiresAt
    let body: [UInt8]
    do throws(CodedError<WeChatPayRequestErrorCode>) { body = try prepay.body() } catch {
      throw CodedError(.weChatPayOrderInvalid, "\(error)")
    }
    return WeChatPayOrder(
      order: order.key, merchant: access.merchant.mchid, storeApp: appid, tradeType: tradeType.rawValue,
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
