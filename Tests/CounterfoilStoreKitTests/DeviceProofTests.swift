import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import HTTPMessages
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import StrictJSON
import Testing

/// Apple signs the requesting device into a transaction. The server can check this only if the device sends its id.
@Suite struct `The device's proof` {
  @Test(arguments: Phone.Interface.allCases)
  func `is sent with each submission without any setting of the app`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    _ = try world.buyOutside(phone, "com.example.coins12", byDevice: true)
    phone.device.comeToForeground()
    world.goOn(for: .minutes(1))
    let submissions = phone.clock.all.map(\.request).filter { $0.target.hasSuffix("/v1/payments/app-store") }
    let ids = try submissions.map { try JSONReader.read($0.body)["deviceVerificationId"]?.string }
    #expect(ids.count >= 2)
    #expect(Set(ids) == [phone.device.identifier.text])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `lets a server that requires it grant a payment that names no order`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture(isStrict: true)
    let phone = try world.phone(interface)
    try phone.launch()
    world.goOn(for: .seconds(1))
    phone.device.appStoreSheets.nextOfferCode(for: "com.example.coins6")
    _ = phone.ask { _ in try? await StoreSheets.redeemOfferCode(in: Screen.newScene()) }
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1 && world.charges.first?.transaction.appAccountToken == nil)
    #expect(try world.faults() == [])
    #expect(try world.coins(of: "anna") == 6)
  }
}
