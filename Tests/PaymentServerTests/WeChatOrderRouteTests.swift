import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPaySimulator

@Suite struct `An order for WeChat Pay over HTTP` {
  @Test(arguments: FixtureDatabase.allCases)
  func `is refused if it cannot be paid there, and WeChat Pay is not asked`(_ kind: FixtureDatabase) async throws {
    try await kind.withWeChat { (shop) async throws in
      let wrong: [(product: String, more: [(String, JSONValue?)], code: String)] = [
        ("apple.only", [], "product_not_sold_at_store"), ("nothing", [], "product_unknown"),
        ("premium", [("quantity", .integer(2))], "quantity_not_allowed"),
        ("coins.100", [("quantity", .integer(11))], "field_invalid"),
        ("coins.100", [("platform", nil)], "wechat_pay_order_invalid"),
        ("coins.100", [("tradeType", "MWEB")], "field_invalid"), ("coins.100", [("tradeType", "app")], "field_invalid"),
        ("coins.100", [("tradeType", "JSAPI")], "wechat_pay_order_invalid"),
        ("coins.100", [("tradeType", "JSAPI"), ("openId", "")], "field_invalid"),
        ("coins.100", [("store", "weChat")], "field_invalid"),
      ]
      for (product, more, code) in wrong {
        let answer = await shop.order(product, more)
        #expect(answer.code == code, "\(product) \(more)")
      }
      let gateway = await shop.order(as: shop.front.keys.secret, [("userId", "alice"), ("tradeType", "H5")])
      #expect(gateway.code == "wechat_pay_order_invalid", "a gateway's own address is not the payer's")
      let elsewhere = await shop.front.ask(
        "POST", CreateOrder.path, as: shop.front.keys.otherSecret,
        json: .members([
          ("productId", "android.only"), ("store", "weChatPay"), ("platform", "android"), ("userId", "alice"),
        ]))
      #expect(elsewhere.code == "store_not_configured")
      #expect(await shop.weChatPay.exchanges().isEmpty)
      #expect(await shop.front.ask("GET", "/v1/orders", as: shop.front.token())["orders"]?.array == [])
    }
  }

