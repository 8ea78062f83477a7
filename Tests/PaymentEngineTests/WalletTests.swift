import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

extension EngineFixture {
  /// A shop that sells coins under a debt policy.
  static func selling(under policy: DebtPolicy, faults: DatabaseFaults = DatabaseFaults()) throws -> EngineFixture {
    let products = EngineFixture.products.map { product in
      var product = product
      if case .units = product.grant { product.debt = policy }
      return product
    }
    let catalog = try Catalog(products)
    return try EngineFixture({ $0.catalog = catalog }, faults: faults)
  }

  /// Books a debit of alice's coins.
  func debit(
    _ amount: Int64, _ key: String, of user: UserIdentifier = "alice", unit: UnitName = "coin", digest: String = "d",
    in appEnvironment: AppEnvironment = EngineFixture.appEnvironment
  ) async throws -> BookedBalance {
    try await engine.debitBalance(
      DebitRequest(user: user, unit: unit, amount: amount, key: key, digest: digest), in: appEnvironment)
  }

  /// Buys a hundred coins for alice; its evidence can be repeated with a refund.
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

  /// The error code of a refused call.
  func code(_ body: () async throws -> Void) async -> EngineErrorCode? {
    do {
      try await body()
      return nil
    } catch { return (error as? CodedError<EngineErrorCode>)?.code }
  }
}

@Suite struct `A debit of a balance` {
  @Test func `refuses more than the balance, and names the balance`() async throws {
    let shop = try EngineFixture()
    #expect(await shop.code { _ = try await shop.debit(1, "a") } == .insufficientBalance)
    _ = try await shop.buyCoins("1001")
    do {
      _ = try await shop.debit(101, "b")
      Issue.record("more was taken than there is")
    } catch let error as CodedError<EngineErrorCode> {
      #expect(error.code == .insufficientBalance)
      #expect(error.details == "The balance of coin is 100, asked 101.")
    }
    #expect(try await shop.coins() == 100)
    // A refused debit does not block its id.
    #expect(try await shop.debit(100, "b").isNew)
  }

  @Test func `refuses its id for another request, and answers a repeat with the current balance`() async throws {
    let shop = try EngineFixture()
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

  @Test func `is taken once, even if it is sent many times at once, and never beyond the balance`() async throws {
    let shop = try EngineFixture()
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
  func `is taken once, whatever faults the database has`(seed: UInt64) async throws {
    let chance = CountedChance()
    _ = chance.bytes(Int(seed) + 1)
    let shop = try EngineFixture.selling(
      under: .negative,
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

  @Test func `affects only one environment (8)`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.buyCoins("1001")
    let other = AppEnvironment(app: "shop", environment: .sandbox)
    #expect(await shop.code { _ = try await shop.debit(1, "a", in: other) } == .insufficientBalance)
    #expect(try await shop.debit(1, "a").balance == 99)
    // The same id is another one there.
    #expect(await shop.code { _ = try await shop.debit(2, "a", in: other) } == .insufficientBalance)
  }
}

@Suite struct `The entries of a balance` {
  @Test func `list every posting with its cause, newest first, page by page`() async throws {
    let shop = try EngineFixture.selling(under: .clamp)
    let order = try await shop.buyCoins("1001")
    _ = try await shop.debit(60, "sword")
    try await shop.refund("1001", of: order)
    let all = try await shop.engine.readEntries(
      of: "alice", unit: "coin", in: EngineFixture.appEnvironment, before: nil, limit: 10)
    let causes = all.entries.map { String($0.posting.cause.prefix { $0 != ":" }) }
    #expect(causes == ["writeOff", "reversal", "debit", "grant"])
    #expect(all.entries.map(\.posting.amount) == [60, 100, 60, 100])
    #expect(all.next == nil && all.balance?.amount == 0)
    let first = try await shop.engine.readEntries(
      of: "alice", unit: "coin", in: EngineFixture.appEnvironment, before: nil, limit: 3)
    let rest = try await shop.engine.readEntries(
      of: "alice", unit: "coin", in: EngineFixture.appEnvironment, before: first.next, limit: 3)
    #expect(first.entries + rest.entries == all.entries && rest.next == nil)
    let bob = try await shop.engine.readEntries(
      of: "bob", unit: "coin", in: EngineFixture.appEnvironment, before: nil, limit: 3)
    #expect(bob.entries == [] && bob.balance == nil)
  }
}
