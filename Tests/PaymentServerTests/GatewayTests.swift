import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// "It must show" 8: the phone knows only the team's own gateway, which this type simulates. The gateway keeps no id of
/// ours.
struct Gateway: Sendable {
  let front: ServerFixture

  private func ask(_ method: String, _ target: String, json: JSONValue? = nil) async -> Answer {
    await front.ask(method, target, as: front.keys.secret, json: json)
  }

  /// The phone wants to buy: the gateway makes its own number, and passes on what StoreKit needs.
  func buy(_ number: String, for user: String) async -> Answer {
    await ask(
      "POST", CreateOrder.path,
      json: .members([
        ("productId", "coins.100"), ("store", "appStore"), ("userId", .string(user)), ("reference", .string(number)),
        ("metadata", .members([("cart", .array([.integer(7)]))])),
      ]))
  }

  /// The phone submits the store's evidence.
  func paid(_ number: String, _ evidence: String, by user: String) async -> Answer {
    await ask(
      "POST", SubmitAppStorePayment.path,
      json: .members([
        ("evidence", .string(evidence)), ("userId", .string(user)), ("orderIds", .array([.string(number)])),
        ("sameRun", .string(number)),
      ]))
  }

  func order(_ number: String, _ query: String = "") async -> Answer {
    await ask("GET", "/v1/orders/" + RequestTarget.encode(number) + query)
  }

  func close(_ number: String) async -> Answer {
    await ask("POST", "/v1/orders/" + RequestTarget.encode(number) + "/close")
  }

  /// Claims new deliveries, books each by its id and acknowledges it. Returns the numbers and units of what was booked.
  func bookDeliveries() async -> [(number: String?, units: Int64?)] {
    let claimed = await ask("POST", "/v1/deliveries/claim")["deliveries"]?.array ?? []
    for delivery in claimed { _ = await ask("POST", "/v1/deliveries/\(delivery["id"]?.string ?? "")/ack") }
    return claimed.map { ($0["delivery"]?["reference"]?.string, $0["delivery"]?["units"]?["amount"]?.integer) }
  }
}

@Suite struct `A phone that speaks only to the team's own backend (It must show 8)` {
  @Test(arguments: FixtureDatabase.allCases)
  func `is granted exactly once; the delivery carries the gateway's number`(_ kind: FixtureDatabase) async throws {
    try await kind.withFront { (front) async throws in
      let gateway = Gateway(front: front)
      let number = "2026-03 订单 №1"
      let made = await gateway.buy(number, for: "alice")
      #expect(made.status == 201)
      let token = made["appStore"]?["appAccountToken"]?.string
      let evidence = TestAppStoreSigner().transaction("1001", token: token)
      for round in 0..<3 {
        let answer = await gateway.paid(number, evidence, by: "alice")
        #expect(answer.payment["verdict"]?.string == "fulfilled")
        #expect(answer.payment["reference"]?.string == number)
        #expect(answer.payment["metadata"]?.text == #"{"cart":[7]}"#)
        #expect(answer.payment["firstSeen"]?.bool == (round == 0))
      }
      let booked = await gateway.bookDeliveries()
      #expect(booked.map(\.number) == [number])
      #expect(booked.map(\.units) == [100])
      #expect(await gateway.bookDeliveries().isEmpty)
      let order = await gateway.order(number, "?wait=25&until=delivered")
      #expect(order["state"]?.string == "paid")
      #expect(order["delivery"]?.string == "acknowledged")
      #expect(order["reference"]?.string == number)
      #expect(await front.coins() == 100)
      #expect(try await front.violations() == [])
    }
  }

  @Test func `with a lost token is matched by the number alone`() async throws {
    let front = try await ServerFixture.open()
    let gateway = Gateway(front: front)
    await gateway.buy("N-1", for: "alice").expectMade()
    let answer = await gateway.paid("N-1", TestAppStoreSigner().transaction("1001"), by: "alice")
    #expect(answer.payment["verdict"]?.string == "fulfilled")
    #expect(answer.payment["reference"]?.string == "N-1")
    #expect(await gateway.bookDeliveries().map(\.number) == ["N-1"])
  }

  @Test(arguments: ["01890A5D-AC96-774B-BCCE-B302099A8057", "0123456789abcdef0123456789abcdef", "a.b~c", "%2e"])
  func `may have numbers that look like ids of ours, or like a path`(_ number: String) async throws {
    let front = try await ServerFixture.open()
    let gateway = Gateway(front: front)
    await gateway.buy(number, for: "alice").expectMade()
    #expect(await gateway.order(number)["reference"]?.string == number)
    let closed = await gateway.close(number)
    #expect(closed["state"]?.string == "closed")
    #expect(closed["closeReason"]?.string == "closedByBackend")
    // It still takes a late payment.
    let answer = await gateway.paid(number, TestAppStoreSigner().transaction("1001"), by: "alice")
    #expect(answer.payment["reference"]?.string == number)
  }

  @Test func `finds its number in lists of a user and of the whole app`() async throws {
    let front = try await ServerFixture.open()
    let gateway = Gateway(front: front)
    for (number, user) in [("N-1", "alice"), ("N-2", "bob"), ("N-3", "alice")] {
      await gateway.buy(number, for: user).expectMade()
      front.clock.advance(by: .seconds(1))
    }
    func numbers(_ target: String) async -> [String] {
      let orders = await front.ask("GET", target, as: front.keys.secret)["orders"]?.array ?? []
      return orders.compactMap { $0["reference"]?.string }
    }
    #expect(await numbers("/v1/orders") == ["N-3", "N-2", "N-1"])
    #expect(await numbers("/v1/orders?userId=bob") == ["N-2"])
    #expect(await numbers("/v1/users/alice/orders?open=true") == ["N-3", "N-1"])
    #expect(await numbers("/v1/users/nobody/orders") == [])
  }

  @Test func `may choose the number: it is marked as the app's everywhere, and belongs to the user`() async throws {
    let front = try await ServerFixture.open { $0.app = { $0.referenceFromApp = true } }
    let order = await front.order("coins.100", of: "alice", [("reference", "N-1")])
    _ = await front.order("coins.100", of: "bob", [("reference", "N-1")])
    let read = await front.ask("GET", "/v1/orders/N-1", as: front.token())
    #expect(read["id"]?.string == order)
    #expect(read["referenceFrom"]?.string == "app")
    let answer = await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    #expect(answer.payment["referenceFrom"]?.string == "app")
    let delivery = await front.deliveries().first?["delivery"]
    #expect(delivery?["reference"]?.string == "N-1")
    #expect(delivery?["referenceFrom"]?.string == "app")
    // A backend that names no user does not find it.
    #expect(await front.ask("GET", "/v1/orders/N-1", as: front.keys.secret).code == "order_unknown")
  }
}

extension Answer {
  func expectMade(at location: SourceLocation = #_sourceLocation) {
    #expect(status == 201, "\(text)", sourceLocation: location)
  }
}
