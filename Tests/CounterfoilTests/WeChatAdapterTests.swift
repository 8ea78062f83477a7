import Counterfoil
import CounterfoilTesting
import CounterfoilWeChat
import Foundation
import Synchronization
import TestDoubles
import Testing

/// The adapter over a scripted OpenSDK, stepped by the test.
@MainActor private final class Bench {
  let executor = SteppedExecutor()
  let sdk = ScriptedOpenSDK()
  let app: WeChatPayApp<ScriptedOpenSDK>

  init(isRegistered: Bool = true, registering moment: WeChatRegistrationMoment = .atOnce) {
    sdk.state.withLock { $0.acceptsRegistration = isRegistered }
    let executor = executor
    app = WeChatPayApp(
      sdk, appId: "wx0000000000000001", universalLink: "https://pay.example.com/app/",
      registering: moment,
      start: AdapterStart { work in Task(executorPreference: executor) { await work() } })
    settle()
  }

  /// Lets everything happen that can happen.
  func settle() { while executor.step() {} }

  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (WeChatPayApp<ScriptedOpenSDK>) async -> Answer
  ) -> Answer? {
    let answer = SharedValue<Answer?>(nil)
    let app = app
    Task(executorPreference: executor) { answer.value = await question(app) }
    settle()
    return answer.value
  }

  /// The result of an attempt to open WeChat: nil, or the reason for its failure.
  func open(_ request: WeChatPayRequest) -> WeChatFailure? {
    ask { app in
      do throws(WeChatFailure) {
        try await app.open(request)
        return nil
      } catch { return error }
    } ?? nil
  }

  /// Subscribes; returns the numbers received from then on, and -99 at the end of the stream.
  func subscribe() -> SharedValue<[Int]> {
    let heard = SharedValue<[Int]>([])
    let app = app
    Task(executorPreference: executor) {
      for await response in await app.responses() { heard.value.append(response.errCode) }
      heard.value.append(-99)
    }
    settle()
    return heard
  }

  func say(_ errCode: Int, isPayResp: Bool = true) {
    sdk.responses.onResp(isPayResp: isPayResp, errCode: errCode)
    settle()
  }
}

private func request(appId: String = "wx0000000000000001") -> WeChatPayRequest {
  WeChatPayRequest(
    appId: appId, partnerId: "1900000001", prepayId: "wx-prepay-1", packageValue: "Sign=WXPay", nonceStr: "nonce-1",
    timeStamp: 1_767_225_600, sign: "made for tests", signType: "RSA", extData: "order-1")
}

@MainActor @Suite struct `WeChat's adapter opens nothing` {
  @Test func `for an order of another app (1A.7)`() {
    let bench = Bench()
    #expect(bench.open(request(appId: "wx0000000000000002"))?.explanation.contains("wx0000000000000002") == true)
    #expect(bench.sdk.state.withLock { $0.sent.isEmpty })
  }

  @Test(arguments: [(false, true), (true, false)])
  func `if WeChat is not installed, or too old (1A.6)`(isInstalled: Bool, supportsApi: Bool) {
    let bench = Bench()
    bench.sdk.state.withLock { ($0.isInstalled, $0.supportsApi) = (isInstalled, supportsApi) }
    #expect(bench.ask { await $0.isInstalled() } == false)
    #expect(bench.open(request()) != nil)
    #expect(bench.sdk.state.withLock { $0.sent.isEmpty })
  }

  @Test func `if the SDK refused the registration, and names what to check`() {
    let bench = Bench(isRegistered: false)
    #expect(bench.open(request())?.explanation.contains("LSApplicationQueriesSchemes") == true)
    #expect(bench.sdk.state.withLock { $0.sent.isEmpty })
  }

