import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

@Suite struct `The simulator's clock` {
  @Test func `refuses to jump too far, to run backwards, or to run too fast (AS-TIME-1, AS-TIME-2)`() async throws {
    let shop = try await SimulatedShop()
    for span in [TimeSpan.days(3654), -TimeSpan.days(3654), TimeSpan(milliseconds: .max), TimeSpan(milliseconds: .min)]
    {
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) { try await shop.store.advanceClock(by: span) }
    }
    for rate: Int64 in [0, -1, 86_401] {
      await #expect(throws: CodedError(SimulatorErrorCode.fieldInvalid)) { try await shop.store.setClockRate(rate) }
    }
    #expect(await shop.store.now() == SimulatedShop.noon)
  }

  @Test func `moves and runs from its current time (AS-TIME-1, AS-TIME-2)`() async throws {
    let shop = try await SimulatedShop()
    let store = shop.store
    #expect(try await store.advanceClock(by: .hours(3)) == SimulatedShop.noon + .hours(3))
    #expect(try await store.setClockRate(3600) == SimulatedShop.noon + .hours(3))
    shop.time.advance(by: .seconds(2))
    #expect(await store.now() == SimulatedShop.noon + .hours(5))
    #expect(try await store.advanceClock(by: -TimeSpan.hours(1)) == SimulatedShop.noon + .hours(4))
    shop.time.advance(by: .seconds(1))
    #expect(try await store.setClockRate(1) == SimulatedShop.noon + .hours(5))
    shop.time.advance(by: .minutes(1))
    #expect(await store.now() == SimulatedShop.noon + .hours(5) + .minutes(1))
    #expect(try await store.resetClock() == shop.time.now)
  }

  @Test func `dates purchases and signatures`() async throws {
    let shop = try await SimulatedShop()
    let moment = try await shop.store.advanceClock(by: .days(100))
    let payload = try await shop.verified(try await shop.buy(SimulatedShop.coins).signedTransaction)
    #expect(payload.signedDate == moment && payload.purchaseDate == Timestamp(seconds: moment.seconds))
  }

  @Test func `continues after a restart as if it had run all the time (AS-TIME-3)`() async throws {
    let shop = try await SimulatedShop()
    _ = try await shop.store.advanceClock(by: .days(1))
    _ = try await shop.store.setClockRate(10)
    shop.time.advance(by: .hours(1))
    let later = try await shop.restarted()
    #expect(await later.store.now() == SimulatedShop.noon + .days(1) + .hours(10))
    #expect(await later.store.clock() == shop.store.clock())
  }
}
