import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

/// Apple signs with other certificates, while the shop sells.
@Suite struct `A change of Apple's certificates, while purchases go on` {
  /// Buys and returns what the phone would submit.
  private static func bought(_ fixture: AppStoreEngineFixture) throws -> String {
    try fixture.perform { fixture async throws in
      let id = try await fixture.buy(token: try await fixture.order())
      return try await fixture.apple.signedTransaction(id).signedTransaction
    }
  }

  private static func leaf(of token: String) -> String? { token.split(separator: ".").first.map(String.init) }

  @Test func `to the next leaf refuses no genuine purchase, neither new nor kept ones`() throws {
    let fixture = try AppStoreEngineFixture()
    let kept = try Self.bought(fixture)
    var leaves: Set<String> = []
    // Five years: a leaf signs for two, and is valid for 25 months.
    for number in 1...10 {
      fixture.world.run(for: .days(183))
      let evidence = try Self.bought(fixture)
      leaves.insert(try #require(Self.leaf(of: evidence)))
      let verdicts = try fixture.perform { try await $0.submit(evidence).map(\.verdict) }
      #expect(verdicts == [.fulfilled], "purchase \(number)")
    }
    #expect(leaves.count == 3)
    // What the first leaf signed is still genuine, years after that certificate has expired.
    #expect(try fixture.perform { try await $0.submit(kept).map(\.verdict) } == [.fulfilled])
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 1100)
      #expect(try await fixture.violations() == [])
    }
  }
}
