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

extension AppStoreEngineFixture {
  /// Buys a hundred coins for alice, or a season, and grants it.
  func bought(
    _ product: ProductIdentifier = "coins.100", _ storeProduct: StoreProductIdentifier = "com.example.coins100"
  ) async throws -> TransactionIdentifier {
    let order = try await order(product)
    let id = try await buy(storeProduct, token: order)
    _ = try await submit(apple.signedTransaction(id).signedTransaction)
    return id
  }

  /// Books the coins that alice spent.
  func spend(_ amount: Int64, _ key: String) async throws {
    _ = try await engine.debitBalance(
      DebitRequest(user: "alice", unit: "coin", amount: amount, key: key, digest: "d"), in: EngineFixture.appEnvironment
    )
  }

  /// Apple's consumption request about a transaction, as the notification brings it.
  @discardableResult
  func askHowFarUsed(_ id: TransactionIdentifier, signedDate: Timestamp? = nil) async throws -> Bool {
    try await engine.noteConsumptionRequest(
      about: EngineFixture.key(id), reason: "UNINTENDED_PURCHASE", signedDate: signedDate ?? now(), for: app)
  }

  func consent(_ isGiven: Bool = true) async throws {
    _ = try await engine.setConsumptionConsent(isGiven, of: "alice", for: app)
  }

  /// The last consumption report to Apple about a transaction.
  func told(_ id: TransactionIdentifier) async throws -> JSONValue? {
    guard let words = await apple.consumptionTold()[id] else { return nil }
    return try JSONReader.read(words.utf8)
  }
}

@Suite struct `Apple's consumption request (A10)` {
  /// A fixture with purchases in its app, with consent, and with a request about the first.
  private func asked(
    policy configure: @escaping @Sendable (inout AppPolicy) -> Void = { _ in },
    _ change: @escaping @Sendable (inout AppStoreAccess) -> Void = { _ in },
    _ before: @escaping @Sendable (AppStoreEngineFixture, TransactionIdentifier) async throws -> Void
  ) throws -> (fixture: AppStoreEngineFixture, id: TransactionIdentifier) {
    let fixture = try AppStoreEngineFixture(configure, access: change)
    fixture.startBackgroundTasks()
    let id = try fixture.perform { fixture async throws in
      let id = try await fixture.bought()
      try await before(fixture, id)
      #expect(try await fixture.askHowFarUsed(id))
      return id
    }
    return (fixture, id)
  }

