import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The control API` {
  @Test func `sets up a shop, sells, refunds and finishes over HTTP, without a credential (AS-CTRL-1)`() async throws {
    let shop = try await ControlledShop(.sandbox, isEmpty: true)
    let app = try await shop.send(
      "PUT", "/simulator/apps/com.example.shop",
      body: .members([
        ("appAppleId", .integer(123_456_789)), ("notificationUrl", "http://127.0.0.1:8080/notifications/app-store"),
      ]))
    #expect(app.status == 200 && app.json["version"]?.string == "1.0")
    let product = try await shop.send(
      "PUT", "/simulator/apps/com.example.shop/products/com.example.coins60",
      body: .members([("type", "Consumable"), ("price", .integer(6000)), ("currency", "CNY")]))
    #expect(product.status == 200)
    #expect(
      try await shop.send("PUT", "/simulator/accounts/alice@example.com").json["environment"]?.string == "Sandbox")
    let bought = try await shop.buy([
      ("quantity", .integer(2)), ("applicationUsername", .string(SimulatedShop.token.text.uppercased())),
      ("deviceVerificationId", .string(SimulatedShop.device.text)), ("interface", "storeKit1"),
    ])
    #expect(bought.status == 201 && bought.json["outcome"]?.string == "charged")
    let id = try #require(bought.json["transaction"]?["transactionId"]?.string)
    let payload = try await shop.shop.verified(try #require(bought.json["signedTransaction"]?.string))
    #expect(payload.appAccountToken == SimulatedShop.token.text && payload.deviceVerification != nil)
    #expect(try await shop.buy([("interface", "storeKit1")]).status == 200)
    let owner = "?account=alice%40example.com&bundleId=com.example.shop"
    let unfinished = try await shop.send("GET", "/simulator/unfinished" + owner)
    #expect(unfinished.json["transactions"]?.array?.count == 1)
    let refund = try await shop.send(
      "POST", "/simulator/transactions/\(id)/refund", body: .members([("percentage", .integer(25_000))]))
    #expect(refund.json["revocation"]?["revocationPercentage"]?.integer == 25_000)
    let finish = try await shop.send(
      "POST", "/simulator/transactions/\(id)/finish",
      body: .members([("account", "alice@example.com"), ("bundleId", "com.example.shop")]))
    #expect(finish.status == 204)
    #expect(try await shop.send("GET", "/simulator/unfinished" + owner).json["transactions"]?.array?.count == 0)
    let charges = try await shop.send("GET", "/simulator/charges").json["charges"]?.array
    #expect(charges?.count == 1 && charges?[0]["charged"]?.integer == 12_000)
    #expect(charges?[0]["refundedPercentage"]?.integer == 25_000 && charges?[0]["isFinished"]?.bool == true)
    let signed = try await shop.send("GET", "/simulator/transactions/\(id)").json["signedTransaction"]?.string
    #expect(try await shop.shop.verified(try #require(signed)).revocationPercentage == 25_000)
    let download = try await shop.send("GET", "/simulator/app-transaction" + owner)
    #expect(download.json["signedAppTransaction"]?.string?.isEmpty == false)
  }

  @Test func `drops a user name that is not a UUID (AS-BUY-6)`() async throws {
    let bought = try await ControlledShop().buy([("applicationUsername", "alice")])
    #expect(bought.status == 201 && bought.json["transaction"]?["appAccountToken"] == nil)
  }

  @Test func `renews, turns renewal off, tests and shows notifications`() async throws {
    let shop = try await ControlledShop()
    let bought = try await shop.buy([("productId", .string(SimulatedShop.month.id.text))])
    let id = try #require(bought.json["transaction"]?["transactionId"]?.string)
    #expect(try await shop.send("POST", "/simulator/subscriptions/\(id)/renew").status == 409)
    let moved = try await shop.send(
      "POST", "/simulator/clock", body: .members([("advanceSeconds", .integer(29 * 86_400 + 43_200))]))
    #expect(moved.json["now"]?.string == "2026-12-20T00:00:00.250Z")
    let renewed = try await shop.send("POST", "/simulator/subscriptions/\(id)/renew")
    #expect(renewed.status == 201 && renewed.json["originalTransactionId"]?.string == id)
    let off = try await shop.send(
      "PUT", "/simulator/subscriptions/\(id)/auto-renew", body: .members([("isOn", .bool(false))]))
    #expect(off.status == 200)
    let line = try await shop.send("GET", "/simulator/subscriptions/\(id)")
    #expect(line.json["status"]?.integer == 1 && line.json["signedRenewalInfo"]?.string != nil)
    let test = try await shop.send(
      "POST", "/simulator/notifications/test", body: .members([("bundleId", "com.example.shop")]))
    let uuid = try #require(test.json["notificationUUID"]?.string)
    #expect(test.status == 202)
    await shop.shop.sender.sendDue()
    let list = try await shop.send("GET", "/simulator/notifications?bundleId=com.example.shop")
    let notifications = try #require(list.json["notifications"]?.array)
    #expect(
      notifications.compactMap { $0["notificationType"]?.string }
        == ["SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS", "TEST"])
    #expect(notifications.allSatisfy { $0["state"]?.string == "delivered" })
    #expect(notifications.allSatisfy { $0["sendAttempts"]?.array?.count == 1 })
    let one = try await shop.send("GET", "/simulator/notifications/\(uuid)").json["signedPayload"]?.string
    #expect(try await shop.shop.verified(notification: try #require(one)).title == "TEST")
  }

  @Test func `serves the root certificate that a server has to trust (AS-KEY-2)`() async throws {
    let shop = try await ControlledShop()
    let der = try await shop.send("GET", "/simulator/root-certificate.der").response
    let pem = try await shop.send("GET", "/simulator/root-certificate.pem").response
    #expect(der.body == shop.shop.store.authority.root.der)
    #expect(try X509Certificate.certificates(inPEM: pem.body) == [shop.shop.store.authority.root])
  }

  @Test func `changes each behaviour setting by its name, and lists all values`() async throws {
    let shop = try await ControlledShop()
    for behaviour in SimulatorBehaviour.allCases {
      let path = "/simulator/knobs/\(behaviour.rawValue)"
      #expect(try await shop.send("PUT", path, body: .members([("value", .integer(1))])).status == 200)
    }
    let list = try #require(try await shop.send("GET", "/simulator/knobs").json["knobs"]?.array)
    #expect(list.compactMap { $0["knob"]?.string } == SimulatorBehaviour.allCases.map(\.rawValue))
    #expect(list.allSatisfy { $0["value"]?.integer == 1 && $0["meaning"]?.string != nil })
  }

  @Test func `moves, speeds up and resets the clock (AS-TIME-1, AS-TIME-2)`() async throws {
    let shop = try await ControlledShop()
    let fast = try await shop.send("POST", "/simulator/clock", body: .members([("rate", .integer(60))]))
    #expect(fast.json["rate"]?.integer == 60)
    shop.shop.time.advance(by: .minutes(1))
    #expect(try await shop.send("GET", "/simulator/clock").json["now"]?.string == "2026-11-20T13:00:00.250Z")
    let reset = try await shop.send("POST", "/simulator/clock", body: .members([("reset", .bool(true))]))
    #expect(reset.json["now"]?.string == "2026-11-20T12:01:00.250Z" && reset.json["rate"]?.integer == 1)
  }

  @Test func `lists page by page`() async throws {
    let shop = try await ControlledShop()
    for _ in 0..<5 { _ = try await shop.buy() }
    var seen: [String] = []
    var target = "/simulator/transactions?limit=2"
    while true {
      let page = try await shop.send("GET", target).json
      let ids = (page["transactions"]?.array ?? []).compactMap { $0["transactionId"]?.string }
      seen += ids
      guard page["more"]?.bool == true, let last = ids.last, seen.count < 10 else { break }
      target = "/simulator/transactions?limit=2&after=\(last)"
    }
    #expect(seen == (await shop.shop.store.transactions()).map(\.id.text) && seen.count == 5)
    let none = try await shop.send("GET", "/simulator/transactions?account=bob%40example.com")
    #expect(none.json["transactions"]?.array?.isEmpty == true && none.json["more"]?.bool == false)
  }

  @Test func `lists all its calls, and answers each of them`() async throws {
    let shop = try await ControlledShop()
    let listing = try await shop.send("GET", "/simulator").json
    let calls = try #require(listing["calls"]?.array)
    #expect(calls.count == 50 && listing["environment"]?.string == "Production")
    for call in calls {
      let (method, path) = (try #require(call["method"]?.string), try #require(call["path"]?.string))
      #expect(call["summary"]?.string?.hasSuffix(".") == true)
      let target = path.replacing("{bundleId}", with: "com.example.shop").replacing(
        /\{[a-zA-Z]+\}/, with: "1")
      let code = try await shop.send(method, target).json["code"]?.string
      #expect(code != "simulator_route_unknown" && code != "simulator_method_not_allowed", "\(method) \(path)")
    }
    for body in [listing, try await shop.send("HEAD", "/simulator").json] { #expect(body != .null) }
  }
}
