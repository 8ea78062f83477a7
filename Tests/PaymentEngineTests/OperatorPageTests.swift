import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `A page of an operator's list` {
  /// One paid order is the oldest of more orders than a page may read.
  private static func filled() async throws -> EngineFixture {
    let shop = try EngineFixture()
    let product = try #require(shop.app.catalog["coins.100"])
    let count = PaymentEngine.readForPageMax + 10
    try await shop.engine.transact { transaction in
      for number in 0..<count {
        let moment = transaction.now + .seconds(Int64(number))
        let id = OrderIdentifier(version7At: moment, random: [UInt8](repeating: 7, count: 10))
        var order = Order(
          key: OrderKey(appEnvironment: EngineFixture.appEnvironment, id: id), user: "alice", product: product,
          quantity: 1, store: .appStore, createdAt: moment, expiresAt: moment + .days(7))
        if number == 0 { order.state = .paid(by: EngineFixture.key("1"), at: moment) }
        try transaction.insert(order)
      }
    }
    return shop
  }

  @Test func `ends after a number of rows although no row passed, and the next one goes on`() async throws {
    let shop = try await Self.filled()
    var filter = ListFilter()
    filter.state = "paid"
    let first = try await shop.engine.listOrders(filter, in: EngineFixture.appEnvironment, after: nil, limit: 50)
    #expect(first.items.isEmpty)
    let last = try #require(first.next)
    let second = try await shop.engine.listOrders(filter, in: EngineFixture.appEnvironment, after: last, limit: 50)
    #expect(second.items.map(\.order.createdAt) == [EngineFixture.noon] && second.next == nil)
  }

  @Test func `has as many rows as asked, and says where to go on`() async throws {
    let shop = try await Self.filled()
    let page = try await shop.engine.listOrders(ListFilter(), in: EngineFixture.appEnvironment, after: nil, limit: 3)
    #expect(page.items.count == 3 && page.next == page.items.last?.order.position)
    let next = try await shop.engine.listOrders(
      ListFilter(), in: EngineFixture.appEnvironment, after: page.next, limit: 500)
    #expect(next.items.count == 500 && next.items[0].order.position < page.items[2].order.position)
  }
}
