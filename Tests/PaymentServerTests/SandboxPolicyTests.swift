import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `Sandbox purchases on a production server` {
  /// A production shop where alice has bought the same in the sandbox and, with another transaction id, in production.
  private static func front(_ policy: AppPolicy.SandboxPolicy) async throws -> ServerFixture {
    let front = try await ServerFixture.open {
      $0.app = { app in
        app.home = .production
        app.sandboxPurchases = policy
      }
    }
    let app = try #require(front.engine.apps["shop"])
    for (environment, id) in [(StoreEnvironment.production, "1"), (.sandbox, "2"), (.sandbox, "3")] {
      for (product, kind) in [
        ("com.example.coins100", ProductKind.consumable), ("com.example.premium", .nonConsumable),
      ]
      where kind == .consumable || id != "3" {
        let number = TransactionIdentifier(id + (kind == .consumable ? "001" : "002"))
        let facts = VerifiedPayment(
          key: PaymentKey(app: "shop", store: .appStore, environment: environment, transaction: number),
          originalTransaction: number, storeProduct: StoreProductIdentifier(product), kind: kind, quantity: 1,
          purchaseDate: front.now(), signedDate: front.now())
        var news = PaymentUpdate(facts: facts, evidence: "signed", origin: .client)
        news.claim = OwnershipClaim(user: "alice", proof: .fits, orders: [], sameRun: nil)
        #expect(try await front.engine.fulfil(news, for: app).payment.owner == "alice")
      }
    }
    return front
  }

  /// Environment and amount of each balance, environment of each entitlement.
  private static func seen(
    _ front: ServerFixture, as credential: String, _ query: String = ""
  ) async -> (balances: [String], entitlements: [String]) {
    let balances = await front.ask("GET", "/v1/balances" + query, as: credential)["balances"]?.array ?? []
    let entitlements = await front.ask("GET", "/v1/entitlements" + query, as: credential)["entitlements"]?.array ?? []
    return (
      balances.map { "\($0["environment"]?.string ?? "") \($0["amount"]?.integer ?? 0)" },
      entitlements.map { $0["environment"]?.string ?? "" }
    )
  }

  private static let noon = EngineFixture.noon

  @Test(arguments: [
    AppPolicy.SandboxPolicy.separate, .testers(["bob"]), .review(until: noon), .review(until: noon - .days(1)),
  ])
  func `are not shown to users they are not meant for (X10)`(policy: AppPolicy.SandboxPolicy) async throws {
    let front = try await Self.front(policy)
    let seen = await Self.seen(front, as: front.token())
    #expect(seen.balances == ["production 100"])
    #expect(seen.entitlements == ["production"])
  }

  @Test(arguments: [AppPolicy.SandboxPolicy.testers(["alice"]), .review(until: noon + .days(30))])
  func `are shown beside the real ones, marked and never added`(policy: AppPolicy.SandboxPolicy) async throws {
    let front = try await Self.front(policy)
    let seen = await Self.seen(front, as: front.token())
    #expect(seen.balances == ["production 100", "sandbox 200"])
    #expect(seen.entitlements == ["production", "sandbox"])
    let bob = await Self.seen(front, as: front.token(of: "bob"))
    #expect(bob.balances.isEmpty && bob.entitlements.isEmpty, "users do not see each other's")
    // A backend reads one environment at a time, whatever phones are shown.
    let backend = await Self.seen(front, as: front.keys.secret, "?userId=alice")
    #expect(backend.balances == ["production 100"] && backend.entitlements == ["production"])
    let asked = await Self.seen(front, as: front.keys.secret, "?userId=alice&environment=sandbox")
    #expect(asked.balances == ["sandbox 200"] && asked.entitlements == ["sandbox"])
    #expect(try await front.violations() == [])
  }

  @Test func `are hidden again when the review is over`() async throws {
    let front = try await Self.front(.review(until: EngineFixture.noon + .days(7)))
    front.clock.advance(by: .seconds(7 * 86_400 - 1))
    #expect(await Self.seen(front, as: front.token()).balances == ["production 100", "sandbox 200"])
    front.clock.advance(by: .seconds(1))
    #expect(await Self.seen(front, as: front.token()).balances == ["production 100"])
  }
}
