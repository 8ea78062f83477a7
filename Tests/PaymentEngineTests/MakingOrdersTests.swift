import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `Making an order` {
  private let shop: EngineFixture

  init() throws { shop = try EngineFixture { $0.referenceFromApp = false } }

  private func request(_ change: (inout OrderRequest) -> Void = { _ in }) -> OrderRequest {
    var request = OrderRequest(user: "alice", product: "coins.100", quantity: 1, store: .appStore)
    change(&request)
    return request
  }

  private func errorCode(
    _ request: OrderRequest, by caller: Caller = .user("alice")
  ) async -> EngineErrorCode? {
    do {
      _ = try await shop.engine.createOrder(request, for: shop.app, by: caller)
      return nil
    } catch { return (error as? CodedError<EngineErrorCode>)?.code }
  }

  @Test func `is refused for an unknown product, quantity or store`() async {
    #expect(await errorCode(request { $0.product = "nothing" }) == .productUnknown)
    #expect(await errorCode(request { $0.quantity = 11 }) == .quantityNotAllowed)
    #expect(await errorCode(request { $0.quantity = 0 }) == .quantityNotAllowed)
    #expect(await errorCode(request { $0.quantity = -1 }) == .quantityNotAllowed)
    #expect(
      await errorCode(
        request {
          $0.product = "premium"
          $0.quantity = 2
        }) == .quantityNotAllowed)
    #expect(await errorCode(request { $0.store = .weChatPay }) == .storeNotConfigured)
  }

  @Test func `is refused for a product without an App Store product id`() async throws {
    let catalog = try Catalog([
      Product(
        id: "fen", kind: .consumable, grant: .units("coin", perPiece: 1),
        weChatPrice: Money(minorUnits: 1, currency: .cny))
    ])
    let shop = try EngineFixture { $0.catalog = catalog }
    let request = OrderRequest(user: "alice", product: "fen", quantity: 1, store: .appStore)
    await #expect(throws: CodedError<EngineErrorCode>(.productNotSoldAtStore)) {
      _ = try await shop.engine.createOrder(request, for: shop.app, by: .user("alice"))
    }
  }

  @Test func `with the same idempotency key returns the same order in its current state`() async throws {
    let asked = request { $0.idempotency = .init(key: "k1", digest: "d1") }
    let first = try await shop.engine.createOrder(asked, for: shop.app, by: .user("alice"))
    _ = try await shop.engine.closeOrder(
      .id(first.order.order.key.id), in: EngineFixture.appEnvironment, of: nil, because: .closedByBackend)
    let again = try await shop.engine.createOrder(asked, for: shop.app, by: .user("alice"))
    #expect(first.isNew && !again.isNew)
    #expect(again.order.order.key == first.order.order.key)
    #expect(again.order.order.state == .closed(.closedByBackend, at: shop.clock.now))
  }

  @Test func `with a known idempotency key and another body is refused; other callers have their own keys`()
    async throws
  {
    let asked = request { $0.idempotency = .init(key: "k1", digest: "d1") }
    _ = try await shop.engine.createOrder(asked, for: shop.app, by: .user("alice"))
    #expect(
      await errorCode(request { $0.idempotency = .init(key: "k1", digest: "d2") }) == .idempotencyKeyReused)
    #expect(
      await errorCode(
        request { $0.idempotency = .init(key: "k1", digest: "d2") }, by: .backend("cfs_x")) == nil)
  }

  @Test func `with a backend's idempotency key returns the same order under its next secret key`() async throws {
    let asked = request { $0.idempotency = .init(key: "k1", digest: "d1") }
    let before = try await shop.engine.createOrder(asked, for: shop.app, by: .backend("cfs_old"))
    let after = try await shop.engine.createOrder(asked, for: shop.app, by: .backend("cfs_new"))
    #expect(before.order.order.key == after.order.order.key && !after.isNew)
  }

  @Test func `accepts a reference from a backend once, and from the phone only if the app allows it`() async throws {
    #expect(await errorCode(request { $0.reference = "A-1" }) == .referenceNotAllowed)
    #expect(await errorCode(request { $0.reference = "A-1" }, by: .backend("cfs_x")) == nil)
    #expect(await errorCode(request { $0.reference = "A-1" }, by: .backend("cfs_x")) == .referenceAlreadyUsed)
    let details = try await shop.engine.readOrder(.reference("A-1"), in: [EngineFixture.appEnvironment], of: nil)
    #expect(details.order.reference == Reference("A-1", from: .backend))
  }

  @Test func `closes the oldest open orders beyond 5 a product and 20 in all; late payments still pay`() async throws {
    let first = try await shop.order()
    for _ in 0..<5 {
      shop.clock.advance(by: .seconds(1))
      _ = try await shop.order()
    }
    #expect(try await shop.state(of: first) == .closed(.replaced, at: shop.clock.now))
    for product in ["coins.1000", "coin", "season"] as [ProductIdentifier] {
      for _ in 0..<5 { _ = try await shop.order(product) }
    }
    for _ in 0..<3 { _ = try await shop.order("premium") }
    let open = try await shop.engine.listOrders(openOrders)
    #expect(open.orders.count == 20)
    let answer = try await shop.submit(shop.transaction("1001", token: first))
    #expect(answer.verdict == .fulfilled && answer.order == first)
  }

  private var openOrders: OrderQuery {
    var query = OrderQuery(appEnvironment: EngineFixture.appEnvironment, limit: 100)
    query.user = "alice"
    query.openOnly = true
    return query
  }
}

