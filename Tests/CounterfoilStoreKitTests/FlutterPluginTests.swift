import Counterfoil
import Flutter
import Foundation
import PaymentPrimitives
import SimulatedDevice
import StrictJSON
import Testing

/// The iOS half of `counterfoil_flutter` on a phone, driven by the messages that its Android half is driven by. Dart
/// and Flutter's channels are stand-ins; plug-in, client and adapters are those that ship.
@Suite struct `The Flutter plug-in on a phone` {
  private func app(
    _ interface: Phone.Interface = .storeKit2, _ configure: String = "configure"
  ) throws -> (ClientFixture, FlutterApp) {
    let world = try ClientFixture()
    let app = FlutterApp(try world.phone(interface), in: world)
    app.start(configure)
    return (world, app)
  }

  private func buy(
    _ interface: Phone.Interface, _ prepare: (Phone) -> Void = { _ in }
  ) throws -> (ClientFixture, FlutterApp, JSONValue?) {
    let (world, app) = try app(interface)
    prepare(app.phone)
    let sent = app.tap()
    world.goOn(until: { sent.isDone })
    return (world, app, sent.reply.map { Golden.plain($0) })
  }

  @Test func `stands on a codec that reads each recorded message as its value, and writes what it read`() {
    #expect(Golden.all.count > 60)
    let codec = FlutterStandardMethodCodec.sharedInstance()
    for message in Golden.all {
      let data = Data(message.bytes)
      switch message.kind {
      case "call":
        let call = codec.decodeMethodCall(data)
        #expect(Golden.plain(call.arguments) == Golden.sorted(message.value), "\(message.name)")
        let again = codec.decodeMethodCall(codec.encode(call))
        #expect(Golden.plain(again.arguments) == Golden.sorted(message.value), "\(message.name)")
      case "success":
        let value = codec.decodeEnvelope(data)
        #expect(Golden.plain(value) == Golden.sorted(message.value), "\(message.name)")
        #expect(Golden.plain(codec.encodeSuccessEnvelope(value)) == Golden.sorted(message.value), "\(message.name)")
      default:
        let error = codec.decodeEnvelope(data) as? FlutterError
        #expect(Golden.plain(error?.details) == Golden.sorted(message.value), "\(message.name)")
      }
    }
  }

