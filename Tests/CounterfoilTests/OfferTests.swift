import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `A purchase under a promotional offer` {
  private static var loyal: PurchaseDetails {
    var details = PurchaseDetails()
    details.promotionalOffer = "loyal"
    return details
  }

  @Test func `for which the user is not eligible opens no sheet; at the usual price it is the same order`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap(details: Self.loyal)
    world.goOn { tap.isDone }
    #expect(tap.error?.code == .offerNotAllowed && tap.error?.serverCode == "offer_not_allowed")
    #expect(world.store.sheets.isEmpty && world.server.orders.count == 1)

    let again = world.tap()
    world.goOn { again.isDone }
    world.goOn(for: .minutes(1))
    #expect(again.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.store.sheets.map(\.offer) == [nil] && world.server.orders.count == 1)
    #expect(world.faults() == [])
  }

  @Test(arguments: [
    ScriptedBackend.Fault.requestLost, .answerLost, .answers(ScriptedBackend.problem(503, "overloaded")),
    .answers(HTTPResponse(status: 200, body: Array("<html>Log in to this network</html>".utf8))),
  ])
  func `without an available signature opens no sheet: never the usual price for a promised one`(
    _ fault: ScriptedBackend.Fault
  ) {
    let world = ClientWorld()
    world.server.setUserOffers("loyal")
    world.server.always("offer", fault)
    world.launch()
    let tap = world.tap(details: Self.loyal)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .serverUnreachable)
    #expect(world.store.sheets.isEmpty && world.store.charges.isEmpty)
    _ = world.ask { await $0.recover(.foreground) }
    #expect(world.openRecords.isEmpty && world.server.orders.first?.state == .closed)
  }

  @Test(arguments: ["order", "offer", "product", "signature"])
  func `that was signed for another purchase opens no sheet`(_ what: String) throws {
    let world = ClientWorld()
    world.server.setUserOffers("loyal")
    world.launch()
    world.goOn(for: .seconds(1))
    let order = OrderIdentifier(high: 0x0192_F0C8_0000_7001, low: 1 << 63 | 1)
    // The first order of this world has this id.
    let own = OrderIdentifier(high: UInt64(world.clock.now.milliseconds) << 16 | 0x7000, low: 1 << 63 | 1)
    let signature = SignedOfferBody.Signature(
      keyIdentifier: "TESTKEY001", nonce: own.appAccountToken, timestamp: 1, signature: "c2ln",
      appAccountToken: what == "order" ? order : own)
    let body = SignedOfferBody(
      appStoreProduct: what == "product" ? "com.example.coins6" : "com.example.coins60",
      offer: what == "offer" ? "dear" : "loyal", signature: what == "signature" ? nil : signature, jws: "e30.e30.c2ln",
      expiresAt: world.clock.now + .hours(24))
    world.server.always("offer", .answers(HTTPResponse(status: 200, json: body.json)))
    let tap = world.tap(details: Self.loyal)
    world.goOn { tap.isDone }

    #expect(world.server.orders.map(\.id) == [own])
    #expect(tap.error?.code == .orderDiffers && world.store.sheets.isEmpty)
  }

  @Test func `that the store refuses fails with that error, and charges nothing`() {
    let world = ClientWorld()
    world.server.setUserOffers("loyal")
    world.store.next(.fails(StoreFailure(.offerNotAllowed, code: 12, explanation: "invalidSignature")))
    world.launch()
    let tap = world.tap(details: Self.loyal)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .offerNotAllowed && tap.error?.storeFailure?.code == 12)
    #expect(world.store.charges.isEmpty)
  }

  @Test func `is signed by the server for its order, and passed to the store with it`() throws {
    let world = ClientWorld()
    world.server.setUserOffers("loyal")
    world.launch()
    let tap = world.tap(details: Self.loyal)
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))

    let order = try #require(world.server.orders.first)
    #expect(tap.outcome == .fulfilled(order.id, recovered: false))
    let asked = try #require(world.server.bodies("offer").first)
    #expect(asked["orderId"]?.string == order.id.appAccountToken && asked["offerIdentifier"]?.string == "loyal")
    #expect(asked["appStoreProductId"]?.string == "com.example.coins60" && asked["productId"]?.string == "coins60")
    let sheet = try #require(world.store.sheets.first)
    guard case .promotional(let offer) = sheet.offer else { return #expect(Bool(false), "no offer") }
    #expect(sheet.token == order.id && offer.offerId == "loyal" && offer.keyId == "TESTKEY001")
    #expect(offer.nonce.utf8.count == 36 && offer.signature.hasPrefix("c2ln") && offer.timestamp > 0)
    #expect(world.faults() == [])
  }
}
