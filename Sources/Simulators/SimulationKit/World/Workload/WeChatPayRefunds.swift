import HTTPMessages
import PaymentPrimitives
import StrictJSON
import WeChatPaySimulator

/// Refunds that the backend requests at WeChat Pay.
struct WeChatPayRefunds: Sendable {
  let context: SimulationContext
  let weChatPay: WorldWeChatPay

  /// The backend refunds in full or in part, and repeats the request under the same key if it gets no answer.
  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "refunds at WeChat Pay")
    let exchange = context.exchange(from: .backend, to: .server)
    for number in 0..<context.plan.weChat.refunds {
      try await context.sleep(.seconds(Int64(60 + chance.number(below: 400))))
      let paid = try await weChatPay.insist { await $0.orders() }.filter { $0.paidAt != nil }
      guard let order = chance.pick(paid), let id = OrderIdentifier(order.outTradeNo) else { continue }
      let amount: Int64? = chance.happens(perMille: 400) ? 1 + Int64(chance.number(below: Int(order.total))) : nil
      context.events.record("backend", "wants \(amount.map { "\($0) fen" } ?? "all") of \(id) to go back")
      let request = HTTPRequest(
        "POST", WorldShop.serverURL + "/v1/orders/\(id)/refund",
        fields: [
          "Authorization": "Bearer \(WorldShop.backendKey)", "Content-Type": "application/json",
          "Idempotency-Key": "refund \(number)",
        ],
        body: JSONValue.members([("amount", amount.map { .integer($0) })]).bytes)
      for _ in 0..<3 {
        guard let answer = try? await exchange.send(request, .seconds(20)) else { continue }
        context.events.record("backend", "is answered \(answer.status)")
        if answer.status < 500 { break }
        try await context.sleep(.seconds(5))
      }
    }
  }
}
