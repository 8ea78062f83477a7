import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// The scenarios of lost and crossed orders, as the server sees them.
@Suite struct `A purchase on an interrupted phone` {
  private let shop: EngineFixture

  init() throws { shop = try EngineFixture() }

  @Test func `S1: is granted from the notification alone when the phone died after the password`() async throws {
    let order = try await shop.order()
    let receipt = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", about: shop.transaction("1001", token: order)), for: nil)
    #expect(receipt.firstSeen)
    #expect(try await shop.coins() == 100)
    #expect(try await shop.state(of: order).payment?.transaction == "1001")
    #expect(try await shop.violations() == [])
  }

  @Test func `S1: is granted on the next launch when there was no notification`() async throws {
    let order = try await shop.order()
    shop.clock.advance(by: .days(3))
    let answer = try await shop.submit(shop.transaction("1001", token: order))
    #expect(answer.verdict == .fulfilled && answer.finish && answer.order == order)
  }

  @Test func `S2: finds its order by the vault if the token is lost, never by guessing the user`() async throws {
    let order = try await shop.order()
    let foreign = try await shop.submit(shop.transaction("1001"), by: "bob")
    #expect(foreign.order != order && foreign.verdict == .fulfilled)
    #expect(try await shop.coins() == 0)
    let answer = try await shop.submit(shop.transaction("1002"), orders: [order])
    #expect(answer.verdict == .fulfilled && answer.order == order)
    #expect(try await shop.coins() == 100)
  }

  @Test func `S3: pays the order that it was made for, not the later one of the same product`() async throws {
    let first = try await shop.order()
    let interrupted = shop.transaction("1001", token: first)
    shop.clock.advance(by: .minutes(10))
    let second = try await shop.order()
    let answer = try await shop.submit(interrupted, orders: [first, second])
    #expect(answer.order == first)
    #expect(try await shop.state(of: second) == .awaitingPayment)
  }

  @Test func `S3: pays the newest order before the purchase when the token is lost too`() async throws {
    let first = try await shop.order()
    shop.clock.advance(by: .minutes(1))
    let interrupted = shop.transaction("1001")
    shop.clock.advance(by: .minutes(10))
    let second = try await shop.order()
    let answer = try await shop.submit(interrupted, orders: [first, second])
    #expect(answer.order == first)
    #expect(try await shop.state(of: second) == .awaitingPayment)
  }

