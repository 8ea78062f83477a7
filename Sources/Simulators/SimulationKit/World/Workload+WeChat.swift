import HTTPMessages
import PaymentDatabase
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol
import WeChatPaySimulator

// Faults, refunds and closings for the users who pay through WeChat Pay.

extension Workload {
  private var plan: WeChatPlan { context.plan.weChat }

  /// Stores the backend's API key in the database before the world starts.
  func registerBackend(in database: WorldDatabase) async throws {
    let world = context.world
    let isClaimed = context.plan.habits.isClaimed
    let outcome = await database.connect(now: { world.now }).transact { transaction in
      try transaction.insert(WorldShop.backendKeyRow)
      if isClaimed { try transaction.insert(WorldShop.operatorKeyRow) }
    }
    guard case .committed = outcome else {
      return context.events.reportViolation("the backend's key could not be written down")
    }
  }

  /// Turns WeChat Pay's faulty behaviour settings on, or turns off those that end with the faults.
  func spoilWeChatPay(_ on: Bool) async throws {
    for behaviour in plan.behaviours where on || behaviour.heals {
      if on { context.events.record("WeChat Pay", "\(behaviour.behaviour.rawValue) = \(behaviour.value)") }
      try await weChatPay.insist { try await $0.setBehaviour(behaviour.behaviour, to: on ? behaviour.value : 0) }
    }
    guard on else { return try await weChatPay.insist { try await $0.control.forgetFaults() } }
    for fault in plan.faults {
      let operation = fault.operation.map { " of \($0.rawValue)" } ?? ""
      context.events.record("WeChat Pay", "\(fault.fault.rawValue)\(operation): \(fault.percent) of 100")
      try await weChatPay.insist { try await $0.control.plan(fault) }
    }
  }

  func killWeChatPay() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "WeChat Pay kills")
    for _ in 0..<plan.weChatPayKills {
      try await context.sleep(.seconds(Int64(10 + chance.number(below: 300))))
      if chance.happens(perMille: 500) {
        // In the middle of a write: an incomplete record must not exist after the restart.
        weChatPay.kill(inLine: 1 + chance.number(below: 4))
        try await bury(weChatPay.process, within: .minutes(3), &chance)
      } else {
        try await kill(weChatPay.process, &chance)
      }
      await weChatPay.start()
    }
  }

  /// The backend refunds in full or in part, and repeats the request under the same key if it gets no answer.
  func refundAtWeChatPay() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "refunds at WeChat Pay")
    let exchange = context.exchange(from: .backend, to: .server)
    for number in 0..<plan.refunds {
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

  /// Closes orders that may be about to be paid: WeChat Pay decides which comes first.
  func closeWeChatPayOrders() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "closing at WeChat Pay")
    for _ in 0..<plan.closings {
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
