import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

@Suite struct `Finishing in the simulator` {
  @Test func `is refused for a transaction that does not exist or belongs to another account (AS-FIN-2)`() async throws
  {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    await #expect(throws: CodedError(SimulatorErrorCode.transactionUnknown)) {
      try await shop.store.purchases.finish("1", of: SimulatedShop.alice)
    }
    await #expect(throws: CodedError(SimulatorErrorCode.transactionUnknown)) {
      try await shop.store.purchases.finish(id, of: SimulatedShop.bob)
    }
    #expect(try await shop.store.unfinishedTransactions(of: SimulatedShop.alice).count == 1)
  }

  @Test func `removes it from the list, oldest first, and may be repeated (AS-FIN-1, AS-FIN-2)`() async throws {
    let shop = try await SimulatedShop()
    var ids: [TransactionIdentifier] = []
    for product in SimulatedShop.products.prefix(4) { ids.append(try await shop.buy(product).transaction.id) }
    let listed = try await shop.store.unfinishedTransactions(of: SimulatedShop.alice, for: SimulatedShop.device)
    #expect(listed.map(\.transaction.id) == ids)
    for signed in listed {
      #expect(try await shop.verified(signed.signedTransaction).transactionId == signed.transaction.id.text)
    }
    for _ in 0..<2 { try await shop.store.purchases.finish(ids[1], of: SimulatedShop.alice) }
    let left = try await shop.store.unfinishedTransactions(of: SimulatedShop.alice)
    #expect(left.map(\.transaction.id) == [ids[0], ids[2], ids[3]])
    let all = try await shop.store.signedTransactions(of: SimulatedShop.alice)
    #expect(all.map(\.transaction.id) == ids)
    #expect(try await shop.store.unfinishedTransactions(of: SimulatedShop.bob).isEmpty)
  }

  @Test func `is lost on demand (AS-FAULT-4)`() async throws {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    try await shop.store.setBehaviour(.loseFinishes, to: 1)
    try await shop.store.purchases.finish(id, of: SimulatedShop.alice)
    #expect(try await shop.store.unfinishedTransactions(of: SimulatedShop.alice).count == 1)
    try await shop.store.purchases.finish(id, of: SimulatedShop.alice)
    #expect(try await shop.store.unfinishedTransactions(of: SimulatedShop.alice).isEmpty)
  }

  @Test func `takes effect without an answer on demand (AS-FAULT-5)`() async throws {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    try await shop.store.setBehaviour(.loseFinishAnswers, to: 1)
    await #expect(throws: CodedError(SimulatorErrorCode.answerLost)) {
      try await shop.store.purchases.finish(id, of: SimulatedShop.alice)
    }
    #expect(try await shop.store.unfinishedTransactions(of: SimulatedShop.alice).isEmpty)
    try await shop.store.purchases.finish(id, of: SimulatedShop.alice)
  }

  @Test func `is left to the device: a refund leaves the transaction on the list (AS-FIN-3)`() async throws {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    _ = try await shop.store.refunds.refund(id)
    let listed = try await shop.store.unfinishedTransactions(of: SimulatedShop.alice)
    #expect(listed.map(\.transaction.id) == [id])
    #expect(try await shop.verified(try #require(listed.first).signedTransaction).revocationDate != nil)
  }
}

