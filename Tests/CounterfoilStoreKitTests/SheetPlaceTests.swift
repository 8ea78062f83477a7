import Counterfoil
import CounterfoilStoreKit
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Synchronization
import TestDoubles
import Testing

/// Where the payment sheet opens. Since iOS 18.2 StoreKit must know the place: without it, no sheet opens and StoreKit
/// reports that the customer cancelled (rule SK2-28).
@Suite struct `The payment sheet of StoreKit 2` {
  private func phone(_ world: ClientFixture) throws -> Phone { try world.phone(.storeKit2) }

  @Test func `opens over what the app shows, without any setting of the app`() throws {
    let world = try ClientFixture()
    let phone = try phone(world)
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    #expect(phone.device.sheets.count == 1)
    #expect(!phone.eventLog.has("client.payment.cancelledAtOnce"))
  }

  @Test func `opens over a full-screen cover, not over a view that is being dismissed`() throws {
    let world = try ClientFixture()
    let phone = try phone(world)
    try phone.launch()
    _ = phone.ask { _ in await Screen.coverAll() }
    #expect(phone.ask { _ in await Screen.findsTheCover() } == true)
    #expect(phone.buy().isFulfilled)
  }

  @Test func `opens in the one of two scenes that the customer uses`() throws {
    let world = try ClientFixture()
    let phone = try phone(world)
    try phone.launch()
    _ = phone.ask { _ in await Screen.useSecondScene() }
    #expect(phone.buy().isFulfilled)
  }

  @Test func `opens where the app says`() throws {
    let world = try ClientFixture()
    let phone = try phone(world)
    let (own, asked) = (Screen.newScene(), Counter())
    phone.presenting = {
      asked.add()
      return .scene(own)
    }
    try phone.launch()
    _ = phone.ask { _ in await Screen.hideAll() }
    #expect(phone.buy().isFulfilled)
    #expect(phone.buy().isFulfilled)
    #expect(asked.count == 2, "it is asked for each payment")
  }

  @Test func `does not open when the app shows nothing, and the instant cancellation is logged`() throws {
    let world = try ClientFixture()
    let phone = try phone(world)
    try phone.launch()
    _ = phone.ask { _ in await Screen.leaveForeground() }
    guard case .cancelled = phone.buy().outcome else {
      Issue.record("the store reports that the customer cancelled")
      return
    }
    #expect(phone.device.sheets.isEmpty && world.charges.isEmpty)
    #expect(phone.eventLog.has("client.payment.cancelledAtOnce"))
  }

  @Test func `opens by itself on a system before iOS 18.2`() throws {
    let world = try ClientFixture()
    let phone = try phone(world)
    phone.device.behaviours.findsPlaces = true
    phone.presenting = { nil }
    try phone.launch()
    #expect(phone.buy().isFulfilled)
  }

  @Test func `that the customer closes after two seconds is cancelled, and no missing sheet is logged`() throws {
    let world = try ClientFixture()
    let phone = try phone(world)
    try phone.launch()
    phone.device.nextAnswers(.cancels(after: .seconds(2)))
    guard case .cancelled = phone.buy().outcome else {
      Issue.record("the customer cancelled")
      return
    }
    #expect(phone.device.sheets.count == 1)
    #expect(phone.eventLog.has("client.payment.failed"))
    #expect(!phone.eventLog.has("client.payment.cancelledAtOnce"))
  }
}

/// How often something was asked.
private final class Counter: Sendable {
  private let number = Mutex(0)

  func add() { number.withLock { $0 += 1 } }
  var count: Int { number.withLock { $0 } }
}
