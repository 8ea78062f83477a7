import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The simulated history of notifications` {
  private static let path = "/inApps/v1/notifications/history"

  private func wish(_ api: APIShop, _ others: [(String, JSONValue?)] = []) -> JSONValue {
    let now = api.shop.time.now
    return .members(
      [
        ("startDate", .integer((now - .days(20)).milliseconds)), ("endDate", .integer((now + .days(1)).milliseconds)),
      ].filter { item in !others.contains { $0.0 == item.0 } } + others)
  }

  private func titles(_ reply: JSONValue, _ api: APIShop) async throws -> [String] {
    var titles: [String] = []
    for item in reply["notificationHistory"]?.array ?? [] {
      let token = try #require(item["signedPayload"]?.string)
      titles.append(try await api.shop.verified(notification: token).title)
    }
    return titles
  }

  @Test func `refuses what Apple refuses (AS-API-11)`() async throws {
    let api = try await APIShop()
    let now = api.shop.time.now.milliseconds
    for (others, problem) in [
      ([("startDate", nil)], "400 4000015"), ([("startDate", "x")], "400 4000015"), ([("endDate", nil)], "400 4000016"),
      ([("endDate", .integer(1))], "400 4000013"), ([("startDate", .integer(now - 181 * 86_400_000))], "400 4000012"),
      ([("notificationType", "NEWS")], "400 4000018"), ([("notificationSubtype", "UPGRADE")], "400 4000018"),
      ([("notificationType", "REFUND"), ("transactionId", "1")], "400 4000019"),
      ([("transactionId", "x")], "400 4000006"),
    ] as [([(String, JSONValue?)], String)] {
      #expect(await api.send("POST", Self.path, body: wish(api, others)).problem == problem, "\(others)")
    }
    #expect(await api.send("POST", Self.path + "?paginationToken=x", body: wish(api)).problem == "400 4000014")
    #expect(await api.send("POST", Self.path).problem == "400 4000000")
  }

  @Test func `shows all attempts, or only those that failed (AS-API-11)`() async throws {
    let api = try await APIShop()
    let coins = try await api.shop.buy(SimulatedShop.coins).transaction.id
    #expect(
      await api.send("POST", Self.path, body: wish(api)).json["notificationHistory"]?.array?.isEmpty == true, "not yet")
    await api.shop.sender.sendDue()
    try await api.store.setBehaviour(.loseAttempts, to: 1)
    try await api.shop.buy(SimulatedShop.month)
    await api.shop.sender.sendDue()
    api.shop.time.advance(by: .minutes(1))
    let all = await api.send("POST", Self.path, body: wish(api)).json
    #expect(try await titles(all, api) == ["ONE_TIME_CHARGE", "SUBSCRIBED INITIAL_BUY"])
    #expect(all["hasMore"]?.bool == false && all["paginationToken"] == nil)
    let attempts = all["notificationHistory"]?.array?.map { $0["sendAttempts"]?.array?.first?["sendAttemptResult"] }
    #expect(attempts == ["SUCCESS", "NO_RESPONSE"])
    let failed = await api.send("POST", Self.path, body: wish(api, [("onlyFailures", .bool(true))])).json
    #expect(try await titles(failed, api) == ["SUBSCRIBED INITIAL_BUY"])
    let one = await api.send("POST", Self.path, body: wish(api, [("transactionId", .string(coins.text))])).json
    #expect(try await titles(one, api) == ["ONE_TIME_CHARGE"])
    let type: [(String, JSONValue?)] = [("notificationType", "SUBSCRIBED"), ("notificationSubtype", "INITIAL_BUY")]
    #expect(try await titles(await api.send("POST", Self.path, body: wish(api, type)).json, api).count == 1)
    #expect(await api.send("POST", "http://127.0.0.1/app-store/sandbox" + Self.path, body: wish(api)).status == 200)
    // After an hour Apple tries again, and then the history has two attempts.
    api.shop.time.advance(by: .hours(1))
    await api.shop.sender.sendDue()
    let healed = await api.send("POST", Self.path, body: wish(api)).json["notificationHistory"]?.array?.last
    #expect(healed?["sendAttempts"]?.array?.count == 2)
  }

  @Test func `comes in pages of twenty (AS-API-11)`() async throws {
    let api = try await APIShop()
    for _ in 0..<45 { try await api.shop.buy(SimulatedShop.coins) }
    for _ in 0..<4 { await api.shop.sender.sendDue() }
    api.shop.time.advance(by: .seconds(1))
    let wish = wish(api)
    var (counts, query) = ([Int](), "")
    for _ in 0..<3 {
      let reply = await api.send("POST", Self.path + query, body: wish).json
      counts.append(reply["notificationHistory"]?.array?.count ?? 0)
      query = "?paginationToken=" + RequestTarget.encode(reply["paginationToken"]?.string ?? "")
    }
    #expect(counts == [20, 20, 5])
    let first = await api.send("POST", Self.path, body: wish).json["paginationToken"]?.string ?? ""
    let other = self.wish(api, [("onlyFailures", .bool(true))])
    #expect(await api.send("POST", Self.path + "?paginationToken=" + first, body: other).problem == "400 4000014")
  }

  @Test func `has test notifications, which need an address (AS-API-11, AS-NOTE-11)`() async throws {
    let api = try await APIShop()
    let token = await api.send("POST", "/inApps/v1/notifications/test").json["testNotificationToken"]?.string
    await api.shop.sender.sendDue()
    let reply = await api.send("GET", "/inApps/v1/notifications/test/" + (token ?? "")).json
    #expect(reply["sendAttempts"]?.array?.first?["sendAttemptResult"] == "SUCCESS")
    let signed = try #require(reply["signedPayload"]?.string)
    #expect(try await api.shop.verified(notification: signed).title == "TEST")
    var app = SimulatedShop.app
    app.notificationURL = nil
    try await api.store.catalog.setApp(app)
    #expect(await api.send("POST", "/inApps/v1/notifications/test").problem == "404 4040007")
  }

  @Test func `accepts consumption information in both forms, field by field (AS-API-12)`() async throws {
    let api = try await APIShop()
    let id = try await api.shop.buy(SimulatedShop.coins).transaction.id.text
    let month = try await api.shop.buy(SimulatedShop.month).transaction.id.text
    func send(_ id: String, _ others: [(String, JSONValue?)], first: Bool = false) async -> APIReply {
      let usual: [(String, JSONValue?)] =
        first
        ? [
          ("customerConsented", .bool(true)), ("sampleContentProvided", .bool(false)), ("appAccountToken", ""),
          ("accountTenure", .integer(1)), ("consumptionStatus", .integer(1)), ("deliveryStatus", .integer(0)),
          ("lifetimeDollarsPurchased", .integer(7)), ("lifetimeDollarsRefunded", .integer(1)),
          ("platform", .integer(1)), ("playTime", .integer(0)), ("userStatus", .integer(4)),
        ]
        : [
          ("customerConsented", .bool(true)), ("sampleContentProvided", .bool(false)), ("deliveryStatus", "DELIVERED"),
          ("consumptionPercentage", .integer(50_000)), ("refundPreference", "GRANT_PRORATED"),
        ]
      let body = JSONValue.members(usual.filter { item in !others.contains { $0.0 == item.0 } } + others)
      return await api.send("PUT", "/inApps/v\(first ? 1 : 2)/transactions/consumption/\(id)", body: body)
    }
    for (id, others, problem) in [
      (id, [("customerConsented", .bool(false))], "400 4000035"), (id, [("sampleContentProvided", nil)], "400 4000041"),
      (id, [("deliveryStatus", "LOST")], "400 4000036"), (id, [("refundPreference", "MAYBE")], "400 4000044"),
      (id, [("consumptionPercentage", .integer(100_001))], "400 4000000"),
      (id, [("deliveryStatus", "UNDELIVERED_OTHER")], "400 4000000"),
      (id, [("consumptionPercentage", .integer(0))], "400 4000000"), (month, [], "400 4000000"),
      ("99", [], "404 4040010"),
    ] as [(String, [(String, JSONValue?)], String)] {
      #expect(await send(id, others).problem == problem, "\(others)")
    }
    for (name, code) in [
      ("accountTenure", 4_000_032), ("appAccountToken", 4_000_033), ("consumptionStatus", 4_000_034),
      ("customerConsented", 4_000_035), ("deliveryStatus", 4_000_036), ("lifetimeDollarsPurchased", 4_000_037),
      ("lifetimeDollarsRefunded", 4_000_038), ("platform", 4_000_039), ("playTime", 4_000_040),
      ("sampleContentProvided", 4_000_041), ("userStatus", 4_000_042), ("refundPreference", 4_000_044),
    ] {
      #expect(await send(id, [(name, .integer(99))], first: true).problem == "400 \(code)")
    }
    #expect(await api.store.consumptionTold().isEmpty)
    #expect(await send(id, []).status == 202)
    #expect(await send(month, [("consumptionPercentage", nil)]).status == 202)
    #expect(await send(id, [], first: true).status == 202)
    #expect(await api.store.consumptionTold()[TransactionIdentifier(id)]?.contains("playTime") == true)
    #expect(try await api.shop.restarted().store.state.content == api.store.state.content)
  }
}
