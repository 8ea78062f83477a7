import HTTPMessages
import PaymentDatabase
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import Synchronization
import Testing
import WeChatPaySimulator

@Suite struct `A notification of WeChat Pay over HTTP` {
  private func paid(_ shop: WeChatPayServerFixture) async throws -> (id: String, request: HTTPRequest) {
    let answer = await shop.order()
    try await shop.visit(answer)
    return (answer["id"]?.string ?? "", try await shop.notification())
  }

  private func isFail(_ answer: Answer) -> Bool {
    answer.json.object?.map(\.name) == ["code", "message"] && answer["code"]?.string == "FAIL"
      && answer.fields["Content-Type"] == "application/json"
  }

  @Test func `that does not match its signature is refused in WeChat Pay's form, and grants nothing (A12, A13)`()
    async throws
  {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let (_, request) = try await paid(shop)
      let changes: [@Sendable (inout HTTPRequest) -> Void] = [
        { $0.fields.set("Wechatpay-Signature", nil) }, { $0.fields.set("Wechatpay-Nonce", "x") },
        { $0.fields.set("Wechatpay-Timestamp", "0") }, { $0.fields.set("Wechatpay-Signature", "AAAA") },
        { $0.body.append(0x20) }, { $0.body = [] }, { $0.body = Array("{}".utf8) },
        { $0.fields.add("Wechatpay-Signature", "AAAA") },
      ]
      for (index, change) in changes.enumerated() {
        let answer = await shop.post(request, change)
        #expect(answer.status == 401, "\(index)")
        #expect(isFail(answer), "\(index): \(answer.text)")
        #expect(!answer.text.contains("alice") && !answer.text.contains("1900000001"))
      }
      #expect(await shop.front.coins() == 0)
    }
  }

  @Test func `that cannot be decrypted or read is answered with 400, by an unknown key with 503`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      try await shop.weChatPay.control.plan(PlannedFault(.otherAPIv3Key, of: .paymentNotification))
      let (_, sealed) = try await paid(shop)
      let undecryptable = await shop.post(sealed)
      #expect(undecryptable.status == 400)
      #expect(isFail(undecryptable))
      let unknown = await shop.post(sealed) { $0.fields.set("Wechatpay-Serial", "PUB_KEY_ID_0000000000") }
      #expect(unknown.status == 503)
      #expect(isFail(unknown))
      #expect(await shop.front.coins() == 0)
    }
  }

  @Test func `for an app without a merchant here gets 503 and is sent again (notification_not_ours)`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let (_, request) = try await paid(shop)
      for app in ["other", "nobody", "%73hop-2"] {
        let answer = await shop.post(request, to: "/notifications/wechat-pay/" + app)
        #expect(answer.status == 503)
        #expect(answer.code == "notification_not_ours")
        #expect(answer.fields["Retry-After"] != nil)
        #expect(!answer.text.contains("Apple") && !answer.text.contains("App Store"), "\(answer.text)")
      }
      #expect(await shop.front.ask("POST", "/notifications/wechat-pay", body: request.body).code == "route_unknown")
      #expect(await shop.front.coins() == 0)
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `is accepted with any media type, answered with 204 without a body, and grants once`(
    _ kind: FixtureDatabase
  ) async throws {
    try await kind.withWeChat { (shop) async throws in
      let (id, request) = try await paid(shop)
      for type in ["application/json", "text/plain", "application/x-www-form-urlencoded", ""] {
        let answer = await shop.post(request) { $0.fields.set("Content-Type", type.isEmpty ? nil : type) }
        #expect(answer.status == 204)
        #expect(answer.text.isEmpty)
        #expect(answer.fields["Content-Type"] == nil)
      }
      #expect(await shop.front.coins() == 100)
      let read = await shop.front.ask("GET", "/v1/orders/\(id)", as: shop.front.token())
      #expect(read["state"]?.string == "paid")
      #expect(await shop.front.deliveries().count == 1)
      #expect(try await shop.front.violations() == [])
    }
  }

  @Test func `of 2 MiB is checked, and one byte more is too large`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let (_, request) = try await paid(shop)
      let largest = await shop.post(request) { $0.body = Array(repeating: 0x20, count: 2 << 20) }
      #expect(largest.status == 401)
      let larger = await shop.post(request) { $0.body = Array(repeating: 0x20, count: (2 << 20) + 1) }
      #expect(larger.status == 413)
      #expect(larger.code == "body_too_large")
    }
  }

  @Test func `that is forged counts against its sender, a probe by WeChat Pay does not (A15)`() async throws {
    let shop = try await WeChatPayServerFixture.open(in: WeChatPayServerFixture.impatient().dependencies) {
      $0.settings = {
        $0.rates.notifications = .init(perSecond: 1, burst: 50)
        $0.rates.reserve = .init(perSecond: 1, burst: 1)
      }
    }
    let (_, request) = try await paid(shop)
    var forged: [Int] = []
    for _ in 0..<5 { forged.append(await shop.post(request, from: "192.0.2.9") { $0.body.append(0x20) }.status) }
    // 50 are allowed at once, a forgery costs 21, and the reserve has one.
    #expect(forged == [401, 401, 401, 401, 429])
    var probes: [Int] = []
    for _ in 0..<45 {
      probes.append(
        await shop.post(request, from: "101.226.103.5") {
          $0.fields.set("Wechatpay-Signature", "WECHATPAY/SIGNTEST/" + ($0.fields["Wechatpay-Signature"] ?? ""))
        }.status)
    }
    #expect(Set(probes) == [401])
    #expect(await shop.post(request, from: "101.226.103.5").status == 204)
  }

  @Test func `that cannot be stored is answered with 503, and accepted when it is sent again`() async throws {
    let isDown = Mutex(false)
    let shop = try await WeChatPayServerFixture.open(in: WeChatPayServerFixture.impatient().dependencies) {
      $0.faults = DatabaseFaults(
        transaction: { isDown.withLock { $0 } ? .refused(.unavailable) : .none })
    }
    let (_, request) = try await paid(shop)
    isDown.withLock { $0 = true }
    let down = await shop.post(request)
    #expect(down.status == 503)
    #expect(down.code == "database_unavailable")
    isDown.withLock { $0 = false }
    #expect(await shop.front.coins() == 0)
    #expect(await shop.post(request).status == 204)
    #expect(await shop.front.coins() == 100)
  }

  @Test func `of an unknown kind, or of an order that is not ours, is acknowledged`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      try await shop.weChatPay.control.plan(PlannedFault(.unknownEventType, of: .paymentNotification))
      let (_, strange) = try await paid(shop)
      #expect(await shop.post(strange).status == 204)
      #expect(await shop.front.coins() == 0)
    }
  }
}
