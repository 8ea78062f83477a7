import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import TestDoubles
import Testing

/// Facts beside evidence, the dates of a subscription, and the records of both.
@Suite struct `Beside the evidence` {
  private func journal(_ shop: EngineFixture, _ id: TransactionIdentifier = "1001") async throws -> [JSONValue] {
    let now = shop.now
    let key = PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: id)
    return try await InMemoryDatabase(shop.storage, now: now).read { database in
      try database.journal(of: key).map { try JSONReader.read($0.details.utf8) }
    }
  }

  private func payment(_ shop: EngineFixture, _ id: TransactionIdentifier) async throws -> Payment {
    let now = shop.now
    let key = PaymentKey(app: "shop", store: .appStore, environment: .simulated, transaction: id)
    return try #require(try await InMemoryDatabase(shop.storage, now: now).read { try $0.payment(key) })
  }

  @Test func `an unknown order pays and names nothing, and reading it is an error (1B.5)`() async throws {
    let shop = try EngineFixture()
    let unknown = OrderIdentifier(high: 0x0199_0000_0000_7000, low: 1 << 63 | 77)
    await #expect(throws: CodedError<EngineErrorCode>(.orderUnknown)) {
      _ = try await shop.engine.readOrder(.id(unknown), in: shop.app.userEnvironments, of: "alice")
    }
    let answer = try await shop.submit(shop.transaction("1001", token: unknown), orders: [unknown], sameRun: unknown)
    #expect(answer.verdict == .fulfilled && answer.order != unknown)
    #expect(try await payment(shop, "1001").match?.rule == .derived)
    await #expect(throws: CodedError<EngineErrorCode>(.orderUnknown)) {
      _ = try await shop.engine.readOrder(.id(unknown), in: shop.app.userEnvironments, of: "alice")
    }
  }

  @Test func `all client claims are recorded, with their differences, and decide nothing (1B.5, 1B.11)`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order("coins.1000")
    var request = SubmitAppStorePayment.Request(evidence: shop.transaction("1001", token: order))
    request.transaction = "666"
    request.claimed.product = "com.example.coins1000"
    request.claimed.quantity = 10
    request.claimed.amount = "648.00"
    request.claimed.currency = "CNY"
    request.claimed.parameters = .members([("page", "shop")])
    let answer = try await shop.engine.submitAppStorePayment(request, from: "alice", for: shop.app)
    #expect(answer.payments.map(\.transaction) == ["1001"])
    // The product that was paid is granted, not the one that was ordered or claimed.
    #expect(try await shop.coins() == 100)
    #expect(try await shop.state(of: order) == .awaitingPayment)
    let said = try #require(try await journal(shop).compactMap { $0["clientSaid"] }.first)
    #expect(said["differs"] == .array(["productId", "quantity", "transactionId"]))
    #expect(said["amount"] == "648.00" && said["currency"] == "CNY" && said["parameters"]?["page"] == "shop")
  }

  @Test func `a price of Apple's is recorded and stops nothing (1B.11)`() async throws {
    let shop = try EngineFixture()
    let prices: [Int64?] = [nil, 0, 1, 648_000]
    for (number, price) in prices.enumerated() {
      let order = try await shop.order()
      let answer = try await shop.submit(
        shop.transaction("100\(number)", token: order) {
          $0["price"] = price.map { .integer($0) }
          $0["currency"] = price.map { _ in "CNY" }
        })
      #expect(answer.verdict == .fulfilled && answer.order == order)
      let written = try await journal(shop, TransactionIdentifier("100\(number)")).compactMap { $0["price"]?.string }
      #expect(written.first == price.map { "\($0) milliunits CNY" })
      shop.clock.advance(by: .seconds(2))
    }
    #expect(try await shop.coins() == 400)
  }

  @Test func `dates are milliseconds, and a renewal keeps the subscription's first date and id (1B.14)`() async throws {
    let shop = try EngineFixture()
    let start = shop.now().milliseconds + 123
    let month: Int64 = 30 * 86_400_000
    for number: Int64 in 0...2 {
      let answer = try await shop.submit(
        shop.transaction("90\(number)", of: "com.example.monthly", type: "Auto-Renewable Subscription") {
          $0["originalTransactionId"] = "900"
          $0["originalPurchaseDate"] = .integer(start)
          $0["purchaseDate"] = .integer(start + number * month)
          $0["expiresDate"] = .integer(start + (number + 1) * month)
          $0["webOrderLineItemId"] = .string("5\(number)")
        })
      #expect(answer.verdict == .fulfilled && answer.originalTransaction == "900")
      let facts = try await payment(shop, TransactionIdentifier("90\(number)")).facts
      #expect(facts.purchaseDate.milliseconds == start + number * month)
      #expect(facts.expiresDate?.milliseconds == start + (number + 1) * month)
      #expect(facts.originalTransaction == "900" && facts.originalPurchaseDate?.milliseconds == start)
    }
    let entitlements = try await shop.engine.readEntitlements(of: "alice", in: EngineFixture.appEnvironment)
    #expect(entitlements.map(\.until?.milliseconds) == [start + 3 * month])
  }

  @Test func `an unknown notification from Apple is stored unchanged, and counted (1B.20)`() async throws {
    let shop = try EngineFixture()
    let told = try await shop.engine.receiveAppStoreNotification(
      shop.notification("n1", "SOMETHING_NEW", about: shop.transaction("1001")), for: nil)
    #expect(told.effect == "kept")
    let now = shop.now
    let kept = try await InMemoryDatabase(shop.storage, now: now).read {
      (
        try $0.notification("n1", in: EngineFixture.appEnvironment)?.type,
        try $0.countOfKeptNotifications(in: EngineFixture.appEnvironment).map(\.count)
      )
    }
    #expect(kept.0 == "SOMETHING_NEW" && kept.1 == [1])
    #expect(try await shop.coins() == 0)
  }

  @Test func `each rejection is logged and counted by its reason, without any submitted data (1B.22)`() async throws {
    let logged = EventLog()
    let shop = try EngineFixture(log: logged.log)
    let genuine = shop.transaction("1001")
    let parts = genuine.split(separator: ".").map(String.init)
    let rejected: [(String, String)] = [
      (parts[0] + "." + parts[1] + "." + String(repeating: "A", count: 86), "invalidSignature"),
      (shop.transaction("1002") { $0["bundleId"] = "com.example.other" }, "invalidAppIdentifier"),
      (shop.transaction("1003") { $0["signedDate"] = .integer(4_102_444_800_000) }, "signedInTheFuture"),
    ]
    for (evidence, reason) in rejected {
      #expect(try await shop.submit(evidence).verdict == .refused)
      let event = try #require(logged.events.last { $0.name == "evidence.refused" })
      #expect(event.fields.contains { $0.name == "reason" && $0.value == reason }, "\(event.fields)")
      #expect(shop.engine.metrics.value(.verifyFailuresTotal, [("reason", reason)]) == 1)
    }
    let told = logged.events.map { "\($0.name) \($0.fields)" }.joined()
    for (evidence, _) in rejected {
      #expect(evidence.split(separator: ".").allSatisfy { !told.contains($0) })
    }
    #expect(try await shop.engine.auditInvariants(atRest: true).payments == 0)
  }
}
