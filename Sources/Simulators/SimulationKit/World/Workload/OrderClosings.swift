import HTTPMessages
import PaymentPrimitives

/// Users close orders that may be about to be paid.
struct OrderClosings: Sendable {
  let context: SimulationContext
  let phones: [WorldPhone]

  /// For the App Store: a closed order still takes the payment.
  func closeOrders() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "closing")
    let exchange = context.exchange(from: .phone(0), to: .server)
    for _ in 0..<chance.number(below: 4) {
      try await context.sleep(.seconds(Int64(chance.number(below: 250))))
      guard let sheet = chance.pick(phones.flatMap { $0.sheets.suffix(1) }), let user = sheet.users.sorted().first
      else {
        continue
      }
      context.events.record("gateway", "closes the order \(sheet.token)")
      let token = WorldShop.userToken(for: user, at: context.world.now)
      let request = HTTPRequest(
        "POST", WorldShop.serverURL + "/v1/orders/\(sheet.token)/close", fields: ["Authorization": "Bearer \(token)"])
      _ = try? await exchange.send(request, .seconds(10))
    }
  }

  /// For WeChat Pay: it decides which comes first.
  func closeWeChatPayOrders() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "closing at WeChat Pay")
    for _ in 0..<context.plan.weChat.closings {
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 250))))
      let last = phones.flatMap { $0.handOvers.suffix(1) }
      guard let handOver = chance.pick(last), let user = handOver.users.sorted().first else { continue }
      context.events.record("gateway", "closes the order \(handOver.order)")
      let request = HTTPRequest(
        "POST", WorldShop.serverURL + "/v1/orders/\(handOver.order)/close",
        fields: ["Authorization": "Bearer \(WorldShop.userToken(for: user, at: context.world.now))"])
      _ = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(10))
    }
  }
}
