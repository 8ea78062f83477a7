import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import TestTier
import Testing

@Suite struct `A guest who becomes an account` {
  /// Merges `guest` into `alice`.
  @discardableResult
  private static func merge(
    _ shop: EngineFixture, _ user: UserIdentifier = "guest", into other: UserIdentifier = "alice"
  ) async throws -> MergedUser {
    try await shop.engine.mergeUser(user, into: other, of: shop.app)
  }

  private static func balance(_ shop: EngineFixture, of user: UserIdentifier) async throws -> Int64? {
    try await shop.database.read { try $0.balance(of: user, unit: "coin", in: EngineFixture.appEnvironment)?.amount }
  }

  @Test func `is refused by name: itself, nobody, a user merged elsewhere, a target that was merged, a cycle`()
    async throws
  {
    let shop = try EngineFixture()
    for user: UserIdentifier in ["guest", "bob"] { _ = try await shop.order(of: user) }
    #expect(await shop.code { try await Self.merge(shop, "guest", into: "guest") } == .mergeWithItself)
    #expect(await shop.code { try await Self.merge(shop, "nobody") } == .userUnknown)
    try await Self.merge(shop)
    #expect(await shop.code { try await Self.merge(shop, "guest", into: "bob") } == .userAlreadyMerged)
    #expect(await shop.code { try await Self.merge(shop, "bob", into: "guest") } == .mergeTargetMerged)
    #expect(await shop.code { try await Self.merge(shop, "alice", into: "guest") } == .mergeTargetMerged)
  }

  @Test func `with more than one commit may move is refused, and nothing of it moves`() async throws {
    var limits = EngineLimits()
    limits.rowsPerMerge = 2
    let shop = try EngineFixture(limits: limits)
    for number in 1...3 { _ = try await shop.buyCoins("100\(number)", of: "guest") }
    #expect(await shop.code { try await Self.merge(shop) } == .userTooLarge)
    #expect(try await Self.balance(shop, of: "guest") == 300)
    #expect(try await shop.violations() == [])
  }

  @Test func `takes complaints about the orders along, so an operator finds them at the account`() async throws {
    let shop = try EngineFixture()
    let bought = try await shop.buyCoins("1001", of: "guest")
    let place = EngineFixture.appEnvironment
    var complaint = Complaint(
      appEnvironment: place, id: "2002", openedAt: shop.now(), state: "PENDING", facts: "{}", signedDate: shop.now())
    complaint.order = bought
    complaint.user = "guest"
    try await shop.database.transact { [complaint] in try $0.put(complaint) }.get()
    try await Self.merge(shop)
    let (left, taken) = try await shop.database.read { reader in
      let users: [UserIdentifier] = ["guest", "alice"]
      let found = try users.map { try reader.complaints(of: $0, in: place, limit: 9).map(\.id) }
      return (found[0], found[1])
    }
    #expect(left == [] && taken == ["2002"])
  }

  @Test func `takes balances, orders, payments and entitlements along, once, and is told once`() async throws {
    let shop = try EngineFixture { $0.events = true }
    let bought = try await shop.buyCoins("1001", of: "guest")
    _ = try await shop.debit(30, "sword", of: "guest")
    _ = try await shop.buyCoins("1002")
    let premium = try await shop.order("premium", of: "guest")
    _ = try await shop.submit(
      shop.transaction("1003", of: "com.example.premium", token: premium, type: "Non-Consumable"), by: "guest")
    let first = try await Self.merge(shop)
    #expect(first.isNew && first.merge.orders == 2 && first.merge.payments == 2)
    shop.clock.advance(by: .hours(1))
    let again = try await Self.merge(shop)
    #expect(!again.isNew && again.merge == first.merge)
    #expect(try await Self.balance(shop, of: "alice") == 170)
    #expect(try await Self.balance(shop, of: "guest") == 0)
    #expect(try await shop.allEntitlements(of: "alice").map(\.entitlement) == ["premium"])
    #expect(try await shop.payment("1001")?.owner == "alice")
    let order = try await shop.engine.readOrder(.id(bought), in: shop.app.userEnvironments, of: "alice").order
    #expect(order.user == "alice")
    #expect(try await shop.eventTypes().filter { $0 == "user.merged" }.count == 1)
    #expect(try await shop.violations() == [])
  }

