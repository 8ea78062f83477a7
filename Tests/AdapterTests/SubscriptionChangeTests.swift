import AppStoreSimulator
import Counterfoil
import SimulatedDevice
import PaymentModel
import PaymentPrimitives
import SimulationKit
import Testing

/// Another product of a subscription group, bought through the client (rules AS-SUB-7 to AS-SUB-10, SK1-24, SK2-26).
@Suite struct `A subscription that is changed on the phone` {
  /// A phone with a customer who has had a subscription for a while.
  private func subscribed(
    _ interface: Phone.Interface, to product: ProductIdentifier, for span: TimeSpan = .days(1)
  ) throws -> (AdapterWorld, Phone, OrderIdentifier) {
    let town = try AdapterWorld(notifies: true)
    let phone = try town.phone(interface)
    try phone.launch()
    let tap = phone.buy(product)
    #expect(tap.isFulfilled, "\(String(describing: tap.result))")
    town.goOn(for: span)
    return (town, phone, try #require(tap.outcome?.order))
  }

  @Test(arguments: Phone.Interface.allCases, ["vipBasic", "vipYear"] as [ProductIdentifier])
  func `to a lesser level or another duration charges nothing, reports the change, and leaves no order open`(
    _ interface: Phone.Interface, _ product: ProductIdentifier
  ) throws {
    let (town, phone, first) = try subscribed(interface, to: "vip")
    let tap = phone.buy(product)
    let order = try #require(tap.outcome?.order, "\(String(describing: tap.result))")
    #expect(tap.outcome == .renewalChanged(order) && order != first)
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 1 && phone.records.isEmpty)
    #expect(try town.rights(of: "anna") == ["vip"])
    #expect(try town.faults() == [])
    // The next period is charged for the chosen product, and belongs to the same user.
    let (latest, end) = try #require(town.charges.last.map { ($0.transaction.id, $0.transaction.period?.expiresDate) })
    town.goOn(for: try #require(end) - .hours(1) - town.world.now)
    let renewed = try town.atApple { try await $0.renew(latest) }
    #expect(renewed.product == (product == "vipBasic" ? "com.example.vip.basic" : "com.example.vip.year"))
    town.goOn(for: .hours(2))
    phone.device.comeToForeground()
    town.goOn(for: .minutes(5))
    #expect(try town.faults() == [])
    #expect(try town.rights(of: "anna") == (product == "vipBasic" ? ["vip", "vipBasic"] : ["vip"]), "one is over")
  }

  @Test(arguments: Phone.Interface.allCases)
  func `minutes after its purchase, in another process, is still not mistaken for a charge`(
    _ interface: Phone.Interface
  ) throws {
    let (town, phone, _) = try subscribed(interface, to: "vip", for: .minutes(1))
    try phone.launch()
    town.goOn(for: .seconds(10))
    let tap = phone.buy("vipBasic")
    #expect(tap.outcome == (tap.outcome?.order).map { .renewalChanged($0) }, "\(String(describing: tap.result))")
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 1)
    #expect(try town.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `to a lesser level and back again is unchanged and belongs to the order that paid it`(
    _ interface: Phone.Interface
  ) throws {
    let (town, phone, first) = try subscribed(interface, to: "vip")
    phone.buy("vipBasic")
    town.goOn(for: .minutes(10))
    let tap = phone.buy("vip")
    #expect(tap.outcome == .fulfilled(first, recovered: true), "\(String(describing: tap.result))")
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 1 && phone.records.isEmpty)
    #expect(try town.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases, [("vipBasic", "vip"), ("vip", "vipTwin")])
  func `to a better level, or to an equal one of the same duration, pays its order at once`(
    _ interface: Phone.Interface, _ products: (from: String, to: String)
  ) throws {
    let (town, phone, first) = try subscribed(interface, to: ProductIdentifier(products.from))
    let tap = phone.buy(ProductIdentifier(products.to))
    let order = try #require(tap.outcome?.order)
    #expect(tap.outcome == .fulfilled(order, recovered: false) && order != first)
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 2)
    let charge = try #require(town.charges.last)
    #expect(charge.transaction.originalId == town.charges.first?.transaction.id)
    #expect(
      try town.match(of: charge)?.rule == .exact && charge.transaction.appAccountToken?.text == order.appAccountToken)
    #expect(try town.owner(of: charge) == "anna")
    #expect(try town.rights(of: "anna").contains(products.to))
    #expect(try town.faults() == [])
  }
}
