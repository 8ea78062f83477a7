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

/// An app that has put its users' UUIDs into `appAccountToken` for years (`token_meaning = "user"`).
@Suite struct `An app with tokens that name users` {
  private static let token = OrderIdentifier(high: 0xA111_1111_1111_4111, low: 0x8111_1111_1111_111A)
  private static let alice = UserIdentifier(token.appAccountToken)

  private func shop(_ change: (inout AppPolicy) -> Void = { _ in }) throws -> EngineFixture {
    try EngineFixture {
      $0.tokenMeaning = .user
      change(&$0)
    }
  }

  private func notify(_ shop: EngineFixture, _ uuid: String, evidence: String) async throws {
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("f6000000-0000-4000-8000-00000000000" + uuid, about: evidence), for: "shop")
  }

  private func payment(_ shop: EngineFixture, _ id: TransactionIdentifier) async throws -> Payment {
    let now = shop.now
    let key = PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: id)
    return try #require(try await InMemoryDatabase(shop.storage, now: now).read { try $0.payment(key) })
  }

  // MARK: what is refused

  @Test func `gives a payment only to that user: a leaked transaction waits for them (A7)`() async throws {
    let shop = try shop()
    let evidence = shop.transaction("1001", token: Self.token)
    let order = try await shop.order(of: "mallory")
    let stolen = try await shop.submit(evidence, by: "mallory", orders: [order], sameRun: order)
    #expect(stolen.verdict == .held && stolen.reason == "tokenOfAnotherUser" && stolen.order == nil)
    #expect(try await shop.coins(of: "mallory") == 0)
    #expect(try await shop.submit(evidence, by: Self.alice).verdict == .fulfilled)
    #expect(try await shop.submit(evidence, by: "mallory").verdict == .fulfilledForAnother)
    #expect(try await shop.coins(of: Self.alice) == 100)
    #expect(try await shop.violations() == [])
  }

  @Test func `holds a payment if two users' spellings of one UUID both fit`() async throws {
    let shop = try shop()
    _ = try await shop.order(of: Self.alice)
    let shouting = UserIdentifier(Self.alice.text.uppercased())
    let answer = try await shop.submit(shop.transaction("1001", token: Self.token), by: shouting)
    #expect(answer.verdict == .held && answer.reason == "tokenUserAmbiguous")
    #expect(try await shop.submit(shop.transaction("1001", token: Self.token), by: Self.alice).verdict == .fulfilled)
  }

  @Test func `ignores them if tokens name only orders: the token is an unknown one`() async throws {
    let shop = try shop { $0.tokenMeaning = .order }
    _ = try await shop.order(of: Self.alice)
    try await notify(shop, "1", evidence: shop.transaction("1001", token: Self.token))
    #expect(try await payment(shop, "1001").state == .unclaimed)
    #expect(try await shop.submit(shop.transaction("1001", token: Self.token), by: "bob").verdict == .fulfilled)
  }

  @Test func `leaves a payment unclaimed until its user is known, and forgets nothing`() async throws {
    let shop = try shop()
    let evidence = shop.transaction("1001", token: Self.token)
    try await notify(shop, "1", evidence: evidence)
    #expect(try await payment(shop, "1001").state == .unclaimed)
    _ = try await shop.order("premium", of: Self.alice)
    // Any later update is enough: here the same notification under another id.
    try await notify(shop, "2", evidence: evidence)
    #expect(try await payment(shop, "1001").owner == Self.alice)
  }

  // MARK: what is granted

  @Test(arguments: TokenUser.spellings(of: token))
  func `grants a notification to the user in that spelling, without a phone`(user: UserIdentifier) async throws {
    let shop = try shop()
    _ = try await shop.order("premium", of: user)
    try await notify(shop, "1", evidence: shop.transaction("1001", token: Self.token))
    #expect(try await shop.coins(of: user) == 100)
    let match = try #require(try await payment(shop, "1001").match)
    #expect(match.rule == .derived && match.flags == [.tokenNamesUser])
    #expect(try await shop.violations() == [])
  }

  @Test func `knows a user by their earlier grants`() async throws {
    let user = UserIdentifier(Self.token.outTradeNo.lowercased())
    for product in ["com.example.coins100", "com.example.premium"] {
      let shop = try shop()
      let isCoins = product == "com.example.coins100"
      let type = isCoins ? "Consumable" : "Non-Consumable"
      _ = try await shop.submit(shop.transaction("1000", of: product, token: Self.token, type: type), by: user)
      shop.clock.advance(by: .seconds(2))
      try await notify(shop, "1", evidence: shop.transaction("1001", token: Self.token))
      #expect(try await shop.coins(of: user) == (isCoins ? 200 : 100))
    }
  }

  @Test func `counts none of it against the user's daily claims`() async throws {
    let shop = try shop { $0.claims = ClaimPolicy(isStrict: true, perDay: 1) }
    for number in 1...4 {
      let answer = try await shop.submit(shop.transaction("100\(number)", token: Self.token), by: Self.alice)
      #expect(answer.verdict == .fulfilled)
      shop.clock.advance(by: .seconds(2))
    }
    let device: @Sendable (inout [String: JSONValue]) -> Void = { $0["deviceVerification"] = nil }
    #expect(
      try await shop.submit(shop.transaction("1009", token: Self.token, device), by: Self.alice).verdict == .fulfilled)
    #expect(try await shop.coins(of: Self.alice) == 500)
  }

  @Test func `leaves the user their daily claims for payments without an owner`() async throws {
    let shop = try shop { $0.claims = ClaimPolicy(perDay: 1) }
    for number in 1...3 {
      _ = try await shop.submit(shop.transaction("100\(number)", token: Self.token), by: Self.alice)
      shop.clock.advance(by: .seconds(2))
    }
    #expect(try await shop.submit(shop.transaction("1004"), by: Self.alice).verdict == .fulfilled)
    shop.clock.advance(by: .seconds(2))
    #expect(try await shop.submit(shop.transaction("1005"), by: Self.alice).reason == "claimLimit")
  }

  @Test func `pays the user's own open order, but first an order that the token names`() async throws {
    let shop = try shop()
    let mine = try await shop.order(of: Self.alice)
    let hers = try await shop.order(of: "bob")
    try await notify(shop, "1", evidence: shop.transaction("1001", token: Self.token))
    #expect(try await payment(shop, "1001").order == mine)
    shop.clock.advance(by: .seconds(2))
    let other = try await shop.submit(shop.transaction("1002", token: hers), by: Self.alice)
    #expect(other.verdict == .fulfilledForAnother)
    #expect(try await shop.coins(of: "bob") == 100)
  }

  @Test func `gives each period of a subscription to the user of its token, in any order`() async throws {
    let bob = OrderIdentifier(high: 0xB222_2222_2222_4222, low: 0x8222_2222_2222_222B)
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      let shop = try shop()
      let start = shop.now().milliseconds
      let month: Int64 = 30 * 86_400_000
      let texts = [(Self.token, 0), (bob, 1), (bob, 2)].map { (token: OrderIdentifier, number: Int64) in
        shop.transaction("90\(number)", of: "com.example.monthly", token: token, type: "Auto-Renewable Subscription") {
          $0["originalTransactionId"] = "900"
          $0["purchaseDate"] = .integer(start + number * month)
          $0["expiresDate"] = .integer(start + (number + 1) * month)
          $0["webOrderLineItemId"] = .string("5\(number)")
        }
      }
      for user in [Self.alice, UserIdentifier(bob.appAccountToken)] { _ = try await shop.order("premium", of: user) }
      for number in order { try await notify(shop, "\(number)", evidence: texts[number]) }
      #expect(try await payment(shop, "900").owner == Self.alice)
      for id in ["901", "902"] as [TransactionIdentifier] {
        #expect(try await payment(shop, id).owner == UserIdentifier(bob.appAccountToken))
        #expect(try await payment(shop, id).order == nil)
      }
      #expect(try await shop.violations() == [])
    }
  }
}
