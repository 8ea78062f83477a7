import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// What Apple notifies or answers, byte for byte, and its effect.
@Suite struct `A statement of Apple` {
  @Test func `about a renewal renews, and about a refund takes back (1B.20)`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    let first = try fixture.perform { fixture async throws in
      let order = try await fixture.order("monthly")
      let id = try await fixture.buy("com.example.monthly", token: order)
      #expect(
        try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction).map(\.verdict) == [.fulfilled])
      return id
    }
    fixture.world.run(for: .days(30))
    let renewed = try fixture.perform { try await $0.apple.subscriptions.renew(first).id }
    fixture.world.run(for: .hours(25))
    func compare() throws { _ = try fixture.perform { try await $0.engine.reconcileAppStore($0.app) } }
    try compare()
    try fixture.perform { fixture async throws in
      let payment = try #require(try await fixture.payment(renewed))
      #expect(payment.owner == "alice" && payment.order == nil && payment.state == .fulfilled)
      #expect(
        try await fixture.engine.readEntitlements(of: "alice", in: EngineFixture.appEnvironment).map(\.state)
          == [
            .active
          ])
      _ = try await fixture.apple.refunds.refund(renewed)
    }
    fixture.world.run(for: .hours(25))
    try compare()
    try fixture.perform { fixture async throws in
      let payment = try #require(try await fixture.payment(renewed))
      #expect(payment.state == .reversed(amount: 1))
      let entitlements = try await fixture.engine.readEntitlements(
        of: "alice", in: EngineFixture.appEnvironment)
      #expect(entitlements.allSatisfy { $0.state != .active })
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is stored unchanged: signed answers, receipts by their digest, verifyReceipt's entries (1B.22)`() throws {
    let fixture = try AppStoreEngineFixture(asksVerifyReceipt: true)
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      let receipt = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      _ = try await fixture.submit(receipt)
      let asked = try await fixture.database.read { try $0.evidence(of: EngineFixture.key(id)) }
      #expect(asked.map(\.origin) == [.storeAnswer])
      #expect(asked.first?.text.split(separator: ".").count == 3, "the JWS that Apple answered")
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.notFound, of: .transactionInfo, count: nil))
      let second = try await fixture.order()
      let other = try await fixture.buy(token: second)
      let text = try await fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)
      _ = try await fixture.submit(text)
      let kept = try #require(
        try await fixture.database.read { try $0.evidence(of: EngineFixture.key(other)) }.first)
      let words = try JSONReader.read(kept.text.utf8)
      #expect(words["verifyReceipt"]?["transaction_id"]?.string == other.text)
      #expect(words["verifyReceipt"]?["app_account_token"]?.string == second.appAccountToken)
      let digest = try #require(words["receipt"]?.string)
      #expect(try await fixture.database.read { try $0.receipt(digest: digest) } == text)
    }
  }

  @Test func `in a receipt has the newer shape with in_app, original dates of the first purchase, and 21010 (X24)`()
    throws
  {
    let fixture = try AppStoreEngineFixture()
    let first = try fixture.perform { try await $0.buy("com.example.monthly") }
    fixture.world.run(for: .days(31))
    try fixture.perform { fixture async throws in
      let renewed = try await fixture.apple.subscriptions.renew(first)
      let secret = fixture.apple.authority.testSharedSecret
      func ask(_ receipt: String) async throws -> JSONValue {
        let body = JSONValue.members([("receipt-data", .string(receipt)), ("password", .string(secret))])
        let response = try await fixture.apple.serverAPI.network.send(
          HTTPRequest("POST", "https://buy.itunes.apple.com/verifyReceipt", json: body), .seconds(5))
        return try JSONReader.read(response.body)
      }
      let newer = try await ask(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(newer["receipt"]?["in_app"]?.array?.count == 2 && newer["receipt"]?["bid"] == nil)
      let older = try await ask(fixture.apple.transactionReceipt(of: renewed.id))
      #expect(
        older["receipt"]?["in_app"] == nil && older["receipt"]?["bid"]?.string == AppStoreEngineFixture.alice.bundleId)
      let entry = try #require(
        try VerifyReceiptResponse(newer).transactions.first { $0.transactionId == renewed.id.text })
      #expect(entry.originalTransactionId == first.text)
      #expect(entry.originalPurchaseDate == renewed.originalPurchaseDate)
      #expect(try #require(entry.originalPurchaseDate) < (try #require(entry.purchaseDate)))
      #expect(VerifyReceiptStatus(rawValue: 21010) == .accountGone && VerifyReceiptStatus(rawValue: 210_010) == nil)
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.receiptAccountGone))
      let gone = try await ask(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(gone["status"]?.integer == 21010 && gone["receipt"] == nil)
    }
  }
}
