import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import StrictJSON
import TestTier
import Testing

/// A list of erasures that outlives the database, and may refuse to be written.
private actor KeptList: ErasureList {
  struct Full: Error {}

  private(set) var lines: [ListedErasure] = []
  private var isFull = false

  func fill(_ isFull: Bool) { self.isFull = isFull }

  func read() -> [ListedErasure] { lines }

  func append(_ erasures: [ListedErasure]) throws {
    if isFull { throw Full() }
    lines += erasures
  }
}

extension EngineFixture {
  /// Erases a user of the shop.
  @discardableResult
  fileprivate func erase(_ user: UserIdentifier = "alice", isForced: Bool = false) async throws -> ErasedUser {
    try await engine.eraseUser(user, of: app, isForced: isForced)
  }

  /// The backend has all deliveries of a purchase.
  fileprivate func acknowledge(_ id: String) async throws {
    let key = Self.key(id)
    for delivery in try await database.read({ try $0.deliveries(of: key) }) {
      _ = try await engine.acknowledge(delivery.id, in: "shop")
    }
  }

  fileprivate func balance(of user: UserIdentifier) async throws -> Int64? {
    try await database.read { try $0.balance(of: user, unit: "coin", in: EngineFixture.appEnvironment)?.amount }
  }
}

@Suite struct `A user who is erased` {
  @Test func `is refused by name: nobody, one who was merged, an alias`() async throws {
    let shop = try EngineFixture()
    #expect(await shop.code { try await shop.erase("nobody") } == .userUnknown)
    _ = try await shop.order(of: "guest")
    _ = try await shop.engine.mergeUser("guest", into: "alice", of: shop.app)
    #expect(await shop.code { try await shop.erase("guest") } == .userAlreadyMerged)
    let erased = try await shop.erase()
    #expect(await shop.code { try await shop.erase(erased.erasure.alias) } == .userUnknown)
  }

  @Test func `is refused while a delivery waits or a debt is open, and force allows only the debt`() async throws {
    let shop = try EngineFixture.selling(under: .freeze)
    let order = try await shop.buyCoins("1001")
    #expect(await shop.code { try await shop.erase(isForced: true) } == .erasureNotPossible)
    try await shop.acknowledge("1001")
    _ = try await shop.debit(80, "sword")
    try await shop.refund("1001", of: order)
    try await shop.acknowledge("1001")
    #expect(try await shop.balance(of: "alice") == -80)
    #expect(await shop.code { try await shop.erase() } == .erasureNotPossible)
    let erased = try await shop.erase(isForced: true)
    #expect(try await shop.balance(of: erased.erasure.alias) == -80)
    #expect(try await shop.violations() == [])
  }

  @Test func `keeps orders, payments, bookings and balance under an alias, once, and is told once`() async throws {
    let shop = try EngineFixture { $0.events = true }
    let bought = try await shop.buyCoins("1001")
    _ = try await shop.debit(30, "sword")
    try await shop.acknowledge("1001")
    let first = try await shop.erase()
    let alias = first.erasure.alias
    shop.clock.advance(by: .hours(1))
    let again = try await shop.erase()
    #expect(first.isNew && !again.isNew && again.erasure == first.erasure)
    #expect(first.erasure.orders == 1 && first.erasure.payments == 1 && first.erasure.user == nil)
    #expect(try await shop.balance(of: alias) == 70)
    #expect(try await shop.balance(of: "alice") == nil)
    #expect(try await shop.payment("1001")?.owner == alias)
    let order = try await shop.engine.readOrder(.id(bought), in: shop.app.userEnvironments, of: alias).order
    #expect(order.user == alias && order.metadata == nil)
    #expect(try await shop.eventTypes().filter { $0 == "user.erased" }.count == 1)
    #expect(try await shop.violations() == [])
  }