  @Test func `S4, S5: pays an order that its user had given up after a failed callback`() async throws {
    let order = try await shop.order()
    _ = try await shop.engine.closeOrder(
      .id(order), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
    shop.clock.advance(by: .minutes(1))
    let answer = try await shop.submit(shop.transaction("1001"), orders: [order])
    #expect(answer.verdict == .fulfilled && answer.order == order)
  }

  @Test func `S6: gets the same answer again if its finish was lost, and is granted once`() async throws {
    let order = try await shop.order()
    let evidence = shop.transaction("1001", token: order)
    let first = try await shop.submit(evidence)
    var again = try await shop.submit(evidence)
    #expect(first.firstSeen && !again.firstSeen)
    again.firstSeen = true
    #expect(first == again)
    #expect(try await shop.coins() == 100)
  }

  @Test func `S7: goes to the user who opened the order, though another user presents it`() async throws {
    let order = try await shop.order(of: "alice")
    let answer = try await shop.submit(shop.transaction("1001", token: order), by: "bob")
    #expect(answer.verdict == .fulfilledForAnother && answer.finish && answer.order == nil)
    #expect(try await shop.coins(of: "alice") == 100)
    #expect(try await shop.coins(of: "bob") == 0)
  }

  @Test func `S7, S20: without a token goes to the order's user, or is held when orders of two fit`() async throws {
    let alices = try await shop.order(of: "alice")
    let answer = try await shop.submit(shop.transaction("1001"), by: "bob", orders: [alices])
    #expect(answer.verdict == .fulfilledForAnother && answer.order == nil)
    #expect(try await shop.coins(of: "alice") == 100)
    let next = try await shop.order(of: "alice")
    let bobs = try await shop.order(of: "bob")
    let unclear = try await shop.submit(shop.transaction("1002"), by: "bob", orders: [next, bobs])
    #expect(unclear.verdict == .held && unclear.reason == "ownerAmbiguous" && unclear.finish)
    let clear = try await shop.submit(
      shop.transaction("1003"), by: "bob", orders: [next, bobs], sameRun: bobs)
    #expect(clear.verdict == .fulfilled && clear.order == bobs)
  }

  @Test func `S7, S20: that fits orders of two users stays held if a phone forgets one of them`() async throws {
    let alices = try await shop.order(of: "alice")
    let bobs = try await shop.order(of: "bob")
    let paid = shop.transaction("1002")
    _ = try await shop.submit(paid, by: "bob", orders: [alices, bobs])
    shop.clock.advance(by: .days(8))
    for user in ["alice", "bob"] as [UserIdentifier] {
      for order in [alices, bobs] {
        #expect(try await shop.submit(paid, by: user, orders: [order]).reason == "ownerAmbiguous")
      }
    }
    #expect(try await shop.coins() == 0)
    // Once alice's order is paid, only bob's is left.
    _ = try await shop.submit(shop.transaction("1003", token: alices))
    #expect(try await shop.submit(paid, by: "bob", orders: [bobs]).order == bobs)
    #expect(try await shop.coins(of: "bob") == 100)
  }

  @Test func `S8: is decided independently of others that arrive with it, in any order`() async throws {
    let orders = [try await shop.order(), try await shop.order(), try await shop.order("coins.1000")]
    let second = try await shop.submit(shop.transaction("1002", token: orders[1]))
    let third = try await shop.submit(
      shop.transaction("1003", of: "com.example.coins1000", token: orders[2]))
    let first = try await shop.submit(shop.transaction("1001", token: orders[0]))
    #expect([first.order, second.order, third.order] == orders.map { $0 })
    #expect(try await shop.coins() == 1200)
  }

  @Test func `S9: keeps two orders of one product apart`() async throws {
    let orders = [try await shop.order(), try await shop.order()]
    let later = try await shop.submit(shop.transaction("1002", token: orders[1]))
    let earlier = try await shop.submit(shop.transaction("1001", token: orders[0]))
    #expect(earlier.order == orders[0] && later.order == orders[1])
  }

  @Test func `S10: must not be finished if the server could not store it`() async throws {
    let failing = try EngineFixture(faults: .init(transaction: { .refused(.full) }))
    await #expect(throws: CodedError<EngineErrorCode>(.storeUnavailable)) {
      _ = try await failing.submit(failing.transaction("1001"))
    }
  }
}

@Suite struct `A payment with a misleading fact` {
  @Test func `S11: of the sandbox never pays a production order, but its counterpart in the sandbox (X10)`()
    async throws
  {
    let shop = try EngineFixture(home: .production)
    let order = try await shop.order()
    var facts = VerifiedPayment(
      key: PaymentKey(app: "shop", store: .appStore, environment: .sandbox, transaction: "2001"),
      originalTransaction: "2001", storeProduct: "com.example.coins100", kind: .consumable,
      quantity: 1, purchaseDate: shop.clock.now, signedDate: shop.clock.now)
    facts.token = order
    let result = try await shop.engine.fulfil(
      PaymentUpdate(facts: facts, evidence: "signed", origin: .client), for: shop.app)
    #expect(result.payment.state == .fulfilled && result.payment.order == order)
    let production = AppEnvironment(app: "shop", environment: .production)
    let sandbox = AppEnvironment(app: "shop", environment: .sandbox)
    let original = try await shop.engine.readOrder(.id(order), in: [production], of: nil)
    let counterpart = try await shop.engine.readOrder(.id(order), in: [sandbox], of: nil)
    #expect(original.order.state == .awaitingPayment)
    #expect(counterpart.order.state.payment?.transaction == "2001")
    #expect(try await shop.engine.readBalances(of: "alice", in: production) == [])
    #expect(try await shop.engine.readBalances(of: "alice", in: sandbox).map(\.amount) == [100])
    #expect(try await shop.violations() == [])
  }

