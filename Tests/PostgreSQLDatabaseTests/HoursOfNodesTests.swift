import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import TestDatabases
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `The hours of a shop with several nodes` {
  @Test func `are counted once, while three nodes sell and count at the same time (record 310)`() async throws {
    var limits = EngineLimits()
    limits.rowsPerTotalsStep = 5
    try await withNodes(limits: limits) { nodes async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, node) in nodes.enumerated() {
          group.addTask {
            for purchase in 0..<8 {
              let user = UserIdentifier("user-\(number)-\(purchase)")
              let order = try await node.shop.order(of: user)
              let evidence = node.shop.transaction("\(number)\(purchase)", token: order)
              _ = try await node.shop.submit(evidence, by: user, orders: [order])
            }
          }
          group.addTask { for _ in 0..<10 { _ = try await node.engine.countHours() } }
        }
        try await group.waitForAll()
      }
      while try await nodes[1].engine.countHours() {}
      let hour = HourlyTotal.hour(of: nodes[0].shop.now())
      let activity = try await nodes[2].engine.readActivity(
        in: hour - 1..<hour + 1, of: EngineFixture.appEnvironment)
      let counts = Dictionary(grouping: activity?.totals ?? [], by: \.key.what).mapValues { totals in
        totals.reduce(0) { $0 + $1.count }
      }
      #expect(counts == ["order.paid": 24, "payment.fulfilled": 24, "delivery.made": 24])
    }
  }
}