  @Test func `is a new user later, whose erasure has another alias`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.buyCoins("1001")
    try await shop.acknowledge("1001")
    let first = try await shop.erase()
    _ = try await shop.buyCoins("1002")
    try await shop.acknowledge("1002")
    #expect(try await shop.balance(of: "alice") == 100)
    let second = try await shop.erase()
    #expect(second.isNew && second.erasure.alias != first.erasure.alias)
    #expect(try await shop.balance(of: second.erasure.alias) == 100)
    #expect(try await shop.balance(of: first.erasure.alias) == 100)
  }

  @Test func `has refunds taken back from the alias`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.buyCoins("1001")
    try await shop.acknowledge("1001")
    let alias = try await shop.erase().erasure.alias
    try await shop.refund("1001", of: order)
    #expect(try await shop.balance(of: alias) == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `takes along whom merges gave to them`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.buyCoins("1001", of: "guest")
    try await shop.acknowledge("1001")
    _ = try await shop.engine.mergeUser("guest", into: "alice", of: shop.app)
    let alias = try await shop.erase().erasure.alias
    #expect(try await shop.balance(of: alias) == 100)
    #expect(try await shop.balance(of: "guest") == nil)
    let names = try await shop.database.read { try $0.users(after: nil, in: EngineFixture.appEnvironment, limit: 9) }
    #expect(names == [alias])
    #expect(try await shop.violations() == [])
  }

  @Test func `no longer counts as another user of an Apple account`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let signed = shop.transaction("1001", token: order) { $0["appTransactionId"] = "70001" }
    _ = try await shop.submit(signed)
    try await shop.acknowledge("1001")
    let place = EngineFixture.appEnvironment
    #expect(try await shop.database.read { try $0.users(ofAppTransaction: "70001", in: place) } == ["alice"])
    try await shop.erase()
    #expect(try await shop.database.read { try $0.users(ofAppTransaction: "70001", in: place) } == [])
  }

  @Test func `is named in no row any more`() async throws {
    let shop = try EngineFixture { $0.events = true }
    _ = try await shop.buyCoins("1001", of: "alice-9f3")
    _ = try await shop.debit(30, "sword", of: "alice-9f3")
    // Somebody else's purchase, presented by the user.
    _ = try await shop.buyCoins("1002", of: "bob")
    _ = try await shop.submit(shop.transaction("1002"), by: "alice-9f3")
    for id in ["1001", "1002"] { try await shop.acknowledge(id) }
    try await shop.erase("alice-9f3")
    let places = try await shop.database.read { reader in
      try NamingTable.allCases.filter { table in
        let found = try reader.rows(
          naming: "alice-9f3", writtenAs: "alice-9f3", in: table, of: EngineFixture.appEnvironment, after: 0,
          count: 1000)
        return !found.payments.isEmpty || !found.entries.isEmpty
      }
    }
    #expect(places == [])
  }
}

@Suite struct `The list of erasures` {
  private static func shop(_ list: KeptList, storage: InMemoryStorage? = nil) throws -> EngineFixture {
    var setup = EngineFixture.Setup()
    setup.storage = storage
    setup.erasureList = list
    let app = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
    return try EngineFixture(
      serving: [AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))], setup)
  }

  @Test func `that cannot be written leaves the erasure under way, and it goes on later`() async throws {
    let list = KeptList()
    let shop = try Self.shop(list)
    _ = try await shop.buyCoins("1001")
    try await shop.acknowledge("1001")
    await list.fill(true)
    #expect(await shop.code { try await shop.erase() } == .erasureListUnavailable)
    #expect(try await shop.balance(of: "alice") == 100)
    #expect(await shop.code { _ = try await shop.debit(1, "sword") } == .userBeingErased)
    #expect(await shop.code { _ = try await shop.order() } == .userBeingErased, "its payment would go to the alias")
    await list.fill(false)
    try await shop.engine.resumeErasures()
    #expect(try await shop.balance(of: "alice") == nil)
    #expect(await list.lines.count == 1)
  }

  @Test func `erases a restored user again, but not a later one with that id`() async throws {
    let list = KeptList()
    let (before, after) = (try Self.shop(list), try Self.shop(list))
    for shop in [before, after] {
      _ = try await shop.buyCoins("1001")
      try await shop.acknowledge("1001")
    }
    let alias = try await after.erase().erasure.alias
    _ = try await after.buyCoins("1002")
    #expect(try await after.engine.replayErasures() == 0)
    #expect(try await after.balance(of: "alice") == 100)
    // The other database is as a backup from before the erasure.
    #expect(try await before.engine.replayErasures() == 1)
    #expect(try await before.balance(of: "alice") == nil)
    #expect(try await before.balance(of: alias) == 100)
    #expect(try await before.engine.replayErasures() == 0)
    #expect(await list.lines.map(\.alias) == [alias])
    #expect(try await before.violations() == [])
  }

  @Test func `gets what it lacks from the database`() async throws {
    let (list, lost) = (KeptList(), KeptList())
    let shop = try Self.shop(lost)
    _ = try await shop.buyCoins("1001")
    try await shop.acknowledge("1001")
    let erased = try await shop.erase().erasure
    let other = try Self.shop(list, storage: shop.storage)
    #expect(try await other.engine.replayErasures() == 0)
    #expect(await list.lines.map(\.alias) == [erased.alias])
  }
}

