import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import Testing

@Suite struct `The control API refuses` {
  @Test(arguments: [
    ("GET", "/", 404, "simulator_route_unknown"), ("GET", "/simulator/nothing", 404, "simulator_route_unknown"),
    ("GET", "simulator", 404, "simulator_route_unknown"), ("GET", "/simulator/..", 404, "simulator_route_unknown"),
    ("GET", "/v1/orders", 404, "simulator_route_unknown"),
    ("DELETE", "/simulator/apps", 405, "simulator_method_not_allowed"),
    ("GET", "/simulator/purchases", 405, "simulator_method_not_allowed"),
    ("GET", "/simulator/transactions/1", 404, "simulator_transaction_unknown"),
    ("GET", "/simulator/transactions/abc", 404, "simulator_transaction_unknown"),
    ("POST", "/simulator/transactions/1/refund", 404, "simulator_transaction_unknown"),
    ("GET", "/simulator/subscriptions/1", 404, "simulator_subscription_unknown"),
    ("POST", "/simulator/subscriptions/1/renew", 404, "simulator_subscription_unknown"),
    ("GET", "/simulator/notifications/1", 404, "simulator_notification_unknown"),
    ("GET", "/simulator/notifications/01990c77-4e6b-7c1d-9a43-0123456789ab", 404, "simulator_notification_unknown"),
    ("GET", "/simulator/unfinished", 400, "simulator_field_invalid"),
    ("GET", "/simulator/unfinished?account=a", 400, "simulator_field_invalid"),
    ("GET", "/simulator/app-transaction?account=a&bundleId=b", 404, "simulator_app_unknown"),
    ("GET", "/simulator/charges?limit=0", 400, "simulator_field_invalid"),
    ("GET", "/simulator/charges?limit=501", 400, "simulator_field_invalid"),
    ("GET", "/simulator/charges?after=1", 400, "simulator_field_invalid"),
  ])
  func `what does not exist, with a stable code`(method: String, target: String, status: Int, code: String) async throws
  {
    let answer = try await ControlledShop().send(method, target)
    #expect(answer.status == status && answer.json["code"]?.string == code)
    #expect(answer.response.fields["Content-Type"] == "application/problem+json")
    #expect(answer.json["remedy"]?.string?.isEmpty == false)
    #expect((answer.response.fields["Allow"] != nil) == (status == 405))
  }

