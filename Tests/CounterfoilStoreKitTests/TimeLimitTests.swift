import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Synchronization
import TestDoubles
import Testing

/// These limits hold although Apple's call goes on: none of those calls reacts to cancellation (rule SK2-29).
@Suite struct `A limit of the adapters` {
  @Test func `ends the wait for a product, and opens no sheet when the product arrives late`() throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit2)
    try phone.launch()
    world.goOn(for: .seconds(1))
    phone.device.behaviours.productsTake = .minutes(2)
    let begin = world.now
    let error = try #require(phone.buy().error)
    #expect(error.storeFailure?.kind == .storeUnreachable)
    // Four seconds, plus the time to make the order and to read the queue.
    #expect(world.now - begin < .seconds(8))
    world.goOn(for: .minutes(10))
    #expect(phone.device.sheets.isEmpty && world.charges.isEmpty)
    // The product that came late is known now.
    #expect(phone.buy().isFulfilled)
  }

  /// A queue of StoreKit 1 in its own process, with all its updates.
  private func listening(
    _ world: ClientFixture, _ phone: Phone
  ) -> (queue: StoreKit1Queue, run: AppRun, heard: Entries, end: () -> Void) {
    let process = world.nextProcess()
    let run = phone.device.launch { process.spawn($0) }
    let receipt = AppReceipt(read: { Array("receipt".utf8) }, refresh: { true })
    let queue = AppRun.$current.withValue(run) {
      StoreKit1Queue(
        receipt: receipt, dependencies: process.dependencies(), start: AdapterStart { run.start($0) })
    }
    let heard = Entries()
    run.start { for await entry in await queue.updates() { heard.add(entry) } }
    return (
      queue, run, heard,
      {
        run.end()
        process.kill()
      }
    )
  }

  @Test func `ends the search for evidence, and delays neither later callbacks nor a finish`() throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit1)
    phone.device.behaviours.queueIsMute = true
    let (queue, run, heard, end) = listening(world, phone)
    world.goOn(for: .seconds(1))
    let payment = StorePayment(
      product: "com.example.coins6", quantity: 1, token: OrderIdentifier(high: 0x7000, low: 1 << 63 | 5))
    run.start { try? await queue.add(payment) }
    world.goOn(until: { phone.device.charges.count == 1 })
    // A second payment while the evidence of the first one is looked for.
    run.start { try? await queue.add(StorePayment(product: "com.example.coins12", quantity: 1, token: payment.token)) }
    world.goOn(for: .seconds(1))
    #expect(heard.all.contains { $0.product == "com.example.coins12" && $0.state == .purchasing })
    world.goOn(for: .seconds(20))
    let bought = heard.all.filter { $0.state == .purchased }
    #expect(bought.map(\.evidence) == ["cmVjZWlwdA==", "cmVjZWlwdA=="], "without a search the receipt is the evidence")
    let first = try #require(bought.first)
    let isFinished = SharedValue<Bool?>(nil)
    run.start {
      do throws(StoreFailure) {
        try await queue.finish(first)
        isFinished.value = true
      } catch { isFinished.value = false }
    }
    world.goOn(for: .seconds(20))
    #expect(isFinished.value == true)
    end()
  }

  @Test func `lets updates of StoreKit 2 through although unfinished transactions cannot be read`() throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit2)
    phone.device.behaviours.queueIsMute = true
    let process = world.nextProcess()
    let run = phone.device.launch { process.spawn($0) }
    let queue = AppRun.$current.withValue(run) {
      StoreKit2Queue(dependencies: process.dependencies(), start: AdapterStart { run.start($0) })
    }
    let heard = Entries()
    run.start { for await entry in await queue.updates() { heard.add(entry) } }
    world.goOn(for: .seconds(1))
    phone.device.appStoreSheets.nextOfferCode(for: "com.example.coins6")
    run.start { [device = phone.device] in _ = await device.appStoreSheets.redeemOfferCode() }
    world.goOn(for: .minutes(1))
    #expect(heard.all.contains { $0.product == "com.example.coins6" && $0.state == .purchased })
    run.end()
    process.kill()
  }
}

/// The updates of a queue.
private final class Entries: Sendable {
  private let list = Mutex<[StoreTransaction]>([])

  func add(_ entry: StoreTransaction) { list.withLock { $0.append(entry) } }
  var all: [StoreTransaction] { list.withLock { $0 } }
}
