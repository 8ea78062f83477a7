import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import SimulatorCore
import TestDoubles
import Testing

/// Apps are killed, phones are wiped, shared and switched, parents decide late, and finishes do not stick.
@Suite struct `A charge` {
  /// A purchase: the app is killed after the charge, before the app learns of it.
  private func paidAndKilled(
    _ interface: Phone.Interface, as user: UserIdentifier = "anna", losesToken: Bool = false
  ) throws -> (ClientFixture, Phone) {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    if losesToken { try world.atApple { try await $0.setBehaviour(.loseTokens, to: 1) } }
    try phone.launch(as: user)
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.kill()
    return (world, phone)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `without its token is matched by the record (1A.50, 1A.51, 1A.80, S1, S2, X14)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone) = try paidAndKilled(interface, losesToken: true)
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(world.charges[0].transaction.appAccountToken == nil)
    #expect(try world.faults() == [])
    #expect(!phone.eventLog.has("client.verdict transaction=\(world.charges[0].transaction.id) verdict=held"))
  }

  @Test(arguments: Phone.Interface.allCases, [false, true])
  func `goes to the user who ordered when another signs in first (1A.36, S7, S20)`(
    _ interface: Phone.Interface, losesToken: Bool
  ) throws {
    let (world, phone) = try paidAndKilled(interface, losesToken: losesToken)
    try phone.launch(as: "bert")
    world.goOn(for: .minutes(5))
    #expect(try world.owner(of: world.charges[0]) == "anna")
    #expect(try world.coins(of: "bert") == 0)
    phone.signIn("anna")
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `waits while no user is signed in (client rule 8)`(_ interface: Phone.Interface) throws {
    let (world, phone) = try paidAndKilled(interface)
    try phone.launch(as: nil)
    world.goOn(for: .minutes(5))
    #expect(phone.device.finishes.isEmpty)
    phone.signIn("anna")
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases, [false, true])
  func `survives an uninstall, and so does its record (1A.30, S19)`(
    _ interface: Phone.Interface, losesToken: Bool
  ) throws {
    let (world, phone) = try paidAndKilled(interface, losesToken: losesToken)
    phone.device.files["vault"] = [1]
    phone.device.uninstall()
    #expect(phone.device.files.names == [], "files do not survive")
    #expect(phone.openRecords.contains { $0.hasPrefix("order-") }, "the Keychain does")
    try phone.launch()
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `from a phone that is never used again is granted through another phone of the account (S19)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone) = try paidAndKilled(interface)
    let second = world.secondPhone(of: phone)
    try second.launch()
    world.goOn(for: .minutes(5))
    #expect(try world.owner(of: world.charges[0]) == "anna")
    #expect(try world.unfinished(of: phone) == [])
    // The first phone starts again: there is nothing left to do, and nothing is granted again.
    try phone.launch()
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `with a finish that does not stick is finished again, and granted once (1A.67, 1A.70, S6)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try world.atApple { try await $0.setBehaviour(.loseFinishes, to: 2) }
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    for _ in 0..<3 {
      world.goOn(for: .minutes(1))
      try phone.launch()
    }
    world.goOn(for: .minutes(1))
    #expect(phone.device.finishes.count == 3)
    #expect(phone.eventLog.has("client.finish.didNotStick"))
    #expect(try world.unfinished(of: phone) == [])
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `with a finish that never reaches Apple is finished at the next launch (1A.70, rule SK1-12)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    world.goOn(for: .milliseconds(1))
    phone.device.appleLink.isUp = false
    world.goOn(for: .minutes(10))
    #expect(try world.owner(of: world.charges[0]) == "anna")
    phone.kill()
    phone.device.appleLink.isUp = true
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.unfinished(of: phone) == [])
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `without a callback is found in the queue (1A.46)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    phone.device.behaviours.losesCallbacks = true
    try phone.launch()
    let tap = phone.buy()
    #expect(tap.isFulfilled, "\(String(describing: tap.result))")
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test func `that comes as result and as update is granted once (SK2-3)`() throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit2)
    phone.device.behaviours.echoes = 5
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
    #expect(!phone.eventLog.has("client.finish.didNotStick"))
  }

  @Test func `that the device cannot verify is still submitted to the server (SK2-12)`() throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit2)
    phone.device.behaviours.cannotVerify = true
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is found by the server's notification when the phone stays silent (S1)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture(notifies: true)
    let phone = try world.phone(interface)
    try phone.launch()
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.kill()
    world.goOn(for: .minutes(5))
    #expect(try world.owner(of: world.charges[0]) == "anna")
    try phone.launch()
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `with a late verdict is retried after 10, 30 and 120 s, then at the next occasion (1A.63, S18, X16)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.device.serverLink.isUp = false
    world.goOn(for: .minutes(10))
    let asked = phone.device.serverLink.crossings
    world.goOn(for: .hours(1))
    #expect(phone.device.serverLink.crossings == asked, "the schedule ends the foreground wait")
    #expect(phone.device.finishes.isEmpty)
    phone.device.serverLink.isUp = true
    _ = phone.ask { await $0.recover(.networkBack) }
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }
}
