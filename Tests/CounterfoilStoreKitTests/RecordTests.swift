import Counterfoil
import CounterfoilAPI
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import TestDoubles
import Testing

/// What the device stores, and what an app can see of it.
@Suite struct `A record in the Keychain` {
  @Test(arguments: Phone.Interface.allCases)
  func `holds order, product and state, and a cancelled payment changes only the state (1A.32, 1A.37)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.nextAnswers(.cancels(after: .seconds(3)))
    let tap = phone.tap(quantity: 2)
    world.goOn(until: { !phone.device.sheets.isEmpty })
    let open = try #require(phone.records.first)
    let order = try #require(open.order)
    #expect(phone.device.sheets.map { $0.userName?.lowercased() } == [order.id.appAccountToken])
    #expect(open.request.product == "coins6" && open.request.quantity == 2)
    #expect(order.storeProduct == "com.example.coins6")
    #expect(open.phase == .paying, "what sample code calls pending")
    world.goOn(until: { tap.result != nil })
    let after = try #require(phone.records.first)
    #expect(after.phase == .failedOnce, "what sample code calls cancel")
    #expect(after.order == open.order && after.request == open.request && after.user == open.user)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `stays beside a newer one of its product, and only one of them is being paid (1A.35, 1A.39, X5)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.nextAnswers(.cancels(after: .seconds(3)), .agrees(after: .minutes(1)))
    phone.buy()
    let first = phone.tap()
    world.goOn(until: { phone.device.sheets.count == 2 })
    let second = phone.tap()
    world.goOn(until: { second.result != nil })
    #expect(second.error?.code == .purchaseInProgress, "\(String(describing: second.result))")
    #expect(phone.device.sheets.count == 2, "a double tap opens one sheet")
    // Sample code keeps one record for a product: the cancelled order, which may still be charged, would be lost.
    #expect(phone.records.map(\.request.product) == ["coins6", "coins6"])
    #expect(phone.records.map(\.phase) == [.failedOnce, .paying])
    world.goOn(until: { first.result != nil })
    #expect(first.isFulfilled)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is processed at launch, even if the store is silent and there is no tap (1A.26, 1A.29, 1A.65)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.device.serverLink.isUp = false
    world.goOn(for: .seconds(20))
    phone.kill()
    #expect(phone.openRecords.contains { $0.hasPrefix("transaction-") })
    // At the next start Apple cannot be reached and delivers nothing: only the vault has the purchase.
    phone.device.serverLink.isUp = true
    phone.device.appleLink.isUp = false
    phone.device.behaviours.staysSilentAtLaunch = true
    phone.device.behaviours.losesCallbacks = true
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.owner(of: world.charges[0]) == "anna")
    #expect(try world.coins(of: "anna") == 6)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `can be read while it is open, only by its owner, and is shown as pending (1A.40, 1A.41)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    let heard = phone.listen()
    #expect(phone.ask { await $0.openOrders() } == [])
    phone.device.nextAnswers(.agrees(after: .minutes(1)))
    let tap = phone.tap()
    world.goOn(until: { !phone.device.sheets.isEmpty })
    let open = phone.ask { await $0.openOrders() } ?? []
    #expect(open.map(\.phase) == [.paying])
    #expect(open.map(\.product) == ["coins6"] && open.map(\.user) == ["anna"])
    #expect(heard.phases.contains(.paying), "the page shows that payment is under way")
    #expect(heard.grants == 0 && tap.result == nil)
    phone.signIn("bert")
    #expect(phone.ask { await $0.openOrders() } == [], "the next user sees nothing of it")
    phone.signIn("anna")
    world.goOn(for: .minutes(5))
    #expect(phone.ask { await $0.openOrders() } == [])
    #expect(try world.faults() == [])
  }
}
