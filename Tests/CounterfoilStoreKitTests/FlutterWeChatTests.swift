import Counterfoil
import CounterfoilURLSession
import CounterfoilWeChat
import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import TestDoubles
import Testing

/// Physical goods through WeChat Pay on iOS, beside fluwx. WeChat's adapter runs on the real main thread, so these run
/// in real time; what it does in each lost callback is tested where it lies, in `CounterfoilTests`.
@Suite struct `The Flutter plug-in beside fluwx` {
  private func pause() async throws { try await Dependencies.ofThisDevice.sleep(.milliseconds(5)) }

  private func app(_ weChat: SheetlessWeChat, in world: ClientFixture) throws -> FlutterApp {
    let app = FlutterApp(try world.phone(.storeKit2), in: world)
    (app.weChat, app.exchange) = (weChat, WeChatShop.exchange { !weChat.sent.isEmpty })
    app.launch(inRealTime: true)
    return app
  }

  @Test(.timeLimit(.minutes(1)))
  func `touches WeChat only after the consent, and takes none of fluwx's links (1A.13)`() async throws {
    let (world, weChat) = (try ClientFixture(), SheetlessWeChat())
    let app = try app(weChat, in: world)
    let refused = try await app.realAnswer("configure")
    #expect(refused?["code"]?.string == "client_configuration_invalid", "without a universal link")
    #expect(try await app.realAnswer("configure: with a universal link") == Golden.reply("reply of nothing"))
    #expect(try await app.realAnswer("setUser") == Golden.reply("reply of nothing"))
    let early = try await app.realAnswer("purchase: at WeChat Pay")
    #expect(early?["code"]?.string?.hasPrefix("client_") == true, "\(String(describing: early))")
    #expect(weChat.registrations == 0 && weChat.sent.isEmpty)
    for _ in 0..<2 { #expect(try await app.realAnswer("consentGiven") == Golden.reply("reply of consentGiven")) }
    #expect(weChat.registrations == 1)
    #expect(weChat.links == 0)
    try await app.stop()
  }

  @Test(.timeLimit(.minutes(1)))
  func `ends the wait with the response that fluwx heard, and believes the server alone (1A.3, 1A.12)`() async throws {
    let (world, weChat) = (try ClientFixture(), SheetlessWeChat())
    let app = try app(weChat, in: world)
    for name in ["configure: with a universal link", "setUser", "consentGiven"] { _ = try await app.realAnswer(name) }
    app.send(Golden.call("listen"), on: FlutterApp.events)
    let sent = app.send("purchase: at WeChat Pay")
    while weChat.sent.isEmpty { try await pause() }
    #expect(weChat.sent.map(\.prepayId) == ["wx000001"])
    #expect(try await app.realAnswer("weChatResponded") == Golden.reply("reply of nothing"))
    while !sent.isDone { try await pause() }
    #expect(sent.reply.map { Golden.plain($0) } == Golden.reply("reply of purchase: fulfilled"))
    for name in ["event orderOpen: created", "event orderOpen: paying", "event openedWeChat", "event orderGranted"] {
      #expect(app.events.contains { $0 == Golden.reply(name) }, "\(name): \(app.events)")
    }
    #expect(weChat.links == 0)
    try await app.stop()
  }
}
