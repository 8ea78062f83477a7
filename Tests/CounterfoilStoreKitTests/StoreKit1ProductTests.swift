import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import Foundation
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import TestDoubles
import Testing

/// What StoreKit 1's adapter hands to Apple's queue, and the receipt of the bundle.
@Suite struct `A payment of StoreKit 1` {
  private func launched(_ configure: @escaping (inout PurchasingConfiguration) -> Void = { _ in }) throws -> (
    ClientFixture, Phone
  ) {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit1)
    phone.configure = configure
    try phone.launch()
    world.goOn(for: .seconds(5))
    return (world, phone)
  }

  @Test func `is made from the product that the store described, also where a bare id is refused (W4)`() throws {
    let (world, phone) = try launched { $0.storeProducts = ["com.example.coins6"] }
    phone.device.behaviours.needsProducts = true
    #expect(phone.buy(quantity: 2).isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(phone.device.sheets.map(\.hasProduct) == [true])
    #expect(phone.device.sheets.first?.userName != nil && phone.device.sheets.first?.quantity == 2)
    #expect(try world.faults() == [])
  }

  @Test func `is made from the bare id while no product is known, and waits for none (W4, 1A.22)`() throws {
    let (world, phone) = try launched()
    phone.device.behaviours.productsTake = .minutes(2)
    let begin = world.now
    #expect(phone.buy().isFulfilled)
    #expect(world.now - begin < .seconds(30) && phone.device.sheets.map(\.hasProduct) == [false])
    world.goOn(for: .minutes(5))
    #expect(phone.buy().isFulfilled)
    #expect(phone.device.sheets.map(\.hasProduct) == [false, true], "the next tap has the product")
  }

  @Test func `that a bare id could not begin succeeds at the next tap (W4)`() throws {
    let (world, phone) = try launched()
    phone.device.behaviours.needsProducts = true
    #expect(phone.buy().error?.code == .productUnknown)
    world.goOn(for: .minutes(1))
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
  }

  @Test func `is not made from a product of another country (W4)`() throws {
    let (world, phone) = try launched { $0.storeProducts = ["com.example.coins6"] }
    phone.device.behaviours.productsTake = .minutes(2)
    phone.device.move(to: "DEU")
    world.goOn(for: .seconds(1))
    #expect(phone.buy().isFulfilled)
    #expect(phone.device.sheets.map(\.hasProduct) == [false])
  }

  @Test func `keeps no product that the store no longer returns (W4)`() throws {
    let (world, phone) = try launched { $0.storeProducts = ["com.example.coins6"] }
    phone.device.behaviours.unsold = ["com.example.coins6"]
    let listing = phone.ask { await $0.storeProducts(["com.example.coins6"]) }
    #expect(listing?.products.isEmpty == true)
    phone.device.behaviours.unsold = []
    phone.device.behaviours.productsTake = .minutes(2)
    #expect(phone.buy().isFulfilled && phone.device.sheets.map(\.hasProduct) == [false])
    withExtendedLifetime(world) {}
  }

  @Test func `that was begun in the App Store is made from the product that came with it (W4)`() throws {
    let (world, phone) = try launched()
    phone.device.behaviours.needsProducts = true
    let heard = phone.listen()
    world.goOn(for: .seconds(1))
    phone.device.promote("com.example.coins6")
    world.goOn(for: .seconds(5))
    var details = PurchaseDetails()
    for case .promotedPayment(let payment) in heard.all { details.promoted = payment }
    #expect(details.promoted?.product == "com.example.coins6")
    #expect(phone.buy(details: details).isFulfilled)
  }

  /// The evidence of a purchase whose signed form the device does not find.
  private func evidence(receipt file: String?, linkIsUp: Bool = true) throws -> (told: String?, fresh: String?) {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit1)
    phone.device.behaviours.queueIsMute = true
    let process = world.nextProcess()
    let run = phone.device.launch { process.spawn($0) }
    let queue = AppRun.$current.withValue(run) {
      StoreKit1Queue(
        receipt: file.map { name in .file { URL(filePath: name) } } ?? .ofThisApp,
        dependencies: process.dependencies(), start: AdapterStart { run.start($0) })
    }
    let heard = SharedValue<[StoreTransaction]>([])
    run.start { for await entry in await queue.updates() { heard.value.append(entry) } }
    world.goOn(for: .seconds(1))
    let payment = StorePayment(
      product: "com.example.coins6", quantity: 1, token: OrderIdentifier(high: 0x7000, low: 1 << 63 | 5))
    run.start { try? await queue.add(payment) }
    world.goOn(until: { heard.value.contains { $0.state == .purchased } })
    let bought = try #require(heard.value.last { $0.state == .purchased })
    phone.device.appleLink.isUp = linkIsUp
    let fresh = SharedValue<Result<String?, StoreFailure>?>(nil)
    run.start {
      do throws(StoreFailure) {
        fresh.value = .success(try await queue.freshEvidence(of: bought))
      } catch { fresh.value = .failure(error) }
    }
    world.goOn(until: { fresh.value != nil })
    run.end()
    process.kill()
    return (bought.evidence, try fresh.value?.get())
  }

  @Test func `has the receipt of the app's bundle as evidence, and fetches it anew (B22)`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "receipt-\(UUID().uuidString)")
    try Data("receipt".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (told, fresh) = try evidence(receipt: file.path)
    #expect(told == "cmVjZWlwdA==" && fresh == "cmVjZWlwdA==")
  }

  @Test func `has no evidence where the bundle has no receipt, and says when none can be fetched (B22)`() throws {
    let (told, fresh) = try evidence(receipt: nil)
    #expect(told == nil && fresh == nil)
    #expect(throws: StoreFailure.self) { try evidence(receipt: nil, linkIsUp: false) }
  }
}