  @Test func `keeps what is read and asked under the guest's name going`() async throws {
    let shop = try EngineFixture { $0.credits = [CreditCeiling(unit: "coin", perUserAndDay: 100)] }
    let bought = try await shop.buyCoins("1001", of: "guest")
    let spent = try await shop.debit(30, "sword", of: "guest")
    try await Self.merge(shop)
    #expect(try await shop.coins(of: "guest") == 70)
    #expect(
      try await shop.engine.readOrder(.id(bought), in: shop.app.userEnvironments, of: "guest").order.user == "alice")
    // The same debit is the same booking; a new one spends what alice has.
    let again = try await shop.debit(30, "sword", of: "guest")
    #expect(!again.isNew && again.booking == spent.booking)
    #expect(try await shop.debit(20, "shield", of: "guest").balance == 50)
    let credit = CreditRequest(
      user: "guest", unit: "coin", amount: 5, key: "daily", digest: "d", reason: "daily reward")
    #expect(try await shop.engine.creditBalance(credit, in: EngineFixture.appEnvironment).booking.user == "alice")
    let order = try await shop.order(of: "guest")
    #expect(
      try await shop.engine.readOrder(.id(order), in: shop.app.userEnvironments, of: nil).order.user == "alice")
    #expect(try await Self.balance(shop, of: "guest") == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `gets the payment of an open order, a later claim and a refund in the account`() async throws {
    let shop = try EngineFixture()
    let open = try await shop.order(of: "guest")
    let paid = try await shop.buyCoins("1001", of: "guest")
    try await Self.merge(shop)
    // The open order's payment comes by the store alone; another one is presented by the guest's phone.
    _ = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", about: shop.transaction("1002", token: open)), for: nil)
    let answer = try await shop.submit(shop.transaction("1003"), by: "guest")
    #expect(answer.verdict == .fulfilled)
    #expect(try await shop.payment("1002")?.owner == "alice")
    #expect(try await shop.payment("1003")?.owner == "alice")
    shop.clock.advance(by: .minutes(1))
    try await shop.refund("1001", of: paid)
    #expect(try await Self.balance(shop, of: "alice") == 200)
    #expect(try await Self.balance(shop, of: "guest") == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `keeps the subscription: its renewals are the account's`() async throws {
    let shop = try EngineFixture()
    let subscription = SubscriptionFixture(shop: shop)
    _ = try await shop.submit(subscription.period("9001", day: 0), by: "guest")
    try await Self.merge(shop)
    shop.clock.advance(by: .days(30))
    try await subscription.receive("n1", "DID_RENEW", about: subscription.period("9002", day: 30))
    #expect(try await shop.payment("9002")?.owner == "alice")
    #expect(try await shop.allEntitlements(of: "alice").first?.entitlement == "club")
    #expect(try await shop.violations() == [])
  }

  @Test func `brings a debt along, with its freeze, and units of the account pay it`() async throws {
    for (coins, isFrozen) in [(0, true), (1, false)] as [(Int, Bool)] {
      let shop = try EngineFixture.selling(under: .freeze)
      if coins > 0 { _ = try await shop.buyCoins("1000") }
      let order = try await shop.buyCoins("1001", of: "guest")
      _ = try await shop.debit(60, "sword", of: "guest")
      try await shop.refund("1001", of: order)
      #expect(try await Self.balance(shop, of: "guest") == -60)
      try await Self.merge(shop)
      #expect(try await Self.balance(shop, of: "alice") == Int64(coins * 100 - 60))
      let balances = try await shop.engine.readBalances(of: "alice", in: EngineFixture.appEnvironment)
      #expect((balances.first?.frozenSince != nil) == isFrozen)
      #expect(try await shop.violations() == [])
    }
  }

  @Test func `may be followed by a second merge: a chain ends at the last account`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order(of: "guest")
    try await Self.merge(shop)
    try await Self.merge(shop, "alice", into: "carol")
    _ = try await shop.submit(shop.transaction("1001", token: order), by: "guest")
    #expect(try await shop.payment("1001")?.owner == "carol")
    #expect(try await shop.coins(of: "guest") == 100)
    #expect(try await Self.merge(shop).isNew == false)
    #expect(try await shop.violations() == [])
  }

  @Test func `keeps a number that the account's own order has, at the account's order`() async throws {
    let shop = try EngineFixture { $0.referenceFromApp = true }
    var orders: [UserIdentifier: OrderIdentifier] = [:]
    for user: UserIdentifier in ["guest", "alice"] {
      var request = OrderRequest(user: user, product: "coins.100", quantity: 1, store: .appStore)
      request.reference = "M-1"
      orders[user] = try await shop.engine.createOrder(request, for: shop.app, by: .user(user)).order.order.key.id
    }
    try await Self.merge(shop)
    let found = try await shop.engine.readOrder(.reference("M-1"), in: shop.app.userEnvironments, of: "alice")
    #expect(found.order.key.id == orders["alice"])
    let moved = try await shop.engine.readOrder(
      .id(#require(orders["guest"])), in: shop.app.userEnvironments, of: "alice")
    #expect(moved.order.reference == nil)
  }

  @Test func `no longer counts as another user of the Apple account`() async throws {
    let shop = try EngineFixture()
    func evidence(_ id: String, _ token: OrderIdentifier?) -> String {
      shop.transaction(id, token: token) { $0["appTransactionId"] = "7001" }
    }
    _ = try await shop.submit(evidence("1001", try await shop.order(of: "guest")), by: "guest")
    #expect(try await shop.submit(evidence("1002", nil)).verdict == .held)
    try await Self.merge(shop)
    #expect(try await shop.submit(evidence("1003", nil)).verdict == .fulfilled)
  }
}

@Suite struct `Merges between purchases, refunds, debits and credits` {
  private static func shop(_ seed: UInt64) throws -> WorldEngineFixture {
    try WorldEngineFixture(seed: seed) { $0.credits = [CreditCeiling(unit: "coin", perUserAndDay: 1000)] }
  }

  @Test func `lose and double nothing at any interleaving`() throws {
    for seed in 1...UInt64(Tier.among(test: 8, check: 40, night: 200)) {
      let fixture = try Self.shop(seed)
      let (coins, violations) = try fixture.perform { shop in
        let users: [UserIdentifier] = ["guest", "alice", "carol"]
        await withTaskGroup(of: Void.self) { group in
          for (index, user) in users.enumerated() {
            group.addTask {
              for number in 0..<3 {
                let id = "\(index)\(number)00"
                guard let order = try? await shop.order(of: user) else { continue }
                _ = try? await shop.submit(shop.transaction(id, token: order), by: user)
                if number == 1 { try? await shop.refund(id, of: order) }
                _ = try? await shop.debit(10, "debit \(id)", of: user)
                let credit = CreditRequest(
                  user: user, unit: "coin", amount: 7, key: "credit \(id)", digest: "d", reason: "reward")
                _ = try? await shop.engine.creditBalance(credit, in: EngineFixture.appEnvironment)
              }
            }
          }
          for (from, to) in [("guest", "alice"), ("alice", "carol")] as [(UserIdentifier, UserIdentifier)] {
            group.addTask {
              // Nothing of the user may be there yet.
              for _ in 0..<50 {
                if (try? await shop.engine.mergeUser(from, into: to, of: shop.app)) != nil { return }
                await Task.yield()
              }
            }
          }
        }
        // The merges that came too early.
        _ = try? await shop.engine.mergeUser("guest", into: "alice", of: shop.app)
        _ = try? await shop.engine.mergeUser("alice", into: "carol", of: shop.app)
        _ = try? await shop.engine.mergeUser("guest", into: "carol", of: shop.app)
        let booked = try await shop.database.read { reader in
          try users.flatMap {
            try reader.entries(of: $0, unit: "coin", in: EngineFixture.appEnvironment, before: nil, limit: 1000)
          }.map(\.posting).filter { if case .booking = $0.source { true } else { false } }
        }
        let debits = booked.filter { $0.credit == .spent }.reduce(Int64(0)) { $0 + $1.amount }
        let credits = booked.filter { $0.debit == .credited }.reduce(Int64(0)) { $0 + $1.amount }
        // Nine purchases of 100, three of them refunded.
        let coins = try await shop.coins(of: "guest") - (600 - debits + credits)
        return (coins, try await shop.violations())
      }
      #expect(coins == 0, "seed \(seed)")
      #expect(violations == [], "seed \(seed)")
    }
  }
}