  @Test(arguments: ["ios", "iOS", "iPadOS"])
  func `of virtual goods on iOS is refused, of physical goods it is not (1A.1)`(platform: String) async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      for credential in [shop.front.token(), shop.front.keys.secret] {
        let user: JSONValue? = credential == shop.front.keys.secret ? "alice" : nil
        let refused = await shop.order(as: credential, [("platform", .string(platform)), ("userId", user)])
        #expect(refused.status == 403)
        #expect(refused.code == "virtual_goods_need_in_app_purchase")
        #expect(refused["remedy"]?.string?.isEmpty == false)
        let mug = await shop.order("mug", as: credential, [("platform", .string(platform)), ("userId", user)])
        #expect(mug.status == 201)
      }
    }
  }

  @Test func `of virtual goods on iOS is accepted if the app is configured so`() async throws {
    let shop = try await WeChatPayServerFixture.open(in: WeChatPayServerFixture.impatient().dependencies) { changes in
      changes.weChatPay?.sellsVirtualGoodsOnIOS = true
    }
    #expect(await shop.order([("platform", "ios")]).status == 201)
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `for an app returns exactly the nine fields beside the order, and they pay it (1B.2)`(_ kind: FixtureDatabase)
    async throws
  {
    try await kind.withWeChat { (shop) async throws in
      let answer = await shop.order([("quantity", .integer(3))])
      #expect(answer.status == 201)
      let names = answer["weChatPay"]?.object?.map(\.name) ?? []
      #expect(
        names.sorted() == [
          "appId", "extData", "nonceStr", "packageValue", "partnerId", "prepayId", "sign", "signType", "timeStamp",
        ])
      // A number of seconds, as fluwx and the iOS SDK accept it; they would refuse a string.
      #expect(answer["weChatPay"]?["timeStamp"]?.integer == shop.dependencies.now().seconds)
      #expect(answer["weChatPay"]?["packageValue"]?.string == "Sign=WXPay")
      #expect(answer["weChatPay"]?["extData"] == answer["id"])
      #expect(answer["appStore"] == nil)
      #expect(answer["price"]?.text == #"{"amount":1800,"currency":"CNY"}"#)
      #expect(answer["state"]?.string == "awaitingPayment")
      #expect(try await shop.visit(answer).errCode == 0)
      let checked = await shop.check(answer["id"]?.string ?? "")
      #expect(checked["verdict"]?.string == "fulfilled")
      #expect(await shop.front.coins() == 300)
      #expect(try await shop.front.violations() == [])
    }
  }

  @Test func `for a page within WeChat returns its six fields, for that payer alone`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let answer = await shop.order([("tradeType", "JSAPI"), ("openId", "o-alice")])
      let names = answer["weChatPay"]?.object?.map(\.name) ?? []
      #expect(names.sorted() == ["appId", "nonceStr", "package", "paySign", "signType", "timeStamp"])
      #expect(answer["weChatPay"]?["timeStamp"]?.string == "\(shop.dependencies.now().seconds)")
      #expect(answer["weChatPay"]?["appId"]?.string == "wx0000000000000002")
      #expect(try await shop.visit(answer, openid: "o-bob").reason == .otherPayer)
      #expect(try await shop.visit(answer).errCode == 0)
    }
  }

  @Test func `for a browser names the payer's address: the connection's, or the one that a backend names`() async throws
  {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      func told() async -> String { await shop.weChatPay.exchanges().last?.body ?? "" }
      let own = await shop.order(
        [("tradeType", "H5"), ("payerAddress", "203.0.113.99")], from: "198.51.100.7")
      #expect(own["weChatPay"]?.object?.map(\.name) == ["h5Url"])
      #expect(await told().contains("198.51.100.7"))
      #expect(await told().contains("203.0.113.99") == false)
      #expect(try await shop.visit(own).errCode == 0)
      let named = await shop.order(
        as: shop.front.keys.secret,
        [("tradeType", "H5"), ("payerAddress", "203.0.113.99"), ("userId", "bob")], from: "198.51.100.8")
      #expect(named.status == 201)
      #expect(await told().contains("203.0.113.99"))
      #expect(await told().contains("198.51.100.8") == false)
    }
  }

  @Test func `for a QR code returns its text alone`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let answer = await shop.order([("tradeType", "NATIVE"), ("platform", "web")])
      #expect(answer["weChatPay"]?.object?.map(\.name) == ["codeUrl"])
      #expect(try await shop.visit(answer).errCode == 0)
    }
  }

  @Test func `after five open ones is refused with the newest, because that may be being paid`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      var ids: [String] = []
      for _ in 0..<5 {
        ids.append(await shop.order()["id"]?.string ?? "")
        try await shop.dependencies.sleep(.seconds(1))
      }
      let asked = await shop.weChatPay.exchanges().count
      let sixth = await shop.order()
      #expect(sixth.status == 409)
      #expect(sixth.code == "too_many_open_orders")
      #expect(sixth["detail"]?.string?.contains(ids[4]) == true)
      #expect(await shop.weChatPay.exchanges().count == asked)
      // The refusal names the order: its parameters can be fetched again.
      let again = await shop.front.ask("POST", "/v1/orders/\(ids[4])/wechat-pay", as: shop.front.token())
      #expect(again["weChatPay"] != nil)
    }
  }

  @Test(arguments: FixtureDatabase.allCases)
  func `again with one Idempotency-Key is the same order with fresh parameters`(_ kind: FixtureDatabase) async throws {
    try await kind.withWeChat { (shop) async throws in
      let first = await shop.order(fields: ["Idempotency-Key": "k-1"])
      try await shop.dependencies.sleep(.seconds(5))
      let again = await shop.order(fields: ["Idempotency-Key": "k-1"])
      #expect(first.status == 201)
      #expect(again.status == 200)
      #expect(again["id"] == first["id"])
      #expect(again["weChatPay"]?["prepayId"] == first["weChatPay"]?["prepayId"])
      #expect(again["weChatPay"]?["nonceStr"] != first["weChatPay"]?["nonceStr"])
      #expect(
        again["weChatPay"]?["timeStamp"]?.integer == first["weChatPay"]?["timeStamp"]?.integer.map { $0 + 5 })
      #expect(await shop.weChatPay.orders().count == 1)
      let other = await shop.order([("tradeType", "NATIVE")], fields: ["Idempotency-Key": "k-1"])
      #expect(other.code == "idempotency_key_reused")
      #expect(try await shop.visit(again).errCode == 0)
      // The order in its present state: it is paid, so there are no parameters.
      _ = await shop.check(first["id"]?.string ?? "")
      let paid = await shop.order(fields: ["Idempotency-Key": "k-1"])
      #expect(paid["state"]?.string == "paid")
      #expect(paid["weChatPay"] == nil)
    }
  }

  @Test func `that WeChat Pay refuses says why, and is closed`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      var merchant = try #require(await shop.weChatPay.merchants().first)
      merchant.appids = []
      try await shop.weChatPay.control.setMerchant(merchant)
      let answer = await shop.order()
      #expect(answer.status == 422)
      #expect(answer.code == "wechat_pay_prepay_refused")
      #expect(answer["detail"]?.string?.contains("APPID_MCHID_NOT_MATCH") == true, "\(answer.text)")
      let orders = await shop.front.ask("GET", "/v1/orders", as: shop.front.token())["orders"]?.array ?? []
      #expect(orders.map { $0["closeReason"]?.string } == ["prepayRefused"])
    }
  }

  @Test func `exists even if WeChat Pay does not answer, and gets its parameters later`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      try await shop.weChatPay.control.plan(PlannedFault(.unreachable, of: .prepay, count: 2))
      let answer = await shop.order()
      #expect(answer.status == 201)
      #expect(answer["weChatPay"] == nil)
      let id = try #require(answer["id"]?.string)
      let later = await shop.front.ask("POST", "/v1/orders/\(id)/wechat-pay", as: shop.front.token())
      #expect(later.status == 200)
      #expect(try await shop.visit(later).errCode == 0)
    }
  }
}

