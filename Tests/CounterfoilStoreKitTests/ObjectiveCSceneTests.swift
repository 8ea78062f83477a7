import CounterfoilStoreKit
import PaymentPrimitives
import SimulatedDevice
import Testing

/// The six queue scenes, by the calls of an app in Objective-C.
@Suite struct `The queue under the face for Objective-C` {
  private func app(_ interface: Phone.Interface, listens: Bool = true) throws -> (ClientFixture, ObjectiveCApp) {
    let world = try ClientFixture()
    let app = ObjectiveCApp(try world.phone(interface), in: world)
    try app.launch(listens: listens)
    world.goOn(for: .minutes(1))
    return (world, app)
  }

  @Test(arguments: Phone.Interface.allCases, `A queue that is looked at before each payment`.Silence.allCases)
  func `reports nothing when nothing is unfinished, and a payment still begins at once (1A.58.1-1A.58.3)`(
    _ interface: Phone.Interface, _ silence: `A queue that is looked at before each payment`.Silence
  ) throws {
    let (world, app) = try app(interface, listens: silence == .listeningTwice)
    app.start()
    if silence == .restoring {
      #expect(app.restores() == true, "there is an answer, though nothing came")
    }
    world.goOn(for: .seconds(1))
    #expect(app.posted.all.isEmpty, "silence")
    let tap = app.tap()
    world.goOn(for: .seconds(5))
    #expect(app.phone.device.sheets.count == 1, "the sheet opens without waiting for a callback")
    world.goOn(for: .minutes(1))
    #expect(tap.value?.state == .fulfilled && app.phone.device.sheets.count == 1 && world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `holds the product's open purchase, which is completed first; the tap charges nothing (1A.57, 1A.58.4)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    _ = app.tap()
    world.goOn(until: { app.phone.device.charges.count == 1 })
    app.phone.device.serverLink.isUp = false
    try app.launch()
    world.goOn(for: .seconds(5))
    app.phone.device.serverLink.isUp = true
    let bought = try #require(app.buy())
    #expect(bought.state == .fulfilled && bought.message.contains("not charged again"))
    world.goOn(for: .minutes(5))
    #expect(world.charges.count == 1)
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `lets a new payment through when the check finds nothing (1A.58.5)`(_ interface: Phone.Interface) throws {
    let (world, app) = try app(interface)
    for count in 1...2 {
      #expect(app.buy()?.state == .fulfilled)
      world.goOn(for: .minutes(1))
      #expect(world.charges.count == count)
    }
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is verified at launch, and sells again (1A.55, 1A.56, 1A.58.6)`(_ interface: Phone.Interface) throws {
    let (world, app) = try app(interface)
    _ = app.tap()
    world.goOn(until: { app.phone.device.charges.count == 1 })
    try app.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults() == [])
    #expect(app.buy()?.state == .fulfilled)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 2)
    #expect(try world.faults() == [])
  }
}
