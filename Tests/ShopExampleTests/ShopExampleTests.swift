import Counterfoil
import CounterfoilSwiftUI
import Foundation
import PaymentPrimitives
import ShopExample
import Testing

/// The example in `Examples/Shop`.
@MainActor @Suite struct `The example of a shop` {
  @Test func `sells without prices when the store does not answer, and leaves out what it does not sell (1A.20)`() {
    #expect(Shop.items(priced: .unanswered(nil)).map(\.price) == ["", "", ""])
    let answer = StoreProducts(
      products: [StoreProduct(id: "com.example.coins60", name: "60", displayPrice: "¥6.00")],
      unknown: ["com.example.coins300", "com.example.premium"])
    let items = Shop.items(priced: .answered(answer))
    #expect(items.map(\.id) == ["coins60"] && items.map(\.price) == ["¥6.00"])
  }

  @Test func `is set up for its own server, and knows its products from the start`() {
    let configuration = Shop.configuration(server: "https://pay.example.com", language: .chinese) { _ in "token" }
    #expect(configuration.storeProducts == Shop.items.map(\.storeProduct))
    #expect(configuration.platform == "ios" && configuration.language == .chinese)
  }

  @Test func `has words of its own for a purchase, in both languages`() async throws {
    let order = try #require(OrderIdentifier("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"))
    for (language, words) in [(Language.english, "Enjoy your coins!"), (.chinese, "金币已到账，祝您玩得开心！")] {
      let service = ScriptedService()
      let shop = Shop(service, language: language)
      await service.next(.success(.fulfilled(order, recovered: false)))
      await shop.model.buy("coins60")
      #expect(shop.model.notice?.text == words)
    }
  }

  @Test func `does not say that a customer has nothing when it does not know`() {
    #expect(Shop.belongings(.unread, language: .english) == [])
    let error = PurchasingError(.serverUnreachable)
    #expect(Shop.belongings(.unreadable(error), language: .chinese) == [error.message(.chinese)])
  }

  @Test func `shows the coins and the entitlements that it sold, and none that gives no access`() {
    func right(_ name: EntitlementName, _ state: Entitlement.State, until end: String? = nil) -> Entitlement {
      var right = Entitlement(name, state: state, store: .appStore, environment: .production)
      right.expiresAt = end.flatMap { Timestamp(iso8601: $0) }
      return right
    }
    var renewing = right("club", .gracePeriod, until: "2027-02-01T12:00:00Z")
    renewing.willRenew = true
    let rights = ShopModel.Rights.read(
      entitlements: [
        right("premium", .active), renewing, right("season", .active, until: "2027-03-01T12:00:00Z"),
        right("gone", .revoked), right("strange", Entitlement.State(rawValue: "suspended")),
      ], balances: [Balance("coins", amount: -5, environment: .production)])
    #expect(
      Shop.belongings(rights, language: .english) == [
        "-5 coins", "premium, yours for good", "club, renews on 2027-02-01", "season, until 2027-03-01",
      ])
    #expect(Shop.belongings(rights, language: .chinese).first == "coins：-5")
  }

  @Test func `has fewer than 300 lines`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Examples/Shop")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }
    let lines = try files.map { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n").count }
    #expect(files.count == 2)
    #expect(lines.reduce(0, +) < 300)
  }
}