  @Test(arguments: [
    ("PUT", "/simulator/apps/a%20b", #"{"appAppleId":1}"#), ("PUT", "/simulator/apps/com.example", "{}"),
    ("PUT", "/simulator/apps/com.example", #"{"appAppleId":1,"notificationUrl":"file:///etc"}"#),
    ("PUT", "/simulator/apps/com.example", #"{"appAppleId":"1"}"#),
    ("PUT", "/simulator/accounts/alice@example.com", #"{"storefront":"XXX"}"#),
    ("PUT", "/simulator/accounts/x", #"{"environment":"Xcode"}"#),
    ("PUT", "/simulator/apps/com.example.shop/products/x", #"{"type":"Consumable","price":1}"#),
    ("PUT", "/simulator/apps/com.example.shop/products/x", #"{"type":"Consumable","price":1.5,"currency":"CNY"}"#),
    ("PUT", "/simulator/apps/com.example.shop/products/x", #"{"type":"Subscription","price":1,"currency":"CNY"}"#),
    (
      "PUT", "/simulator/apps/com.example.shop/products/x",
      #"{"type":"Auto-Renewable Subscription","price":1,"currency":"CNY","period":"P2W"}"#
    ),
    ("POST", "/simulator/purchases", "{}"), ("POST", "/simulator/purchases", ""),
    ("POST", "/simulator/clock", "{}"), ("POST", "/simulator/clock", #"{"rate":1,"reset":true}"#),
    ("POST", "/simulator/clock", #"{"rate":0}"#), ("POST", "/simulator/clock", #"{"advanceSeconds":1000000000000}"#),
    ("PUT", "/simulator/knobs/loseTokens", #"{"value":-1}"#), ("PUT", "/simulator/knobs/notifyNever", #"{"value":2}"#),
    ("PUT", "/simulator/knobs/loseTokens", "{}"), ("POST", "/simulator/notifications/test", "{}"),
  ])
  func `a body that lacks a field or has it in another form`(method: String, target: String, body: String) async throws
  {
    let shop = try await ControlledShop()
    let before = await shop.shop.lines.lines.count
    let response = await shop.control.respond(to: HTTPRequest(method, target, body: Array(body.utf8)))
    #expect(response.status == 400)
    #expect(try JSONReader.read(response.body)["code"]?.string == "simulator_field_invalid")
    #expect(await shop.shop.lines.lines.count == before)
  }

  @Test(arguments: ["{", "[]", "null", "1", #"{"account":"a","account":"b"}"#, "{} {}", "\u{FEFF}{}"])
  func `a body that is not a JSON object`(body: String) async throws {
    let response = try await ControlledShop().control
      .respond(to: HTTPRequest("POST", "/simulator/purchases", body: Array(body.utf8)))
    #expect(response.status == 400)
    #expect(try JSONReader.read(response.body)["code"]?.string == "simulator_body_unreadable")
  }

  @Test func `a body beyond its limit, and behaviour settings that do not exist`() async throws {
    let shop = try await ControlledShop()
    let large = await shop.control.respond(
      to: HTTPRequest("POST", "/simulator/purchases", body: Array(repeating: 0x20, count: 16_385)))
    #expect(large.status == 413)
    #expect(try JSONReader.read(large.body)["code"]?.string == SimulatorErrorCode.bodyTooLarge.rawValue)
    let behaviour = try await shop.send("PUT", "/simulator/knobs/nothing", body: .members([("value", .integer(1))]))
    #expect(behaviour.status == 404 && behaviour.json["code"]?.string == "simulator_knob_unknown")
  }

  @Test func `what the store refuses, in the caller's language`() async throws {
    let shop = try await ControlledShop()
    let many = try await shop.buy([("quantity", .integer(11))])
    #expect(many.status == 422 && many.json["code"]?.string == "simulator_quantity_not_allowed")
    let nobody = try await shop.buy([("account", .string("nobody"))])
    #expect(nobody.status == 404 && nobody.json["code"]?.string == "simulator_account_unknown")
    let chinese = try await shop.send("GET", "/simulator/transactions/1", language: "zh-CN,zh;q=0.9,en;q=0.8")
    #expect(chinese.json["title"]?.string == SimulatorErrorCode.transactionUnknown.meaning.chinese)
    #expect(chinese.response.fields["Content-Language"] == "zh-Hans")
    let english = try await shop.send("GET", "/simulator/transactions/1", language: "fr, en")
    #expect(english.json["title"]?.string == SimulatorErrorCode.transactionUnknown.meaning.english)
  }

  @Test func `to change what is fixed (AS-CAT-2, AS-CAT-3)`() async throws {
    let shop = try await ControlledShop()
    let path = "/simulator/apps/com.example.shop/products/com.example.coins60"
    let other = try await shop.send(
      "PUT", path,
      body: .members([("type", "Non-Consumable"), ("price", .integer(1)), ("currency", "CNY")]))
    #expect(other.status == 409 && other.json["code"]?.string == "simulator_never_changes")
    let moved = try await shop.send(
      "PUT", "/simulator/accounts/alice@example.com", body: .members([("environment", "Sandbox")]))
    #expect(moved.status == 409 && moved.json["code"]?.string == "simulator_never_changes")
    let unknown = try await shop.send(
      "PUT", "/simulator/apps/com.example.none/products/x",
      body: .members([("type", "Consumable"), ("price", .integer(1)), ("currency", "CNY")]))
    #expect(unknown.status == 404 && unknown.json["code"]?.string == "simulator_app_unknown")
  }

  @Test func `with texts in both languages for every code`() {
    for code in SimulatorErrorCode.allCases {
      for text in [code.meaning, code.remedy] {
        #expect(text.english.hasSuffix(".") && text.chinese.hasSuffix("。"), "\(code)")
      }
      #expect(code.rawValue.hasPrefix("simulator_"))
    }
    for behaviour in SimulatorBehaviour.allCases {
      #expect(behaviour.meaning.english.hasSuffix(".") && behaviour.meaning.chinese.hasSuffix("。"), "\(behaviour)")
    }
  }
}
