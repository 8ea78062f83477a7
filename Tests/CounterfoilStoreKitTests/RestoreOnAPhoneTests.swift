import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import SimulatedDevice
import TestDoubles
import Testing

/// What a restore brings through the shipped adapters, by kind of product (article B16, article E13).
@Suite struct `A restore through a shipped adapter` {
  /// A second phone of the same Apple account, with the app started.
  private func secondPhone(of phone: Phone, in world: ClientFixture, as user: UserIdentifier = "anna") throws -> Phone {
    let second = world.secondPhone(of: phone)
    try second.launch(as: user)
    world.goOn(for: .minutes(1))
    return second
  }

  /// A restore that the customer asks for.
  private func restore(_ phone: Phone) -> RecoveryReport? {
    phone.ask { try? await $0.restorePurchases() } ?? nil
  }

  @Test(arguments: Phone.Interface.allCases, [("vip", "com.example.vip"), ("season", "com.example.season")])
  func `brings a running subscription back, whether it renews or not, with evidence (B16)`(
    _ interface: Phone.Interface, _ bought: (product: ProductIdentifier, store: StoreProductIdentifier)
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy(bought.product).isFulfilled)
    world.goOn(for: .minutes(1))
    let second = try secondPhone(of: phone, in: world)
    let queue = try #require(second.queue)
    let entries = try #require(second.ask { _ in try? await queue.restore() } ?? nil)
    #expect(entries.map(\.product) == [bought.store] && entries.first?.state == .restored)
    #expect(entries.first?.evidence?.split(separator: ".").count == 3, "the evidence is signed")

    let report = try #require(restore(second))
    #expect(report.fulfilled == 1 && report.ofOtherAccounts == 0 && report.isComplete)
    #expect(try world.rights(of: "anna") == [bought.product.text], "it is granted once")
    #expect(world.charges.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases, ["vip", "season"] as [ProductIdentifier])
  func `does not give a subscription to another user: it stays with the user who ordered it (B16)`(
    _ interface: Phone.Interface, _ product: ProductIdentifier
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy(product).isFulfilled)
    world.goOn(for: .minutes(1))
    let second = try secondPhone(of: phone, in: world, as: "bert")
    let report = try #require(restore(second))
    #expect(report.ofOtherAccounts == 1, "\(report)")
    #expect(try world.rights(of: "anna") == [product.text] && world.rights(of: "bert") == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `brings each kind back at once: what lasts, what renews, what does not, and no coins (B16)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    for product in ["premium", "vip", "season", "coins6"] as [ProductIdentifier] {
      #expect(phone.buy(product).isFulfilled)
      world.goOn(for: .minutes(1))
    }
    let report = try #require(restore(try secondPhone(of: phone, in: world)))
    #expect(report.fulfilled == 3, "\(report)")
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `brings a subscription that has ended as what it was, and gives no right (B16)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy("season").isFulfilled)
    world.goOn(for: .days(91))
    let second = try secondPhone(of: phone, in: world)
    #expect(restore(second)?.isComplete == true)
    let rights = try #require(second.ask { try? await $0.entitlements() } ?? nil)
    #expect(rights.allSatisfy { !$0.state.givesAccess }, "\(rights)")
  }

  @Test(arguments: Phone.Interface.allCases)
  func `that returns unfinished coins grants them once, and finishes them (E13)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    phone.device.behaviours.restoreShowsUnfinished = true
    try phone.launch()
    #expect(phone.buy("premium").isFulfilled)
    world.goOn(for: .minutes(1))
    // The coins are charged, and the app dies before the server hears of them.
    _ = phone.tap("coins6")
    world.goOn(until: { phone.device.charges.count == 2 })
    phone.kill()
    phone.device.serverLink.isUp = false
    try phone.launch()
    world.goOn(for: .minutes(10))
    let queue = try #require(phone.queue)
    let entries = try #require(phone.ask { _ in try? await queue.restore() } ?? nil)
    let coins = entries.filter { $0.product == "com.example.coins6" }
    #expect(coins.count == 1 && coins.first?.state == .purchased && coins.first?.evidence != nil, "\(entries)")
    #expect(try world.coins(of: "anna") == 0)

    phone.device.serverLink.isUp = true
    let report = try #require(restore(phone))
    #expect(report.fulfilled == 2, "coins and premium: \(report)")
    #expect(!phone.eventLog.lines.contains { $0.hasPrefix("client.finish.didNotStick") })
    world.goOn(for: .minutes(5))
    #expect(try world.coins(of: "anna") == 6 && world.unfinished(of: phone) == [])
    let bought = try #require(world.charges.last?.transaction.id)
    #expect(phone.device.finishes.count { $0 == bought } == 1, "it is finished once")
  }
}
