import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import TestDoubles
import Testing

/// Stopping and starting while calls of Apple's hang: no such call reacts to cancellation (rule SK2-29).
@Suite struct `A client that is stopped while the store is silent` {
  /// A phone whose first run tells when it has ended.
  private func running(_ interface: Phone.Interface) throws -> (ClientFixture, Phone, ended: SharedValue<Bool>) {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch(listens: false)
    let purchasing = try #require(phone.purchasing)
    let ended = SharedValue(false)
    phone.run?.start {
      await purchasing.run()
      ended.value = true
    }
    return (world, phone, ended)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `ends its work at once, and a new start works`(_ interface: Phone.Interface) throws {
    let (world, phone, ended) = try running(interface)
    phone.device.behaviours.queueIsMute = true
    world.goOn(for: .seconds(3))
    _ = phone.ask { await $0.stop() }
    world.goOn(for: .seconds(1))
    #expect(ended.value, "no hung call holds it up")
    phone.device.behaviours.queueIsMute = false
    phone.beginListening()
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `with an open sheet ends its work too, and the payment is found after the new start`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone, ended) = try running(interface)
    phone.device.nextAnswers(.agrees(after: .minutes(1)))
    let tap = phone.tap()
    world.goOn(until: { phone.device.isInSheet })
    _ = phone.ask { await $0.stop() }
    world.goOn(for: .seconds(1))
    #expect(ended.value)
    guard case .awaitingConfirmation = tap.outcome else {
      Issue.record("the tap ended with \(String(describing: tap.result))")
      return
    }
    phone.beginListening()
    world.goOn(for: .minutes(5))
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `whose payment never returns is not held up by it`(_ interface: Phone.Interface) throws {
    let (world, phone, ended) = try running(interface)
    phone.device.nextAnswers(.paysAndNothingIsHeard)
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    _ = phone.ask { await $0.stop() }
    world.goOn(for: .seconds(1))
    #expect(ended.value)
    phone.beginListening()
    world.goOn(for: .minutes(5))
    if interface == .storeKit2 { #expect(try world.coins(of: "anna") == 6) }
    // Until the process ends, StoreKit 1 shows the payment as one whose sheet is open.
    try phone.launch()
    world.goOn(for: .minutes(5))
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `ends the streams that a new subscriber replaces`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch(listens: false)
    let queue = try #require(phone.queue)
    let ended = SharedValue(0)
    phone.run?.start {
      for await _ in await queue.updates() {}
      ended.value += 1
    }
    phone.run?.start {
      for await _ in await queue.promotedPayments() {}
      ended.value += 1
    }
    world.goOn(for: .seconds(1))
    #expect(ended.value == 0)
    phone.run?.start { for await _ in await queue.updates() {} }
    phone.run?.start { for await _ in await queue.promotedPayments() {} }
    world.goOn(for: .seconds(1))
    #expect(ended.value == 2)
  }
}