@Suite struct `An order that waits` {
  @Test func `is readable only by its owner (A14)`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order(of: "alice")
    await #expect(throws: CodedError<EngineErrorCode>(.orderUnknown)) {
      _ = try await shop.engine.readOrder(.id(order), in: [EngineFixture.appEnvironment], of: "bob")
    }
    await #expect(throws: CodedError<EngineErrorCode>(.orderUnknown)) {
      _ = try await shop.engine.closeOrder(
        .id(order), in: EngineFixture.appEnvironment, of: "bob", because: .customerGaveUp)
    }
    #expect(try await shop.state(of: order) == .awaitingPayment)
  }

  @Test func `waits 30 days when approval is pending, and 7 otherwise`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let before = try await shop.engine.readOrder(.id(order), in: [EngineFixture.appEnvironment], of: nil)
    #expect(before.order.expiresAt == EngineFixture.noon + .days(7))
    let after = try await shop.engine.noteApprovalPending(.id(order), in: EngineFixture.appEnvironment, of: "alice")
    #expect(after.order.expiresAt == EngineFixture.noon + .days(30))
  }

  @Test func `is closed by a background task once its time has ended, and not before`() throws {
    let fixture = try WorldEngineFixture()
    let order = try fixture.perform { try await $0.order() }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(7 * 24 - 1))
    #expect(try fixture.perform { try await $0.state(of: order) } == .awaitingPayment)
    fixture.world.run(for: .hours(2))
    guard case .closed(.expired, _) = try fixture.perform({ try await $0.state(of: order) }) else {
      Issue.record("it is not closed as expired")
      return
    }
  }

  @Test func `answers a waiting reader when the wait ends`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let unpaid = try await shop.engine.readOrder(
      .id(order), in: [EngineFixture.appEnvironment], of: "alice", waiting: .seconds(25), until: .paid)
    #expect(unpaid.order.state == .awaitingPayment)
    #expect(shop.clock.now == EngineFixture.noon + .seconds(26) || shop.clock.now == EngineFixture.noon + .seconds(25))
  }

  @Test func `answers a waiting reader as soon as it is paid`() throws {
    let fixture = try WorldEngineFixture()
    let order = try fixture.perform { try await $0.order() }
    let paidAt = try fixture.perform { shop in
      async let waiting = shop.engine.readOrder(
        .id(order), in: [EngineFixture.appEnvironment], of: "alice", waiting: .seconds(25), until: .paid)
      _ = try await shop.submit(shop.transaction("1001", token: order))
      _ = try await waiting
      return shop.now()
    }
    // The clock has not moved: only the payment has ended the wait.
    #expect(paidAt == SimulatedWorld.beginning)
  }
}
