import AppStoreIntegration
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import Testing

/// A change of an order, made by the engine.
private struct OrderChange: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Brings an order, just made, into the state before.
  var prepare: @Sendable (EngineFixture, OrderIdentifier) async throws -> Void = { _, _ in }
  let change: @Sendable (EngineFixture, OrderIdentifier) async throws -> Void

  static let all = [
    OrderChange(testDescription: "a payment") { _ = try await $0.submit(Self.bought($0, $1)) },
    OrderChange(testDescription: "a notification of it") { shop, order in
      try await receive("n1", "ONE_TIME_CHARGE", about: bought(shop, order), shop)
    },
    OrderChange(testDescription: "the acknowledgement of its delivery", prepare: paid) { shop, order in
      let deliveries = try await details(shop, order).deliveries
      for delivery in deliveries { _ = try await shop.engine.acknowledge(delivery.id, in: nil) }
    },
    OrderChange(testDescription: "a refund by Apple", prepare: paid) { shop, order in
      try await receive("n2", "REFUND", about: refunded(shop, order), shop)
    },
    OrderChange(
      testDescription: "the reversal of a refund",
      prepare: { shop, order in
        try await paid(shop, order)
        try await receive("n2", "REFUND", about: refunded(shop, order), shop)
        shop.clock.advance(by: .days(1))
      }
    ) { shop, order in
      try await receive("n3", "REFUND_REVERSED", about: bought(shop, order), shop)
    },
    OrderChange(testDescription: "the customer who gives up") { shop, order in
      _ = try await shop.engine.closeOrder(
        .id(order), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
    },
    OrderChange(testDescription: "a parent who is asked") { shop, order in
      _ = try await shop.engine.noteApprovalPending(.id(order), in: EngineFixture.appEnvironment, of: "alice")
    },
    OrderChange(testDescription: "newer orders that close it") { shop, _ in
      shop.clock.advance(by: .seconds(1))
      for _ in 0..<EngineLimits().openOrdersPerProduct { _ = try await shop.order() }
    },
    OrderChange(
      testDescription: "a late payment of a closed order",
      prepare: { shop, order in
        _ = try await shop.engine.closeOrder(
          .id(order), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
      }
    ) { _ = try await $0.submit(Self.bought($0, $1)) },
  ]

  private static func bought(_ shop: EngineFixture, _ order: OrderIdentifier) -> String {
    shop.transaction("1001", token: order) { $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds) }
  }

  private static func refunded(_ shop: EngineFixture, _ order: OrderIdentifier) -> String {
    shop.clock.advance(by: .days(1))
    let now = shop.now().milliseconds
    return shop.transaction("1001", token: order) {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["revocationDate"] = .integer(now)
    }
  }

  private static func paid(_ shop: EngineFixture, _ order: OrderIdentifier) async throws {
    _ = try await shop.submit(bought(shop, order))
  }

  private static func receive(
    _ uuid: String, _ type: String, about transaction: String, _ shop: EngineFixture
  ) async throws {
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification(uuid, type, about: transaction), for: nil)
  }

  static func details(_ shop: EngineFixture, _ order: OrderIdentifier) async throws -> OrderDetails {
    try await shop.engine.readOrder(.id(order), in: shop.app.userEnvironments, of: nil)
  }
}

@Suite struct `What waits for an order` {
  /// What an answer about an order depends on.
  private func keys(_ shop: EngineFixture, _ order: OrderIdentifier) async throws -> Set<LockKey> {
    let (app, environments, now) = (shop.app.id, shop.app.userEnvironments.map(\.environment), shop.now())
    return try await shop.engine.read { reader in
      let recording = RecordingTransaction(planningOver: reader, now: now)
      let found = try recording.orderWithPayment(order, of: app, in: environments, user: nil)
      if let payment = found?.payment { _ = try recording.refunds(of: payment.key) }
      return Set(recording.readKeys.all)
    }
  }

  @Test(arguments: OrderChange.all)
  fileprivate func `is signalled each change of its answer (record 172)`(change: OrderChange) async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    try await change.prepare(shop, order)
    let before = try await OrderChange.details(shop, order)
    let listener = shop.engine.commits.listen(for: try await keys(shop, order))
    try await change.change(shop, order)
    #expect(try await OrderChange.details(shop, order) != before)
    shop.engine.commits.stop(listener.number)
    var signals = 0
    for await _ in listener.signals { signals += 1 }
    #expect(signals == 1)
    #expect(shop.engine.commits.count == 0)
  }

  @Test func `is not signalled what concerns another order`() async throws {
    let shop = try EngineFixture()
    let (order, other) = (try await shop.order(), try await shop.order(of: "bob"))
    let listener = shop.engine.commits.listen(for: try await keys(shop, order))
    _ = try await shop.submit(shop.transaction("1001", token: other), by: "bob")
    shop.engine.commits.stop(listener.number)
    for await _ in listener.signals { Issue.record("it was signalled") }
  }

  @Test func `is signalled when it is unknown whether a payment was written`() throws {
    let isUnknown = Mutex(false)
    let world = SimulatedWorld(seed: 1)
    let process = SimulatedProcess("server", number: 1, in: world)
    let faults = DatabaseFaults(transaction: {
      isUnknown.withLock { isUnknown in
        defer { isUnknown = false }
        return isUnknown ? .outcomeUnknownButCommitted : .none
      }
    })
    let shop = try EngineFixture(faults: faults, in: process)
    let span = try world.perform(in: process) {
      let order = try await shop.order()
      let start = shop.now()
      async let waiting = shop.engine.readOrder(
        .id(order), in: [EngineFixture.appEnvironment], of: "alice", waiting: .seconds(25), until: .paid)
      isUnknown.withLock { $0 = true }
      _ = try await shop.submit(shop.transaction("1001", token: order))
      #expect(try await waiting.order.state.payment != nil)
      return shop.now() - start
    }
    // The repeat of the transaction waits a moment; the wait itself is longer.
    #expect(span < .seconds(5))
  }
}
