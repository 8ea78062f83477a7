import AppStoreSimulator
import PaymentPrimitives
import SimulatedDevice
import StrictJSON
import Testing

/// The six queue scenes through the iOS half of the plug-in. Its client listens from `configure` on: an app that
/// listens late configures it late.
@Suite struct `The queue under the Flutter plug-in` {
  private func app(_ interface: Phone.Interface) throws -> (ClientFixture, FlutterApp) {
    let world = try ClientFixture()
    return (world, FlutterApp(try world.phone(interface), in: world))
  }

  private func bought(_ sent: DartSide.Sent) -> JSONValue? { sent.reply.map { Golden.plain($0) } }

  @Test(arguments: Phone.Interface.allCases, `A queue that is looked at before each payment`.Silence.allCases)
  func `reports nothing when nothing is unfinished, and a payment still begins at once (1A.58.1-1A.58.3)`(
    _ interface: Phone.Interface, _ silence: `A queue that is looked at before each payment`.Silence
  ) throws {
    let (world, app) = try app(interface)
    if silence == .listeningTwice { app.start() } else { app.launch() }
    world.goOn(for: .minutes(1))
    // From here on a late one listens, and an early one listens again: a second `configure` is the same client.
    app.begin()
    world.goOn(for: .seconds(1))
    if silence == .restoring {
      #expect(app.answer("restorePurchases") == Golden.reply("reply of restorePurchases"), "there is an answer")
    }
    #expect(app.events.isEmpty, "silence")
    let tap = app.tap()
    world.goOn(for: .seconds(5))
    #expect(app.phone.device.sheets.count == 1, "the sheet opens without waiting for a callback")
    world.goOn(for: .minutes(1))
    #expect(bought(tap) == Golden.reply("reply of purchase: fulfilled"))
    #expect(app.phone.device.sheets.count == 1 && world.charges.count == 1)
    #expect(try world.faults(owner: "alice") == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `lets a new payment through when the check finds nothing (1A.58.5)`(_ interface: Phone.Interface) throws {
    let (world, app) = try app(interface)
    app.start()
    for count in 1...2 {
      let tap = app.tap()
      world.goOn(until: { tap.isDone })
      #expect(bought(tap) == Golden.reply("reply of purchase: fulfilled"))
      world.goOn(for: .minutes(1))
      #expect(world.charges.count == count)
    }
    #expect(try world.faults(owner: "alice") == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is verified at launch, and sells again (1A.55, 1A.56, 1A.58.6)`(_ interface: Phone.Interface) throws {
    let (world, app) = try app(interface)
    app.start()
    _ = app.tap()
    world.goOn(until: { app.phone.device.charges.count == 1 })
    app.start()
    world.goOn(for: .minutes(1))
    #expect(try world.faults(owner: "alice") == [])
    let tap = app.tap()
    world.goOn(until: { tap.isDone })
    #expect(bought(tap) == Golden.reply("reply of purchase: fulfilled"))
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 2)
    #expect(try world.faults(owner: "alice") == [])
  }
}

/// Apple's offers and sheets through the plug-in.
@Suite struct `What only the App Store has, through the Flutter plug-in` {
  private func app(_ interface: Phone.Interface) throws -> (ClientFixture, FlutterApp) {
    let world = try ClientFixture(notifies: true, signsOffers: true)
    let app = FlutterApp(try world.phone(interface), in: world)
    app.start()
    return (world, app)
  }

  private func answer(_ app: FlutterApp, _ world: ClientFixture, _ message: [UInt8]) -> JSONValue? {
    let sent = app.send(message)
    world.goOn(until: { sent.isDone })
    return sent.reply.map { Golden.plain($0) }
  }

  private func buy(_ product: String, _ app: FlutterApp, _ world: ClientFixture) -> JSONValue? {
    answer(
      app, world, Golden.bytes(ofCall: "purchase", Golden.object([("productId", .string(product))])))
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is refused for a user who may not have the offer: no sheet opens, nothing is charged`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    #expect(answer(app, world, Golden.call("purchase: with an offer"))?["code"]?.string == "client_offer_not_allowed")
    #expect(app.phone.device.sheets.isEmpty && world.charges.isEmpty)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `sells with a promotional offer at its price (SK1-25, SK2-27)`(_ interface: Phone.Interface) throws {
    let (world, app) = try app(interface)
    #expect(buy("vipBasic", app, world)?["outcome"]?.string == "fulfilled")
    world.goOn(for: .minutes(1))
    #expect(answer(app, world, Golden.call("purchase: with an offer"))?["outcome"]?.string == "fulfilled")
    world.goOn(for: .minutes(1))
    let charge = try #require(world.charges.last)
    #expect(world.charges.count == 2 && charge.transaction.price.milliunits == 3000)
    #expect(charge.transaction.offer?.offer.identifier == "loyal")
    #expect(try world.owner(of: charge) == "alice")
    #expect(try world.faults(owner: "alice") == [])
  }

  @Test func `asks for a refund of an order, once; the server takes back what Apple refunds (SK2-17)`() throws {
    let (world, app) = try app(.storeKit2)
    #expect(buy("premium", app, world)?["outcome"]?.string == "fulfilled")
    world.goOn(for: .minutes(1))
    #expect(try world.rights(of: "alice") == ["premium"])
    let token = try #require(world.charges.first?.transaction.appAccountToken?.text)
    let message = Golden.bytes(ofCall: "requestRefund", Golden.object([("order", .string(token))]))
    #expect(answer(app, world, message) == Golden.reply("reply of requestRefund: sent"))
    #expect(answer(app, world, message) == Golden.reply("reply of requestRefund: sentBefore"))
    let unknown = answer(app, world, Golden.call("requestRefund"))
    #expect(unknown?["code"]?.string == "client_store_failed", "\(String(describing: unknown))")
    world.goOn(for: .days(3))
    let right = app.answer("entitlements")?.array?.first
    #expect(right?["state"]?.string == "revoked" && right?["givesAccess"]?.bool == false)
  }

  @Test func `opens Apple's sheets for offer codes and subscriptions (SK2-24)`() throws {
    let (world, app) = try app(.storeKit2)
    app.phone.device.appStoreSheets.nextOfferCode(for: "com.example.coins6")
    #expect(app.answer("redeemOfferCode") == Golden.reply("reply of nothing"))
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
    #expect(app.answer("manageSubscriptions") == Golden.reply("reply of nothing"))
    #expect(app.phone.device.appStoreSheets.subscriptionSheets == 1)
  }
}
