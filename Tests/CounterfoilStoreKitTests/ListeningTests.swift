import AppStoreSimulator
import Counterfoil
import CounterfoilAPI
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Testing

/// What comes without a tap, and when.
@Suite struct `Listening to the store` {
  @Test(arguments: Phone.Interface.allCases)
  func `does not end with the last record: what is bought elsewhere is granted in the same run (1A.27, X6)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(phone.openRecords == [], "sample code stops listening here")
    let process = try #require(phone.process)
    let bought = try world.buyOutside(phone, "com.example.coins12", byDevice: true)
    phone.device.comeToForeground()
    world.goOn(for: .minutes(1))
    #expect(phone.process === process, "no new start was needed")
    #expect(phone.device.finishes.contains(bought))
    #expect(try world.coins(of: "anna") == 18)
  }

  @Test(arguments: Phone.Interface.allCases, [TimeSpan.seconds(1), .minutes(2), .hours(5)])
  func `has the same result, whenever the customer closes the store's own dialog (X12, 1A.46)`(
    _ interface: Phone.Interface, _ after: TimeSpan
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.nextAnswers(.agrees(after: after))
    _ = phone.tap()
    world.goOn(for: after)
    world.goOn(for: .minutes(10))
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test func `takes an id only from purchased entries, and never matches by another entry's (X9, X11)`() throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit1)
    try phone.launch()
    let queue = try #require(phone.queue)
    // One entry waits for a parent and one is charged, each for another product.
    phone.device.account.switches.asksToBuy = true
    phone.buy("coins12")
    phone.device.account.switches.asksToBuy = false
    phone.device.serverLink.isUp = false
    let charged = try world.buyOutside(phone, "com.example.premium", byDevice: true)
    phone.device.comeToForeground()
    world.goOn(for: .seconds(5))
    let entries = try #require(phone.ask { _ in try? await queue.unfinished() } ?? nil)
    #expect(entries.map(\.state) == [.deferred, .purchased])
    #expect(entries.map(\.id) == [nil, charged])
    phone.device.serverLink.isUp = true
    _ = phone.ask { await $0.recover(.networkBack) }
    world.goOn(for: .minutes(5))
    // Sample code matches any entry of the queue to the stored order: the waiting order would count as paid.
    #expect(phone.records.first { $0.request.product == "coins12" }?.phase == .deferred(serverKnows: true))
    #expect(try world.coins(of: "anna") == 0)
    #expect(try world.owner(of: world.charges[0]) == "anna")
  }
}
