import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

@Suite struct `The sender of notifications` {
  /// Runs the sender beside a test until the test ends.
  private func sending(_ shop: SimulatedShop, _ test: @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await shop.sender.run() }
      try await test()
      group.cancelAll()
    }
  }

  @Test func `sends events that happen while it runs, and events from before`() async throws {
    let shop = try await SimulatedShop()
    try await shop.buy(SimulatedShop.coins)
    try await sending(shop) {
      await shop.server.untilItHasReceived(1)
      for count in 2...20 {
        try await shop.buy(SimulatedShop.coins)
        await shop.server.untilItHasReceived(count)
      }
    }
    #expect(Set(try await shop.received().compactMap(\.uuid)).count == 20)
  }

  @Test func `sleeps until the next attempt is due, by the simulator's clock (AS-NOTE-3, AS-TIME-2)`() async throws {
    let shop = try await SimulatedShop()
    await shop.server.answer([], otherwise: .status(500))
    // With this clock, an hour here takes a minute of real time.
    _ = try await shop.store.setClockRate(60)
    let start = shop.time.now
    try await shop.buy(SimulatedShop.coins)
    try await sending(shop) {
      await shop.server.untilItHasReceived(1)
      await shop.time.untilSomebodySleeps(until: start + .minutes(1))
      shop.time.advance(by: .minutes(1))
      await shop.server.untilItHasReceived(2)
    }
    #expect(await shop.server.requests.count == 2)
  }

  @Test func `wakes when the clock moves past an attempt (AS-TIME-1)`() async throws {
    let shop = try await SimulatedShop()
    await shop.server.answer([.status(500), .status(500)])
    try await shop.buy(SimulatedShop.coins)
    try await sending(shop) {
      await shop.server.untilItHasReceived(1)
      await shop.time.untilSomebodySleeps(until: shop.time.now + .minutes(10))
      #expect(try await shop.store.advanceClock(by: .hours(1)) == SimulatedShop.noon + .hours(1))
      await shop.server.untilItHasReceived(2)
      _ = try await shop.store.advanceClock(by: .hours(12))
      await shop.server.untilItHasReceived(3)
    }
    #expect(shop.time.now == SimulatedShop.noon)
  }

  @Test func `does not wait for a silent server, and sends interrupted attempts again (AS-NOTE-10)`() async throws {
    let shop = try await SimulatedShop()
    await shop.server.answer([.silence, .silence, .silence])
    for _ in 0..<3 { try await shop.buy(SimulatedShop.coins) }
    try await sending(shop) {
      await shop.server.untilItHasReceived(3)
      try await shop.buy(SimulatedShop.theme)
      await shop.server.untilItHasReceived(4)
    }
    await shop.server.forget()
    // The first three were interrupted; the fourth's answer may or may not have been recorded before the stop.
    await shop.sender.sendDue()
    #expect(await shop.server.requests.count >= 3)
    #expect(await shop.store.notifications().map(\.state) == Array(repeating: .delivered, count: 4))
  }

  @Test func `notifies the server before a purchase is answered, on demand (AS-NOTE-8)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.notifyBeforeAnswer, to: 1)
    for count in 1...5 {
      let bought = try await shop.buy(SimulatedShop.coins)
      #expect(await shop.server.requests.count == count)
      let told = try await shop.received().last?.transaction?.verified?.payload.transactionId
      #expect(told == bought.transaction.id.text)
    }
    // The answer to the purchase is lost, but the server knows the purchase.
    try await shop.store.setBehaviour(.losePurchaseAnswers, to: 1)
    await #expect(throws: CodedError(SimulatorErrorCode.answerLost)) { try await shop.buy(SimulatedShop.coins) }
    #expect(await shop.server.requests.count == 6)
    #expect(await shop.sender.sendDue() == 0)
  }

  @Test func `sends nothing twice if a purchase notifies the server itself (AS-NOTE-8)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.notifyBeforeAnswer, to: 1)
    try await sending(shop) {
      for count in 1...30 {
        try await shop.buy(SimulatedShop.coins)
        #expect(await shop.server.requests.count == count)
      }
    }
    #expect(await shop.server.requests.count == 30)
  }
}
