import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import CounterfoilAPI
import SimulationKit
import StrictJSON
import Testing

/// What Apple notifies or answers, byte for byte, and its effect.
@Suite struct `A statement of Apple` {
  @Test func `about a renewal renews, and about a refund takes back (1B.20)`() throws {
    let town = try AppStoreEngineFixture()
    town.startNotifications()
    let first = try town.perform { town async throws in
      let order = try await town.order("monthly")
      let id = try await town.buy("com.example.monthly", token: order)
      #expect(try await town.submit(town.apple.signedTransaction(id).signedTransaction).map(\.verdict) == [.fulfilled])
      return id
    }
    town.world.run(for: .days(30))
    let renewed = try town.perform { try await $0.apple.renew(first).id }
    town.world.run(for: .hours(25))
    func compare() throws { _ = try town.perform { try await $0.engine.reconcileAppStore($0.app) } }
    try compare()
    try town.perform { town async throws in
      let payment = try #require(try await town.payment(renewed))
      #expect(payment.owner == "alice" && payment.order == nil && payment.state == .fulfilled)
      #expect(
        try await town.engine.readEntitlements(of: "alice", in: AppStoreEngineFixture.appEnvironment).map(\.state) == [
          .active
        ])
      _ = try await town.apple.refund(renewed)
    }
    town.world.run(for: .hours(25))
    try compare()
    try town.perform { town async throws in
      let payment = try #require(try await town.payment(renewed))
      #expect(payment.state == .reversed(amount: 1))
      let rights = try await town.engine.readEntitlements(of: "alice", in: AppStoreEngineFixture.appEnvironment)
      #expect(rights.allSatisfy { $0.state != .active })
      #expect(try await town.violations() == [])
    }
  }

  @Test func `is stored unchanged: signed answers, receipts by their digest, verifyReceipt's entries (1B.22)`() throws {
    let town = try AppStoreEngineFixture(asksVerifyReceipt: true)
    try town.perform { town async throws in
      let order = try await town.order()
      let id = try await town.buy(token: order)
      let receipt = try await town.apple.appReceipt(of: AppStoreEngineFixture.alice)
      _ = try await town.submit(receipt)
      let asked = try await town.store.read { try $0.evidence(of: AppStoreEngineFixture.key(id)) }
      #expect(asked.map(\.origin) == [.storeAnswer])
      #expect(asked.first?.text.split(separator: ".").count == 3, "the JWS that Apple answered")
      try await town.apple.plan(PlannedAPIFault(.notFound, of: .transactionInfo, count: nil))
      let second = try await town.order()
      let other = try await town.buy(token: second)
      let text = try await town.apple.appReceipt(of: AppStoreEngineFixture.alice)
      _ = try await town.submit(text)
      let kept = try #require(try await town.store.read { try $0.evidence(of: AppStoreEngineFixture.key(other)) }.first)
      let words = try JSONReader.read(kept.text.utf8)
      #expect(words["verifyReceipt"]?["transaction_id"]?.string == other.text)
      #expect(words["verifyReceipt"]?["app_account_token"]?.string == second.appAccountToken)
      let digest = try #require(words["receipt"]?.string)
      #expect(try await town.store.read { try $0.receipt(digest: digest) } == text)
    }
  }

  @Test func `in a receipt has the newer shape with in_app, original dates of the first purchase, and 21010 (X24)`()
    throws
  {
    let town = try AppStoreEngineFixture()
    let first = try town.perform { try await $0.buy("com.example.monthly") }
    town.world.run(for: .days(31))
    try town.perform { town async throws in
      let renewed = try await town.apple.renew(first)
      let secret = town.apple.testSharedSecret
      func ask(_ receipt: String) async throws -> JSONValue {
        let body = JSONValue.members([("receipt-data", .string(receipt)), ("password", .string(secret))])
        let response = try await town.apple.apiNetwork.send(
          HTTPRequest("POST", "https://buy.itunes.apple.com/verifyReceipt", json: body), .seconds(5))
        return try JSONReader.read(response.body)
      }
      let newer = try await ask(town.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(newer["receipt"]?["in_app"]?.array?.count == 2 && newer["receipt"]?["bid"] == nil)
      let older = try await ask(town.apple.transactionReceipt(of: renewed.id))
      #expect(
        older["receipt"]?["in_app"] == nil && older["receipt"]?["bid"]?.string == AppStoreEngineFixture.alice.bundleId)
      let entry = try #require(
        try VerifyReceiptResponse(newer).transactions.first { $0.transactionId == renewed.id.text })
      #expect(entry.originalTransactionId == first.text)
      #expect(entry.originalPurchaseDate == renewed.originalPurchaseDate)
      #expect(try #require(entry.originalPurchaseDate) < (try #require(entry.purchaseDate)))
      #expect(VerifyReceiptStatus(rawValue: 21010) == .accountGone && VerifyReceiptStatus(rawValue: 210_010) == nil)
      try await town.apple.plan(PlannedAPIFault(.receiptAccountGone))
      let gone = try await ask(town.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(gone["status"]?.integer == 21010 && gone["receipt"] == nil)
    }
  }
}
