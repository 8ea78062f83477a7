import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives
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
      DebitRequest(user: "alice", unit: "coin", amount: amount, key: key, digest: "d"), in: Self.appEnvironment)
  }

  /// Apple's consumption request about a transaction, as the notification brings it.
  @discardableResult
  func askHowFarUsed(_ id: TransactionIdentifier, signedDate: Timestamp? = nil) async throws -> Bool {
    try await engine.noteConsumptionRequest(
      about: Self.key(id), reason: "UNINTENDED_PURCHASE", signedDate: signedDate ?? now(), for: app)
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
  ) throws -> (town: AppStoreEngineFixture, id: TransactionIdentifier) {
    let town = try AppStoreEngineFixture(configure, access: change)
    town.startStandingWork()
    let id = try town.perform { town async throws in
      let id = try await town.bought()
      try await before(town, id)
      #expect(try await town.askHowFarUsed(id))
      return id
    }
    return (town, id)
  }

  @Test func `is not answered without the user's consent, however long Apple waits`() throws {
    let (town, id) = try asked { town, _ in try await town.consent(false) }
    town.world.run(for: .hours(13))
    try town.perform { town async throws in
      #expect(try await town.told(id) == nil)
      #expect(town.calls.count("/consumption/") == 0)
      #expect(try await town.journal(id).contains("consumption.notAnswered"))
      #expect(try await town.appStoreTasks().filter { $0.purpose == .consumption } == [])
    }
  }

  @Test func `is not answered if the app has no policy, nor after its twelve hours`() throws {
    let town = try AppStoreEngineFixture(access: { $0.server?.consumption = nil })
    try town.perform { town async throws in
      let id = try await town.bought()
      #expect(try await !town.askHowFarUsed(id))
      #expect(try await !town.journal(id).contains("consumption.asked"))
    }
    let late = try AppStoreEngineFixture()
    late.startStandingWork()
    let id = try late.perform { town async throws in
      let id = try await town.bought()
      try await town.consent()
      #expect(try await !town.askHowFarUsed(id, signedDate: town.now() - .hours(12)))
      #expect(try await town.journal(id).contains("consumption.askedTooLate"))
      return id
    }
    late.world.run(for: .hours(1))
    #expect(try late.perform { try await $0.told(id) } == nil)
  }

  @Test func `is answered from the records of delivery and spending once the user has consented`() throws {
    let (town, id) = try asked { town, _ in
      try await town.consent()
      try await town.spend(60, "sword")
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      let told = try #require(try await town.told(id))
      #expect(told["customerConsented"]?.bool == true)
      #expect(told["deliveryStatus"]?.string == "DELIVERED")
      #expect(told["consumptionPercentage"]?.integer == 60_000)
      #expect(told["sampleContentProvided"]?.bool == false && told["refundPreference"] == nil)
      #expect(try await town.journal(id).suffix(2) == ["consumption.asked", "consumption.answered"])
      #expect(town.calls.count("/v2/transactions/consumption/\(id)") == 1)
    }
    // The report was sent once: no task is left.
    town.world.run(for: .hours(13))
    #expect(town.calls.count("/consumption/") == 1)
  }

  @Test func `is answered if the consent comes within the hours`() throws {
    let (town, id) = try asked { _, _ in }
    town.world.run(for: .hours(5))
    #expect(try town.perform { try await $0.told(id) } == nil)
    try town.perform { try await $0.consent() }
    town.world.run(for: .hours(2))
    #expect(try town.perform { try await $0.told(id) } != nil)
  }

  @Test func `is answered although Apple is silent for hours`() throws {
    let (town, id) = try asked { town, _ in
      try await town.consent()
      try await town.apple.plan(PlannedAPIFault(.loseRequest, count: 6))
    }
    town.world.run(for: .hours(11))
    #expect(town.calls.count("/consumption/") > 1)
    #expect(try town.perform { try await $0.told(id) } != nil)
  }

  @Test func `gets the team's preference, and no use, if the app does not use the wallet`() throws {
    let (town, id) = try asked({ $0.server?.consumption = ConsumptionPolicy(preference: .decline) }) { town, _ in
      try await town.consent()
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      let told = try #require(try await town.told(id))
      #expect(told["consumptionPercentage"] == nil && told["refundPreference"]?.string == "DECLINE")
    }
  }

  @Test func `counts the oldest units as spent first`() throws {
    let town = try AppStoreEngineFixture()
    town.startStandingWork()
    let ids = try town.perform { town async throws in
      try await town.consent()
      var ids: [TransactionIdentifier] = []
      for _ in 0..<3 { ids.append(try await town.bought()) }
      try await town.spend(150, "castle")
      for id in ids { try await town.askHowFarUsed(id) }
      return ids
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      var percentages: [Int64?] = []
      for id in ids { percentages.append(try await town.told(id)?["consumptionPercentage"]?.integer) }
      #expect(percentages == [100_000, 50_000, 0])
    }
  }

  @Test func `gets no delivery if the backend has not acknowledged it`() throws {
    let (town, id) = try asked(policy: { app in
      app.endpoints = [
        DeliveryEndpoint(
          name: "shop", url: "https://backend.example.com/hooks", environments: [.simulated], secrets: [])
      ]
    }) { town, _ in try await town.consent() }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      let told = try #require(try await town.told(id))
      #expect(told["deliveryStatus"]?.string == "UNDELIVERED_SERVER_OUTAGE")
      #expect(told["consumptionPercentage"]?.integer == 0 && told["refundPreference"]?.string == "GRANT_FULL")
    }
  }

  @Test func `about an entitlement for a period is answered by the elapsed time`() throws {
    let town = try AppStoreEngineFixture()
    town.startStandingWork()
    let id = try town.perform { town async throws in
      try await town.consent()
      return try await town.bought("season", "com.example.season")
    }
    town.world.run(for: .days(45))
    _ = try town.perform { try await $0.askHowFarUsed(id) }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      let percentage = try #require(try await town.told(id)?["consumptionPercentage"]?.integer)
      #expect((50_000...50_010).contains(percentage))
    }
  }

  @Test func `about a refunded purchase is not answered`() throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { town async throws in
      try await town.consent()
      return try await town.bought()
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      _ = try await town.apple.refund(id)
      _ = try await town.submit(town.apple.signedTransaction(id).signedTransaction)
      #expect(try await town.coins() == 0)
      try await town.askHowFarUsed(id)
    }
    town.startStandingWork()
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      #expect(try await town.told(id) == nil)
      #expect(try await town.journal(id).last == "consumption.notAnswered")
    }
  }

  @Test func `that is repeated counts from the newer one, in any order of arrival`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let id = try await town.bought()
      let now = town.now()
      #expect(try await town.askHowFarUsed(id, signedDate: now - .hours(1)))
      #expect(try await !town.askHowFarUsed(id, signedDate: now - .hours(2)))
      #expect(try await !town.askHowFarUsed(id, signedDate: now - .hours(1)))
      #expect(try await town.askHowFarUsed(id, signedDate: now))
      let waiting = try await town.appStoreTasks().filter { $0.purpose == .consumption }
      #expect(waiting.map(\.createdAt) == [now])
    }
  }
}

@Suite struct `A user's consent to reports to Apple` {
  @Test func `is missing until it is given, and keeps the time when it was first given`() throws {
    let town = try AppStoreEngineFixture()
    let first = try town.perform { town async throws in
      #expect(try await town.engine.readConsumptionConsent(of: "alice", for: town.app) == nil)
      return try await town.engine.setConsumptionConsent(true, of: "alice", for: town.app)
    }
    town.world.run(for: .days(1))
    try town.perform { town async throws in
      #expect(try await town.engine.setConsumptionConsent(true, of: "alice", for: town.app) == first)
      let withdrawn = try await town.engine.setConsumptionConsent(false, of: "alice", for: town.app)
      #expect(!withdrawn.isGiven && withdrawn.at > first.at)
      #expect(try await town.engine.readConsumptionConsent(of: "alice", for: town.app) == withdrawn)
      #expect(try await town.engine.readConsumptionConsent(of: "bob", for: town.app) == nil)
    }
  }
}