  @Test func `if the customer has not consented, and nothing of the SDK was used by then (W9)`() throws {
    let bench = Bench(registering: .afterConsent)
    bench.sdk.state.withLock { $0.isInstalled = false }
    #expect(bench.ask { await $0.isInstalled() } == true, "nobody asked the SDK")
    #expect(bench.open(request())?.explanation.contains("customerHasConsented") == true)
    let link = try #require(URL(string: "wx0000000000000001://pay"))
    #expect(!bench.app.handleOpenURL(link))
    #expect(!bench.app.handleOpenUniversalLink("https://pay.example.com/app/wx0000000000000001/pay"))
    let isUntouched = bench.sdk.state.withLock { $0.registered.isEmpty && $0.links.isEmpty && $0.sent.isEmpty }
    #expect(isUntouched)

    bench.sdk.state.withLock { $0.isInstalled = true }
    for _ in 0..<2 { bench.app.customerHasConsented() }
    bench.settle()
    #expect(bench.sdk.state.withLock { $0.registered.count } == 1)
    #expect(bench.open(request()) == nil)
    #expect(bench.app.handleOpenURL(link))
  }

  @Test func `and reports an error if WeChat did not open`() {
    let bench = Bench()
    bench.sdk.state.withLock { $0.opens = false }
    #expect(bench.open(request())?.explanation.contains("sendReq") == true)
  }
}

@MainActor @Suite struct `WeChat's adapter` {
  @Test func `fills PayReq with the server's values, by WeChat's names (1A.9)`() throws {
    let bench = Bench()
    #expect(bench.ask { await $0.isInstalled() } == true)
    #expect(bench.open(request()) == nil)
    let sent = try #require(bench.sdk.state.withLock { $0.sent }.first)
    #expect(sent.openID == "wx0000000000000001" && sent.partnerId == "1900000001" && sent.prepayId == "wx-prepay-1")
    #expect(sent.package == "Sign=WXPay" && sent.nonceStr == "nonce-1" && sent.timeStamp == 1_767_225_600)
    #expect(sent.sign == "made for tests" && sent.signType == "RSA" && sent.extData == "order-1")
    #expect("\(sent)" == "payment wx-prepay-1", "payment parameters are not logged")
  }

  @Test func `ignores responses that do not answer a payment (1A.10)`() {
    let bench = Bench()
    let heard = bench.subscribe()
    bench.say(-2, isPayResp: false)
    #expect(heard.value == [])
    bench.say(-2)
    #expect(heard.value == [-2])
  }

  @Test func `delivers each response once, to the current subscriber (1A.8)`() {
    let bench = Bench()
    let early = bench.subscribe()
    bench.say(0)
    let late = bench.subscribe()
    bench.say(-2)
    #expect(early.value == [0, -99], "the earlier subscription has ended")
    #expect(late.value == [-2])
  }

  @Test func `keeps the newest 16 responses that arrived before the first subscriber`() {
    let bench = Bench()
    for number in 1...20 { bench.say(number) }
    #expect(bench.subscribe().value == Array(5...20))
    #expect(bench.subscribe().value == [], "and delivers them once")
  }

  @Test func `receives nothing after its listening was ended, until a new subscriber comes (1A.13)`() {
    let bench = Bench()
    let heard = bench.subscribe()
    _ = bench.ask { await $0.endListening() }
    bench.say(0)
    #expect(heard.value == [-99])
    let again = bench.subscribe()
    bench.say(-2)
    #expect(again.value == [-2])
  }

  @Test func `passes each kind of link to the SDK, which is registered by then`() throws {
    let bench = Bench()
    let heard = bench.subscribe()
    #expect(bench.app.handleOpenURL(try #require(URL(string: "wx0000000000000001://pay/?ret=0"))))
    #expect(bench.app.handleOpenUniversalLink("https://pay.example.com/app/wx0000000000000001/pay?ret=-2"))
    #expect(!bench.app.handleOpenURL(try #require(URL(string: "other://x"))))
    #expect(!bench.app.handleOpenUniversalLink("https://pay.example.com/elsewhere"))
    bench.settle()
    #expect(heard.value == [0, -2])
    #expect(bench.sdk.state.withLock { $0.links.count == 4 && $0.links.allSatisfy(\.isRegistered) })
    #expect(bench.sdk.state.withLock { $0.registered } == ["wx0000000000000001 https://pay.example.com/app/"])
  }
}
