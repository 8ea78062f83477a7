import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

/// What records, requests and log lines say about a payment (1A.33, 1A.43, 1B.5).
@Suite struct `A payment` {
  /// A world whose client has asked the store for prices.
  private func world() -> ClientWorld {
    let world = ClientWorld()
    world.configure = { $0.storeProducts = ["com.example.coins60"] }
    world.launch()
    world.goOn(for: .seconds(5))
    return world
  }

  private func lines(_ name: String, in world: ClientWorld) -> [String] {
    world.eventLog.lines.filter { $0.hasPrefix(name + " ") }
  }

  @Test func `keeps amount and currency in its record, also over a relaunch (C18)`() throws {
    let world = world()
    world.store.next(.cancels)
    let tap = world.tap(quantity: 3)
    world.goOn { tap.isDone }
    world.launch()
    world.goOn(for: .seconds(1))
    let order = try #require(world.ask { await $0.openOrders().first } ?? nil)
    #expect(order.order.shownPrice == StatedPrice(milliunits: 18_000, currency: "CNY"))
    let bundle = try #require(world.ask { await $0.supportBundle(for: order.order.id) } ?? nil)
    #expect(bundle.text.contains("amount") && bundle.text.contains("18") && bundle.text.contains("CNY"))
  }

  @Test func `sends amount and currency beside the evidence (C35)`() throws {
    let world = world()
    let tap = world.tap(quantity: 2)
    world.goOn { tap.isDone }
    let body = try #require(world.server.bodies("submit").first)
    #expect(body["amount"]?.string == "12" && body["currency"]?.string == "CNY")
    #expect(body["productId"]?.string == "com.example.coins60" && body["quantity"]?.integer == 2)
  }

  @Test func `sends no amount that nobody has seen`() throws {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    let body = try #require(world.server.bodies("submit").first)
    #expect(body["amount"] == nil && body["currency"] == nil)
  }

  @Test func `names order, product, quantity, amount and currency in each line of it (C8, C10, C34)`() throws {
    let world = world()
    let tap = world.tap()
    world.goOn { tap.isDone }
    let order = try #require(tap.outcome?.order)
    let begin = "order=\(order) product=coins60 quantity=1 amount=6 currency=CNY"
    #expect(lines("client.payment.started", in: world) == ["client.payment.started \(begin)"])
    #expect(lines("client.payment.purchasing", in: world).allSatisfy { $0.contains(begin) })
    let verdict = try #require(lines("client.verdict", in: world).first)
    #expect(verdict.contains("transaction=1000") && verdict.contains(begin) && verdict.contains("verdict=fulfilled"))
  }

  @Test func `names its order, product and every number of the failure (B14)`() throws {
    let world = world()
    let failure = StoreFailure(.other, code: 0, innerCode: 3038, explanation: "terms")
      .caused(by: [.init(domain: "SKErrorDomain", code: 0), .init(domain: "ASDServerErrorDomain", code: 3038)])
    world.store.next(.fails(failure))
    let tap = world.tap()
    world.goOn { tap.isDone }
    let line = try #require(lines("client.payment.failed", in: world).first)
    let order = try #require(world.server.orders.first)
    #expect(line.contains("order=\(order.id) product=coins60") && line.contains("kind=other"))
    #expect(line.contains("causes=SKErrorDomain 0, ASDServerErrorDomain 3038"))
  }

  @Test func `that waits for approval says so in a line with its order`() {
    let world = world()
    world.store.next(.isApproved(after: .minutes(5)))
    let tap = world.tap()
    world.goOn { tap.isDone }
    #expect(lines("client.payment.deferred", in: world).contains { $0.contains("order=") && $0.contains("product=") })
  }

  @Test func `never puts a token or evidence into a line`() {
    let world = world()
    for behaviour: ScriptedAppStore.Behaviour in [.buys, .cancels, .isApproved(after: .seconds(30))] {
      world.store.next(behaviour)
      let tap = world.tap()
      world.goOn { tap.isDone }
      world.goOn(for: .minutes(2))
    }
    for charge in world.store.charges {
      #expect(!world.eventLog.lines.contains { $0.contains(charge.evidence) })
    }
    #expect(!world.eventLog.lines.contains { $0.contains("token-anna") })
  }

  @Test func `without a number is reported and never submitted (C27)`() {
    let world = world()
    world.store.deliver(StoreTransaction(handle: "strange", state: .purchased))
    world.goOn(for: .minutes(1))
    #expect(lines("client.transaction.withoutNumber", in: world).count >= 1)
    #expect(world.server.requests("submit").isEmpty)
  }

  @Test(arguments: [
    (StoreFailure.Kind.storeUnreachable, PurchasingErrorCode.storeUnavailable),
    (.paymentNotAllowed, .paymentsDisabled), (.notSignedIn, .storeNotSignedIn), (.other, .storeFailed),
    (.productUnavailable, .productUnknown), (.offerNotAllowed, .offerNotAllowed),
  ])
  func `that fails has words of its own for each reason`(
    _ kind: StoreFailure.Kind, _ code: PurchasingErrorCode
  ) {
    let world = world()
    world.store.next(.fails(StoreFailure(kind, explanation: "x")))
    let tap = world.tap()
    world.goOn { tap.isDone }
    #expect(tap.error?.code == code && tap.error?.storeFailure?.kind == kind)
    #expect(world.openRecords.count == 1, "the order stays: a charge may still appear")
  }

  @Test func `whose failed entry could not be finished is finished when the queue shows it again (E21)`() {
    let world = world()
    world.store.finishFails(times: 1)
    world.store.next(.fails(StoreFailure(explanation: "x")))
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(2))
    _ = world.ask { await $0.recover(.userAsked) }
    #expect(world.store.queue.isEmpty)
    #expect(lines("client.payment.failed", in: world).count == 1, "it is reported once")
  }
}
