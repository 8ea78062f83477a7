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

/// The user who presents a payment: what they learn, and how later matches use it.
@Suite struct `A payment that a user presents` {
  private let account: @Sendable (inout [String: JSONValue]) -> Void = { $0["appTransactionId"] = "704000000000000001" }

  private func usersOfAccount(_ shop: EngineFixture) async throws -> [UserIdentifier] {
    let now = shop.now
    return try await InMemoryDatabase(shop.storage, now: now).read {
      try $0.users(ofAppTransaction: "704000000000000001", in: EngineFixture.appEnvironment).sorted()
    }
  }

  private func ask(_ shop: EngineFixture, about transaction: TransactionIdentifier, by user: UserIdentifier)
    async throws
    -> PaymentAnswer
  {
    let request = try SubmitAppStorePayment.Request(
      json: .members([("transactionId", .string(transaction.text))]))
    return try await shop.engine.submitAppStorePayment(request, from: user, for: shop.app).payments[0]
  }

  @Test func `for another user's order shows the presenter neither order nor owner`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order(of: "alice")
    let update = shop.transaction("1001", token: order)
    let answer = try await shop.submit(update, by: "bob")
    #expect(answer.verdict == .fulfilledForAnother && answer.finish && answer.order == nil)
    #expect(try await shop.coins(of: "bob") == 0)
    #expect(try await shop.coins(of: "alice") == 100)
  }

  @Test func `without a right to it stays visible only to the first user who presented it`() async throws {
    let shop = try EngineFixture { $0.claims = ClaimPolicy(isStrict: true) }
    let evidence = shop.transaction("1001")
    #expect(try await shop.submit(evidence, by: "alice").verdict == .held)
    #expect(try await shop.submit(evidence, by: "bob").verdict == .held)
    #expect(try await ask(shop, about: "1001", by: "alice").verdict == .held)
    await #expect(throws: CodedError<EngineErrorCode>(.transactionUnknown)) {
      try await ask(shop, about: "1001", by: "bob")
    }
  }

  @Test func `with its own order's token records the owner of the Apple account; a claim does not`() async throws {
    let shop = try EngineFixture()
    #expect(try await shop.submit(shop.transaction("1001", account), by: "bob").verdict == .fulfilled)
    #expect(try await usersOfAccount(shop) == [])
    let order = try await shop.order(of: "alice")
    #expect(try await shop.submit(shop.transaction("1002", token: order, account), by: "alice").verdict == .fulfilled)
    #expect(try await usersOfAccount(shop) == ["alice"])
    let foreign = try await shop.submit(shop.transaction("1003", account), by: "bob")
    #expect(foreign.verdict == .held && foreign.reason == "accountOfAnotherUser")
  }

  @Test func `without an order is granted five times a day to one user, and then held`() async throws {
    let shop = try EngineFixture()
    for number in 1...5 {
      #expect(try await shop.submit(shop.transaction("100\(number)")).verdict == .fulfilled)
      shop.clock.advance(by: .seconds(2))
    }
    let sixth = try await shop.submit(shop.transaction("1006"))
    #expect(sixth.verdict == .held && sixth.reason == "claimLimit")
    #expect(try await shop.submit(shop.transaction("1007"), by: "bob").verdict == .fulfilled)
    shop.clock.advance(by: .days(1))
    #expect(try await shop.submit(shop.transaction("1008")).verdict == .fulfilled)
  }

  @Test func `for an unknown product is held, and the order that it names shows the reason`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order()
    let answer = try await shop.submit(shop.transaction("1001", of: "com.example.unknown", token: order))
    #expect(answer.verdict == .held && answer.reason == "productUnknown")
    let shown = try await shop.engine.readOrder(.id(order), in: shop.app.userEnvironments, of: "alice").order
    #expect(shown.state == .awaitingPayment)
    #expect(shown.lastVerdict?.verdict == .held && shown.lastVerdict?.reason == "productUnknown")
  }
}
