import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `The same payment sent 200 times at once` {
  /// 200 submissions, by client and notification alternately, by the right user and by another.
  private func flood(
    _ shop: EngineFixture, _ evidence: String
  ) async throws -> [(transaction: TransactionIdentifier?, firstSeen: Bool, order: OrderIdentifier?)] {
    try await withThrowingTaskGroup(
      of: (transaction: TransactionIdentifier?, firstSeen: Bool, order: OrderIdentifier?).self
    ) { group in
      for number in 0..<200 {
        group.addTask {
          switch number % 4 {
          case 0, 1:
            let answer = try await shop.submit(evidence, by: number % 4 == 0 ? "alice" : "bob")
            return (answer.transaction, answer.firstSeen, answer.order)
          case 2:
            let answer = try await shop.submit(evidence, by: nil)
            return (answer.transaction, answer.firstSeen, answer.order)
          default:
            let receipt = try await shop.engine.receiveAppStoreNotification(
              shop.notification("n\(number % 8)", about: evidence), for: nil)
            return (receipt.transaction, receipt.firstSeen, nil)
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `for one order makes one grant and one delivery id, and one answer is marked as first`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let answers = try await flood(shop, shop.transaction("1001", token: order))
    #expect(answers.count == 200)
    #expect(answers.allSatisfy { $0.transaction == "1001" })
    #expect(answers.count { $0.firstSeen } == 1)
    #expect(Set(answers.compactMap(\.order)) == [order])
    #expect(try await shop.coins(of: "alice") == 100)
    #expect(try await shop.coins(of: "bob") == 0)
    let details = try await shop.engine.readOrder(.id(order), in: [EngineFixture.appEnvironment], of: nil)
    #expect(details.deliveries.count == 1)
    #expect(try await shop.violations() == [])
  }

  @Test func `without an order makes one grant to one user, and one answer is marked as first`() async throws {
    let shop = try EngineFixture()
    let answers = try await flood(shop, shop.transaction("1001"))
    #expect(answers.allSatisfy { $0.transaction == "1001" })
    #expect(answers.count { $0.firstSeen } == 1)
    let total = try await shop.coins(of: "alice") + shop.coins(of: "bob")
    #expect(total == 100)
    #expect(Set(answers.compactMap(\.order)).count == 1)
    #expect(try await shop.violations() == [])
  }
}

@Suite struct `Faults of the database` {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `lose and double nothing, whichever transactions they hit`(seed: UInt64) async throws {
    let chance = CountedChance()
    _ = chance.bytes(Int(seed) + 1)
    let shop = try EngineFixture(
      faults: .init(transaction: {
        switch chance.bytes(1)[0] % 5 {
        case 0: .outcomeUnknownButCommitted
        case 1: .outcomeUnknownAndNotCommitted
        case 2: .conflict
        default: .none
        }
      }))
    var order: OrderIdentifier?
    for _ in 0..<50 where order == nil {
      order = try? await shop.order()
    }
    let made = try #require(order)
    let evidence = shop.transaction("1001", token: made)
    var answer: PaymentAnswer?
    for _ in 0..<50 where answer?.verdict != .fulfilled {
      answer = try? await shop.submit(evidence)
    }
    #expect(answer?.verdict == .fulfilled)
    #expect(try await shop.coins() == 100)
    #expect(try await shop.violations() == [])
  }
}
