import CounterfoilAPI
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import WeChatPaySimulator

/// A customer on Android, over HTTP only. The customer orders and pays in the simulated cashier; every second payment
/// returns no result to the app.
struct DemoWeChatShopper: Sendable {
  private let stage: DemoStage
  private let platform: Platform
  private let user: String

  init(_ stage: DemoStage, _ platform: Platform, user: String) {
    self.stage = stage
    self.platform = platform
    self.user = user
  }

  /// One purchase. If the server is down, the customer retries a few times, then gives up.
  func buy(turn: Int) async {
    guard let order = await order(turn), let parameters = order["weChatPay"], let id = order["id"]?.string,
      let handOver = try? CashierVisit.AppHandOver(parameters)
    else { return }
    let tellsTheApp = turn % 2 == 0
    let result = try? await stage.weChatPay.service.cashier.visit(
      .app(handOver), openid: "o-" + user, tellsTheApp ? .pay : turn % 5 == 3 ? .cancel : .payAndLeave)
    guard result?.errCode == 0 else { return }
    _ = await ask("POST", CheckWeChatPay.path, body: .members([("orderId", .string(id))]), key: nil)
  }

  private func order(_ turn: Int) async -> JSONValue? {
    let body = JSONValue.members([
      ("productId", "coins.100"), ("store", "weChatPay"), ("platform", "android"),
    ])
    for _ in 0..<20 {
      // The same key: all retries belong to one order, and each answer has fresh parameters.
      if let answer = await ask("POST", CreateOrder.path, body: body, key: "\(user)-\(turn)"),
        answer["weChatPay"] != nil
      {
        return answer
      }
      try? await platform.dependencies.sleep(.milliseconds(200))
    }
    return nil
  }

  private func ask(_ method: String, _ path: String, body: JSONValue, key: String?) async -> JSONValue? {
    let token = TokenCommand.issue(
      for: user, of: SimulatedProfile.app, kid: SimulatedProfile.tokenKey, stage.tokenSecret,
      at: platform.dependencies.now(), for: .minutes(10))
    var request = HTTPRequest(
      method, stage.address + path, fields: ["Authorization": "Bearer " + token, "Content-Type": "application/json"])
    if let key { request.fields.set("Idempotency-Key", key) }
    request.body = body.bytes
    guard let response = try? await stage.exchange.send(request, .seconds(15)), (200..<300).contains(response.status)
    else { return nil }
    return try? JSONReader.read(response.body)
  }
}

extension DemoStage {
  /// The transactions that the simulated WeChat Pay has charged.
  func weChatPaid() async -> [String] {
    await weChatPay.service.orders().compactMap { $0.paidAt == nil ? nil : $0.transactionId }
  }
}
