import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import PaymentPrimitives
import Security
import SimulatedDevice
import SimulationKit
import TestDoubles
import Testing

/// The Keychain vault over the shim of Apple's Security framework.
@Suite struct `A Keychain vault` {
  private let world: ClientFixture
  private let phone: Phone

  init() throws {
    world = try ClientFixture()
    phone = try world.phone(.storeKit2)
    try phone.launch()
    phone.device.nextAnswers(.cancels(after: .seconds(1)))
    phone.buy()
  }

  /// Runs something in the app's process.
  private func inApp<Answer: Sendable>(_ body: @escaping @Sendable (KeychainVault) async -> Answer) -> Answer? {
    phone.ask { _ in await body(KeychainVault()) }
  }

  @Test func `refuses to load anything while the device is locked (1A.31, X7)`() {
    phone.device.keychain.isLocked = true
    let failure = inApp { vault -> VaultFailure? in
      do throws(VaultFailure) {
        _ = try await vault.load()
        return nil
      } catch { return error }
    }
    #expect(failure??.explanation.contains("unlocked") == true)
  }

  @Test func `keeps what it cannot read, and names it`() {
    let name = Keychain.Name(service: "counterfoil", account: "order-strange", group: "")
    _ = phone.device.keychain.write { $0[name] = Keychain.Item(data: [1, 2, 3], accessibility: "cku") }
    let contents = inApp { try? await $0.load() }
    #expect(contents??.unreadable == ["order-strange"])
    #expect(contents??.items.count == 1)
    #expect(phone.device.keychain.items[name] != nil)
  }

  @Test func `leaves items of other services alone, and removes a missing item without an error`() {
    let name = Keychain.Name(service: "somebody", account: "order-1", group: "")
    _ = phone.device.keychain.write { $0[name] = Keychain.Item(data: [1], accessibility: "ak") }
    let isDone = inApp { vault -> Bool in
      guard let contents = try? await vault.load() else { return false }
      for item in contents.items { try? await vault.remove(item.name) }
      return (try? await vault.remove("order-gone")) != nil
    }
    #expect(isDone == true)
    #expect(phone.device.keychain.items.keys.sorted() == [name])
  }

  @Test func `is for this device, from the first unlock on, and not in a backup (1A.30, X7)`() {
    let items = phone.device.keychain.items
    #expect(!items.isEmpty)
    #expect(items.values.allSatisfy { $0.accessibility == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly })
    let other = Keychain()
    phone.device.keychain.restored(
      into: other, thisDeviceOnly: [kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly])
    #expect(other.items.isEmpty)
  }
}

/// What comes without a tap in the app.
@Suite struct `An adapter's queue` {
  @Test(arguments: Phone.Interface.allCases)
  func `reports a refused restore, and the app goes on`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    phone.device.behaviours.refusesPassword = true
    try phone.launch()
    let queue = try #require(phone.queue)
    let failure = phone.ask { _ -> StoreFailure? in
      do throws(StoreFailure) {
        _ = try await queue.restore()
        return nil
      } catch { return error }
    }
    #expect(failure??.kind == .cancelled)
    #expect(phone.buy().isFulfilled)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `restores non-consumables with evidence, and no coins`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy("premium").isFulfilled)
    #expect(phone.buy("coins6").isFulfilled)
    world.goOn(for: .minutes(1))
    let second = world.secondPhone(of: phone)
    try second.launch()
    world.goOn(for: .minutes(1))
    let queue = try #require(second.queue)
    let restored = second.ask { _ in try? await queue.restore() } ?? nil
    #expect(restored?.map(\.product) == ["com.example.premium"])
    #expect(restored?.first?.state == .restored)
    #expect(restored?.first?.evidence != nil)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `holds a purchase from the App Store back until the app buys it (rules SK1-21, SK2-19)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    world.goOn(for: .seconds(1))
    let purchasing = try #require(phone.purchasing)
    let seen = SharedValue<PromotedPayment?>(nil)
    phone.run?.start {
      for await event in await purchasing.events() {
        if case .promotedPayment(let payment) = event { seen.value = payment }
      }
    }
    world.goOn(for: .seconds(1))
    phone.device.promote("com.example.coins6")
    world.goOn(for: .seconds(5))
    #expect(seen.value?.product == "com.example.coins6")
    #expect(phone.device.sheets.isEmpty)
    #expect(world.charges.isEmpty)
  }
}
