import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import SimulatedDevice
import Testing

/// What the client library reads from the real server after purchases through the shipped adapters.
@Suite struct `What a customer owns` {
  private func entitlements(_ phone: Phone) -> [Entitlement]? {
    phone.ask { try? await $0.entitlements() } ?? nil
  }

  private func balances(_ phone: Phone) -> [Balance]? { phone.ask { try? await $0.balances() } ?? nil }

  @Test func `is unknown while the server cannot be reached, and is read again when it can`() throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit2)
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    phone.device.serverLink.isUp = false
    #expect(entitlements(phone) == nil && balances(phone) == nil)
    phone.device.serverLink.isUp = true
    #expect(balances(phone) == [Balance("coin", amount: 6, environment: .simulated)])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is what they bought: coins, a lasting entitlement, and a subscription with its end and its renewal`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture(notifies: true)
    let phone = try world.phone(interface)
    try phone.launch()
    world.goOn(for: .seconds(1))
    #expect(entitlements(phone) == [] && balances(phone) == [])
    for product in ["coins6", "premium", "vip"] as [ProductIdentifier] { #expect(phone.buy(product).isFulfilled) }
    world.goOn(for: .minutes(1))
    #expect(balances(phone) == [Balance("coin", amount: 6, environment: .simulated)])
    let rights = try #require(entitlements(phone)).sorted { $0.entitlement < $1.entitlement }
    #expect(rights.map(\.entitlement) == ["premium", "vip"] && rights.allSatisfy { $0.state == .active })
    #expect(rights.allSatisfy { $0.store == .appStore && $0.environment == .simulated })
    let period = try #require(world.charges.last?.transaction.period)
    #expect(rights.first?.expiresAt == nil && rights.last?.expiresAt == period.expiresDate)
    #expect(rights.last?.willRenew == true && rights.last?.renewsTo == "vip")
    // Another user of this phone sees nothing of it.
    phone.signIn("bert")
    #expect(entitlements(phone) == [] && balances(phone) == [])
  }

  @Test func `includes a cancelled subscription until its end, shown as cancelled, then as expired (1A.68)`() throws {
    let world = try ClientFixture(notifies: true)
    let phone = try world.phone(.storeKit2)
    try phone.launch()
    #expect(phone.buy("vip").isFulfilled)
    world.goOn(for: .minutes(1))
    let line = try #require(world.charges.first?.transaction.id)
    try world.atApple { _ = try await $0.subscriptions.setAutoRenew(line, to: false) }
    world.goOn(for: .minutes(5))
    var vip = try #require(entitlements(phone)?.first)
    #expect(vip.state == .active && vip.willRenew == false)
    world.goOn(for: .days(32))
    vip = try #require(entitlements(phone)?.first)
    #expect(vip.state == .expired && !vip.state.givesAccess)
  }
}
