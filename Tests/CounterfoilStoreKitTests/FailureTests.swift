import AppStoreSimulator
import Counterfoil
import CounterfoilAPI
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Testing

/// A payment that the store reports as failed may be charged later, so the store's report is never final.
@Suite struct `A payment that fails` {
  @Test(arguments: Phone.Interface.allCases)
  func `because the sandbox interrupts purchases is never charged while the switch is on (1A.78)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.account.switches.interruptsPurchases = true
    phone.device.nextAnswers(.acceptsTerms(after: .seconds(20)))
    #expect(phone.buy().error?.code == .storeFailed)
    world.goOn(for: .minutes(5))
    #expect(world.charges.isEmpty)
    #expect(phone.device.entries.isEmpty, "failed entries are finished (1A.71)")
  }

  @Test(arguments: Phone.Interface.allCases)
  func `as interrupted is granted when terms are accepted with the switch off (1A.52, 1A.78, 1A.48, S4)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.account.switches.interruptsPurchases = true
    phone.device.nextAnswers(.acceptsTerms(after: .seconds(20)))
    #expect(phone.buy().error?.code == .storeFailed)
    #expect(phone.openRecords.contains { $0.hasPrefix("order-") }, "a failure deletes nothing (1A.37)")
    phone.device.account.switches.interruptsPurchases = false
    world.goOn(for: .minutes(5))
    let charge = try #require(world.charges.first)
    #expect((charge.transaction.appAccountToken == nil) == (interface == .storeKit1), "StoreKit 1 loses the token")
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `because it was interrupted is granted when the terms are accepted after a relaunch (1A.52, S4)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.account.switches.needsPaymentMethod = true
    phone.device.nextAnswers(.acceptsTerms(after: .minutes(10)))
    phone.buy()
    phone.kill()
    world.goOn(for: .minutes(1))
    try phone.launch()
    world.goOn(for: .minutes(20))
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `although it was charged is granted when the charge turns up (1A.72, S5, X11)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.nextAnswers(.paysAndConnectionBreaks)
    let tap = phone.buy()
    world.goOn(for: .seconds(1))
    #expect(world.charges.count == 1)
    // StoreKit 2 shows it at the first read; the queue of StoreKit 1 receives it at the next resume or launch.
    #expect(interface == .storeKit2 || tap.error?.code == .storeFailed)
    phone.device.comeToForeground()
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `although it was charged is granted at the next launch, too (1A.47, 1A.72, S5)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.nextAnswers(.paysAndConnectionBreaks)
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.kill()
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `as cancelled although it was charged is granted (1A.43, SK2-5)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.nextAnswers(.paysAndSeemsToCancel)
    phone.buy()
    phone.device.comeToForeground()
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `because the customer gave up is an outcome, and nothing is charged (1A.43, 1A.37)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.nextAnswers(.cancels(after: .seconds(3)))
    let tap = phone.buy()
    guard case .cancelled = tap.outcome else {
      Issue.record("\(String(describing: tap.result))")
      return
    }
    world.goOn(for: .minutes(1))
    #expect(world.charges.isEmpty)
    #expect(phone.device.entries.isEmpty)
    #expect(phone.openRecords.contains { $0.hasPrefix("order-") }, "the order is kept")
  }

  @Test(arguments: Phone.Interface.allCases)
  func `because of a product unknown to the store names that reason, and charges nothing (1A.20, 1A.22, S15)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    let tap = phone.buy("ghost")
    #expect(tap.error?.storeFailure?.kind == .productUnavailable, "\(String(describing: tap.result))")
    let queue = try #require(phone.queue)
    let answer = phone.ask { _ in try? await queue.products(["com.example.coins6", "com.example.ghost"]) }
    #expect(answer??.unknown == ["com.example.ghost"])
    #expect(answer??.products.first?.price?.milliunits == 6000)
    world.goOn(for: .minutes(1))
    #expect(phone.device.entries.isEmpty)
    #expect(phone.buy("coins6").isFulfilled)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `because payments are forbidden never opens a sheet (1A.18)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    phone.device.account.switches.forbidsPayments = true
    try phone.launch()
    #expect(phone.buy().error?.code == .paymentsDisabled)
    #expect(phone.device.sheets.isEmpty)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `because Apple is unreachable says so, and charges nothing (1A.19)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    world.goOn(for: .seconds(5))
    phone.device.appleLink.isUp = false
    let tap = phone.buy()
    #expect(tap.error?.storeFailure?.kind == .storeUnreachable, "\(String(describing: tap.result))")
    #expect(world.charges.isEmpty)
    phone.device.appleLink.isUp = true
    world.goOn(for: .minutes(5))
    #expect(phone.buy().isFulfilled)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `never begins while the Keychain is locked or does not write (1A.31, X7)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    world.goOn(for: .seconds(1))
    phone.device.keychain.isLocked = true
    #expect(phone.buy().error?.code == .vaultUnavailable)
    phone.device.keychain.isLocked = false
    phone.device.keychain.failWrites(1)
    #expect(phone.buy().error?.code == .vaultUnavailable)
    #expect(phone.device.sheets.isEmpty)
    #expect(phone.buy().isFulfilled)
  }
}