  @Test(arguments: Phone.Interface.allCases)
  func `sells through the App Store, and says so in the recorded messages (1A.2-1A.5, 1A.23, 1A.62)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app, reply) = try buy(interface)
    #expect(reply == Golden.reply("reply of purchase: fulfilled"))
    world.goOn(for: .minutes(1))
    for name in [
      "event orderOpen: created, at the App Store", "event orderOpen: paying, at the App Store", "event fulfilled",
      "event orderClosed",
    ] {
      #expect(app.events.contains { $0 == Golden.reply(name) }, "\(name): \(app.events)")
    }
    #expect(app.events.first == Golden.reply("event orderOpen: created, at the App Store"))
    #expect(
      app.ears.asked.first.map { Array($0) }.map { Golden.question($0) } == Golden.question(Golden.call("userToken")))
    #expect(app.answer("recover") == Golden.reply("reply of recover"))
    #expect(try world.faults(owner: "alice") == [])
    #expect(world.charges.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `shows an order that is paid for as open, until the server has judged it (1A.40)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    app.phone.device.nextAnswers(.agrees(after: .minutes(1)))
    let sent = app.tap()
    world.goOn(until: { !app.phone.device.sheets.isEmpty })
    #expect(app.answer("openOrders") == Golden.reply("reply of openOrders: at the App Store"))
    world.goOn(until: { sent.isDone })
    #expect(app.answer("openOrders") == Golden.reply("reply of takeOver: all"))
  }

  @Test(arguments: Phone.Interface.allCases)
  func `tells a cancel, and a purchase that waits for a parent, as outcomes (1A.43, 1A.45)`(
    _ interface: Phone.Interface
  ) throws {
    let (_, _, cancelled) = try buy(interface) { $0.device.nextAnswers(.cancels(after: .seconds(3))) }
    #expect(cancelled == Golden.reply("reply of purchase: cancelled"))
    let (world, app, pending) = try buy(interface) { $0.device.account.switches.asksToBuy = true }
    #expect(pending == Golden.reply("reply of purchase: pendingApproval"))
    while app.phone.device.account.answerApproval(true) {}
    world.goOn(for: .minutes(10))
    #expect(app.events.contains { $0 == Golden.reply("event fulfilled") })
    #expect(try world.faults(owner: "alice") == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `makes two taps one order and one sheet with one result, and refuses another quantity (1A.35, 1A.60)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    let taps = [app.tap(), app.tap()]
    world.goOn(until: { !app.phone.device.sheets.isEmpty })
    let other = app.send(
      Golden.bytes(ofCall: "purchase", Golden.object([("productId", .string("coins.100")), ("quantity", .integer(2))])))
    world.goOn(until: { taps.allSatisfy(\.isDone) && other.isDone })
    for tap in taps { #expect(tap.reply.map { Golden.plain($0) } == Golden.reply("reply of purchase: fulfilled")) }
    #expect(other.reply.map { Golden.plain($0) }?["code"]?.string == "client_purchase_in_progress")
    #expect(app.phone.device.sheets.count == 1)
    #expect(world.charges.count == 1)
    world.goOn(for: .minutes(1))
    #expect(try world.faults(owner: "alice") == [])
  }

  @Test(arguments: Phone.Interface.allCases, LostSheet.all)
  func `asks for lost callbacks itself when the app is in front again: nothing is lost (1A.14, 1A.15, 1A.46)`(
    _ interface: Phone.Interface, _ way: LostSheet
  ) throws {
    let (world, app) = try app(interface)
    let device = app.phone.device
    device.behaviours.losesCallbacks = true
    device.account.switches.needsPaymentMethod = way.mustSignIn
    device.nextAnswers(way.answer)
    let sent = app.tap()
    world.goOn(until: { !device.sheets.isEmpty })
    world.goOn(for: way.backAfter)
    app.comeToForeground()
    world.goOn(for: .minutes(40))
    #expect(sent.isDone)
    let isBought = sent.reply.map { Golden.plain($0) }?["outcome"]?.string == "fulfilled"
    #expect(!isBought || way.isCharged, "never a false “bought”")
    app.comeToForeground()
    world.goOn(for: .minutes(5))
    #expect(world.charges.count == (way.isCharged ? 1 : 0))
    #expect(try world.coins(of: "alice") == (way.isCharged ? 100 : 0))
    app.start()
    world.goOn(for: .minutes(1))
    #expect(try world.faults(owner: "alice", leavesOrders: true) == [])
    #expect(device.sheets.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `ends the wait when another user signs in, and leaves the purchase with the user who made it (1A.36, S7, S20)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    app.phone.device.nextAnswers(.agrees(after: .seconds(20)))
    let sent = app.tap()
    world.goOn(until: { !app.phone.device.sheets.isEmpty })
    let signedIn = app.send(Golden.bytes(ofCall: "setUser", Golden.object([("user", .string("bert"))])))
    world.goOn(until: { signedIn.isDone && sent.isDone })
    #expect(sent.reply.map { Golden.plain($0) } == Golden.reply("reply of purchase: awaitingConfirmation"))
    #expect(app.answer("openOrders") == Golden.reply("reply of takeOver: all"), "bert sees no order of alice")
    #expect(world.charges.isEmpty, "its sheet is still open")
    world.goOn(for: .minutes(10))
    #expect(try world.coins(of: "bert") == 0)
    app.start()
    world.goOn(for: .minutes(10))
    #expect(try world.coins(of: "alice") == 100)
    #expect(try world.faults(owner: "alice") == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `completes what the last run left, and the tap charges nothing (1A.56-1A.58, 1A.60)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app) = try app(interface)
    _ = app.tap()
    world.goOn(until: { app.phone.device.charges.count == 1 })
    app.kill()
    app.phone.device.serverLink.isUp = false
    app.start()
    world.goOn(for: .seconds(5))
    app.phone.device.serverLink.isUp = true
    let sent = app.tap()
    world.goOn(until: { sent.isDone })
    #expect(sent.reply.map { Golden.plain($0) } == Golden.reply("reply of purchase: recovered"))
    world.goOn(for: .minutes(5))
    #expect(world.charges.count == 1)
    #expect(try world.faults(owner: "alice") == [])
  }

  @Test func `takes over the records that the article's code stored, and returns those that cannot be used (1A.32)`()
    throws
  {
    let (world, app) = try app()
    #expect(app.answer("takeOver") == Golden.reply("reply of takeOver: all"))
    #expect(app.answer("takeOver: a number with a slash") == Golden.reply("reply of takeOver: not that one"))
    #expect(app.phone.openRecords.count == 1, "\(app.phone.openRecords)")
    app.kill()
    app.start()
    world.goOn(for: .minutes(1))
    #expect(app.phone.openRecords.count == 1, "it is kept for the import of the team")
  }

  @Test(arguments: Phone.Interface.allCases)
  func `tells what is for sale, what the user has, and what a restore found (1A.18-1A.21, 1A.44)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, app, _) = try buy(interface)
    world.goOn(for: .minutes(1))
    #expect(app.answer("balances") == Golden.reply("reply of balances"))
    #expect(app.answer("entitlements") == Golden.reply("reply of takeOver: all"))
    let products = app.answer("products")
    let coins = products?["products"]?.array?.first { $0["productId"]?.string == "coins.100" }
    #expect(coins?["store"]?.string == "appStore" && coins?["amount"]?.integer == 100, "\(String(describing: coins))")
    #expect(coins?["price"]?.string?.isEmpty == false)
    #expect(Set(coins?.object?.map(\.name) ?? []) == Golden.names(inFirstOf: "reply of products", "products"))
    #expect(products?["unknown"]?.array == [.string("ghost")])
    #expect(app.answer("restorePurchases") == Golden.reply("reply of restorePurchases"))
    let bought = app.send(Golden.bytes(ofCall: "purchase", Golden.object([("productId", .string("premium"))])))
    world.goOn(until: { bought.isDone })
    let right = app.answer("entitlements")?.array?.first
    #expect(right?["entitlement"]?.string == "premium" && right?["givesAccess"]?.bool == true)
    #expect(right?["message"]?.string?.isEmpty == false)
  }
}