  @Test func `S11: without an environment is held, and never production`() async throws {
    let shop = try EngineFixture(home: .production)
    let order = try await shop.order()
    var facts = VerifiedPayment(
      key: PaymentKey(app: "shop", store: .appStore, environment: .undetermined, transaction: "2001"),
      originalTransaction: "2001", storeProduct: "com.example.coins100", kind: .consumable,
      quantity: 1, purchaseDate: shop.clock.now, signedDate: shop.clock.now)
    facts.token = order
    let result = try await shop.engine.fulfil(
      PaymentUpdate(facts: facts, evidence: "signed", origin: .client), for: shop.app)
    #expect(result.payment.state == .held(.environmentUnknown))
    #expect(try await shop.state(of: order) == .awaitingPayment)
  }

  @Test func `S12, A4: of another app is refused, and nothing is recorded`() async throws {
    let shop = try EngineFixture()
    let answer = try await shop.submit(
      shop.transaction("1001") { $0["bundleId"] = "com.example.other" })
    #expect(answer.verdict == .refused && !answer.finish)
    #expect(answer.reason == "invalidAppIdentifier")
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 0)
  }

  @Test func `S13: grants the signed quantity and product, whatever the client claims`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order(quantity: 3)
    var request = SubmitAppStorePayment.Request(
      evidence: shop.transaction("1001", token: order) { $0["quantity"] = .integer(3) })
    request.claimed.product = "com.example.coins1000"
    request.claimed.quantity = 10
    let answer = try await shop.engine.submitAppStorePayment(request, from: "alice", for: shop.app)
    #expect(answer.payments.map(\.order) == [order])
    #expect(try await shop.coins() == 300)
  }

  @Test func `S13, A8: buying 1 coin with the token of an order for 1,000 grants 1 coin`() async throws {
    let shop = try EngineFixture()
    let dear = try await shop.order("coins.1000")
    let answer = try await shop.submit(
      shop.transaction("1001", of: "com.example.coin", token: dear))
    #expect(answer.verdict == .fulfilled && answer.order != dear)
    #expect(try await shop.coins() == 1)
    #expect(try await shop.state(of: dear) == .awaitingPayment)
  }

  @Test func `S14: older than the order that it names never pays that order`() async throws {
    let shop = try EngineFixture()
    let old = shop.clock.now - .hours(1)
    let order = try await shop.order()
    let answer = try await shop.submit(
      shop.transaction("1001", token: order) { $0["purchaseDate"] = .integer(old.milliseconds) },
      orders: [order])
    #expect(answer.order != order)
    #expect(try await shop.state(of: order) == .awaitingPayment)
  }

  @Test func `A11: shared by a family grants an entitlement, but neither units nor an order`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order("premium")
    let answer = try await shop.submit(
      shop.transaction("1001", of: "com.example.premium", type: "Non-Consumable") {
        $0["inAppOwnershipType"] = "FAMILY_SHARED"
      }, orders: [order])
    #expect(answer.verdict == .fulfilled && answer.order == nil)
    #expect(try await shop.state(of: order) == .awaitingPayment)
    #expect(
      try await shop.engine.readEntitlements(of: "alice", in: EngineFixture.appEnvironment).map(\.state) == [.active])
    let coins = try await shop.submit(
      shop.transaction("1002") { $0["inAppOwnershipType"] = "FAMILY_SHARED" })
    #expect(coins.verdict == .held && coins.reason == "familyShared")
  }

  @Test func `A9: that the store refunded before it was seen is never granted`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let now = shop.clock.now.milliseconds
    let answer = try await shop.submit(
      shop.transaction("1001", token: order) { $0["revocationDate"] = .integer(now) })
    #expect(answer.verdict == .revoked && answer.finish)
    #expect(try await shop.coins() == 0)
    #expect(try await shop.violations() == [])
  }
}
