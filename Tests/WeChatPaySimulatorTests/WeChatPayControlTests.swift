import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The control API of a simulated WeChat Pay` {
  private func send(
    _ counter: WeChatPayCounter, _ method: String, path: String, body: String = ""
  ) async -> (status: Int, json: JSONValue) {
    let request = HTTPRequest(method, "/simulator/wechat-pay" + path, body: Array(body.utf8))
    let response = await WeChatPaySimulatorAPI(counter.service).respond(to: request)
    return (response.status, response.json ?? .null)
  }

  @Test(arguments: [
    ("GET", "/nothing", "", 404, "wechat_pay_simulator_route_unknown"),
    ("DELETE", "/orders", "", 405, "wechat_pay_simulator_method_not_allowed"),
    ("GET", "/orders/1900007291/NOSUCHORDER", "", 404, "wechat_pay_simulator_order_unknown"),
    ("GET", "/notifications/x", "", 404, "wechat_pay_simulator_notification_unknown"),
    ("POST", "/notifications/x/send", "", 404, "wechat_pay_simulator_notification_unknown"),
    ("PUT", "/knobs/none", "{\"value\":1}", 404, "wechat_pay_simulator_knob_unknown"),
    ("PUT", "/knobs/notifyNever", "{\"value\":2}", 400, "wechat_pay_simulator_field_invalid"),
    ("PUT", "/knobs/notifyNever", "[]", 400, "wechat_pay_simulator_body_unreadable"),
    ("PUT", "/knobs/notifyNever", "{", 400, "wechat_pay_simulator_body_unreadable"),
    ("POST", "/faults", "{\"fault\":\"none\"}", 400, "wechat_pay_simulator_field_invalid"),
    ("POST", "/clock", "{}", 400, "wechat_pay_simulator_field_invalid"),
    ("POST", "/clock", "{\"rate\":0}", 400, "wechat_pay_simulator_field_invalid"),
    ("PUT", "/merchants/abc", "{\"appids\":[]}", 400, "wechat_pay_simulator_field_invalid"),
    ("PUT", "/merchants/1", "{\"certificates\":[{\"certificate\":\"x\"}]}", 400, "wechat_pay_simulator_field_invalid"),
    ("PUT", "/merchants/1", "{\"testAPIv3Key\":\"short\"}", 400, "wechat_pay_simulator_field_invalid"),
    ("PUT", "/merchants/1", "{\"notificationOrigin\":\"http://a/b\"}", 400, "wechat_pay_simulator_field_invalid"),
    ("PUT", "/keys", "{\"notifications\":{\"from\":\"certificate9\"}}", 400, "wechat_pay_simulator_field_invalid"),
    ("POST", "/cashier", "{\"prepay_id\":\"x\",\"action\":\"steal\"}", 400, "wechat_pay_simulator_field_invalid"),
    ("POST", "/cashier", "{\"action\":\"pay\"}", 400, "wechat_pay_simulator_field_invalid"),
    ("GET", "/orders?limit=0", "", 400, "wechat_pay_simulator_field_invalid"),
    ("GET", "/orders?after=x", "", 400, "wechat_pay_simulator_field_invalid"),
    ("POST", "/refunds/1900007291/RF1/repair", "", 404, "wechat_pay_simulator_order_unknown"),
  ])
  func `refuses with a stable code`(
    _ method: String, _ path: String, _ body: String, _ status: Int, _ code: String
  ) async throws {
    let answer = await send(try await WeChatPayCounter(), method, path: path, body: body)
    #expect(answer.status == status && answer.json["code"]?.string == code)
    #expect(answer.json["remedy"]?.string?.isEmpty == false)
  }

  @Test func `refuses a body that is too large, and answers in Chinese on request`() async throws {
    let counter = try await WeChatPayCounter()
    let large = await send(counter, "POST", path: "/faults", body: String(repeating: " ", count: 70_000))
    #expect(large.status == 413 && large.json["code"]?.string == "wechat_pay_simulator_body_too_large")
    let request = HTTPRequest("GET", "/simulator/wechat-pay/x", fields: ["Accept-Language": "zh-CN,en"])
    let response = await WeChatPaySimulatorAPI(counter.service).respond(to: request)
    #expect(response.json?["title"]?.string == "微信支付模拟器没有此路径。")
  }

  @Test func `lists itself, its behaviour settings, faults and keys`() async throws {
    let counter = try await WeChatPayCounter()
    #expect(await send(counter, "GET", path: "").json["calls"]?.array?.count ?? 0 > 25)
    #expect(await send(counter, "GET", path: "/knobs").json["knobs"]?.array?.count == WeChatPayBehaviour.allCases.count)
    #expect(await send(counter, "GET", path: "/faults").json["faults"]?.array?.count == WeChatPayFault.allCases.count)
    let keys = await send(counter, "GET", path: "/keys").json
    #expect(keys["publicKeyId"]?.string == counter.publicKeyIdentifier && keys["certificates"]?.array?.count == 1)
    let file = await WeChatPaySimulatorAPI(counter.service).respond(
      to: HTTPRequest("GET", "/simulator/wechat-pay/public-key.pem"))
    #expect(try RSAPublicKey(file: file.body) == (await counter.service.platformPublicKey().key))
  }

  @Test func `makes a merchant with all data that a server needs`() async throws {
    let counter = try await WeChatPayCounter()
    let made = await send(counter, "POST", path: "/merchants/1900000109/kit", body: "{\"appids\":[\"wx1\"]}")
    #expect(made.status == 201)
    let key = try RSAPrivateKey(file: Secret((made.json["testPrivateKey"]?.string ?? "").utf8))
    let pem = Array((made.json["certificate"]?.string ?? "").utf8)
    let certificate = try #require(X509Certificate.certificates(inPEM: pem).first)
    let apiV3Key = try APIv3Key(Secret((made.json["testAPIv3Key"]?.string ?? "").utf8))
    let merchant = try MerchantCredentials(
      mchid: "1900000109", certificate: certificate, privateKey: key, apiV3Key: apiV3Key)
    #expect(merchant.certificateSerial.text == made.json["certificateSerial"]?.string)
    let call = WeChatPayCall<PaymentTransaction>.transaction(outTradeNo: "ORDERNUMBER1", mchid: "1900000109")
    let request = call.request(by: merchant, to: .primary, platformKey: nil, at: counter.time.now, nonce: "N")
    #expect(await counter.service.api.respond(to: request).word == "ORDER_NOT_EXIST")
    #expect(await send(counter, "GET", path: "/merchants").json["merchants"]?.array?.count == 2)
    #expect(await send(counter, "POST", path: "/merchants/x/kit", body: "{}").status == 400)
    #expect(
      await send(counter, "POST", path: "/merchants/1900000109/kit", body: "{\"appids\":[\"wx1\"]}").json == made.json)
  }

  @Test func `controls a payment, a fault, the clock and the keys from any language`() async throws {
    let counter = try await WeChatPayCounter()
    let id = try await counter.prepayId()
    guard case .app(let parts) = try counter.handOver(id) else { throw WeChatPayCounter.Missing(what: "parts") }
    let app = """
      {"appId":"\(parts.appId)","partnerId":"\(parts.partnerId)","prepayId":"\(id)","package":"\(parts.package)",\
      "nonceStr":"\(parts.nonceStr)","timeStamp":"\(parts.timeStamp)","sign":"\(parts.sign)"}
      """
    let refused = await send(counter, "POST", path: "/cashier", body: "{\"prepay_id\":\"\(id)\",\"action\":\"pay\"}")
    #expect(refused.json["errCode"]?.integer == -1 && refused.json["reason"]?.string == "otherCashier")
    let path = "/orders/1900007291/ORD20251009000001"
    #expect(await send(counter, "PUT", path: path + "/state", body: "{\"trade_state\":\"USERPAYING\"}").status == 204)
    #expect(await send(counter, "GET", path: path).json["trade_state"]?.string == "USERPAYING")
    #expect(await send(counter, "PUT", path: path + "/state", body: "{\"trade_state\":\"NOTPAY\"}").status == 204)
    let paid = await send(
      counter, "POST", path: "/cashier", body: "{\"app\":\(app),\"action\":\"pay\",\"openid\":\"o\"}")
    #expect(paid.status == 200 && paid.json["errCode"]?.integer == 0)
    #expect(await send(counter, "GET", path: "/orders?mchid=1900007291&limit=1").json["more"]?.bool == false)
    _ = try await counter.delivered()
    let list = await send(counter, "GET", path: "/notifications").json["notifications"]?.array
    let told = try #require(list?.first?["id"]?.string)
    #expect(await send(counter, "GET", path: "/notifications/\(told)").json["header"]?["Wechatpay-Signature"] != nil)
    #expect(await send(counter, "POST", path: "/notifications/\(told)/send").status == 202)
    #expect(try await counter.delivered().count == 1)
    #expect(
      await send(counter, "POST", path: "/faults", body: "{\"fault\":\"systemError\",\"count\":\"always\"}").status
        == 201)
    #expect(await counter.query().error?.code == .systemError)
    #expect(await send(counter, "DELETE", path: "/faults").status == 204)
    #expect(await counter.query().answer != nil)
    #expect(
      await send(counter, "PUT", path: "/knobs/queryLagSeconds", body: "{\"value\":30}").json["value"]?.integer == 30)
    #expect(await send(counter, "POST", path: "/clock", body: "{\"advanceSeconds\":86400}").status == 200)
    #expect(await send(counter, "POST", path: "/clock", body: "{\"rate\":60}").json["rate"]?.integer == 60)
    #expect(await send(counter, "POST", path: "/clock", body: "{\"reset\":true}").json["rate"]?.integer == 1)
    #expect(await send(counter, "POST", path: "/keys/certificates").json["name"]?.string == "certificate2")
    let signing = "{\"from\":\"certificate1\",\"to\":\"certificate2\",\"permille\":10}"
    let keys = "{\"mode\":\"certificates\",\"notifications\":\(signing)}"
    #expect(await send(counter, "PUT", path: "/keys", body: keys).json["policy"]?["mode"]?.string == "certificates")
    #expect(await send(counter, "GET", path: "/exchanges").json["exchanges"]?.array?.isEmpty == false)
    #expect(await send(counter, "DELETE", path: "/exchanges").status == 204)
    #expect(await send(counter, "GET", path: "/refunds").json["refunds"]?.array?.isEmpty == true)
  }

  @Test func `separates its requests from other requests on one listener`() {
    for target in [
      "/v3/certificates", "/v3/x/../y", "/cashier", "/cashier/h5?prepay_id=1", "/simulator/wechat-pay/orders",
    ] {
      #expect(WeChatPaySimulatorAPI.answers(HTTPRequest("GET", target)))
    }
    for target in ["/simulator", "/simulator/orders", "/v1/orders", "/"] {
      #expect(!WeChatPaySimulatorAPI.answers(HTTPRequest("GET", target)))
    }
  }
}

@Suite struct `The cashier's page of a simulated WeChat Pay` {
  private func send(
    _ counter: WeChatPayCounter, _ method: String, path target: String, body: String = ""
  ) async -> (status: Int, text: String, response: HTTPResponse) {
    let response = await WeChatPaySimulatorAPI(counter.service).respond(
      to: HTTPRequest(method, target, body: Array(body.utf8)))
    return (response.status, String(decoding: response.body, as: UTF8.self), response)
  }

  private func codeURL(_ counter: WeChatPayCounter, goods: String = "钻石") async throws -> String {
    var order = WeChatPayCounter.order("ORDNATIVE", .native)
    order.description = goods
    guard case .codeURL(let url) = try await counter.prepay(order).answer else {
      throw WeChatPayCounter.Missing(what: "a code")
    }
    return url
  }

  @Test func `refuses an unknown order, action or method`() async throws {
    let counter = try await WeChatPayCounter()
    let page = "/cashier/native?code_url=" + RequestTarget.encode(try await codeURL(counter))
    #expect(await send(counter, "GET", path: "/cashier/h5?prepay_id=x").status == 404)
    #expect(await send(counter, "POST", path: "/cashier/h5?prepay_id=x", body: "action=pay").status == 404)
    #expect(await send(counter, "GET", path: "/cashier/other").status == 404)
    #expect(await send(counter, "GET", path: "/cashier/native").status == 404)
    #expect(await send(counter, "POST", path: page, body: "action=steal").status == 400)
    #expect(await send(counter, "PUT", path: page, body: "action=pay").status == 405)
    #expect(await counter.query("ORDNATIVE").answer?.tradeState == .known(.notPaid))
  }

  @Test func `shows goods and price as text, in both languages, with three buttons in a plain form`() async throws {
    let counter = try await WeChatPayCounter()
    let page = "/cashier/native?code_url=" + RequestTarget.encode(try await codeURL(counter, goods: "<b>\"&'"))
    let shown = await send(counter, "GET", path: page)
    #expect(shown.status == 200 && shown.text.contains("&lt;b&gt;&quot;&amp;&#39;") && !shown.text.contains("<b>\""))
    for text in ["¥6.00", "Pay 支付", "Cancel 取消", "Leave without paying 不支付离开", "method=\"post\""] {
      #expect(shown.text.contains(text))
    }
    #expect(shown.response.fields["Content-Security-Policy"]?.contains("default-src 'none'") == true)
    #expect(!shown.text.contains("<script"))
    #expect(await send(counter, "GET", path: "/cashier").text.contains("¥6.00"))
  }

  @Test func `leaves, cancels, then pays, and then has ended`() async throws {
    let counter = try await WeChatPayCounter()
    let page = "/cashier/native?code_url=" + RequestTarget.encode(try await codeURL(counter))
    for action in ["leave", "cancel"] {
      #expect(await send(counter, "POST", path: page, body: "action=" + action).status == 200)
      #expect(await counter.query("ORDNATIVE").answer?.tradeState == .known(.notPaid))
    }
    #expect(await send(counter, "POST", path: page, body: "action=pay").text.contains("支付成功"))
    #expect(await counter.query("ORDNATIVE").answer?.tradeState == .known(.success))
    let again = await send(counter, "POST", path: page, body: "action=pay")
    #expect(again.status == 409 && again.text.contains("The order is paid."))
    #expect(await send(counter, "GET", path: page).status == 409)
    #expect(try await counter.delivered().count == 1)
  }

  @Test func `of H5 returns to the merchant's page, paid or cancelled, and stays if the payer leaves`() async throws {
    let counter = try await WeChatPayCounter()
    for (number, action, status) in [("H5ORDER1", "pay", 303), ("H5ORDER2", "cancel", 303), ("H5ORDER3", "leave", 200)]
    {
      let device = PrepayOrder.PayerDevice(address: "203.0.113.7", kind: .wap)
      guard case .h5URL(let url) = try await counter.prepay(WeChatPayCounter.order(number, .h5(device))).answer else {
        throw WeChatPayCounter.Missing(what: "a link")
      }
      let page = String(url.dropFirst("https://api.mch.weixin.qq.com".count))
      let back = await send(
        counter, "POST", path: page + "&redirect_url=https%3A%2F%2Fshop.example%2Fback", body: "action=" + action)
      #expect(back.status == status)
      #expect(back.response.fields["Location"] == (status == 303 ? "https://shop.example/back" : nil))
      let script = await send(
        counter, "POST", path: page + "&redirect_url=javascript%3Aalert(1)", body: "action=cancel")
      #expect(script.response.fields["Location"] == nil)
    }
  }
}
