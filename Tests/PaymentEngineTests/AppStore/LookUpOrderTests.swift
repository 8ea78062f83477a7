import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The order number of Apple's mail` {
  /// As the simulated App Store makes it.
  private func number(_ id: TransactionIdentifier) throws -> AppleOrderNumber {
    let digits = String(try #require(Int64(id.text)), radix: 36, uppercase: true)
    return try #require(AppleOrderNumber("M" + digits))
  }

  private func code(_ body: () async throws -> LookedUpOrder) async throws -> EngineErrorCode? {
    do {
      _ = try await body()
      return nil
    } catch let error as CodedError<EngineErrorCode> { return error.code }
  }

  @Test(arguments: ["", "M", "M12345", "K1234567", "M1234567-", "MK5TTT123H1234567", "M１２３４５６７"])
  func `is no text of another form`(text: String) {
    #expect(AppleOrderNumber(text) == nil)
  }

  @Test func `is read in upper and lower case`() {
    #expect(AppleOrderNumber("mk5ttt123h") == AppleOrderNumber("MK5TTT123H"))
  }

  @Test func `that Apple does not know says so, and nothing is kept`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let unknown = try #require(AppleOrderNumber("MZZZZZZZ"))
      #expect(try await code { try await fixture.engine.lookUpOrder(unknown, for: fixture.app) } == .orderNumberUnknown)
      let term = try #require(SearchTerm(unknown.text))
      #expect(try await fixture.engine.search(term, in: fixture.app).hits == [])
    }
  }

  @Test func `is not answered while Apple does not answer`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let id = try await fixture.buy()
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseAnswer, of: .orderLookup, count: nil))
      let number = try number(id)
      #expect(try await code { try await fixture.engine.lookUpOrder(number, for: fixture.app) } == .appStoreUnanswered)
      #expect(try await fixture.payment(id) == nil)
    }
  }

  @Test func `takes in a payment that is unknown here, for its order's user, and is found from then on`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let id = try await fixture.buy(token: try await fixture.order(of: "alice"))
      let number = try number(id)
      #expect(try await fixture.coins() == 0)
      for _ in 0..<2 {
        let found = try await fixture.engine.lookUpOrder(number, for: fixture.app)
        #expect(found.payments.map(\.key.transaction) == [id] && found.refused == 0)
        #expect(found.payments.first?.state == .fulfilled && found.payments.first?.owner == "alice")
      }
      #expect(try await fixture.coins() == 100)
      let term = try #require(SearchTerm(number.text))
      let result = try await fixture.engine.search(term, in: fixture.app)
      #expect(result.tried.contains(.orderNumber) && result.hits.map(\.id) == [id.text])
      #expect(fixture.calls.count("/inApps/v1/lookup/") == 2)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `gives nobody a payment that names no order`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let id = try await fixture.buy()
      let found = try await fixture.engine.lookUpOrder(try number(id), for: fixture.app)
      #expect(found.payments.first?.state == .unclaimed)
      #expect(try await fixture.coins() == 0)
    }
  }
}

@Suite struct `Apple's open consumption requests` {
  @Test func `are listed with what Apple would be sent, then with their outcome`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      let id = try await fixture.bought()
      _ = try await fixture.askHowFarUsed(id)
      let open = try await fixture.engine.openConsumptionRequests(
        in: EngineFixture.appEnvironment, for: fixture.app)
      #expect(open.map(\.payment.transaction) == [id] && open.first?.isConsented == false)
      #expect(open.first?.reason == "UNINTENDED_PURCHASE" && open.first?.user == "alice")
      #expect(open.first?.deadline == open.first.map { $0.askedAt + .hours(12) })
      #expect(open.first?.answer?["deliveryStatus"]?.string == "DELIVERED")
      try await fixture.consent()
      return id
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      #expect(
        try await fixture.engine.openConsumptionRequests(in: EngineFixture.appEnvironment, for: fixture.app) == [])
      let outcomes = try await fixture.engine.consumptionOutcomes(
        in: EngineFixture.appEnvironment, since: fixture.now() - .days(1))
      #expect(outcomes.map(\.what) == ["consumption.answered"])
      #expect(outcomes.first?.payment?.transaction == id)
    }
  }
}