  @Test func `is not answered without the user's consent, however long Apple waits`() throws {
    let (fixture, id) = try asked { fixture, _ in try await fixture.consent(false) }
    fixture.world.run(for: .hours(13))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.told(id) == nil)
      #expect(fixture.calls.count("/consumption/") == 0)
      #expect(try await fixture.journal(id).contains("consumption.notAnswered"))
      #expect(try await fixture.appStoreTasks().filter { $0.purpose == .consumption } == [])
    }
  }

  @Test func `is not answered if the app has no policy, nor after its twelve hours`() throws {
    let fixture = try AppStoreEngineFixture(access: { $0.server?.consumption = nil })
    try fixture.perform { fixture async throws in
      let id = try await fixture.bought()
      #expect(try await !fixture.askHowFarUsed(id))
      #expect(try await !fixture.journal(id).contains("consumption.asked"))
    }
    let late = try AppStoreEngineFixture()
    late.startBackgroundTasks()
    let id = try late.perform { fixture async throws in
      let id = try await fixture.bought()
      try await fixture.consent()
      #expect(try await !fixture.askHowFarUsed(id, signedDate: fixture.now() - .hours(12)))
      #expect(try await fixture.journal(id).contains("consumption.askedTooLate"))
      return id
    }
    late.world.run(for: .hours(1))
    #expect(try late.perform { try await $0.told(id) } == nil)
  }

  @Test func `is answered from the records of delivery and spending once the user has consented`() throws {
    let (fixture, id) = try asked { fixture, _ in
      try await fixture.consent()
      try await fixture.spend(60, "sword")
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      let told = try #require(try await fixture.told(id))
      #expect(told["customerConsented"]?.bool == true)
      #expect(told["deliveryStatus"]?.string == "DELIVERED")
      #expect(told["consumptionPercentage"]?.integer == 60_000)
      #expect(told["sampleContentProvided"]?.bool == false && told["refundPreference"] == nil)
      #expect(try await fixture.journal(id).suffix(2) == ["consumption.asked", "consumption.answered"])
      #expect(fixture.calls.count("/v2/transactions/consumption/\(id)") == 1)
    }
    // The report was sent once: no task is left.
    fixture.world.run(for: .hours(13))
    #expect(fixture.calls.count("/consumption/") == 1)
  }

  @Test func `is answered if the consent comes within the hours`() throws {
    let (fixture, id) = try asked { _, _ in }
    fixture.world.run(for: .hours(5))
    #expect(try fixture.perform { try await $0.told(id) } == nil)
    try fixture.perform { try await $0.consent() }
    fixture.world.run(for: .hours(2))
    #expect(try fixture.perform { try await $0.told(id) } != nil)
  }

  @Test func `is answered although Apple is silent for hours`() throws {
    let (fixture, id) = try asked { fixture, _ in
      try await fixture.consent()
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, count: 6))
    }
    fixture.world.run(for: .hours(11))
    #expect(fixture.calls.count("/consumption/") > 1)
    #expect(try fixture.perform { try await $0.told(id) } != nil)
  }

  @Test func `gets the team's preference, and no use, if the app does not use the wallet`() throws {
    let (fixture, id) = try asked({ $0.server?.consumption = ConsumptionPolicy(preference: .decline) }) { fixture, _ in
      try await fixture.consent()
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      let told = try #require(try await fixture.told(id))
      #expect(told["consumptionPercentage"] == nil && told["refundPreference"]?.string == "DECLINE")
    }
  }

  @Test func `counts the oldest units as spent first`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startBackgroundTasks()
    let ids = try fixture.perform { fixture async throws in
      try await fixture.consent()
      var ids: [TransactionIdentifier] = []
      for _ in 0..<3 { ids.append(try await fixture.bought()) }
      try await fixture.spend(150, "castle")
      for id in ids { try await fixture.askHowFarUsed(id) }
      return ids
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      var percentages: [Int64?] = []
      for id in ids { percentages.append(try await fixture.told(id)?["consumptionPercentage"]?.integer) }
      #expect(percentages == [100_000, 50_000, 0])
    }
  }

  @Test func `gets no delivery if the backend has not acknowledged it`() throws {
    let (fixture, id) = try asked(policy: { app in
      app.endpoints = [
        DeliveryEndpoint(
          name: "shop", url: "https://backend.example.com/hooks", environments: [.simulated], secrets: [])
      ]
    }) { fixture, _ in try await fixture.consent() }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      let told = try #require(try await fixture.told(id))
      #expect(told["deliveryStatus"]?.string == "UNDELIVERED_SERVER_OUTAGE")
      #expect(told["consumptionPercentage"]?.integer == 0 && told["refundPreference"]?.string == "GRANT_FULL")
    }
  }

  @Test func `about an entitlement for a period is answered by the elapsed time`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startBackgroundTasks()
    let id = try fixture.perform { fixture async throws in
      try await fixture.consent()
      return try await fixture.bought("season", "com.example.season")
    }
    fixture.world.run(for: .days(45))
    _ = try fixture.perform { try await $0.askHowFarUsed(id) }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      let percentage = try #require(try await fixture.told(id)?["consumptionPercentage"]?.integer)
      #expect((50_000...50_010).contains(percentage))
    }
  }

  @Test func `about a refunded purchase is not answered`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      try await fixture.consent()
      return try await fixture.bought()
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(id)
      _ = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction)
      #expect(try await fixture.coins() == 0)
      try await fixture.askHowFarUsed(id)
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.told(id) == nil)
      #expect(try await fixture.journal(id).last == "consumption.notAnswered")
    }
  }

  @Test func `that is repeated counts from the newer one, in any order of arrival`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let id = try await fixture.bought()
      let now = fixture.now()
      #expect(try await fixture.askHowFarUsed(id, signedDate: now - .hours(1)))
      #expect(try await !fixture.askHowFarUsed(id, signedDate: now - .hours(2)))
      #expect(try await !fixture.askHowFarUsed(id, signedDate: now - .hours(1)))
      #expect(try await fixture.askHowFarUsed(id, signedDate: now))
      let waiting = try await fixture.appStoreTasks().filter { $0.purpose == .consumption }
      #expect(waiting.map(\.createdAt) == [now])
    }
  }
}

@Suite struct `A user's consent to reports to Apple` {
  @Test func `is missing until it is given, and keeps the time when it was first given`() throws {
    let fixture = try AppStoreEngineFixture()
    let first = try fixture.perform { fixture async throws in
      #expect(try await fixture.engine.readConsumptionConsent(of: "alice", for: fixture.app) == nil)
      return try await fixture.engine.setConsumptionConsent(true, of: "alice", for: fixture.app)
    }
    fixture.world.run(for: .days(1))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.engine.setConsumptionConsent(true, of: "alice", for: fixture.app) == first)
      let withdrawn = try await fixture.engine.setConsumptionConsent(false, of: "alice", for: fixture.app)
      #expect(!withdrawn.isGiven && withdrawn.at > first.at)
      #expect(try await fixture.engine.readConsumptionConsent(of: "alice", for: fixture.app) == withdrawn)
      #expect(try await fixture.engine.readConsumptionConsent(of: "bob", for: fixture.app) == nil)
    }
  }
}
