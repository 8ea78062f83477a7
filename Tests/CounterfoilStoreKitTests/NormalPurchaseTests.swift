import Counterfoil
import PaymentPrimitives
import SimulatedDevice
import TestDoubles
import Testing

/// The shipped adapters over the shims of Apple's frameworks, with the real client library and the real server.
@Suite struct `A purchase through a shipped adapter` {
  @Test(arguments: Phone.Interface.allCases)
  func `is granted once, and leaves queue and vault empty (1A.23, 1A.24, 1A.62)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    let tap = phone.buy(quantity: 2)
    #expect(tap.isFulfilled, "\(String(describing: tap.result)) \(phone.eventLog.lines)")
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
    #expect(world.charges.count == 1)
    #expect(try world.unfinished(of: phone) == [])
    #expect(try world.coins(of: "anna") == 12)
  }
}
