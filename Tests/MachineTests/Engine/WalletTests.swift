import PaymentEngine
import PaymentModel
import PaymentStore
import PaymentVocabulary
import SimulationKit
import StrictJSON
import Testing

extension Shop {
  /// Books a debit of alice's coins.
  func debit(
    _ amount: Int64, _ key: String, of user: UserIdentifier = "alice", unit: UnitName = "coin", digest: String = "d",
    in realm: Realm = Shop.realm
  ) async throws -> BookedBalance {
    try await engine.debitBalance(
      DebitRequest(user: user, unit: unit, amount: amount, key: key, digest: digest), in: realm)
  }

  /// Buys a hundred coins for alice; its evidence can be told again with a refund.
  func buyCoins(_ id: String, of user: UserIdentifier = "alice") async throws -> OrderIdentifier {
    let order = try await order(of: user)
    _ = try await submit(transaction(id, token: order), by: user)
    return order
  }

  /// The same purchase as the store signs it after a refund.
  func refund(_ id: String, of order: OrderIdentifier, percentage: Int64? = nil) async throws {
    _ = try await submit(
      transaction(id, token: order) {
        $0["revocationDate"] = .integer(now().milliseconds)
        $0["revocationReason"] = .integer(0)
        $0["revocationPercentage"] = percentage.map { .integer($0) }
        $0["signedDate"] = .integer(now().milliseconds + 1)
      })
  }

  /// The code of what a call is refused with.
  func code(_ body: () async throws -> Void) async -> EngineErrorCode? {
    do {
      try await body()
      return nil
    } catch { return (error as? Refusal<EngineErrorCode>)?.code }
  }
}

/// A shop whose coins are sold under a debt policy.
private func shop(_ policy: DebtPolicy, faults: ReferenceFaults = ReferenceFaults()) throws -> Shop {
  try Shop(
    { app in
      let products = Shop.products.map { product in
        var product = product
        if case .units = product.grant { product.debt = policy }
        return product
      }
      if let catalog = try? Catalog(products) { app.catalog = catalog }
    }, faults: faults)
}

@Suite struct `A debit of a balance` {
  @Test func `refuses more than there is, and names the balance`() async throws {
    let shop = try Shop()
    #expect(await shop.code { _ = try await shop.debit(1, "a") } == .insufficientBalance)
    _ = try await shop.buyCoins("1001")
    do {
      _ = try await shop.debit(101, "b")
      Issue.record("more was taken than there is")
    } catch let refusal as Refusal<EngineErrorCode> {
      #expect(refusal.code == .insufficientBalance)
      #expect(refusal.particulars == "The balance of coin is 100, asked 101.")
    }
    #expect(try await shop.coins() == 100)
    // Nothing of what was refused stands in the way of its id.
    #expect(try await shop.debit(100, "b").isNew)
  }

  @Test func `refuses its id for another request, and answers the same one as it is now`() async throws {
    let shop = try Shop()
    _ = try await shop.buyCoins("1001")
    let first = try await shop.debit(30, "a")
    #expect(first.isNew && first.balance == 70)
    _ = try await shop.debit(50, "b")
    let again = try await shop.debit(30, "a")
    #expect(!again.isNew && again.booking == first.booking && again.balance == 20)
    #expect(await shop.code { _ = try await shop.debit(30, "a", digest: "other") } == .idempotencyKeyReused)
    #expect(try await shop.coins() == 20)
    #expect(try await shop.violations() == [])
  }

