import Cryptography
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import SigningAuthorities
import SimulationKit
import StrictJSON
import Testing
import WeChatPaySimulator

@Suite struct `Behind a proxy` {
  private static let proxy = "10.0.0.1"
  private static let trusted = TrustedProxies([AddressBlock("10.0.0.0/8"), AddressBlock("::1")].compactMap(\.self))

  @Test func `users, keys and stores are served while anonymous requests use up the address`() async throws {
    let front = try await ServerFixture.open {
      $0.settings = {
        $0.rates.peer = .init(perSecond: 1, burst: 5)
        $0.rates.notifications = .init(perSecond: 1, burst: 5)
      }
    }
    func flood() async -> [Int] {
      var statuses: [Int] = []
      for _ in 0..<50 {
        statuses.append(await front.ask("GET", "/nowhere", from: Self.proxy).status)
        statuses.append(await front.ask("GET", "/v1/balances", as: "cfs_aaaaaaaaaaaa_wrong", from: Self.proxy).status)
        statuses.append(
          await front.ask("POST", "/notifications/app-store", json: .members([]), from: Self.proxy).status)
      }
      return statuses
    }
    #expect(await flood().suffix(20).filter { $0 == 429 }.count >= 13)
    #expect(await front.ask("GET", "/v1/balances", as: front.token(), from: Self.proxy).status == 200)
    let secret = await front.ask(
      "GET", "/v1/balances?userId=alice", as: front.keys.secret, from: Self.proxy)
    #expect(secret.status == 200)
    _ = await flood()
    let signed = TokenMaker(at: front.now())
    let elliptic = signed.token(signed.claims(), kid: "shop-es", by: .es256(TokenMaker.privateKey))
    for _ in 0..<10 {
      #expect(await front.ask("GET", "/v1/balances", as: elliptic, from: Self.proxy).status == 200)
    }
    let order = await front.order()
    for number in 1...10 {
      let notification = TestAppStoreSigner().notification(
        "n\(number)", about: TestAppStoreSigner().transaction("1001", token: order))
      #expect(await front.ask("POST", "/notifications/app-store", json: notification, from: Self.proxy).status == 200)
    }
    #expect(await front.coins() == 100)
  }

  @Test func `forged tokens and notifications use up no more than the address and the reserve`() async throws {
    let front = try await ServerFixture.open {
      $0.settings = {
        $0.rates.peer = .init(perSecond: 1, burst: 1)
        $0.rates.notifications = .init(perSecond: 1, burst: 1)
        $0.rates.reserve = .init(perSecond: 1, burst: 3)
      }
    }
    let stranger = ECDSAPrivateKey(curve: .p256, randomBytes: Array(repeating: 0x77, count: 48))
    let maker = TokenMaker(at: front.now())
    var statuses: [Int] = []
    for number in 0..<10 {
      let forged = maker.token(maker.claims(UserIdentifier("u\(number)")), kid: "shop-es", by: .es256(stranger))
      statuses.append(await front.ask("GET", "/v1/balances", as: forged, from: Self.proxy).status)
    }
    // The rate of the address allows one check. The reserve allows more, but these callers see only 429.
    #expect(statuses == [401] + Array(repeating: 429, count: 9))
    // Each kind has its own reserve.
    #expect(await front.ask("GET", "/v1/balances", as: front.keys.secret, from: Self.proxy).code == "user_missing")
    let notification = TestAppStoreSigner().notification("n1", about: TestAppStoreSigner().transaction("1001"))
    #expect(await front.ask("POST", "/notifications/app-store", json: notification, from: Self.proxy).status == 200)
  }

  @Test func `the payer's address of an H5 order is the one that the proxy names`() async throws {
    let (dependencies, _) = WeChatPayServerFixture.impatient()
    let shop = try await WeChatPayServerFixture.open(in: dependencies) {
      $0.settings = { $0.trustedProxies = Self.trusted }
    }
    func order(_ forwarded: String?, from peer: String, _ key: String) async -> Answer {
      await shop.front.ask(
        "POST", "/v1/orders", as: shop.front.token(),
        json: .members([
          ("productId", "coins.100"), ("store", "weChatPay"), ("tradeType", "H5"), ("platform", "android"),
        ]), fields: forwarded.map { ["X-Forwarded-For": $0, "Idempotency-Key": key] } ?? ["Idempotency-Key": key],
        from: peer)
    }
    func told() async -> String { await shop.weChatPay.exchanges().last?.body ?? "" }
    #expect(await order("10.9.9.9, 203.0.113.7, 10.0.0.2", from: Self.proxy, "1").status == 201)
    #expect(await told().contains("203.0.113.7"))
    // The proxy's own address is not a payer's: WeChat Pay would refuse it.
    #expect(await order(nil, from: Self.proxy, "2").code == "wechat_pay_order_invalid")
    // No other sender may name the payer's address.
    #expect(await order("203.0.113.8", from: "198.51.100.7", "3").status == 201)
    #expect(await told().contains("198.51.100.7"))
    #expect(await told().contains("203.0.113.8") == false)
  }

  @Test func `a field of an untrusted sender is logged once a minute, and counted`() async throws {
    let front = try await ServerFixture.open { $0.settings = { $0.trustedProxies = Self.trusted } }
    func events() -> [[String]] {
      front.recorder.events.filter { $0.name.hasPrefix("forwarded.") }
        .map { event in [event.name] + event.fields.prefix(3).map(\.value) }
    }
    for _ in 0..<5 { await front.ask("GET", "/livez", fields: ["X-Forwarded-For": "1.2.3.4"], from: "192.0.2.9") }
    #expect(events() == [["forwarded.untrusted", "192.0.2.9", "X-Forwarded-For", "1"]])
    front.clock.advance(by: .seconds(61))
    await front.ask("GET", "/livez", fields: ["Forwarded": "for=1.2.3.4"], from: Self.proxy)
    #expect(events().last == ["forwarded.otherField", Self.proxy, "Forwarded", "5"])
    // A clock that is set back suppresses no event.
    front.clock.advance(by: .hours(-1))
    await front.ask("GET", "/livez", fields: ["X-Real-IP": "1.2.3.4"], from: "192.0.2.9")
    #expect(events().count == 3)
    await front.ask("GET", "/livez", fields: ["X-Forwarded-For": "1.2.3.4"], from: Self.proxy)
    await front.ask("GET", "/livez", from: "192.0.2.9")
    #expect(events().count == 3)
    let metrics = await front.ask("GET", "/metrics", as: front.keys.operator)
    #expect(metrics.text.contains("counterfoil_forwarded_unheeded_total 7"))
  }

  @Test func `a request counts as local only if no proxy forwards it`() async throws {
    let front = try await ServerFixture.open { $0.settings = { $0.trustedProxies = Self.trusted } }
    for peer in ["127.0.0.1", "::1", "127.8.0.1", "::ffff:127.0.0.1"] {
      #expect(await front.ask("GET", "/metrics", from: peer).status == 200, "\(peer)")
      for field in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"] {
        #expect(await front.ask("GET", "/metrics", fields: [field: "127.0.0.1"], from: peer).status == 401)
      }
    }
    #expect(await front.ask("GET", "/metrics", from: "192.0.2.1").status == 401)
  }
}
