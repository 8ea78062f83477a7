import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The request gate of a simulated WeChat Pay` {
  private let target = "/v3/pay/transactions/out-trade-no/ORD20251009000001?mchid=1900007291"

  private func query(_ counter: WeChatPayCounter, at moment: Timestamp? = nil) -> HTTPRequest {
    counter.request(.transaction(outTradeNo: "ORD20251009000001", mchid: WeChatPayCounter.mchid), at: moment)
  }

  @Test func `refuses an unknown path, and a method that the path does not accept`() async throws {
    let counter = try await WeChatPayCounter()
    #expect(await counter.ask("GET", "/v3/pay/transactions/wap").status == 404)
    #expect(await counter.ask("GET", "/v2/pay").status == 404)
    #expect(await counter.ask("GET", "/v3/pay/../certificates").status == 404)
    #expect(await counter.ask("GET", "/v3/pay/transactions/app").status == 405)
    #expect(await counter.ask("POST", "/v3/certificates").status == 405)
  }

  @Test(arguments: [("User-Agent", 400), ("Accept", 400), ("Authorization", 401), ("Content-Type", 415)])
  func `refuses a request without a header field that it needs`(_ name: String, _ status: Int) async throws {
    let counter = try await WeChatPayCounter()
    var request = counter.request(try .prepay(WeChatPayCounter.order()))
    request.fields.set(name, nil)
    #expect(await counter.service.api.respond(to: request).status == status)
  }

  @Test func `refuses an unsupported answer type, and a body that is too large`() async throws {
    let counter = try await WeChatPayCounter()
    var request = query(counter)
    request.fields.set("Accept", "image/png")
    #expect(await counter.service.api.respond(to: request).status == 406)
    let body = "\"" + String(repeating: "a", count: 70_000) + "\""
    #expect(await counter.ask("POST", "/v3/pay/transactions/app", body: body).status == 413)
  }

  @Test(arguments: ["WECHATPAY2-SM2-WITH-SM3 a=\"b\"", "WECHATPAY2-SHA256-RSA2048", "Bearer x"])
  func `refuses an Authorization that it cannot read`(_ text: String) async throws {
    let counter = try await WeChatPayCounter()
    var request = query(counter)
    request.fields.set("Authorization", text)
    let response = await counter.service.api.respond(to: request)
    #expect(response.status == 401 && response.word == "SIGN_ERROR")
  }

  @Test func `accepts the pairs of an Authorization in any order, with spaces after commas`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.prepay()
    var request = query(counter)
    let authorization = try #require(request.fields["Authorization"])
    let scheme = RequestSignature.scheme + " "
    let pairs = authorization.dropFirst(scheme.count).split(separator: ",")
    for order in [[4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
      request.fields.set("Authorization", scheme + order.map { String(pairs[$0]) }.joined(separator: ", "))
      #expect(await counter.service.api.respond(to: request).status == 200)
    }
  }

  @Test func `refuses unknown and inactive merchants, and certificates of other merchants`() async throws {
    let counter = try await WeChatPayCounter()
    var merchant = WeChatPayCounter.simulated
    merchant.isActive = false
    try await counter.service.control.setMerchant(merchant)
    #expect(await counter.service.api.respond(to: query(counter)).status == 403)
    merchant.isActive = true
    merchant.certificates = [.init(serial: "0A", key: WeChatPayCounter.keyMadeForTests.publicKey)!]
    try await counter.service.control.setMerchant(merchant)
    #expect(await counter.service.api.respond(to: query(counter)).word == "SIGN_ERROR")
    var request = query(counter)
    let other = request.fields["Authorization"]?.replacing("1900007291", with: "1900007292")
    request.fields.set("Authorization", other)
    #expect(await counter.service.api.respond(to: request).word == "SIGN_ERROR")
  }

  @Test(arguments: [(-301, 401), (-300, 404), (300, 404), (301, 401)])
  func `accepts signatures up to 300 seconds away and no further`(_ seconds: Int, _ status: Int) async throws {
    let counter = try await WeChatPayCounter()
    let request = query(counter, at: counter.time.now + .seconds(Int64(seconds)))
    #expect(await counter.service.api.respond(to: request).status == status)
  }

  @Test func `has its own clock that a setting moves, independent of the order clock`() async throws {
    let counter = try await WeChatPayCounter()
    _ = try await counter.service.advanceClock(by: .days(30))
    #expect(await counter.service.api.respond(to: query(counter)).status == 404)
    try await counter.service.setBehaviour(.clockSkewSeconds, to: -301)
    #expect(await counter.service.api.respond(to: query(counter)).word == "SIGN_ERROR")
  }

  @Test func `refuses a changed body or target, and shows the message that it computed`() async throws {
    let counter = try await WeChatPayCounter()
    var request = counter.request(try .prepay(WeChatPayCounter.order()))
    request.body.append(0x20)
    var response = await counter.service.api.respond(to: request)
    #expect(response.status == 401 && response.fields["Request-ID"]?.hasSuffix("-268443699") == true)
    let information = response.json?["detail"]?["sign_information"]
    #expect(information?["url"]?.string == "/v3/pay/transactions/app")
    let stated = try #require(information?["truncated_sign_message"]?.string)
    #expect(stated.hasPrefix("POST\n/v3/pay/transactions/app\n1760000000\n"))
    #expect(information?["sign_message_length"]?.integer ?? 0 > 128)
    request = query(counter)
    request.target += "&a=b"
    response = await counter.service.api.respond(to: request)
    #expect(response.word == "SIGN_ERROR")
  }

  @Test func `refuses an unknown platform key`() async throws {
    let counter = try await WeChatPayCounter()
    let call = WeChatPayCall<PaymentTransaction>.transaction(outTradeNo: "ORD20251009000001", mchid: "1900007291")
    let stranger = PlatformKeyIdentifier("PUB_KEY_ID_0")
    #expect(
      await counter.service.api.respond(to: counter.request(call, platformKey: stranger)).word == "INVALID_REQUEST")
    try await counter.service.control.setKeyPolicy(mode: .certificates)
    #expect(await counter.service.api.respond(to: counter.request(call)).word == "INVALID_REQUEST")
  }

  @Test func `refuses a nonce used within five minutes if a setting demands it`() async throws {
    let counter = try await WeChatPayCounter()
    let request = query(counter)
    #expect(await counter.service.api.respond(to: request).status == 404)
    try await counter.service.setBehaviour(.refuseRepeatedNonces, to: 1)
    #expect(await counter.service.api.respond(to: request).status == 404)
    #expect(await counter.service.api.respond(to: request).word == "SIGN_ERROR")
    counter.time.advance(by: .seconds(300))
    #expect(await counter.service.api.respond(to: query(counter)).status == 404)
  }

  @Test func `answers 429 beyond WeChat Pay's limit per second, or beyond a setting's limit`() async throws {
    let counter = try await WeChatPayCounter()
    let request = query(counter)
    for _ in 0..<600 { #expect(await counter.service.api.respond(to: request).status == 404) }
    let response = await counter.service.api.respond(to: request)
    #expect(response.status == 429 && response.word == "FREQUENCY_LIMITED")
    counter.time.advance(by: .seconds(1))
    #expect(await counter.service.api.respond(to: request).status == 404)
    try await counter.service.setBehaviour(.requestsPerSecond, to: 1)
    #expect(await counter.service.api.respond(to: request).status == 429)
  }

  @Test func `checks the signature before the body`() async throws {
    let counter = try await WeChatPayCounter()
    var request = counter.request(try .prepay(WeChatPayCounter.order()))
    request.body = [0x7B]
    #expect(await counter.service.api.respond(to: request).word == "SIGN_ERROR")
  }

  @Test func `refuses a body of another form, and names the field`() async throws {
    let counter = try await WeChatPayCounter()
    let good = """
      {"appid":"wx2421b1c4370ec43b","mchid":"1900007291","description":"a","out_trade_no":"ORD20251009000001",\
      "notify_url":"https://a.example/n","amount":{"total":600}}
      """
    let cases: [(of: String, with: String, field: String)] = [
      ("{\"appid", "{\"appid\":1,\"appid", "/"), ("\"wx2421b1c4370ec43b\"", "7", "/appid"),
      ("\"description\":\"a\",", "", "/description"), ("\"a\"", "\"a😀\"", "/description"),
      ("ORD20251009000001", "ORD 2025", "/out_trade_no"), ("ORD20251009000001", "ORD", "/out_trade_no"),
      ("{\"total\":600}", "{\"total\":0}", "/amount/total"), ("{\"total\":600}", "{\"total\":6.5}", "/amount/total"),
      ("{\"total\":600}", "{\"total\":600,\"currency\":\"USD\"}", "/amount/currency"),
      ("https://a.example/n", "https://a.example/n?x=1", "/notify_url"),
      ("https://a.example/n", "ftp://a", "/notify_url"),
      ("\"amount\"", "\"time_expire\":\"2025-10-09 16:00\",\"amount\"", "/time_expire"),
      ("\"amount\"", "\"tomorrow\":1,\"amount\"", "/tomorrow"),
      ("\"amount\"", "\"payer\":{\"openid\":\"o\"},\"amount\"", "/payer"), ("1900007291", "1900007292", "/mchid"),
    ]
    for (old, new, field) in cases {
      let response = await counter.ask(
        "POST", "/v3/pay/transactions/app", body: good.replacing(old, with: new, maxReplacements: 1))
      #expect(response.status == 400 && response.word == "PARAM_ERROR", "\(new)")
      #expect(response.json?["detail"]?["field"]?.string == field, "\(new)")
    }
    let other = good.replacing("wx2421b1c4370ec43b", with: "wx0000000000000000")
    #expect(await counter.ask("POST", "/v3/pay/transactions/app", body: other).word == "APPID_MCHID_NOT_MATCH")
    #expect(await counter.ask("POST", "/v3/pay/transactions/app", body: "{").word == "PARAM_ERROR")
    #expect(await counter.ask("POST", "/v3/pay/transactions/app", body: good).status == 200)
  }

  @Test func `requires the payer for JSAPI, and the device with a public address for H5`() async throws {
    let counter = try await WeChatPayCounter()
    let good = """
      {"appid":"wx2421b1c4370ec43b","mchid":"1900007291","description":"a","out_trade_no":"ORD20251009000001",\
      "notify_url":"https://a.example/n","amount":{"total":600}}
      """
    func field(_ path: String, _ body: String) async -> String? {
      await counter.ask("POST", "/v3/pay/transactions/\(path)", body: body).json?["detail"]?["field"]?.string
    }
    #expect(await field("jsapi", good) == "/payer")
    #expect(await field("h5", good) == "/scene_info")
    for address in ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.9", "169.254.1.1", "::1", "fe80::1"] {
      let scene = "\"scene_info\":{\"payer_client_ip\":\"\(address)\",\"h5_info\":{\"type\":\"Wap\"}},\"amount\""
      #expect(await field("h5", good.replacing("\"amount\"", with: scene)) == "/scene_info/payer_client_ip")
    }
  }
}