  @Test func `is taken once, however often it is sent at the same time, and never more than there is`() async throws {
    let shop = try Shop()
    _ = try await shop.buyCoins("1001")
    let taken = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask { (try? await shop.debit(30, "key \(number % 20)").isNew) ?? false }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(taken == 3)
    #expect(try await shop.coins() == 10)
    #expect(try await shop.violations() == [])
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `is taken once whatever the database does in between`(seed: UInt64) async throws {
    let chance = CountedChance()
    _ = chance.bytes(Int(seed) + 1)
    let shop = try shop(
      .negative,
      faults: .init(transaction: {
        switch chance.bytes(1)[0] % 4 {
        case 0: .outcomeUnknownButCommitted
        case 1: .outcomeUnknownAndNotCommitted
        case 2: .conflict
        default: .none
        }
      }))
    var order: OrderIdentifier?
    for _ in 0..<50 where order == nil { order = try? await shop.order() }
    let made = try #require(order)
    let evidence = shop.transaction("1001", token: made)
    for _ in 0..<50 { _ = try? await shop.submit(evidence) }
    var answer: BookedBalance?
    for _ in 0..<50 where answer == nil { answer = try? await shop.debit(30, "a") }
    #expect(answer?.booking.amount == 30)
    #expect(try await shop.coins() == 70)
    #expect(try await shop.violations() == [])
  }

  @Test func `touches one world alone (8)`() async throws {
    let shop = try Shop()
    _ = try await shop.buyCoins("1001")
    let other = Realm(app: "shop", environment: .sandbox)
    #expect(await shop.code { _ = try await shop.debit(1, "a", in: other) } == .insufficientBalance)
    #expect(try await shop.debit(1, "a").balance == 99)
    // The id is another one there.
    #expect(await shop.code { _ = try await shop.debit(2, "a", in: other) } == .insufficientBalance)
  }
}

@Suite struct `The entries of a balance` {
  @Test func `tell of every posting with its cause, newest first, page by page`() async throws {
    let shop = try shop(.clamp)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    try await shop.refund("1001", of: order)
    let all = try await shop.engine.readEntries(of: "alice", unit: "coin", in: Shop.realm, before: nil, limit: 10)
    let causes = all.entries.map { String($0.posting.cause.prefix { $0 != ":" }) }
    #expect(causes == ["writeOff", "reversal", "debit", "grant"])
    #expect(all.entries.map(\.posting.amount) == [60, 100, 60, 100])
    #expect(all.next == nil && all.balance?.amount == 0)
    let first = try await shop.engine.readEntries(of: "alice", unit: "coin", in: Shop.realm, before: nil, limit: 3)
    let rest = try await shop.engine.readEntries(
      of: "alice", unit: "coin", in: Shop.realm, before: first.next, limit: 3)
    #expect(first.entries + rest.entries == all.entries && rest.next == nil)
    let bob = try await shop.engine.readEntries(of: "bob", unit: "coin", in: Shop.realm, before: nil, limit: 3)
    #expect(bob.entries == [] && bob.balance == nil)
  }
}

@Suite struct `A refund after spending (A10)` {
  @Test(arguments: [(DebtPolicy.negative, -60), (.clamp, 0), (.freeze, -60)] as [(DebtPolicy, Int64)])
  func `leaves the balance as the product's policy says, and the ledger even`(
    policy: DebtPolicy, balance: Int64
  ) async throws {
    let shop = try shop(policy)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    try await shop.refund("1001", of: order)
    #expect(try await shop.coins() == balance)
    #expect(try await shop.violations() == [])
    // Told again, it takes nothing more.
    try await shop.refund("1001", of: order)
    #expect(try await shop.coins() == balance)
    let refusal: EngineErrorCode = policy == .freeze ? .balanceFrozen : .insufficientBalance
    #expect(await shop.code { _ = try await shop.debit(1, "shield") } == refusal)
    let ratio = try await shop.engine.readRefundRatio(of: "alice", in: Shop.realm)
    #expect(ratio == RefundRatio(granted: 1, refunded: 1, refundedWholly: 1))
  }

  @Test func `keeps the policy that the product was sold under, whatever the catalog says today`() async throws {
    let sold = try shop(.clamp)
    let order = try await sold.buyCoins("1001")
    _ = try await sold.debit(60, "sword")
    let today = try Shop(database: sold.database)
    #expect(today.app.catalog["coins.100"]?.debt == .negative)
    try await today.refund("1001", of: order)
    #expect(try await today.coins() == 0)
    #expect(try await today.violations() == [])
  }