@Suite struct `Erasures between purchases, refunds, debits and credits` {
  private static let place = EngineFixture.appEnvironment

  /// The backend takes every delivery.
  private static func acknowledgeAll(_ shop: EngineFixture) async {
    let waiting = try? await shop.database.read {
      try $0.deliveries(DeliveryQuery(appEnvironment: place, selection: .pending, limit: 100))
    }
    for delivery in waiting ?? [] { _ = try? await shop.engine.acknowledge(delivery.id, in: "shop") }
  }

  private static func use(_ shop: EngineFixture, as user: UserIdentifier, _ index: Int) async {
    for number in 0..<3 {
      let id = "\(index)\(number)00"
      var made: OrderIdentifier?
      // It is refused while the user is being erased.
      for _ in 0..<10_000 where made == nil {
        made = try? await shop.order(of: user)
        if made == nil { await Task.yield() }
      }
      guard let order = made else { return }
      _ = try? await shop.submit(shop.transaction(id, token: order), by: user)
      if number == 1 { try? await shop.refund(id, of: order) }
      _ = try? await shop.debit(10, "debit \(id)", of: user)
      let credit = CreditRequest(
        user: user, unit: "coin", amount: 7, key: "credit \(id)", digest: "d", reason: "reward")
      _ = try? await shop.engine.creditBalance(credit, in: place)
    }
  }

  /// The units of all users, less what purchases, refunds and bookings moved.
  private static func lost(_ shop: EngineFixture) async throws -> Int64 {
    try await shop.database.read { reader in
      let users = try reader.users(after: nil, in: place, limit: 100)
      let booked = try users.flatMap {
        try reader.entries(of: $0, unit: "coin", in: place, before: nil, limit: 1000)
      }.map(\.posting).filter { if case .booking = $0.source { true } else { false } }
      let debits = booked.filter { $0.credit == .spent }.reduce(Int64(0)) { $0 + $1.amount }
      let credits = booked.filter { $0.debit == .credited }.reduce(Int64(0)) { $0 + $1.amount }
      let have = try users.reduce(Int64(0)) {
        try $0 + (reader.balance(of: $1, unit: "coin", in: place)?.amount ?? 0)
      }
      // Six purchases of 100, two of them refunded.
      return have - (400 - debits + credits)
    }
  }

  @Test func `lose and double nothing at any interleaving, and nobody has a name any more`() throws {
    for seed in 1...UInt64(Tier.among(test: 8, check: 60, night: 400)) {
      let fixture = try WorldEngineFixture(seed: seed) {
        $0.credits = [CreditCeiling(unit: "coin", perUserAndDay: 1000)]
      }
      let (lost, names, violations) = try fixture.perform { shop in
        await withTaskGroup(of: Void.self) { group in
          for (index, user) in (["alice", "bob"] as [UserIdentifier]).enumerated() {
            group.addTask { await Self.use(shop, as: user, index) }
          }
          group.addTask {
            for _ in 0..<20 {
              await Self.acknowledgeAll(shop)
              _ = try? await shop.engine.eraseUser("alice", of: shop.app, isForced: true)
              await Task.yield()
            }
          }
        }
        await Self.acknowledgeAll(shop)
        _ = try? await shop.engine.eraseUser("alice", of: shop.app, isForced: true)
        let names = try await shop.database.read { try $0.users(after: nil, in: Self.place, limit: 100) }
        return (try await Self.lost(shop), names, try await shop.violations())
      }
      #expect(lost == 0, "seed \(seed)")
      #expect(!names.contains("alice") && names.contains("bob"), "seed \(seed): \(names)")
      #expect(violations == [], "seed \(seed)")
    }
  }
}