@Suite struct `Fresh parameters for WeChat` {
  private func prepare(_ shop: WeChatPayServerFixture, _ id: String, as credential: String, body: JSONValue? = nil)
    async
    -> Answer
  {
    await shop.front.ask("POST", "/v1/orders/\(id)/wechat-pay", as: credential, json: body)
  }

  @Test func `are refused for another user's order and for one at the App Store`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let front = shop.front
      let id = await shop.order()["id"]?.string ?? ""
      #expect(await prepare(shop, id, as: front.token(of: "bob")).code == "order_unknown")
      #expect(await prepare(shop, id, as: front.keys.otherSecret).code == "order_unknown")
      #expect(await prepare(shop, id, as: front.keys.publishable).code == "not_allowed")
      #expect(
        await prepare(shop, id, as: front.keys.secret, body: .members([("userId", "bob")])).code == "order_unknown")
      #expect(await prepare(shop, "01890a5d-ac96-774b-bcce-b302099a8057", as: front.token()).code == "order_unknown")
      let apple = await front.order()
      #expect(await prepare(shop, apple, as: front.token()).code == "store_not_configured")
    }
  }

  @Test func `are signed again for the same order; a paid or closed one has none`() async throws {
    try await FixtureDatabase.reference.withWeChat { (shop) async throws in
      let front = shop.front
      let answer = await shop.order()
      let id = answer["id"]?.string ?? ""
      let fresh = await prepare(shop, id, as: front.token())
      #expect(fresh.status == 200)
      #expect(fresh["id"] == answer["id"])
      #expect(fresh["weChatPay"]?["prepayId"] == answer["weChatPay"]?["prepayId"])
      #expect(fresh["weChatPay"]?["nonceStr"] != answer["weChatPay"]?["nonceStr"])
      #expect(fresh["weChatPay"]?["sign"] != answer["weChatPay"]?["sign"])
      let byGateway = await prepare(shop, id, as: front.keys.secret, body: .members([("userId", "alice")]))
      #expect(byGateway["weChatPay"]?["prepayId"] == answer["weChatPay"]?["prepayId"])
      #expect(try await shop.visit(byGateway).errCode == 0)
      _ = await shop.check(id)
      let paid = await prepare(shop, id, as: front.token())
      #expect(paid.status == 200)
      #expect(paid["state"]?.string == "paid")
      #expect(paid["weChatPay"] == nil)
    }
  }
}
