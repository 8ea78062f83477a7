import Console
import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The console's pages of what runs` {
  private static let base = "/console/app/shop"
  private let reason = ("reason", "ticket 58213")

  private static func fixture() throws -> ConsoleFixture {
    try ConsoleFixture { app in
      app.endpoints = [
        DeliveryEndpoint(
          name: "backend", url: "https://backend.example/hook", environments: [.simulated],
          secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
      ]
    }
  }

  private func stop(_ fixture: ConsoleFixture) async throws {
    let now = fixture.shop.now()
    let change = StoppedChange(
      payment: EngineFixture.key("55"), statement: "s", kind: .brokenRule, found: "found", content: "{}",
      evidence: "a.b.c", origin: .notification, at: now, nextAttemptAt: now)
    _ = await fixture.shop.database.transact { try $0.put(change) }
  }

  @Test func `show a secret to nobody`() async throws {
    let fixture = try Self.fixture()
    let page = await (try fixture.browser()).get(Self.base + "/endpoints").page
    #expect(page.contains("https://backend.example/hook") && !page.contains("a secret made for tests"))
  }

  @Test func `pause an endpoint, say who did it, and resume it`() async throws {
    let fixture = try Self.fixture()
    let support = try await fixture.browser(as: .support)
    #expect(await support.get(Self.base + "/endpoints").form(Self.base + "/endpoints/backend/pause") == nil)
    let browser = try await fixture.browser(as: .operator)
    for (action, word) in [("pause", "operator-shop"), ("resume", "sends")] {
      let target = Self.base + "/endpoints/backend/\(action)"
      let form = try #require(await browser.get(Self.base + "/endpoints").form(target))
      #expect(await browser.post(target, form + [reason]).location == Self.base + "/endpoints?notice=done")
      let page = await browser.get(Self.base + "/endpoints").page
      #expect(page.contains(word) && page.contains("ticket 58213") == (action == "pause"))
    }
    #expect(try await fixture.entries().map(\.action) == ["endpoint.pause", "endpoint.resume"])
  }

  @Test func `retry every stopped change at once, with their number shown before`() async throws {
    let fixture = try Self.fixture()
    let browser = try await fixture.browser(as: .operator)
    let page = Self.base + "/needs-attention"
    let target = page + "/retry-all"
    #expect(await browser.get(page).form(target) == nil)
    try await stop(fixture)
    let shown = await browser.get(page)
    #expect(shown.page.contains("1 stopped changes."))
    #expect(await browser.post(target, try #require(shown.form(target)) + [reason]).location == page + "?notice=done")
    let tried = try await fixture.shop.engine.read { try $0.stoppedChanges(of: EngineFixture.key("55")) }
    #expect(tried.first?.attempts != 0)
  }

  @Test func `send parked messages again, with their number shown before, each under its id`() async throws {
    let fixture = try Self.fixture()
    var ids: [DeliveryIdentifier] = []
    for number in 1...3 {
      ids.append(try await fixture.delivery(of: fixture.paidOrder("100\(number)", of: UserIdentifier("user\(number)"))))
    }
    let (parked, moment) = (ids.prefix(2), fixture.shop.now())
    _ = await fixture.shop.database.transact { transaction in
      for id in parked {
        guard var delivery = try transaction.delivery(id) else { continue }
        delivery.state = .parked(at: moment)
        try transaction.update(delivery)
      }
    }
    let browser = try await fixture.browser(as: .operator)
    let target = Self.base + "/deliveries/simulated/redrive-all"
    let shown = await browser.get(Self.base + "/deliveries?state=parked")
    #expect(shown.page.contains("2 parked messages."))
    let form = try #require(shown.form(target))
    for _ in 0..<2 { #expect(await browser.post(target, form + [reason]).status == 303) }
    for id in ids {
      #expect(try await fixture.shop.engine.readDelivery(id, of: "shop").state == .pending)
    }
    let backlog = try await fixture.shop.engine.read { try $0.deliveryBacklog(in: EngineFixture.appEnvironment) }
    #expect(backlog.parked == 0 && backlog.pending == 3)
    #expect(try await fixture.entries().map(\.action) == ["delivery.redriveAll"])
  }

  @Test func `list users by their newest order, products, and what waits`() async throws {
    let fixture = try Self.fixture()
    _ = try await fixture.paidOrder("1001", of: "alice <b>")
    _ = try await fixture.shop.order(of: "alice <b>")
    fixture.shop.clock.advance(by: .seconds(1))
    _ = try await fixture.shop.order(of: "bob")
    _ = try await fixture.shop.submit(
      fixture.shop.transaction("3001") { $0["productId"] = "com.example.unknown" }, by: nil)
    let browser = try await fixture.browser(as: .viewer)
    let users = await browser.get(Self.base + "/users").page
    let (bob, alice) = (users.firstRange(of: ">bob<"), users.firstRange(of: "alice &lt;b&gt;"))
    #expect(try #require(bob).lowerBound < #require(alice).lowerBound && !users.contains("alice <b>"))
    let products = await browser.get(Self.base + "/products").page
    #expect(products.contains("coins.100") && products.contains("com.example.unknown"))
    let health = await browser.get(Self.base + "/health").page
    #expect(health.contains("The server takes calls") && health.contains("1.0-test"))
  }

  @Test func `tell a notification, and work it again, which changes nothing the second time`() async throws {
    let fixture = try Self.fixture()
    let browser = try await fixture.browser(as: .operator)
    #expect(await browser.get(Self.base + "/notifications/none").status == 404)
    let token = try await fixture.shop.order()
    let body = fixture.shop.notification("n-1", about: fixture.shop.transaction("1001", token: token))
    let signed = try #require(try JSONReader.read(body)["signedPayload"]?.string)
    let kept = ReceivedNotification(
      appEnvironment: EngineFixture.appEnvironment, id: "n-1", type: "ONE_TIME_CHARGE", subtype: nil,
      signedDate: fixture.shop.now(), transaction: "1001", signedPayload: signed, receivedAt: fixture.shop.now(),
      effect: .kept)
    _ = await fixture.shop.database.transact { try $0.insert(kept) }
    let list = await browser.get(Self.base + "/notifications?type=ONE_TIME_CHARGE").page
    #expect(list.contains(Self.base + "/notifications/n-1?environment=simulated"))
    let page = Self.base + "/notifications/n-1?environment=simulated"
    let target = Self.base + "/notifications/simulated/n-1/work-again"
    for _ in 0..<2 {
      let form = try #require(await browser.get(page).form(target))
      #expect(await browser.post(target, form + [reason]).location == page + "&notice=done")
    }
    let payment = try await fixture.shop.engine.tellPayment(EngineFixture.key("1001"))
    #expect(payment.payment?.state.wasGranted == true && payment.deliveries.count == 1)
    #expect(await browser.get(page).page.contains("took effect"))
    #expect(!(await browser.get(page).page.contains("ONE_TIME_CHARGE&quot;")))
    #expect(await browser.get(page + "&show=personal").page.contains("ONE_TIME_CHARGE&quot;"))
    let seen = try await fixture.entries().filter { $0.action == "personalData.seen" }
    #expect(seen.map(\.objectKind) == ["notification"] && seen.map(\.object) == ["n-1"])
    let viewer = await (try fixture.browser(as: .viewer)).get(page + "&show=personal").page
    #expect(viewer.contains("hidden for your role") && !viewer.contains("ONE_TIME_CHARGE&quot;"))
    #expect(try await fixture.shop.engine.auditInvariants(atRest: false).violations.isEmpty)
  }
}

@Suite struct `A note in the console` {
  @Test func `stands in the timeline as text, names its author, and is hidden from viewers`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let places = [
      ("orders/simulated/\(order)/note", fixture.pagePath(of: order)),
      ("payments/appStore/simulated/1001/add-note", "/console/app/shop/payments/appStore/simulated/1001"),
    ]
    let viewer = try await fixture.browser(as: .viewer)
    let browser = try await fixture.browser(as: .support)
    for (target, page) in places {
      let target = "/console/app/shop/" + target
      #expect(await viewer.get(page).form(target) == nil)
      let form = try #require(await browser.get(page).form(target))
      #expect(await browser.post(target, form + [("reason", " ")]).status == 422)
      #expect(await browser.post(target, form + [("reason", "calls <b>daily</b>")]).status == 303)
      let shown = await browser.get(page).page
      #expect(shown.contains("calls &lt;b&gt;daily") && shown.contains("support-shop"))
      #expect(!(await viewer.get(page).page.contains("daily")))
    }
    #expect(try await fixture.entries().map(\.action) == ["order.note", "payment.note"])
  }
}

@Suite struct `The page of a payment` {
  @Test func `says what to tell the customer, also without an order, and names no other user`() async throws {
    let fixture = try ConsoleFixture()
    _ = try await fixture.paidOrder("1001", of: "alice")
    _ = try await fixture.shop.submit(fixture.shop.transaction("77"), by: nil)
    _ = try await fixture.shop.submit(
      fixture.shop.transaction("78") { $0["productId"] = "com.example.unknown" }, by: nil)
    let base = "/console/app/shop/payments/appStore/simulated/"
    let browser = try await fixture.browser(as: .support)
    for (id, words) in [
      ("1001", "100 coin is recorded for you"), ("77", "a colleague is checking it"),
      ("78", "a colleague is checking it"),
    ] {
      let page = await browser.get(base + id).page
      let told = try #require(page.firstRange(of: "<q>").map { page[$0.upperBound...].prefix { $0 != "<" } })
      #expect(told.contains(words) && !told.contains("alice"), "\(id): \(told)")
    }
  }
}
