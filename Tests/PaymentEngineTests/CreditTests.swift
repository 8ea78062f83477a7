import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A credit` {
  private static func shop(_ change: @escaping (inout AppPolicy) -> Void = { _ in }) throws -> EngineFixture {
    try EngineFixture { app in
      app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 100)]
      change(&app)
    }
  }

  private static func request(
    _ amount: Int64, _ key: String, of user: UserIdentifier = "alice", unit: UnitName = "coin"
  ) -> CreditRequest {
    CreditRequest(user: user, unit: unit, amount: amount, key: key, digest: "d\(amount)", reason: "daily reward")
  }

  private static func refusal(_ body: () async throws -> Void) async -> CodedError<EngineErrorCode>? {
    do { try await body() } catch { return error as? CodedError<EngineErrorCode> }
    return nil
  }

  @Test func `of a unit without a ceiling is refused by name, and so is any where none is configured`() async throws {
    let shop = try Self.shop()
    let unknown = await Self.refusal {
      _ = try await shop.engine.creditBalance(Self.request(1, "a", unit: "gem"), in: EngineFixture.appEnvironment)
    }
    #expect(unknown?.code == .creditUnitUnknown && unknown?.details.contains("gem") == true)
    let plain = try EngineFixture()
    let none = await Self.refusal {
      _ = try await plain.engine.creditBalance(Self.request(1, "a"), in: EngineFixture.appEnvironment)
    }
    #expect(none?.code == .creditUnitUnknown)
    #expect(try await shop.coins() == 0)
  }

  @Test func `beyond the ceiling of the user and day is refused with what is left, and books nothing`() async throws {
    let shop = try Self.shop()
    _ = try await shop.engine.creditBalance(Self.request(70, "a"), in: EngineFixture.appEnvironment)
    let refused = await Self.refusal {
      _ = try await shop.engine.creditBalance(Self.request(31, "b"), in: EngineFixture.appEnvironment)
    }
    #expect(refused?.code == .creditCeilingReached && refused?.details.hasPrefix("30 of 100 coin") == true)
    #expect(try await shop.coins() == 70)
    _ = try await shop.engine.creditBalance(Self.request(30, "b"), in: EngineFixture.appEnvironment)
    // Another user has their own, and so has the next day.
    _ = try await shop.engine.creditBalance(Self.request(100, "c", of: "bob"), in: EngineFixture.appEnvironment)
    shop.clock.advance(by: .hours(12))
    _ = try await shop.engine.creditBalance(Self.request(100, "d"), in: EngineFixture.appEnvironment)
    #expect(try await shop.coins() == 200)
    #expect(try await shop.violations() == [])
  }

  @Test func `with a known id is the same credit, and with another body or kind it is refused`() async throws {
    let shop = try Self.shop()
    let first = try await shop.engine.creditBalance(Self.request(60, "a"), in: EngineFixture.appEnvironment)
    let again = try await shop.engine.creditBalance(Self.request(60, "a"), in: EngineFixture.appEnvironment)
    #expect(first.isNew && !again.isNew && again.booking == first.booking && again.balance == 60)
    let other = await Self.refusal {
      _ = try await shop.engine.creditBalance(Self.request(61, "a"), in: EngineFixture.appEnvironment)
    }
    #expect(other?.code == .idempotencyKeyReused)
    let debit = await Self.refusal {
      let request = DebitRequest(user: "alice", unit: "coin", amount: 60, key: "a", digest: "d60")
      _ = try await shop.engine.debitBalance(request, in: EngineFixture.appEnvironment)
    }
    #expect(debit?.code == .idempotencyKeyReused)
    #expect(try await shop.coins() == 60)
  }

  @Test func `comes from an account of its own, is no grant, and no refund takes it back`() async throws {
    let shop = try Self.shop { $0.events = true }
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order))
    _ = try await shop.engine.creditBalance(Self.request(40, "a"), in: EngineFixture.appEnvironment)
    let refunded = shop.transaction("1001", token: order) {
      $0["revocationDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["signedDate"] = .integer((EngineFixture.noon + .seconds(1)).milliseconds)
    }
    shop.clock.advance(by: .minutes(1))
    _ = try await shop.submit(refunded)
    #expect(try await shop.coins() == 40)
    let page = try await shop.engine.readEntries(
      of: "alice", unit: "coin", in: EngineFixture.appEnvironment, before: .max, limit: 10)
    #expect(page.entries.filter { $0.posting.debit == .credited }.map(\.posting.amount) == [40])
    #expect(try await shop.engine.readRefundRatio(of: "alice", in: EngineFixture.appEnvironment).granted == 1)
    #expect(try await shop.engine.readCredits(to: "alice", in: EngineFixture.appEnvironment) == ["coin": 40])
    #expect(try await shop.eventTypes().contains("balance.credited"))
    #expect(try await shop.violations() == [])
  }

  @Test func `brings a debt nearer to zero, and unfreezes a balance that it brings there`() async throws {
    let shop = try Self.shop { $0.credits = [CreditCeiling(unit: "coin", perUserAndDay: 1000)] }
    let order = try await shop.order()
    _ = try await shop.submit(shop.transaction("1001", token: order))
    _ = try await shop.engine.debitBalance(
      DebitRequest(user: "alice", unit: "coin", amount: 100, key: "spent", digest: "d"),
      in: EngineFixture.appEnvironment)
    shop.clock.advance(by: .minutes(1))
    let refunded = shop.transaction("1001", token: order) {
      $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["revocationDate"] = .integer(EngineFixture.noon.milliseconds)
    }
    _ = try await shop.submit(refunded)
    #expect(try await shop.coins() == -100)
    let credited = try await shop.engine.creditBalance(Self.request(150, "a"), in: EngineFixture.appEnvironment)
    #expect(credited.balance == 50)
    #expect(try await shop.coins() == 50)
    #expect(try await shop.violations() == [])
  }

  @Test func `of many at once stays under the ceiling together`() throws {
    let fixture = try WorldEngineFixture { $0.credits = [CreditCeiling(unit: "coin", perUserAndDay: 100)] }
    let booked = try fixture.perform { shop in
      await withTaskGroup(of: Bool.self) { group in
        for number in 0..<20 {
          group.addTask {
            let request = Self.request(30, "k\(number)")
            return (try? await shop.engine.creditBalance(request, in: EngineFixture.appEnvironment)) != nil
          }
        }
        return await group.reduce(0) { $1 ? $0 + 1 : $0 }
      }
    }
    #expect(booked == 3)
    #expect(try fixture.perform { try await $0.coins() } == 90)
  }
}
