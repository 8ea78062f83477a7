import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A refund after spending (A10)` {
  @Test(arguments: [(DebtPolicy.negative, -60), (.clamp, 0), (.freeze, -60)] as [(DebtPolicy, Int64)])
  func `leaves the balance as the product's policy demands, and the ledger balanced`(
    policy: DebtPolicy, balance: Int64
  ) async throws {
    let shop = try EngineFixture.selling(under: policy)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    try await shop.refund("1001", of: order)
    #expect(try await shop.coins() == balance)
    #expect(try await shop.violations() == [])
    // A repeat takes nothing more.
    try await shop.refund("1001", of: order)
    #expect(try await shop.coins() == balance)
    let error: EngineErrorCode = policy == .freeze ? .balanceFrozen : .insufficientBalance
    #expect(await shop.code { _ = try await shop.debit(1, "shield") } == error)
    let ratio = try await shop.engine.readRefundRatio(of: "alice", in: EngineFixture.appEnvironment)
    #expect(ratio == RefundRatio(granted: 1, refunded: 1, refundedWholly: 1))
  }

  @Test(arguments: DebtPolicy.allCases, [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `that Apple reverses restores the balance, in any order of the updates`(
    policy: DebtPolicy, order: [Int]
  ) async throws {
    let shop = try EngineFixture.selling(under: policy)
    let bought = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    shop.clock.advance(by: .hours(9))
    // A part, the whole, and then no refund, as Apple signed them.
    let signed: [(hour: Int64, percentage: Int64?)] = [(3, 50_000), (6, 100_000), (9, nil)]
    let update = signed.map { hour, percentage in
      shop.transaction("1001", token: bought) {
        $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
        $0["signedDate"] = .integer((EngineFixture.noon + .hours(hour)).milliseconds)
        guard let percentage else { return }
        $0["revocationDate"] = .integer((EngineFixture.noon + .hours(hour)).milliseconds)
        $0["revocationPercentage"] = .integer(percentage)
      }
    }
    for index in order {
      _ = try await shop.submit(update[index])
      #expect(try await shop.violations() == [])
    }
    #expect(try await shop.coins() == 40)
    #expect(try await shop.debit(40, "shield").balance == 0)
    let page = try await shop.engine.readEntries(
      of: "alice", unit: "coin", in: EngineFixture.appEnvironment, before: nil, limit: 50)
    let writtenOff = page.entries.reduce(Int64(0)) { sum, entry in
      let posting = entry.posting
      return sum + (posting.debit == .writtenOff ? posting.amount : posting.credit == .writtenOff ? -posting.amount : 0)
    }
    #expect(writtenOff == 0)
  }

  @Test func `keeps the policy at the time of sale, whatever the catalog contains today`() async throws {
    let sold = try EngineFixture.selling(under: .clamp)
    let order = try await sold.buyCoins("1001")
    _ = try await sold.debit(60, "sword")
    let today = try EngineFixture(storage: sold.storage)
    #expect(today.app.catalog["coins.100"]?.debt == .negative)
    try await today.refund("1001", of: order)
    #expect(try await today.coins() == 0)
    #expect(try await today.violations() == [])
  }

  @Test func `in three parts writes off no more than the total shortage`() async throws {
    let shop = try EngineFixture.selling(under: .clamp)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    for percentage in [33_333, 66_666, 100_000] as [Int64] {
      shop.clock.advance(by: .hours(1))
      try await shop.refund("1001", of: order, percentage: percentage)
      #expect(try await shop.coins() == max(0, 40 - percentage / 1000))
    }
    let page = try await shop.engine.readEntries(
      of: "alice", unit: "coin", in: EngineFixture.appEnvironment, before: nil, limit: 20)
    let writtenOff = page.entries.filter { $0.posting.debit == .writtenOff }.map(\.posting.amount)
    #expect(writtenOff.reduce(0, +) == 60)
    #expect(try await shop.violations() == [])
  }

  @Test func `that froze a balance is covered by the next purchase`() async throws {
    let shop = try EngineFixture.selling(under: .freeze)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    try await shop.refund("1001", of: order)
    #expect(try await shop.engine.readBalances(of: "alice", in: EngineFixture.appEnvironment).first?.frozenSince != nil)
    _ = try await shop.buyCoins("1002")
    #expect(try await shop.engine.readBalances(of: "alice", in: EngineFixture.appEnvironment).first?.frozenSince == nil)
    #expect(try await shop.debit(40, "shield").balance == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `that froze a balance is written off by an operator, once, under their own id`() async throws {
    let shop = try EngineFixture.selling(under: .freeze)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    @Sendable func writeOff(_ key: String, _ reason: String = "goodwill") async throws -> BookedBalance {
      try await shop.engine.writeOffDebt(
        of: "alice", unit: "coin", in: EngineFixture.appEnvironment, key: key, reason: reason, by: "olga")
    }
    #expect(await shop.code { _ = try await writeOff("1") } == .balanceNotInDebt)
    try await shop.refund("1001", of: order)
    let booked = try await writeOff("1")
    #expect(booked.isNew && booked.booking.amount == 60 && booked.balance == 0)
    #expect(try await writeOff("1").isNew == false)
    #expect(await shop.code { _ = try await writeOff("1", "another reason") } == .idempotencyKeyReused)
    #expect(await shop.code { _ = try await writeOff("2") } == .balanceNotInDebt)
    // A debit's id cannot be a write-off's id.
    #expect(await shop.code { _ = try await writeOff("sword") } == .idempotencyKeyReused)
    #expect(await shop.code { _ = try await shop.debit(1, "shield") } == .insufficientBalance)
    #expect(try await shop.violations() == [])
  }
}

@Suite struct `A wallet in any sequence of purchases, spending, refunds and reversals` {
  @Test(arguments: [UInt64](1...24))
  func `breaks no rule of money, and its ledger stays balanced`(seed: UInt64) async throws {
    var random = seed &* 0x9E37_79B9_7F4A_7C15
    func below(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    // Each of the three packs of coins has its own policy, chosen by the seed.
    let first = below(3)
    let shop = try EngineFixture { app in
      let products = EngineFixture.products.enumerated().map { index, product in
        var product = product
        if case .units = product.grant { product.debt = DebtPolicy.allCases[(first + index) % 3] }
        return product
      }
      if let catalog = try? Catalog(products) { app.catalog = catalog }
    }
    var bought: [(id: String, product: String, order: OrderIdentifier, refunded: Int)] = []
    var spent: Int64 = 0
    for step in 0..<30 {
      shop.clock.advance(by: .minutes(1))
      switch below(4) {
      case 0:
        let pack = below(3)
        let product = ["coins.100", "coins.1000", "coin"][pack]
        let storeProduct = ["com.example.coins100", "com.example.coins1000", "com.example.coin"][pack]
        let order = try await shop.order(ProductIdentifier(product))
        bought.append(("\(1000 + step)", storeProduct, order, 0))
        _ = try await shop.submit(shop.transaction("\(1000 + step)", of: storeProduct, token: order))
      case 1, 2:
        let coins = Int64(1 + below(300))
        let before = try await shop.engine.readBalances(of: "alice", in: EngineFixture.appEnvironment).first
        let isBooked = (try? await shop.debit(coins, "debit \(step)").isNew) ?? false
        #expect(isBooked == (before?.frozenSince == nil && before?.amount ?? 0 >= coins))
        if isBooked { spent += coins }
      default:
        guard !bought.isEmpty else { continue }
        let index = below(bought.count)
        // Apple may refund more, or reverse a refund.
        bought[index].refunded = below(3) == 0 ? 0 : below(100_001)
        let (id, product, order, refunded) = bought[index]
        _ = try await shop.submit(
          shop.transaction(id, of: product, token: order) {
            $0["signedDate"] = .integer(shop.now().milliseconds + 1)
            guard refunded > 0 else { return }
            $0["revocationDate"] = .integer(shop.now().milliseconds)
            $0["revocationPercentage"] = .integer(Int64(refunded))
          })
      }
      #expect(try await shop.violations() == [])
    }
    let page = try await shop.engine.readEntries(
      of: "alice", unit: "coin", in: EngineFixture.appEnvironment, before: nil, limit: 1000)
    let sum = page.entries.flatMap(\.posting.balanceChanges).reduce(0) { $0 + $1.amount }
    #expect(sum == page.balance?.amount ?? 0)
    #expect(page.entries.filter { $0.posting.credit == .spent }.reduce(0) { $0 + $1.posting.amount } == spent)
  }
}
