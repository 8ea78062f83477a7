import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import Testing

/// Fails every second transaction, by turns in each way that a database can.
private final class Trouble: Sendable {
  private let state = Mutex((isOn: false, turn: 0))

  func begin() { state.withLock { $0.isOn = true } }

  var faults: DatabaseFaults {
    DatabaseFaults(transaction: { [self] in
      state.withLock { state in
        guard state.isOn else { return .none }
        state.turn += 1
        let faults: [DatabaseFault] = [
          .outcomeUnknownButCommitted, .none, .refused(.unavailable), .none, .outcomeUnknownAndNotCommitted, .none,
          .conflict, .none,
        ]
        return faults[state.turn % faults.count]
      }
    })
  }
}

@Suite struct `What happened by the hour (record 310)` {
  private static let home = EngineFixture.appEnvironment

  private static func buy(_ id: String, _ shop: EngineFixture, price: Int64? = 6000) async throws {
    let order = try await shop.order()
    let evidence = shop.transaction(id, token: order) { payload in
      guard let price else { return }
      payload["price"] = .integer(price)
      payload["currency"] = "CNY"
    }
    _ = try await shop.submit(evidence, orders: [order])
  }

  private static func countAll(_ shop: EngineFixture) async throws {
    while try await shop.engine.countHours() {}
  }

  private static func activity(_ shop: EngineFixture) async throws -> Activity? {
    let hour = HourlyTotal.hour(of: shop.now())
    return try await shop.engine.readActivity(in: hour - 500..<hour + 1, of: home)
  }

  /// Counts and amounts by hour before now, name and currency.
  private static func figures(_ shop: EngineFixture) async throws -> [String] {
    let now = HourlyTotal.hour(of: shop.now())
    return try await (activity(shop)?.totals ?? []).map { total in
      "\(now - total.key.hour) \(total.key.what) \(total.key.currency) \(total.count) \(total.amount)"
    }
  }

  @Test func `is unknown until it was counted, and never counted with a place that a later version wrote`()
    async throws
  {
    let shop = try EngineFixture()
    #expect(try await Self.activity(shop) == nil)
    try await Self.buy("1001", shop)
    _ = await shop.database.transact { try $0.set(HourlyTotal.place, to: "v2 1 2 3 4") }
    #expect(try await !shop.engine.countHours())
    #expect(try await Self.activity(shop) == nil)
    #expect(try await shop.database.read { try $0.hourlyTotals(in: 0..<Int64.max, of: Self.home) } == [])
  }

  @Test func `is counted once, in steps, whatever fails and is repeated`() async throws {
    let trouble = Trouble()
    var limits = EngineLimits()
    limits.rowsPerTotalsStep = 3
    let shop = try EngineFixture(faults: trouble.faults, limits: limits)
    for id in 1...9 { try await Self.buy("\(id)", shop) }
    trouble.begin()
    var steps = 0
    while steps < 500 {
      steps += 1
      do {
        guard try await shop.engine.countHours() else { break }
      } catch {}
    }
    #expect(steps > 9 && steps < 500)
    #expect(
      try await Self.figures(shop) == [
        "0 delivery.made  9 0", "0 order.paid CNY 9 54000", "0 payment.fulfilled CNY 9 54000",
      ])
  }

  @Test func `is not counted by a node that read an older place`() async throws {
    let shop = try EngineFixture()
    try await Self.buy("1", shop)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<5 { group.addTask { try await shop.engine.countHours() } }
      try await group.waitForAll()
    }
    #expect(try await Self.figures(shop).contains("0 order.paid CNY 1 6000"))
    #expect(try await Self.activity(shop)?.totals.allSatisfy { $0.count == 1 } == true)
  }

  @Test func `begins eight days before the first count, and says from when on`() async throws {
    let shop = try EngineFixture()
    try await Self.buy("1", shop)
    shop.clock.advance(by: .days(9))
    try await Self.buy("2", shop, price: nil)
    shop.clock.advance(by: .hours(2))
    try await Self.buy("3", shop)
    try await Self.countAll(shop)
    #expect(
      try await Self.figures(shop) == [
        "2 delivery.made  1 0", "2 order.paid  1 0", "2 payment.fulfilled  1 0", "0 delivery.made  1 0",
        "0 order.paid CNY 1 6000", "0 payment.fulfilled CNY 1 6000",
      ])
    let activity = try #require(try await Self.activity(shop))
    #expect(activity.since == HourlyTotal.hour(of: shop.now() - .days(8)))
    #expect(activity.until == shop.now())
  }

  @Test func `says until when it is whole while older rows wait`() async throws {
    var limits = EngineLimits()
    limits.rowsPerTotalsStep = 4
    let shop = try EngineFixture(limits: limits)
    for id in 1...5 {
      try await Self.buy("\(id)", shop)
      shop.clock.advance(by: .hours(1))
    }
    #expect(try await shop.engine.countHours())
    let half = try #require(try await Self.activity(shop))
    #expect(half.until < shop.now() - .hours(3) && half.until > shop.now() - .hours(5))
    try await Self.countAll(shop)
    #expect(try await Self.activity(shop)?.until == shop.now())
  }

  @Test func `has deliveries with their present state`() async throws {
    let shop = try EngineFixture()
    for id in ["1", "2"] { try await Self.buy(id, shop) }
    try await Self.countAll(shop)
    try await Self.buy("3", shop)
    let hour = HourlyTotal.hour(of: shop.now())
    #expect(try await Self.activity(shop)?.open == [OpenDeliveries(hour: hour, isParked: false, count: 2)])
    for delivery in try await shop.database.read({ try $0.deliveries(of: EngineFixture.key("1")) }) {
      _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
    }
    #expect(try await Self.activity(shop)?.open == [OpenDeliveries(hour: hour, isParked: false, count: 1)])
  }

  @Test func `writes nothing while nothing happens`() async throws {
    let shop = try EngineFixture()
    try await Self.buy("1", shop)
    try await Self.countAll(shop)
    let place = try await shop.database.read { try $0.setting(HourlyTotal.place) }
    shop.clock.advance(by: .hours(5))
    #expect(try await !shop.engine.countHours())
    #expect(try await shop.database.read { try $0.setting(HourlyTotal.place) } == place)
    #expect(try await Self.activity(shop)?.until == shop.now())
  }
}
