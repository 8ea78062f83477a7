import Console
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

/// Who works on what needs attention (record 315).
@Suite struct `An item that needs attention` {
  private static let page = "/console/app/shop/needs-attention"
  private static let item = "payment:simulated:appStore:77"
  private static let target = page + "/simulated/payment%3Asimulated%3AappStore%3A77/assign"
  private let reason = ("reason", "ticket 58213")

  /// A shop with a payment that waits for its owner.
  private func fixture() async throws -> ConsoleFixture {
    let fixture = try ConsoleFixture()
    _ = try await fixture.shop.submit(fixture.shop.transaction("77"), by: nil)
    return fixture
  }

  private func assign(
    _ fixture: ConsoleFixture, _ item: String = item, to name: OperatorName?, seen: OperatorName? = nil
  ) async throws {
    try await fixture.shop.engine.assign(item, of: fixture.shop.app, to: name, seen: seen, by: "tests")
  }

  @Test func `is given to nobody who has no role in the app, and nothing is that does not wait`() async throws {
    let fixture = try await fixture()
    _ = try await fixture.browser(as: .support)
    _ = try await fixture.browser(as: .admin, in: "other")
    for name in ["nobody", "admin-other"] as [OperatorName] {
      await #expect(throws: CodedError<EngineErrorCode>.self, "\(name)") { try await assign(fixture, to: name) }
    }
    for item in ["payment:simulated:appStore:78", "", "77"] {
      await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await assign(fixture, item, to: "support-shop")
      }
    }
    _ = try await fixture.shop.engine.disableAccount("support-shop", by: "tests")
    await #expect(throws: CodedError<EngineErrorCode>.self) { try await assign(fixture, to: "support-shop") }
    #expect(try await fixture.shop.engine.assignments(of: "shop").isEmpty)
  }

  @Test func `stays with who took it first, if two take it from the same page`() async throws {
    let fixture = try await fixture()
    let (support, other) = (try await fixture.browser(as: .support), try await fixture.browser(as: .operator))
    let first = try #require(await support.get(Self.page).form(Self.target))
    let second = try #require(await other.get(Self.page).form(Self.target))
    #expect(await support.post(Self.target, first + [("assignee", "support-shop"), reason]).status == 303)
    let late = await other.post(Self.target, second + [("assignee", "operator-shop"), reason])
    #expect(late.status == 409 && late.page.contains("support-shop works on it since"))
    #expect(try await fixture.shop.engine.assignments(of: "shop")[Self.item]?.to == "support-shop")
    // Who has seen that takes it over.
    let third = try #require(await other.get(Self.page).form(Self.target))
    let taking = third + [("formerAssignee", "support-shop"), ("assignee", "operator-shop"), reason]
    #expect(await other.post(Self.target, taking).status == 303)
    #expect(try await fixture.shop.engine.assignments(of: "shop")[Self.item]?.to == "operator-shop")
    let entries = try await fixture.entries()
    #expect(entries.map(\.action) == ["queue.assign", "queue.assign", "queue.assign"])
    #expect(entries.map(\.outcome) == [.done, .refused, .done])
    #expect(entries.allSatisfy { $0.objectKind == "item" && $0.object == Self.item && $0.environment == .simulated })
  }

  @Test func `shows who works on it, and is listed as theirs, or as nobody's`() async throws {
    let fixture = try await fixture()
    _ = try await fixture.shop.submit(fixture.shop.transaction("78"), by: nil)
    let support = try await fixture.browser(as: .support)
    let viewer = try await fixture.browser(as: .viewer)
    #expect(await viewer.get(Self.page).form(Self.target) == nil)
    let form = try #require(await support.get(Self.page).form(Self.target))
    #expect(
      await support.post(Self.target, form + [("assignee", "support-shop"), reason]).location
        == Self.page + "?notice=done")
    #expect(await viewer.get(Self.page).page.contains("Assigned to: support-shop"))
    for (filter, numbers) in [("mine", ["77"]), ("nobody", ["78"]), ("", ["77", "78"])] {
      let page = await support.get(Self.page + "?assigned=" + filter).page
      for number in ["77", "78"] {
        #expect(page.contains("/simulated/\(number)\"") == numbers.contains(number), "\(filter) \(number)")
      }
    }
    // Nobody, with an empty field.
    let again = try #require(await support.get(Self.page).form(Self.target))
    #expect(await support.post(Self.target, again + [("formerAssignee", "support-shop"), reason]).status == 303)
    #expect(try await fixture.shop.engine.assignments(of: "shop").isEmpty)
  }

  @Test func `is forgotten once it waits no more, when another one is assigned`() async throws {
    let fixture = try await fixture()
    _ = try await fixture.shop.submit(fixture.shop.transaction("78"), by: nil)
    _ = try await fixture.browser(as: .support)
    try await assign(fixture, to: "support-shop")
    _ = try await fixture.shop.engine.claimUnclaimedPayment(
      EngineFixture.key("77"), for: "alice", as: nil, by: "tests", reason: "tests")
    #expect(try await fixture.shop.engine.assignments(of: "shop").keys.sorted() == [Self.item])
    try await assign(fixture, "payment:simulated:appStore:78", to: "support-shop")
    #expect(try await fixture.shop.engine.assignments(of: "shop").keys.sorted() == ["payment:simulated:appStore:78"])
  }
}

@Suite struct `What may name a person` {
  @Test func `is shown to who asks for it and may see it, and each time leaves an entry`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let delivery = try await fixture.delivery(of: order)
    let pages = [
      (fixture.pagePath(of: order) + "&", "What the store said"),
      ("/console/app/shop/payments/appStore/simulated/1001?", "What the store said"),
      ("/console/app/shop/deliveries/\(delivery)?", "&quot;userId&quot;"),
    ]
    let (viewer, support) = (try await fixture.browser(as: .viewer), try await fixture.browser(as: .support))
    for (page, text) in pages {
      #expect(!(await viewer.get(page + "show=personal").page.contains(text)), "\(page)")
      let closed = await support.get(String(page.dropLast())).page
      #expect(!closed.contains(text) && closed.contains("show=personal"), "\(page)")
    }
    #expect(try await fixture.entries().isEmpty)
    for (page, text) in pages {
      #expect(await support.get(page + "show=personal").page.contains(text), "\(page)")
    }
    let entries = try await fixture.entries()
    #expect(entries.map(\.action) == Array(repeating: "personalData.seen", count: 3))
    #expect(entries.map(\.objectKind) == ["order", "payment", "delivery"])
    #expect(entries.map(\.object) == [order.description, "appStore:1001", delivery.text])
    #expect(entries.allSatisfy { $0.actor == "support-shop" && $0.app == "shop" && $0.outcome == .done })
  }
}