  @Test func `in three parts writes off no more than what is missing in all`() async throws {
    let shop = try shop(.clamp)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    for percentage in [33_333, 66_666, 100_000] as [Int64] {
      shop.clock.advance(by: .hours(1))
      try await shop.refund("1001", of: order, percentage: percentage)
      #expect(try await shop.coins() == max(0, 40 - percentage / 1000))
    }
    let page = try await shop.engine.readEntries(of: "alice", unit: "coin", in: Shop.realm, before: nil, limit: 20)
    let writtenOff = page.entries.filter { $0.posting.debit == .writtenOff }.map(\.posting.amount)
    #expect(writtenOff.reduce(0, +) == 60)
    #expect(try await shop.violations() == [])
  }

  @Test func `that froze a balance is settled by what is bought next`() async throws {
    let shop = try shop(.freeze)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    try await shop.refund("1001", of: order)
    #expect(try await shop.engine.readBalances(of: "alice", in: Shop.realm).first?.frozenSince != nil)
    _ = try await shop.buyCoins("1002")
    #expect(try await shop.engine.readBalances(of: "alice", in: Shop.realm).first?.frozenSince == nil)
    #expect(try await shop.debit(40, "shield").balance == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `that froze a balance is settled by an operator, once, under his own id`() async throws {
    let shop = try shop(.freeze)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    @Sendable func writeOff(_ key: String, _ reason: String = "goodwill") async throws -> BookedBalance {
      try await shop.engine.writeOffDebt(
        of: "alice", unit: "coin", in: Shop.realm, key: key, reason: reason, by: "olga")
    }
    #expect(await shop.code { _ = try await writeOff("1") } == .balanceNotInDebt)
    try await shop.refund("1001", of: order)
    let booked = try await writeOff("1")
    #expect(booked.isNew && booked.booking.amount == 60 && booked.balance == 0)
    #expect(try await writeOff("1").isNew == false)
    #expect(await shop.code { _ = try await writeOff("1", "another reason") } == .idempotencyKeyReused)
    #expect(await shop.code { _ = try await writeOff("2") } == .balanceNotInDebt)
    // A debit's id is no write-off's.
    #expect(await shop.code { _ = try await writeOff("sword") } == .idempotencyKeyReused)
    #expect(await shop.code { _ = try await shop.debit(1, "shield") } == .insufficientBalance)
    #expect(try await shop.violations() == [])
  }
}

@Suite struct `A wallet in any sequence of purchases, spending and refunds` {
  @Test(arguments: [UInt64](1...24))
  func `breaks no rule of money, and its ledger stays even`(seed: UInt64) async throws {
    var random = seed &* 0x9E37_79B9_7F4A_7C15
    func below(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    // Each of the three packs of coins has a policy of its own; which one, the seed says.
    let first = below(3)
    let shop = try Shop { app in
      let products = Shop.products.enumerated().map { index, product in
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
        let before = try await shop.engine.readBalances(of: "alice", in: Shop.realm).first
        let isBooked = (try? await shop.debit(coins, "debit \(step)").isNew) ?? false
        #expect(isBooked == (before?.frozenSince == nil && before?.amount ?? 0 >= coins))
        if isBooked { spent += coins }
      default:
        guard !bought.isEmpty else { continue }
        let index = below(bought.count)
        bought[index].refunded = min(100_000, bought[index].refunded + 1 + below(100_000))
        let (id, product, order, refunded) = bought[index]
        _ = try await shop.submit(
          shop.transaction(id, of: product, token: order) {
            $0["revocationDate"] = .integer(shop.now().milliseconds)
            $0["revocationPercentage"] = .integer(refunded)
            $0["signedDate"] = .integer(shop.now().milliseconds + 1)
          })
      }
      #expect(try await shop.violations() == [])
    }
    let page = try await shop.engine.readEntries(of: "alice", unit: "coin", in: Shop.realm, before: nil, limit: 1000)
    let sum = page.entries.flatMap(\.posting.balanceChanges).reduce(0) { $0 + $1.amount }
    #expect(sum == page.balance?.amount ?? 0)
    #expect(page.entries.filter { $0.posting.credit == .spent }.reduce(0) { $0 + $1.posting.amount } == spent)
  }
}
