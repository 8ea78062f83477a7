import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import TestDoubles
import Testing

/// The server closed it only to make room for newer orders, so it can still be paid.
@Suite struct `A replaced order` {
  /// The sixth order replaces the first.
  private func orderSixTimes(_ world: ClientWorld) {
    world.launch()
    for _ in 0..<6 {
      world.store.next(.cancels)
      let tap = world.tap()
      world.goOn { tap.isDone }
      world.goOn(for: .minutes(1))
    }
  }

  @Test func `is kept while newer orders exist`() {
    let world = ClientWorld()
    orderSixTimes(world)
    #expect(world.server.orders.filter { $0.closeReason == "replaced" }.count == 1)
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.openRecords.count == 6)
  }

  @Test(arguments: [TimeSpan.zero, .days(30), -.days(3650)])
  func `is deleted at the end of its lifetime and no earlier, whatever the device's clock says`(
    skew: TimeSpan
  ) {
    let world = ClientWorld()
    world.skew = skew
    orderSixTimes(world)
    world.kill()
    world.clock.pass(.days(6))
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.openRecords.count == 6, "a replaced order can still be paid")
    world.kill()
    world.clock.pass(.days(2))
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.openRecords == [])
  }
}
