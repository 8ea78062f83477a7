import AppStoreSimulator
import Counterfoil
import CounterfoilAPI
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Testing

/// The two crossings of 1A.54 and the two windows of 1A.74: a late payment is never mistaken for a current one.
@Suite struct `Orders and transactions` {
  /// Interrupts the purchase of A: it fails, and the terms are accepted after a while.
  private func interruptA(_ phone: Phone, _ world: ClientFixture, consent: TimeSpan) {
    phone.device.account.switches.hasNewTerms = true
    phone.device.nextAnswers(.acceptsTerms(after: consent))
    let tap = phone.buy()
    #expect(tap.error?.code == .storeFailed)
    #expect(tap.error?.storeFailure?.innerCode == 3038)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `are not mixed up when A was interrupted and B of the same product follows (1A.54, first example; S3)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    interruptA(phone, world, consent: .minutes(2))
    // B is tapped while A's terms are still open; A is charged meanwhile, outside the app.
    phone.device.account.switches.hasNewTerms = false
    phone.device.nextAnswers(.agrees(after: .minutes(1)))
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(30))
    #expect(world.charges.count == 2)
    #expect(try world.faults() == [])
    #expect(try world.coins(of: "anna") == 12)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `are not mixed up by a relaunch between A's interruption and B (1A.54, first example; S3)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    interruptA(phone, world, consent: .seconds(20))
    phone.kill()
    world.goOn(for: .minutes(5))
    try phone.launch()
    let tap = phone.buy()
    #expect(tap.isFulfilled)
    world.goOn(for: .minutes(30))
    // Either the tap was answered with A, or B was charged as well; each charge is granted once.
    #expect([1, 2].contains(world.charges.count))
    #expect(try world.coins(of: "anna") == Int64(6 * world.charges.count))
    #expect(try world.faults(leavesOrders: true) == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `are not mixed up when another product is bought in between (1A.54, second example)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    interruptA(phone, world, consent: .minutes(4))
    phone.device.account.switches.hasNewTerms = false
    #expect(phone.buy("coins12").isFulfilled)
    phone.device.nextAnswers(.agrees(after: .minutes(1)))
    #expect(phone.buy("coins6").isFulfilled)
    world.goOn(for: .minutes(30))
    #expect(world.charges.count == 3)
    #expect(try world.faults() == [])
    #expect(try world.coins(of: "anna") == 24)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `are matched when the app was killed before the success dialog (1A.74, window 1; 1A.50; 1A.80; S1)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    _ = phone.tap()
    // The password is typed, the charge is under way, the app is killed.
    world.goOn(until: { !phone.device.sheets.isEmpty })
    world.goOn(for: .milliseconds(2500))
    #expect(phone.device.charges.isEmpty)
    phone.kill()
    world.goOn(for: .minutes(1))
    #expect(phone.device.charges.count == 1, "the charge goes on without the app")
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
    #expect(try world.coins(of: "anna") == 6)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `are matched when the verification was not finished (1A.74, window 2; 1A.65; S10)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    let tap = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.device.serverLink.isUp = false
    world.goOn(for: .seconds(20))
    #expect(tap.result == nil)
    #expect(phone.openRecords.contains { $0.hasPrefix("transaction-") }, "kept before it is sent (1A.34)")
    phone.kill()
    phone.device.serverLink.isUp = true
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `stay apart when the app is killed before the password: nothing is charged (1A.74)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    _ = phone.tap()
    world.goOn(until: { !phone.device.sheets.isEmpty })
    phone.kill()
    world.goOn(for: .minutes(5))
    try phone.launch()
    world.goOn(for: .minutes(5))
    #expect(world.charges.isEmpty)
    #expect(try world.faults(leavesOrders: true) == [])
    phone.kill()
    world.goOn(for: .days(31))
    try phone.launch()
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
  }
}
