import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import TestDoubles
import Testing

/// An app and its extension over one Keychain group (B17): two clients, each with a memory of its own.
@Suite struct `Two processes over one Keychain` {
  private let world: ClientFixture
  private let phone: Phone

  init() throws {
    world = try ClientFixture()
    phone = try world.phone(.storeKit2)
    try phone.launch()
    world.goOn(for: .seconds(5))
  }

  /// A second client over the same Keychain and queue.
  private func other(vault: any Vault = KeychainVault()) throws -> Purchasing {
    let process = try #require(phone.process)
    let run = try #require(phone.run)
    let simulation = world.simulation
    var configuration = PurchasingConfiguration(server: TestShop.address, app: TestShop.id) { wish in
      TestShop.token(for: wish.user, at: simulation.now)
    }
    configuration.platform = "ios"
    let dependencies = process.dependencies()
    let queue = AppRun.$current.withValue(run) {
      StoreKit2Queue(dependencies: dependencies, start: AdapterStart { run.start($0) })
    }
    let purchasing = try Purchasing(
      configuration, queue: queue, vault: vault,
      exchange: phone.device.serverLink.carrying(world.server.exchange), dependencies: dependencies)
    run.start { await purchasing.run() }
    run.start { await purchasing.setUser("anna") }
    world.goOn(for: .seconds(5))
    return purchasing
  }

  private func ask<Value: Sendable>(
    _ client: Purchasing, _ body: @escaping @Sendable (Purchasing) async -> Value
  ) -> Value? {
    phone.ask { _ in await body(client) }
  }

  private func buy(_ client: Purchasing, _ product: ProductIdentifier = "coins6") -> Tap {
    let tap = Tap()
    phone.run?.start {
      do throws(PurchasingError) {
        tap.end(.success(try await client.purchase(product)))
      } catch { tap.end(.failure(error)) }
    }
    world.goOn(until: { tap.result != nil })
    return tap
  }

  private func orders(of client: Purchasing) -> [OrderIdentifier]? {
    ask(client) { await $0.openOrders().map(\.order.id) }
  }

  @Test func `see each other's orders after a recovery`() throws {
    let second = try other()
    phone.device.nextAnswers(.cancels(after: .seconds(1)))
    let order = try #require(buy(second).outcome?.order)
    #expect(orders(of: second) == [order])
    _ = phone.ask { await $0.recover(.userAsked) }
    #expect(phone.ask { await $0.openOrders().map(\.order.id) } == [order])
  }

  @Test func `send the other's orders along with a transaction that has lost its token`() throws {
    let second = try other()
    phone.device.nextAnswers(.cancels(after: .seconds(1)))
    let order = try #require(buy(second).outcome?.order)
    world.goOn(for: .minutes(1))
    _ = try world.buyOutside(phone, "com.example.coins6", byDevice: true)
    _ = phone.ask { await $0.recover(.userAsked) }
    world.goOn(for: .minutes(5))
    let charge = try #require(world.charges.first)
    #expect(try world.owner(of: charge) == "anna")
    #expect(phone.openRecords == [], "order \(order) was paid")
    #expect(try world.faults() == [])
  }

  @Test func `never write a record again that the other has removed`() throws {
    let second = try other()
    phone.device.nextAnswers(.cancels(after: .seconds(1)))
    let order = try #require(buy(second).outcome?.order)
    _ = phone.ask { await $0.recover(.userAsked) }
    let name = try #require(phone.openRecords.first)
    // The first process has completed and removed it; the second one still has it in its memory, and works on it.
    _ = phone.ask { _ in try? await KeychainVault().remove(name) }
    phone.device.nextAnswers(.cancels(after: .seconds(1)))
    let again = buy(second)
    world.goOn(for: .minutes(5))
    #expect(!phone.openRecords.contains(name))
    #expect(again.outcome?.order != order)
    #expect(orders(of: second)?.contains(order) == false)
  }

  @Test func `open no sheet for an order whose record the other removed meanwhile`() throws {
    let vault = MeddledVault()
    let second = try other(vault: vault)
    let error = buy(second).error
    #expect(error?.code == .vaultUnavailable && error?.details.contains("Another process") == true)
    #expect(phone.device.sheets.isEmpty && phone.openRecords == [])
    vault.meddles.value = false
    #expect(buy(second).isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
  }

  @Test func `keep what each has cleared, and forget nothing of the other's list`() throws {
    let second = try other()
    #expect(phone.buy("coins6").isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(buy(second, "coins12").isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(phone.buy("coins6").isFulfilled)
    world.goOn(for: .minutes(1))
    let contents = try #require(phone.ask { _ in try? await KeychainVault().load() } ?? nil)
    let cleared = contents.items.compactMap { if case .cleared(let cleared) = $0 { cleared } else { nil } }
    #expect(Set(cleared.flatMap(\.entries).map(\.key.id)) == Set(world.charges.map(\.transaction.id)))
    #expect(try world.faults() == [])
  }

  @Test func `buy at the same time, and each payment is granted once to the one who paid`() throws {
    let second = try other()
    let (one, two) = (phone.tap("coins6"), Tap())
    phone.run?.start {
      do throws(PurchasingError) {
        two.end(.success(try await second.purchase("coins12")))
      } catch { two.end(.failure(error)) }
    }
    world.goOn(until: { one.result != nil && two.result != nil })
    #expect(one.isFulfilled && two.isFulfilled)
    world.goOn(for: .minutes(10))
    #expect(world.charges.count == 2)
    #expect(try world.faults() == [])
  }

  @Test func `read and replace one item in the Keychain in one step`() throws {
    phone.device.nextAnswers(.cancels(after: .seconds(1)))
    _ = phone.buy()
    let contents = try #require(phone.ask { _ in try? await KeychainVault().load() } ?? nil)
    let item = try #require(contents.items.first)
    #expect(phone.ask { _ in try? await KeychainVault().read(item.name) } == item)
    #expect(phone.ask { _ in try? await KeychainVault().replace(item) } == true)
    let isReplaced = phone.ask { _ -> Bool? in
      let vault = KeychainVault()
      try? await vault.remove(item.name)
      return try? await vault.replace(item)
    }
    #expect(isReplaced == false)
    let left = phone.ask { _ in try? await KeychainVault().read(item.name) }
    #expect(left == .some(nil) && !phone.openRecords.contains(item.name))
  }
}

/// A Keychain from which another process removes each order between the reading of it and the change to it.
private struct MeddledVault: Vault {
  let base = KeychainVault()
  let meddles = SharedValue(true)

  func load() async throws(VaultFailure) -> VaultContents { try await base.load() }
  func write(_ item: VaultItem) async throws(VaultFailure) { try await base.write(item) }
  func remove(_ name: String) async throws(VaultFailure) { try await base.remove(name) }
  func read(_ name: String) async throws(VaultFailure) -> VaultItem? { try await base.read(name) }

  func replace(_ item: VaultItem) async throws(VaultFailure) -> Bool {
    if meddles.value, case .order(let record) = item, record.phase == .paying { try await base.remove(item.name) }
    return try await base.replace(item)
  }
}
