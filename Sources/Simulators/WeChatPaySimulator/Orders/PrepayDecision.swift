import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// What WeChat Pay decides about one prepay call.
struct PrepayDecision: Sendable {
  let tradeType: TradeType
  let body: JSONValue
  let merchant: SimulatedMerchant
  /// Scheme and host of the links to the cashier.
  let origin: String
  /// Whether the request names the platform public key.
  let namesPublicKey: Bool

  /// Opens an order, or gives a new prepay id for an open one with the same parameters.
  func decide(_ decision: inout CommandContext) throws(APIProblem) -> (key: OrderKey, answer: JSONValue) {
    try check(decision.state)
    let key = OrderKey(mchid: merchant.mchid, outTradeNo: body["out_trade_no"]?.string ?? "")
    let fingerprint = Fingerprint.text(of: body, tradeType.rawValue)
    var order: SimulatedOrder
    if let known = decision.state.orders[key] {
      order = try reopened(known, fingerprint, decision: decision)
    } else {
      guard decision.state.orders.count < WeChatPaySimulatorLimits.ordersMax else { throw .systemError }
      order = newOrder(key, fingerprint, at: decision.now)
    }
    let prepay = SimulatedOrder.Prepay(
      id: decision.prepayId(),
      codeURL: tradeType == .native ? "weixin://wxpay/bizpayurl?pr=" + decision.digits(11) : nil,
      issuedAt: decision.now)
    order.prepays = order.prepays.suffix(WeChatPaySimulatorLimits.prepaysMax - 1) + [prepay]
    decision.put(.order(order))
    if merchant.usesPublicKey != namesPublicKey {
      var changed = merchant
      changed.usesPublicKey = namesPublicKey
      decision.put(.merchant(changed))
    }
    switch tradeType {
    case .app, .jsapi: return (key, .members([("prepay_id", .string(prepay.id))]))
    case .native: return (key, .members([("code_url", .string(prepay.codeURL ?? ""))]))
    case .h5:
      let package = decision.tenDigits()
      return (
        key, .members([("h5_url", .string("\(origin)/cashier/h5?prepay_id=\(prepay.id)&package=\(package)"))])
      )
    }
  }

  /// An existing order that may get another prepay id.
  private func reopened(
    _ order: SimulatedOrder, _ fingerprint: String, decision: CommandContext
  ) throws(APIProblem) -> SimulatedOrder {
    switch decision.state.tradeState(of: order, at: decision.now) {
    case .success, .refund: throw .orderPaid
    case .closed, .revoked, .payError: throw .orderClosed
    case .notPaid, .userPaying: break
    }
    guard order.fingerprint == fingerprint else {
      throw decision.state.behaviours.isOn(.outTradeNoUsed)
        ? APIProblem(403, "OUT_TRADE_NO_USED", message: "商户订单号重复", number: 268_498_688)
        : APIProblem(400, "INVALID_REQUEST", message: "201 商户订单号重复", number: 268_498_688)
    }
    return order
  }

  private func newOrder(_ key: OrderKey, _ fingerprint: String, at now: Timestamp) -> SimulatedOrder {
    let wished = body["time_expire"]?.string.flatMap { Timestamp(iso8601: $0) }
    let expiry = wished.map {
      min(max($0, now + WeChatPaySimulatorLimits.expiryLeast), now + WeChatPaySimulatorLimits.expiryMost)
    }
    return SimulatedOrder(
      key: key, tradeType: tradeType, fingerprint: fingerprint, appid: body["appid"]?.string ?? "",
      goods: body["description"]?.string ?? "", total: body["amount"]?["total"]?.integer ?? 0,
      attach: body["attach"]?.string.flatMap { $0.isEmpty ? nil : $0 }, notifyURL: body["notify_url"]?.string ?? "",
      openid: body["payer"]?["openid"]?.string, deviceId: body["scene_info"]?["device_id"]?.string ?? "",
      createdAt: now,
      timeExpire: expiry ?? now + WeChatPaySimulatorLimits.expiryOtherwise)
  }

  /// Checks that the body format does not cover.
  private func check(_ state: WeChatPayState) throws(APIProblem) {
    guard body["mchid"]?.string == merchant.mchid else {
      throw .parameter("/mchid", "与 Authorization 中的商户号不一致", value: body["mchid"])
    }
    guard let appid = body["appid"]?.string, merchant.appids.contains(appid) else {
      throw APIProblem(400, "APPID_MCHID_NOT_MATCH", message: "商户号和appid没有绑定关系", number: 268_445_527)
    }
    if let openid = body["payer"]?["openid"]?.string, let known = state.appidOfOpenid[openid], known != appid {
      throw APIProblem(500, "OPENID_MISMATCH", message: "openid和appid不匹配")
    }
    if tradeType == .h5, let address = body["scene_info"]?["payer_client_ip"]?.string, Self.isPrivate(address) {
      throw .parameter("/scene_info/payer_client_ip", "不是用户的公网 IP", value: .string(address))
    }
  }

  /// Loopback and intranet addresses, as far as their prefixes show.
  private static func isPrivate(_ address: String) -> Bool {
    let parts = address.split(separator: ".").compactMap { UInt8($0) }
    guard parts.count == 4 else { return address.hasPrefix("::") || address.hasPrefix("f") || address.hasPrefix("F") }
    return [0, 10, 127].contains(parts[0]) || parts[0] == 192 && parts[1] == 168 || parts[0] == 169 && parts[1] == 254
      || parts[0] == 172 && (16...31).contains(parts[1])
  }
}
