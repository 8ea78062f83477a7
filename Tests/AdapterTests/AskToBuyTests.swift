import AppStoreSimulator
import Counterfoil
import SimulatedDevice
import PaymentPrimitives
import SimulationKit
import Testing

/// A parent decides at any later time (1A.45, S15).
@Suite struct `A purchase that waits for a parent` {
  private func asked(_ interface: Phone.Interface) throws -> (AdapterWorld, Phone) {
    let town = try AdapterWorld()
    let phone = try town.phone(interface)
    phone.device.account.switches.asksToBuy = true
    try phone.launch()
    let tap = phone.buy()
    guard case .pendingApproval = tap.outcome else {
      Issue.record("the tap ended with \(String(describing: tap.result))")
      return (town, phone)
    }
    #expect(town.charges.isEmpty)
    #expect(phone.device.account.approvalsPending == 1)
    return (town, phone)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is granted when the parent approves while the app runs (1A.45, S15)`(_ interface: Phone.Interface) throws {
    let (town, phone) = try asked(interface)
    town.goOn(for: .hours(3))
    phone.device.account.answerApproval(true)
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 1)
    #expect(try town.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is granted when the parent approves days later and the app is closed (1A.45, S15)`(
    _ interface: Phone.Interface
  ) throws {
    let (town, phone) = try asked(interface)
    phone.kill()
    town.goOn(for: .days(9))
    phone.device.account.answerApproval(true)
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 1)
    try phone.launch()
    town.goOn(for: .minutes(1))
    #expect(try town.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is granted when the parent approves after a reinstall (S15, S19)`(_ interface: Phone.Interface) throws {
    let (town, phone) = try asked(interface)
    phone.kill()
    phone.device.uninstall()
    town.goOn(for: .days(1))
    phone.device.account.answerApproval(true)
    town.goOn(for: .minutes(1))
    try phone.launch()
    town.goOn(for: .minutes(1))
    #expect(try town.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is granted to the child when another user is signed in by then (S15, S7)`(_ interface: Phone.Interface) throws {
    let (town, phone) = try asked(interface)
    phone.signIn("bert")
    town.goOn(for: .hours(1))
    phone.device.account.answerApproval(true)
    town.goOn(for: .minutes(5))
    #expect(try town.owner(of: town.charges[0]) == "anna")
    #expect(try town.coins(of: "bert") == 0)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `charges nothing when the parent refuses; the app can buy again (1A.45)`(_ interface: Phone.Interface) throws {
    let (town, phone) = try asked(interface)
    phone.device.account.answerApproval(false)
    town.goOn(for: .minutes(5))
    #expect(town.charges.isEmpty)
    #expect(phone.device.entries.isEmpty)
    phone.device.account.switches.asksToBuy = false
    #expect(phone.buy().isFulfilled)
    #expect(town.charges.count == 1)
  }
}