@Suite struct `A refund in the simulator` {
  @Test func `cannot exceed the amount paid (AS-REF-1)`() async throws {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    for percentage: Int64 in [0, -1, 100_001] {
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) {
        try await shop.store.refunds.refund(id, percentage: percentage)
      }
    }
    await #expect(throws: CodedError(SimulatorErrorCode.transactionUnknown)) {
      try await shop.store.refunds.refund("1")
    }
    _ = try await shop.store.refunds.refund(id, percentage: 60_000)
    await #expect(throws: CodedError(SimulatorErrorCode.alreadyRefunded)) {
      try await shop.store.refunds.refund(id, percentage: 40_001)
    }
    _ = try await shop.store.refunds.refund(id)
    await #expect(throws: CodedError(SimulatorErrorCode.alreadyRefunded)) { try await shop.store.refunds.refund(id) }
    #expect(await shop.store.charges().map(\.refundedPercentage) == [100_000])
    #expect(await shop.store.notifications().count == 3)
  }

  @Test func `of the whole price is in the signed form from then on, and is notified (AS-REF-2, AS-SIGN-2)`()
    async throws
  {
    let shop = try await SimulatedShop()
    let bought = try await shop.buy(SimulatedShop.coins)
    shop.time.advance(by: .hours(5))
    _ = try await shop.store.refunds.refund(bought.transaction.id, reason: .refundedDueToIssue)
    let signed = try await shop.store.signedTransaction(bought.transaction.id).signedTransaction
    let payload = try await shop.verified(signed)
    #expect(payload.revocationType == .known(.refundFull) && payload.revocationPercentage == 100_000)
    #expect(payload.revocationReason == .known(.refundedDueToIssue))
    #expect(payload.revocationDate == Timestamp(seconds: shop.time.now.seconds))
    #expect(payload.signedDate == shop.time.now && payload.purchaseDate == bought.transaction.purchaseDate)
    // The earlier signature does not contain it.
    #expect(try await shop.verified(bought.signedTransaction).revocationDate == nil)
    await shop.sender.sendDue()
    let told = try await shop.received()
    #expect(told.map(\.title) == ["ONE_TIME_CHARGE", "REFUND"])
    #expect(told.map { $0.transaction?.verified?.payload.revocationPercentage } == [nil, 100_000])
  }

  @Test func `in parts adds up, and each part has its own date (AS-REF-1, AS-REF-4)`() async throws {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins) { $0.quantity = 3 }.transaction.id
    var dates: [Timestamp] = []
    var seen: [(Int64?, RevocationType?)] = []
    for _ in 0..<3 {
      let part = seen.count == 2 ? nil : Int64(33_333)
      _ = try await shop.store.refunds.refund(id, percentage: part)
      let payload = try await shop.verified(try await shop.store.signedTransaction(id).signedTransaction)
      dates.append(try #require(payload.revocationDate))
      seen.append((payload.revocationPercentage, payload.revocationType?.known))
    }
    #expect(seen.map(\.0) == [33_333, 66_666, 100_000])
    #expect(seen.map(\.1) == [.refundProrated, .refundProrated, .refundFull])
    #expect(Set(dates).count == 3 && dates == dates.sorted())
  }

  @Test func `keeps the date of its first part on demand (AS-REF-4)`() async throws {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins) { $0.quantity = 3 }.transaction.id
    try await shop.store.setBehaviour(.oneRefundDate, to: 1)
    let first = try await shop.store.refunds.refund(id, percentage: 40_000).revocation
    shop.time.advance(by: .hours(5))
    let second = try await shop.store.refunds.refund(id, percentage: 40_000).revocation
    #expect(second?.date == first?.date && second?.percentage == 80_000)
    try await shop.store.refunds.reverse(id)
    #expect(try await shop.store.refunds.refund(id).revocation?.date != first?.date)
  }

  @Test func `is notified and reversed under a further id on demand (AS-REF-6)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.theme).transaction.id
    try await shop.store.setBehaviour(.newIdWhenOwned, to: 1)
    let further = try await shop.buy(SimulatedShop.theme).transaction.id
    try await shop.store.setBehaviour(.refundsUnderFurtherIds, to: 1)
    _ = try await shop.store.refunds.refund(first)
    try await shop.store.refunds.reverse(first)
    let notifications = await shop.store.notifications()
    #expect(notifications.map(\.facts.transaction) == [first, further, further])
    #expect(notifications.map { $0.transaction?.revocationDate != nil } == [false, true, false])
  }

  @Test func `can be notified with another app's transaction, as Apple never does (AS-NOTE-14)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.catalog.setApp(
      SimulatedApp(bundleId: "com.example.other", appAppleId: 42, notificationURL: nil))
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    _ = try await shop.store.refunds.refund(id)
    let uuid = try #require(await shop.store.notifications().last).facts.uuid
    let signed = try await shop.store.signedPayload(of: uuid, naming: "com.example.other")
    let outer = try Self.payload(of: signed)
    let inner = try Self.payload(of: try #require(outer["data"]?["signedTransactionInfo"]?.string))
    #expect(outer["data"]?["bundleId"]?.string == "com.example.other")
    #expect(inner["bundleId"]?.string == SimulatedShop.alice.bundleId && inner["transactionId"]?.string == id.text)
  }

  private static func payload(of token: String) throws -> JSONValue {
    let parts = token.split(separator: ".")
    return try JSONReader.read(try #require(Base64URL.decode(String(parts[1]))))
  }

  @Test func `is notified later than its reversal on demand (AS-NOTE-13)`() async throws {
    let shop = try await SimulatedShop()
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    try await shop.store.setBehaviour(.refundDelayMilliseconds, to: 60_000)
    _ = try await shop.store.refunds.refund(id)
    try await shop.store.refunds.reverse(id)
    await shop.sender.sendDue()
    shop.time.advance(by: .minutes(1))
    await shop.sender.sendDue()
    #expect(try await shop.received().map(\.title) == ["ONE_TIME_CHARGE", "REFUND_REVERSED", "REFUND"])
  }

  @Test func `of a subscription revokes it, and the customer can buy it again (AS-REF-2, AS-SUB-6)`() async throws {
    let shop = try await SimulatedShop()
    let first = try await shop.buy(SimulatedShop.month)
    _ = try await shop.store.refunds.refund(first.transaction.id)
    let (status, _) = try await shop.store.signedRenewalInfo(first.transaction.id)
    #expect(status == .revoked)
    await #expect(throws: CodedError(SimulatorErrorCode.notRenewing)) {
      try await shop.store.subscriptions.renew(first.transaction.id)
    }
    let again = try await shop.buy(SimulatedShop.month)
    #expect(again.outcome == .charged && again.transaction.originalId == first.transaction.id)
    await shop.sender.sendDue()
    let told = try await shop.received()
    #expect(Set(told.map(\.title)) == ["SUBSCRIBED INITIAL_BUY", "REFUND", "SUBSCRIBED RESUBSCRIBE"])
    let refund = try #require(told.first { $0.title == "REFUND" })
    #expect(refund.notification.verified?.payload.data?.status == .known(.revoked))
    #expect(refund.renewalInfo?.isValid == true)
  }
}
