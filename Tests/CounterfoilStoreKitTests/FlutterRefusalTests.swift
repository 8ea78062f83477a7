import Counterfoil
import Foundation
import PaymentPrimitives
import SimulatedDevice
import StrictJSON
import Testing

/// Bad input and absences at the iOS half of the plug-in: each is a clear error in both languages, and nothing is lost.
@Suite struct `The Flutter plug-in on a phone, asked for what cannot be` {
  /// What is wrong on Android alone: there the store is WeChat Pay.
  private static let bad = Golden.all.map(\.name).filter { $0.hasPrefix("bad ") && $0 != "bad purchase: the App Store" }

  private func app(_ world: ClientFixture) throws -> FlutterApp { FlutterApp(try world.phone(.storeKit2), in: world) }

  private func expectError(_ reply: JSONValue?, _ name: String, isChinese: Bool) {
    let code = reply?["code"]?.string ?? ""
    let message = reply?["message"]?.string ?? ""
    #expect(code.hasPrefix("client_"), "\(name): \(String(describing: reply))")
    #expect(!message.isEmpty && message.contains { $0 > "\u{4e00}" } == isChinese, "\(name): \(message)")
    #expect(reply?["details"]?["explanation"]?.string?.isEmpty == false, "\(name)")
  }

  @Test(arguments: ["configure", "configure: in English"])
  func `answers each bad message with a code and words in the app's language, and opens nothing`(_ configure: String)
    throws
  {
    #expect(Self.bad.count > 20)
    let world = try ClientFixture()
    let app = try app(world)
    app.start(configure)
    for name in Self.bad { expectError(app.answer(name), name, isChinese: configure == "configure") }
    #expect(app.phone.device.sheets.isEmpty)
    #expect(app.phone.openRecords.isEmpty)
    #expect(app.events.isEmpty)
    let sent = app.tap()
    world.goOn(until: { sent.isDone })
    #expect(sent.reply.map { Golden.plain($0) }?["outcome"]?.string == "fulfilled", "it still sells")
  }

  @Test func `starts nothing with a bad configuration, and a good one starts it afterwards`() throws {
    let world = try ClientFixture()
    let app = try app(world)
    app.launch()
    for name in Self.bad where name.hasPrefix("bad configure") {
      expectError(app.answer(name), name, isChinese: false)
    }
    #expect(app.answer("purchase") == Golden.reply("error of purchase: not started"))
    app.send(Golden.call("listen"), on: FlutterApp.events)
    world.goOn(until: { app.ears.events.count == 2 })
    #expect(app.events.first?["code"]?.string == "client_not_running")
    #expect(app.ears.events.last == .some(nil), "the stream ends")
    #expect(app.answer("configure") == Golden.reply("reply of nothing"))
    #expect(app.send("unknown").reply == nil)
  }

  @Test func `keeps the client over a hot restart, and refuses other values`() throws {
    let world = try ClientFixture()
    let app = try app(world)
    app.start()
    world.goOn(for: .seconds(1))
    app.restart()
    world.goOn(for: .seconds(1))
    #expect(app.answer("configure") == Golden.reply("reply of nothing"))
    expectError(app.answer("configure: another server"), "another server", isChinese: true)
    let sent = app.tap()
    world.goOn(until: { sent.isDone })
    #expect(sent.reply.map { Golden.plain($0) } == Golden.reply("reply of purchase: fulfilled"))
    #expect(app.events.isEmpty, "the engine that listened is gone")
  }

  @Test func `tells an app without a token, or with a Dart half that hangs, so that nothing is opened`() throws {
    for isMute in [false, true] {
      let world = try ClientFixture()
      let app = try app(world)
      app.start()
      (app.ears.hasNoToken, app.ears.isMute) = (!isMute, isMute)
      let sent = app.tap()
      world.goOn(until: { sent.isDone })
      let reply = sent.reply.map { Golden.plain($0) }
      #expect(reply?["code"] == Golden.reply("error of purchase: no token")?["code"])
      #expect(reply?["message"] == Golden.reply("error of purchase: no token")?["message"])
      #expect(app.phone.device.sheets.isEmpty)
    }
  }

  @Test func `says that the app has no WeChat, where it has none (1A.1)`() throws {
    let world = try ClientFixture()
    let app = try app(world)
    app.start()
    #expect(app.answer("consentGiven") == .bool(false))
    for name in ["weChatResponded", "purchase: at WeChat Pay"] {
      #expect(app.answer(name)?["code"]?.string == "client_wechat_absent", "\(name)")
    }
  }
}
