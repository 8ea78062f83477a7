import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import Testing

@Suite struct `A refund that a customer asks for` {
  private func answer(
    _ preference: String, used: Int64, about id: TransactionIdentifier, _ api: APIShop
  ) async -> Int {
    await api.send(
      "PUT", "/inApps/v2/transactions/consumption/\(id)",
      body: .members([
        ("customerConsented", .bool(true)), ("sampleContentProvided", .bool(false)), ("deliveryStatus", "DELIVERED"),
        ("consumptionPercentage", .integer(used)), ("refundPreference", .string(preference)),
      ])
    ).status
  }

  @Test func `is refused while another one waits, and if nothing is left or was paid (AS-CONS-1)`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction
    await #expect(throws: CodedError(SimulatorErrorCode.nothingToRefund)) {
      try await shop.store.refunds.decline(coins.id)
    }
    try await shop.store.refunds.request(coins.id)
    await #expect(throws: CodedError(SimulatorErrorCode.neverChanges)) {
      try await shop.store.refunds.request(coins.id)
    }
    _ = try await shop.store.refunds.refund(coins.id)
    #expect(await shop.store.refundRequests().isEmpty, "a refund decides the request")
    await #expect(throws: CodedError(SimulatorErrorCode.alreadyRefunded)) {
      try await shop.store.refunds.request(coins.id)
    }
  }

  @Test func `is sent to the server with its reason (AS-CONS-1)`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction
    try await shop.store.refunds.request(coins.id, reason: .fulfillmentIssue)
    let told = try await shop.lastTold()
    #expect(told.title == "CONSUMPTION_REQUEST")
    #expect(told.data?.consumptionRequestReason == .known(.fulfillmentIssue))
    #expect(told.transaction?.verified?.payload.transactionId == coins.id.text)
    #expect(await shop.store.refundRequests().map(\.transaction) == [coins.id])
    #expect(try await shop.restarted().store.state == shop.store.state)
  }

  @Test(arguments: [
    ("DECLINE", Int64(100_000), Int64(0), "REFUND_DECLINED"), ("GRANT_PRORATED", 40_000, 60_000, "REFUND"),
    ("GRANT_FULL", 0, 100_000, "REFUND"), ("", 0, 100_000, "REFUND"),
  ])
  func `is decided after twelve hours by the server's preference (AS-CONS-2)`(
    preference: String, used: Int64, refunded: Int64, title: String
  ) async throws {
    let api = try await APIShop()
    let coins = try await api.shop.buy(SimulatedShop.coins).transaction
    try await api.store.refunds.request(coins.id)
    if !preference.isEmpty { #expect(await answer(preference, used: used, about: coins.id, api) == 202) }
    await api.shop.pass(.milliseconds(12 * 3_600_000 - 1))
    #expect(await api.store.refundRequests().count == 1)
    await api.shop.pass(.milliseconds(1))
    #expect(await api.store.refundRequests().isEmpty)
    #expect(await api.store.charges().map(\.refundedPercentage) == [refunded])
    #expect(try await api.shop.lastTold().title == title)
  }

  @Test func `is declined at once by command (AS-CONS-2)`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction
    try await shop.store.refunds.request(coins.id)
    try await shop.store.refunds.decline(coins.id)
    #expect(try await shop.titles() == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND_DECLINED"])
    await shop.pass(.days(1))
    #expect(await shop.store.charges().map(\.refundedPercentage) == [0])
  }
}

@Suite struct `A reversal of a refund` {
  @Test func `needs a refund (AS-REF-5)`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction
    await #expect(throws: CodedError(SimulatorErrorCode.nothingToRefund)) {
      try await shop.store.refunds.reverse(coins.id)
    }
  }

  @Test func `clears the signed refund, and a new refund has another date (AS-REF-4, AS-REF-5)`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction
    let first = try #require(try await shop.store.refunds.refund(coins.id).revocation?.date)
    try await shop.store.refunds.reverse(coins.id)
    let payload = try await shop.verified(try await shop.store.signedTransaction(coins.id).signedTransaction)
    #expect(payload.revocationDate == nil && payload.revocationType == nil && payload.revocationPercentage == nil)
    #expect(await shop.store.charges().map(\.refundedPercentage) == [0])
    let second = try #require(try await shop.store.refunds.refund(coins.id).revocation?.date)
    #expect(second > first)
    #expect(Set(try await shop.titles()) == ["ONE_TIME_CHARGE", "REFUND", "REFUND_REVERSED"])
    #expect(try await shop.restarted().store.state == shop.store.state)
  }

  @Test func `lets a subscription continue (AS-REF-5)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month).transaction
    _ = try await shop.store.refunds.refund(first.id)
    #expect(try await shop.renewal(of: first.id).status == .revoked)
    try await shop.store.refunds.reverse(first.id)
    #expect(try await shop.renewal(of: first.id).status == .active)
    await shop.pass(.days(31))
    #expect(await shop.store.charges().count == 2)
  }
}
