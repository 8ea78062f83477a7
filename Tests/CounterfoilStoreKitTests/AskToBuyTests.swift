import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Testing

/// A parent may decide at any later time (1A.45, S15).
@Suite struct `A purchase that waits for a parent` {
  /// A purchase whose approval is pending.
  private func pendingPurchase(_ interface: Phone.Interface) throws -> (ClientFixture, Phone) {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    phone.device.account.switches.asksToBuy = true
    try phone.launch()
    let tap = phone.buy()
    guard case .pendingApproval = tap.outcome else {
      Issue.record("the tap ended with \(String(describing: tap.result))")
      return (world, phone)
    }
    #expect(world.charges.isEmpty)
    #expect(phone.device.account.approvalsPending == 1)
    return (world, phone)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is granted when the parent approves while the app runs (1A.45, S15)`(_ interface: Phone.Interface) throws {
    let (world, phone) = try pendingPurchase(interface)
    world.goOn(for: .hours(3))
    phone.device.account.answerApproval(true)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is granted when the parent approves days later and the app is closed (1A.45, S15)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone) = try pendingPurchase(interface)
    phone.kill()
    world.goOn(for: .days(9))
    phone.device.account.answerApproval(true)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is granted when the parent approves after a reinstall (S15, S19)`(_ interface: Phone.Interface) throws {
    let (world, phone) = try pendingPurchase(interface)
    phone.kill()
    phone.device.uninstall()
    world.goOn(for: .days(1))
    phone.device.account.answerApproval(true)
    world.goOn(for: .minutes(1))
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is granted to the child if another user has signed in since (S15, S7)`(_ interface: Phone.Interface) throws {
    let (world, phone) = try pendingPurchase(interface)
    phone.signIn("bert")
    world.goOn(for: .hours(1))
    phone.device.account.answerApproval(true)
    world.goOn(for: .minutes(5))
    #expect(try world.owner(of: world.charges[0]) == "anna")
    #expect(try world.coins(of: "bert") == 0)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `charges nothing when the parent refuses; the app can buy again (1A.45)`(_ interface: Phone.Interface) throws {
    let (world, phone) = try pendingPurchase(interface)
    phone.device.account.answerApproval(false)
    world.goOn(for: .minutes(5))
    #expect(world.charges.isEmpty)
    #expect(phone.device.entries.isEmpty)
    phone.device.account.switches.asksToBuy = false
    #expect(phone.buy().isFulfilled)
    #expect(world.charges.count == 1)
  }
}
