import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import TestTier
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// Kills the server's process before one of its jobs, then starts a new process over the same database; the money must
/// be right. `make night` tries every job; otherwise some of each path, evenly spread, and different ones on each.
@Suite(.serialized) struct `A server that is killed at any await of WeChat Pay` {
  private static let dies = Tier.among(test: 3, check: 16, night: Int.max)

  @Test(arguments: WeChatKillPath.all)
  func `grants paid orders once, takes refunds back once, and changes nothing else`(_ path: WeChatKillPath) throws {
    let (jobs, faults) = try run(path, killedAt: nil)
    #expect(faults == [], "without any kill")
    // The shortest path is a notification that is stored and granted in one commit.
    #expect(jobs > 10, "the path has too few awaits")
    var wrong: [String] = []
    var places = 0
    let gap = max(1, jobs / Self.dies)
    for job in stride(from: 1 + path.name.utf8.count % gap, through: jobs, by: gap) where wrong.count < 3 {
      places += 1
      wrong += try run(path, killedAt: job).faults.map { "killed before job \(job) of \(jobs): \($0)" }
    }
    #expect(wrong == [])
    #expect(places >= min(jobs, Self.dies) || !wrong.isEmpty)
  }

  /// Runs the whole path; returns the number of jobs of the killed server, and the errors at the end.
  private func run(_ path: WeChatKillPath, killedAt step: Int?) throws -> (jobs: Int, faults: [String]) {
    let shop = try KillableEngineFixture(lifetime: path.lifetime)
    defer { shop.end() }
    if path.notifies { shop.startNotifications() }
    let first = try shop.start(works: false)
    try shop.perform(path.before)
    first.kill()
    shop.world.run(for: path.away)
    try shop.outside.perform { for fault in path.faults { try await shop.weChatPay.control.plan(fault) } }
    let mortal = try shop.start(works: path.works, killedAt: step)
    shop.begin(path.act)
    shop.world.run(for: path.span)
    let jobs = mortal.steps
    mortal.kill()
    shop.world.run(for: .seconds(10))
    let last = try shop.start(works: path.worksAgain)
    do { try shop.perform(path.again) } catch let error as CodedError<EngineErrorCode>
      where error.code == .orderUnknown
    {
      // The order was never stored: there is nothing to close or refund.
    }
    shop.world.run(for: path.healing)
    var faults = try shop.faults(coins: step == nil ? path.coins : nil)
    if step != nil, let coins = path.coins, try shop.perform({ try await $1.coins() }) != coins {
      faults.append("alice has not \(coins) coins")
    }
    if shop.world.escapedJobs > 0 { faults.append("\(shop.world.escapedJobs) jobs escaped") }
    last.kill()
    return (jobs, faults)
  }
}

extension PaymentEngine {
  fileprivate func coins() async throws -> Int64 {
    try await readBalances(of: "alice", in: EngineFixture.appEnvironment).first { $0.unit == "coin" }?.amount
      ?? 0
  }
}

extension KillableEngineFixture {
  /// Differences from WeChat Pay's state: payments without exactly one grant here, and grants without a payment.
  func faults(coins: Int64?) throws -> [String] {
    let (orders, refunds) = try outside.perform { [weChatPay] in
      let orders = await weChatPay.orders()
      var states: [(SimulatedOrder, TradeState)] = []
      for order in orders { if let found = await weChatPay.order(order.key) { states.append(found) } }
      return (states, await weChatPay.refunds())
    }
    return try perform { shop, engine in
      try await shop.faults(engine, orders.map { ($0.0.key.outTradeNo, $0.1) }, refunds: refunds, coins: coins)
    }
  }

  private func faults(
    _ engine: PaymentEngine, _ orders: [(number: String, state: TradeState)], refunds: [SimulatedRefund],
    coins: Int64?
  ) async throws -> [String] {
    var faults = try await engine.auditInvariants(atRest: true).violations.map { "\($0)" }
    let database = InMemoryDatabase(storage, now: { [world] in world.now })
    let payments = try await database.read { try $0.payments(after: nil, limit: 10) }
    let paid = orders.filter { $0.state == .success || $0.state == .refund }
    if payments.count != paid.count { faults.append("\(paid.count) paid, \(payments.count) payments known") }
    if orders.count > 1 { faults.append("\(orders.count) orders at WeChat Pay for one tap") }
    if refunds.count > 1 { faults.append("\(refunds.count) refunds for one key") }
    let given = refunds.filter { $0.status == .success }.reduce(0) { $0 + $1.refund }
    let expected = Int64(paid.count) * 100 - given * 100 / 600
    let has = try await engine.coins()
    if has != expected { faults.append("alice has \(has) coins instead of \(expected)") }
    if let coins, has != coins { faults.append("alice has \(has) coins, the path should give \(coins)") }
    guard let details = try? await order(engine) else { return faults + (orders.isEmpty ? [] : ["no order here"]) }
    let kinds = details.deliveries.map(\.kind)
    if kinds.count(where: { $0 == .created }) != paid.count { faults.append("told of \(kinds)") }
    if kinds.count(where: { $0 == .reversed }) != (given > 0 ? 1 : 0) { faults.append("told of \(kinds)") }
    let ours = try await engine.refunds(
      of: .id(details.order.key.id), in: EngineFixture.appEnvironment, user: nil)
    if ours.count != refunds.count { faults.append("\(ours.count) refunds here, \(refunds.count) there") }
    if ours.contains(where: { !$0.state.isFinal }) { faults.append("a refund is \(ours.map(\.state.name))") }
    if (details.order.state.payment != nil) != !paid.isEmpty { faults.append("the order is \(details.order.state)") }
    if details.order.state == .awaitingPayment, world.now > details.order.expiresAt + .hours(1) {
      faults.append("the order is still open")
    }
    let row = try await database.read { try $0.weChatPayOrder(details.order.key) }
    if row?.nextQuestionAt != nil, world.now > details.order.expiresAt + .hours(1) { faults.append("still asking") }
    return faults
  }
}
