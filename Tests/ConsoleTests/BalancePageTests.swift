import Console
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import Testing

/// The page with every posting on a balance.
@Suite struct `The page of a balance` {
  private static let path = "/console/app/shop/users/alice/balances/coin?environment=simulated"

  private static func fixture() async throws -> ConsoleFixture {
    let fixture = try ConsoleFixture { app in app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 50)] }
    _ = try await fixture.paidOrder()
    var debit = DebitRequest(user: "alice", unit: "coin", amount: 30, key: "sword-7", digest: "d")
    debit.reason = "<b>bought a sword"
    _ = try await fixture.shop.engine.debitBalance(debit, in: EngineFixture.appEnvironment)
    let credit = CreditRequest(
      user: "alice", unit: "coin", amount: 7, key: "daily-7", digest: "d", reason: "daily reward")
    _ = try await fixture.shop.engine.creditBalance(credit, in: EngineFixture.appEnvironment)
    _ = try await fixture.shop.order(of: "guest")
    return fixture
  }

  @Test func `is not found for a number that no page named`() async throws {
    let browser = try await Self.fixture().browser(as: .support)
    for before in ["0", "-1", "x"] {
      #expect(await browser.get(Self.path + "&before=" + before).status == 404, "\(before)")
    }
  }

  @Test func `hides words and ids of bookings from a role that sees no personal data`() async throws {
    let browser = try await Self.fixture().browser(as: .viewer)
    let page = await browser.get(Self.path + "&show=personal").page
    #expect(page.contains("hidden for your role"))
    #expect(!page.contains("sword") && !page.contains("daily"))
  }

  @Test func `leaves an entry each time it shows words, and none otherwise`() async throws {
    let fixture = try await Self.fixture()
    let (viewer, support) = (try await fixture.browser(as: .viewer), try await fixture.browser(as: .support))
    _ = await viewer.get(Self.path + "&show=personal")
    _ = await support.get(Self.path)
    #expect(try await fixture.entries().isEmpty)
    for _ in 0..<2 { _ = await support.get(Self.path + "&show=personal") }
    let entries = try await fixture.entries()
    #expect(entries.map(\.action) == ["personalData.seen", "personalData.seen"])
    #expect(entries.allSatisfy { $0.objectKind == "user" && $0.object == "alice" && $0.environment == .simulated })
  }

  @Test func `has every posting with its reason, in both languages, and the page of the user leads there`() async throws
  {
    let fixture = try await Self.fixture()
    let browser = try await fixture.browser(as: .support)
    let closed = await browser.get(Self.path).page
    #expect(!closed.contains("sword") && closed.contains("show=personal"))
    let page = await browser.get(Self.path + "&show=personal").page
    for part in ["granted", "+100", "1001", "spent", "-30", "sword-7", "&lt;b&gt;bought a sword", "credited", "+7"] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(page.contains("<b>77</b>"))
    let chinese = try await fixture.browser(as: .support, language: "zh").get(Self.path).page
    for part in ["入账", "消费", "赠送", "coin 余额"] { #expect(chinese.contains(part), "\(part)") }
    let user = await browser.get("/console/app/shop/users/alice?environment=simulated").page
    #expect(user.contains("/users/alice/balances/coin?environment=simulated"))
  }

  @Test func `goes on where a page ended`() async throws {
    let fixture = try await Self.fixture()
    for number in 0..<60 {
      let debit = DebitRequest(user: "alice", unit: "coin", amount: 1, key: "key-\(number)-", digest: "d")
      _ = try await fixture.shop.engine.debitBalance(debit, in: EngineFixture.appEnvironment)
    }
    let browser = try await fixture.browser(as: .support)
    let first = await browser.get(Self.path + "&show=personal").page
    #expect(first.contains("show=personal&amp;before=") || first.contains("&amp;show=personal"))
    let next = try #require(first.firstMatch(of: /before=([0-9]+)/)?.1)
    let second = await browser.get(Self.path + "&show=personal&before=" + next).page
    #expect(first.contains("key-59-") && !first.contains("key-0-"))
    #expect(second.contains("key-0-") && !second.contains("key-59-") && second.contains("granted"))
  }
}
