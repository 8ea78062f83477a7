import PaymentServer
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `What readyz tells an operator` {
  @Test(arguments: [(nil, []), ("local", ["durabilityLocal"]), ("replicated", [])] as [(String?, [String])])
  func `is more on request, and warns of one disk`(
    durability: String?, warnings: [String]
  ) async throws {
    let front = try await ServerFixture.open { $0.settings = { $0.durability = durability } }
    #expect(await front.ask("GET", "/readyz").json == .members([("status", "ready")]))
    let answer = await front.ask("GET", "/readyz?verbose=1")
    #expect(answer["durability"]?.string == durability && answer["activeNodes"]?.integer == 1)
    #expect(answer["warnings"]?.array?.map(\.string) == warnings && answer["clockBehindMilliseconds"] == nil)
  }
}
