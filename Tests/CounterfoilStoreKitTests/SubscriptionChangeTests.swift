import AppStoreSimulator
import Counterfoil
import PaymentModel
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Testing

/// Another product of a subscription group, bought through the client (rules AS-SUB-7 to AS-SUB-10, SK1-24, SK2-26).
@Suite struct `A subscription that is changed on the phone` {
  /// A phone with a customer who has had a subscription for a while.
  private func subscribed(
    _ interface: Phone.Interface, to product: ProductIdentifier, for span: TimeSpan = .days(1)
  ) throws -> (ClientFixture, Phone, OrderIdentifier) {
    let world = try ClientFixture(notifies: true)
    let phone = try world.phone(interface)
    try phone.launch()
    let tap = phone.buy(product)
    #expect(tap.isFulfilled, "\(String(describing: tap.result))")
    world.goOn(for: span)
    return (world, phone, try #require(tap.outcome?.order))
  }

  @Test(arguments: Phone.Interface.allCases, ["vipBasic", "vipYear"] as [ProductIdentifier])
  func `to a lesser level or another duration charges nothing, reports the change, and leaves no order open`(
    _ interface: Phone.Interface, _ product: ProductIdentifier
  ) throws {
    let (world, phone, first) = try subscribed(interface, to: "vip")
    let tap = phone.buy(product)
    let order = try #require(tap.outcome?.order, "\(String(describing: tap.result))")
    #expect(tap.outcome == .renewalChanged(order) && order != first)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1 && phone.records.isEmpty)
    #expect(try world.rights(of: "anna") == ["vip"])
    #expect(try world.faults() == [])
    // The next period is charged for the chosen product, and belongs to the same user.
    let (latest, end) = try #require(world.charges.last.map { ($0.transaction.id, $0.transaction.period?.expiresDate) })
    world.goOn(for: try #require(end) - .hours(1) - world.now)
    let renewed = try world.atApple { try await $0.subscriptions.renew(latest) }
    #expect(renewed.product == (product == "vipBasic" ? "com.example.vip.basic" : "com.example.vip.year"))
    world.goOn(for: .hours(2))
    phone.device.comeToForeground()
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
    #expect(try world.rights(of: "anna") == (product == "vipBasic" ? ["vip", "vipBasic"] : ["vip"]), "one is over")
  }

  @Test(arguments: Phone.Interface.allCases)
  func `minutes after its purchase, in another process, is still not mistaken for a charge`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone, _) = try subscribed(interface, to: "vip", for: .minutes(1))
    try phone.launch()
    world.goOn(for: .seconds(10))
    let tap = phone.buy("vipBasic")
    #expect(tap.outcome == (tap.outcome?.order).map { .renewalChanged($0) }, "\(String(describing: tap.result))")
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `to a lesser level, seconds after a better one was bought outside the app, is no sale of the lesser one`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone, _) = try subscribed(interface, to: "vipBasic")
    _ = try world.buyOutside(phone, "com.example.vip")
    world.goOn(for: .seconds(8))
    let tap = phone.buy("vipBasic")
    #expect(tap.outcome == (tap.outcome?.order).map { .renewalChanged($0) }, "\(String(describing: tap.result))")
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 2 && phone.records.isEmpty)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `to a lesser level and back again is unchanged and belongs to the order that paid it`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone, first) = try subscribed(interface, to: "vip")
    phone.buy("vipBasic")
    world.goOn(for: .minutes(10))
    let tap = phone.buy("vip")
    #expect(tap.outcome == .fulfilled(first, recovered: true), "\(String(describing: tap.result))")
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1 && phone.records.isEmpty)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases, [("vipBasic", "vip"), ("vip", "vipTwin")])
  func `to a better level, or to an equal one of the same duration, pays its order at once`(
    _ interface: Phone.Interface, _ products: (from: String, to: String)
  ) throws {
    let (world, phone, first) = try subscribed(interface, to: ProductIdentifier(products.from))
    let tap = phone.buy(ProductIdentifier(products.to))
    let order = try #require(tap.outcome?.order)
    #expect(tap.outcome == .fulfilled(order, recovered: false) && order != first)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 2)
    let charge = try #require(world.charges.last)
    #expect(charge.transaction.originalId == world.charges.first?.transaction.id)
    #expect(
      try world.match(of: charge)?.rule == .exact && charge.transaction.appAccountToken?.text == order.appAccountToken)
    #expect(try world.owner(of: charge) == "anna")
    #expect(try world.rights(of: "anna").contains(products.to))
    #expect(try world.faults() == [])
  }
}
