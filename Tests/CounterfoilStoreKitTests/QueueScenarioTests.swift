import AppStoreSimulator
import Counterfoil
import CounterfoilAPI
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import TestDoubles
import TestTier
import Testing

/// The six queue scenarios and the check before paying (1A.56 to 1A.60). As X1 says, the client enumerates the queue
/// and restores nothing.
@Suite struct `A queue that is looked at before each payment` {
  /// Three scenarios in which a design that waits for a callback hangs: nothing is unfinished, so no callback comes.
  enum Silence: String, CaseIterable, Sendable {
    case listeningTwice = "1A.58.1: listening from launch, and again before paying"
    case restoring = "1A.58.2: nothing at launch, restoring before paying"
    case listeningLate = "1A.58.3: nothing at launch, listening before paying"
  }

  @Test(arguments: Phone.Interface.allCases, Silence.allCases)
  func `reports nothing when nothing is unfinished, and a payment still begins at once`(
    _ interface: Phone.Interface, _ silence: Silence
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch(listens: silence == .listeningTwice)
    world.goOn(for: .minutes(1))
    let heard = phone.listen()
    phone.beginListening()
    if silence == .restoring {
      let report = phone.ask { try? await $0.restorePurchases() }
      #expect(report??.isComplete == true, "there is an answer, though nothing came")
    }
    world.goOn(for: .seconds(1))
    #expect(heard.all.isEmpty, "silence")
    let tap = phone.tap()
    world.goOn(for: .seconds(5))
    #expect(phone.device.sheets.count == 1, "the sheet opens without waiting for a callback")
    world.goOn(for: .minutes(1))
    #expect(tap.isFulfilled, "\(String(describing: tap.result)) \(phone.eventLog.lines)")
    #expect(phone.device.sheets.count == 1)
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `answers at once when it is empty, so no purchase waits for a callback (X1)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    let before = world.now
    let report = phone.ask { await $0.recover(.beforePurchase) }
    #expect(report?.isComplete == true)
    #expect(world.now - before < .seconds(1))
    #expect(phone.buy().isFulfilled)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `lets a new payment through when the check finds nothing (1A.58.5)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 2)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `verifies at launch what the last run left, and sells again (1A.55, 1A.56, 1A.58.6, 1A.29, X6)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    let tap = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.kill()
    #expect(!tap.isFulfilled)

    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 2)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `completes the product's open purchase first; the tap charges nothing (1A.57, 1A.58.4, 1A.60, X13)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.kill()
    // The server cannot be reached at launch: the transaction stays unfinished until the tap.
    phone.device.serverLink.isUp = false
    try phone.launch()
    world.goOn(for: .seconds(5))
    phone.device.serverLink.isUp = true
    let tap = phone.buy()
    guard case .fulfilled(_, recovered: true) = tap.outcome else {
      Issue.record("the tap ended with \(String(describing: tap.result))")
      return
    }
    world.goOn(for: .minutes(5))
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `that holds a refused, an unclaimed and a foreign transaction still sells (X3, X4)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    // Bert pays on this phone, and the app is killed before the charge is known: to Anna it is foreign.
    try phone.launch(as: "bert")
    _ = phone.tap("coins12")
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.kill()
    let refused = try world.buyOutside(phone, "com.example.coins12")
    let unclaimed = try world.buyOutside(phone, "com.example.coins12")
    phone.device.behaviours.spoiled = [refused]
    phone.verdicts = [unclaimed: .unclaimed]

    try phone.launch(as: "anna")
    world.goOn(for: .minutes(1))
    #expect(phone.buy("coins6").isFulfilled)
    // StoreKit 1 itself sells no second piece of a product while one is unfinished (X13).
    if interface == .storeKit2 { #expect(phone.buy("coins12").isFulfilled) }
    world.goOn(for: .minutes(10))
    #expect(!phone.device.finishes.contains(refused), "what is refused is never finished (1A.62, X4)")
    #expect(!phone.device.finishes.contains(unclaimed), "an unclaimed one is never finished (1A.53, X3)")
    #expect(Set(try world.unfinished(of: phone)) == [refused, unclaimed])
    #expect(try world.coins(of: "bert") == 12)
    #expect(try world.coins(of: "anna") >= 6)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is read by one observer, however often the app is started (1A.25)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    for _ in 0..<3 {
      try phone.launch()
      world.goOn(for: .minutes(1))
    }
    let tap = phone.buy()
    #expect(tap.isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(phone.device.finishes.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `of many unfinished purchases is emptied, and each is finished once (1A.47)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    for _ in 0..<Tier.among(test: 25, check: 150, night: 400) {
      _ = try world.buyOutside(phone, "com.example.coins6", byDevice: true)
    }
    try phone.launch()
    world.goOn(for: .hours(2))
    try phone.launch()
    world.goOn(for: .hours(2))
    #expect(phone.device.entries.isEmpty)
    #expect(Set(phone.device.finishes).count == phone.device.finishes.count, "each is finished once")
  }
}
