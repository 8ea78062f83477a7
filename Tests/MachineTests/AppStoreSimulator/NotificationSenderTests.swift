import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import Testing

@Suite struct `The sender of notifications` {
  /// Runs the sender beside a test until the test is through.
  private func sending(_ shop: SimulatedShop, _ test: @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await shop.sender.run() }
      try await test()
      group.cancelAll()
    }
  }

  @Test func `sends what is bought while it runs, and what waited for it`() async throws {
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
    // An hour here is a minute of the world.
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

  @Test func `is woken when the clock is moved past an attempt (AS-TIME-1)`() async throws {
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

  @Test func `lets no silent server hold up the others, and sends again what a stop broke off (AS-NOTE-10)`()
    async throws
  {
    let shop = try await SimulatedShop()
    await shop.server.answer([.silence, .silence, .silence])
    for _ in 0..<3 { try await shop.buy(SimulatedShop.coins) }
    try await sending(shop) {
      await shop.server.untilItHasReceived(3)
      try await shop.buy(SimulatedShop.theme)
      await shop.server.untilItHasReceived(4)
    }
    await shop.server.forget()
    // The first three were broken off; whether the fourth's answer was noted before the stop is a matter of luck.
    await shop.sender.sendDue()
    #expect(await shop.server.requests.count >= 3)
    #expect(await shop.store.notifications().map(\.state) == Array(repeating: .delivered, count: 4))
  }

  @Test func `has told the server before a purchase is answered, on demand (AS-NOTE-8)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setKnob(.notifyBeforeAnswer, to: 1)
    for count in 1...5 {
      let bought = try await shop.buy(SimulatedShop.coins)
      #expect(await shop.server.requests.count == count)
      let told = try await shop.received().last?.transaction?.verified?.payload.transactionId
      #expect(told == bought.transaction.id.text)
    }
    // The answer to the purchase is lost, and the server knows of it all the same.
    try await shop.store.setKnob(.losePurchaseAnswers, to: 1)
    await #expect(throws: CodedError(SimulatorErrorCode.answerLost)) { try await shop.buy(SimulatedShop.coins) }
    #expect(await shop.server.requests.count == 6)
    #expect(await shop.sender.sendDue() == 0)
  }

  @Test func `beside a purchase that tells the server itself sends nothing twice (AS-NOTE-8)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setKnob(.notifyBeforeAnswer, to: 1)
    try await sending(shop) {
      for count in 1...30 {
        try await shop.buy(SimulatedShop.coins)
        #expect(await shop.server.requests.count == count)
      }
    }
    #expect(await shop.server.requests.count == 30)
  }
}
