import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

/// The three calls about renewal dates, against Apple's pages.
@Suite struct `Extending renewal dates over the App Store Server API` {
  private static let trial = SimulatedOffer(.introductoryOffer, nil, payment: .freeTrial, period: .month)

  private static func form(_ changes: [(String, JSONValue?)] = []) -> JSONValue {
    let usual: [(String, JSONValue?)] = [
      ("extendByDays", .integer(10)), ("extendReasonCode", .integer(3)), ("requestIdentifier", "outage-1"),
    ]
    return .members(usual.filter { item in !changes.contains { $0.0 == item.0 } } + changes)
  }

  private static func massForm(_ changes: [(String, JSONValue?)] = []) -> JSONValue {
    let usual: [(String, JSONValue?)] =
      changes.contains { $0.0 == "productId" } ? [] : [("productId", .string(SimulatedShop.month.id.text))]
    return form(usual + changes)
  }

  private func extend(_ api: APIShop, _ id: String, _ body: JSONValue = form()) async -> APIReply {
    await api.send("PUT", "/inApps/v1/subscriptions/extend/\(id)", body: body)
  }

  private func period(of id: TransactionIdentifier, _ api: APIShop) async -> SimulatedTransaction.Period? {
    await api.store.transactions().first { $0.id == id }?.period
  }

  private static let massPath = "/inApps/v1/subscriptions/extend/mass"

  @Test func `moves the end of the period, and answers with the new end (AS-EXT-1, AS-EXT-4)`() async throws {
    let api = try await APIShop()
    let bought = try await api.shop.buy(SimulatedShop.month).transaction
    let period = try #require(bought.period)
    let reply = await extend(api, bought.id.text)
    #expect(reply.status == 200 && reply.json["success"]?.bool == true)
    #expect(reply.json["originalTransactionId"]?.string == bought.id.text)
    #expect(reply.json["webOrderLineItemId"]?.string == period.webOrderLineItemId)
    #expect(reply.json["effectiveDate"]?.integer == (period.expiresDate + .days(10)).milliseconds)
    let told = try await api.shop.lastTold()
    #expect(told.title == "RENEWAL_EXTENDED")
    #expect(told.transaction?.verified?.payload.expiresDate == period.expiresDate + .days(10))
    #expect(try await api.shop.restarted().store.state == api.store.state)
  }

  @Test(
    arguments: [
      ([("extendByDays", .integer(0))], 4_000_009), ([("extendByDays", .integer(91))], 4_000_009),
      ([("extendByDays", nil)], 4_000_009),
      ([("extendReasonCode", .integer(4))], 4_000_010), ([("extendReasonCode", nil)], 4_000_010),
      ([("requestIdentifier", nil)], 4_000_011), ([("requestIdentifier", "")], 4_000_011),
      ([("requestIdentifier", .string(String(repeating: "x", count: 129)))], 4_000_011),
    ] as [([(String, JSONValue?)], Int)])
  func `refuses a wrong field by its own number (AS-EXT-4)`(changes: [(String, JSONValue?)], code: Int) async throws {
    let api = try await APIShop()
    let id = try await api.shop.buy(SimulatedShop.month).transaction.id.text
    #expect(await extend(api, id, Self.form(changes)).problem == "400 \(code)")
    #expect(await api.send("POST", Self.massPath, body: Self.massForm(changes)).problem == "400 \(code)")
  }

  @Test func `refuses what is no original id of a subscription (AS-EXT-4)`() async throws {
    let api = try await APIShop()
    let coins = try await api.shop.buy(SimulatedShop.coins).transaction.id.text
    let first = try await api.shop.buy(SimulatedShop.month).transaction.id
    await api.shop.pass(.days(32))
    let renewal = try #require(await api.store.charges().last?.transaction.id)
    #expect(renewal != first)
    for (id, problem) in [
      ("abc", "400 4000008"), ("99", "404 4040005"), (renewal.text, "404 4040005"), (coins, "403 4030004"),
    ] {
      #expect(await extend(api, id).problem == problem, "\(id)")
    }
    #expect(await extend(api, first.text).status == 200)
  }

  @Test func `refuses a free period, and what is not active (AS-EXT-3)`() async throws {
    let api = try await APIShop()
    let shop = api.shop
    try await shop.offer([Self.trial])
    let free = try await shop.buy(SimulatedShop.month).transaction.id
    #expect(await extend(api, free.text).problem == "403 4030004")
    await #expect(throws: CodedError(SimulatorErrorCode.extensionNotAllowed)) {
      try await shop.store.renewalExtensions.extend(of: free, byDays: 5)
    }
    await shop.pass(.days(32))
    #expect(await extend(api, free.text).status == 200, "the period after the trial is paid")

    var app = SimulatedShop.app
    app.gracePeriodDays = 16
    try await shop.store.catalog.setApp(app)
    try await shop.set(canPay: false)
    await shop.pass(.days(43))
    #expect(try await shop.renewal(of: free).status == .billingGracePeriod)
    #expect(await extend(api, free.text).problem == "403 4030004", "in grace")
    await shop.pass(.days(16))
    #expect(try await shop.renewal(of: free).status == .billingRetry)
    #expect(await extend(api, free.text).problem == "403 4030004", "in billing retry")
    await shop.pass(.days(60))
    #expect(try await shop.renewal(of: free).status == .expired)
    #expect(await extend(api, free.text).problem == "403 4030004", "expired")
  }

  @Test func `refuses a refunded subscription (AS-EXT-3)`() async throws {
    let api = try await APIShop()
    let id = try await api.shop.buy(SimulatedShop.month).transaction.id
    _ = try await api.store.refunds.refund(id)
    #expect(await extend(api, id.text).problem == "403 4030004")
  }

  @Test func `extends twice in 365 days, by whichever way, and again after them (AS-EXT-3)`() async throws {
    let api = try await APIShop()
    let id = try await api.shop.buy(SimulatedShop.month).transaction.id
    #expect(await extend(api, id.text).status == 200)
    api.shop.time.advance(by: .days(1))
    _ = try await api.store.renewalExtensions.extend(of: id, byDays: 1)
    #expect(await extend(api, id.text).problem == "403 4030005")
    await #expect(throws: CodedError(SimulatorErrorCode.extensionNotAllowed)) {
      try await api.store.renewalExtensions.extend(of: id, byDays: 5)
    }
    // Renewals do not reset the count, and neither does a restart.
    await api.shop.pass(.days(363))
    #expect(await extend(api, id.text).problem == "403 4030005")
    await api.shop.pass(.days(1))
    #expect(await extend(api, id.text).status == 200, "365 days after the first")
    #expect(await extend(api, id.text).problem == "403 4030005", "the second is younger")
    #expect(try await api.shop.restarted().store.state == api.store.state)
  }

  @Test func `extends the shares of family members, and none of them alone (AS-EXT-1, AS-EXT-3)`() async throws {
    let api = try await APIShop()
    let bought = try await api.shop.buy(SimulatedShop.month).transaction
    let shared = try await api.store.familySharing.share(bought.id, with: SimulatedShop.bob.account)
    #expect(await extend(api, shared.id.text).problem == "403 4030007")
    #expect(await extend(api, bought.id.text).status == 200)
    let end = try #require(bought.period).expiresDate + .days(10)
    #expect(await period(of: shared.id, api)?.expiresDate == end)
    #expect(try await api.shop.titles().filter { $0 == "RENEWAL_EXTENDED" }.count == 2)
    #expect(try await api.shop.restarted().store.state == api.store.state)
  }

  @Test(arguments: [(Int64(30), Int64(5)), (7, 1), (5, 0)])
  func `shortens days in the sandbox, and cuts off to whole minutes (AS-EXT-1)`(
    days: Int64, minutes: Int64
  ) async throws {
    let api = try await APIShop(.sandbox)
    let bought = try await api.shop.buy(SimulatedShop.month).transaction
    let sandbox = "https://api.storekit-sandbox.apple.com/inApps/v1/subscriptions/extend/\(bought.id.text)"
    let reply = await api.send("PUT", sandbox, body: Self.form([("extendByDays", .integer(days))]))
    let end = try #require(bought.period).expiresDate
    #expect(reply.json["effectiveDate"]?.integer == (end + .minutes(minutes)).milliseconds)
  }

  // MARK: all subscribers

  @Test func `extends all of some countries, and tells the result in the countries' words (AS-EXT-2)`() async throws {
    let api = try await APIShop()
    let shop = api.shop
    var abroad = SimulatedAppleAccount(id: SimulatedShop.bob.account, environment: .production)
    abroad.storefront = try #require(Storefront(country: "USA"))
    try await api.store.catalog.setAccount(abroad)
    let home = try await shop.buy(SimulatedShop.month).transaction
    let far = try await shop.buy(SimulatedShop.month, by: SimulatedShop.bob).transaction
    let countries: JSONValue = .array(["USA", "ARG"])
    let reply = await api.send("POST", Self.massPath, body: Self.massForm([("storefrontCountryCodes", countries)]))
    #expect(reply.status == 200 && reply.json["requestIdentifier"]?.string == "outage-1")
    #expect(await period(of: home.id, api) == home.period)
    #expect(await period(of: far.id, api)?.expiresDate == far.period.map { $0.expiresDate + .days(10) })
    let summary = try #require(try await shop.lastTold().notification.verified?.payload.summary)
    #expect(summary.storefrontCountryCodes == ["USA", "ARG"] && summary.succeededCount == 1)
    #expect(summary.failedCount == 0 && summary.productId == SimulatedShop.month.id.text)
    let status = await api.send("GET", "\(Self.massPath)/\(SimulatedShop.month.id)/outage-1").json
    #expect(status["complete"]?.bool == true && status["completeDate"]?.integer != nil)
    #expect(status["succeededCount"]?.integer == 1 && status["failedCount"]?.integer == 0)
    #expect(try await shop.restarted().store.state == api.store.state)
  }

  @Test func `counts and tells who cannot be extended (AS-EXT-2)`() async throws {
    let api = try await APIShop()
    let id = try await api.shop.buy(SimulatedShop.month).transaction.id
    for number in 1...3 {
      let body = Self.massForm([("requestIdentifier", .string("outage-\(number)"))])
      #expect(await api.send("POST", Self.massPath, body: body).status == 200)
    }
    #expect(
      try await api.shop.titles().suffix(5) == [
        "RENEWAL_EXTENSION SUMMARY", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION SUMMARY", "RENEWAL_EXTENSION FAILURE",
        "RENEWAL_EXTENSION SUMMARY",
      ])
    let summary = try #require(try await api.shop.lastTold().notification.verified?.payload.summary)
    #expect(summary.succeededCount == 0 && summary.failedCount == 1 && summary.storefrontCountryCodes == nil)
    #expect(await extend(api, id.text).problem == "403 4030005")
  }

  @Test func `refuses a mass request by Apple's numbers (AS-EXT-4)`() async throws {
    let api = try await APIShop()
    for (changes, code) in [
      ([("productId", "com.example.none")], 4_000_023),
      ([("productId", .string(SimulatedShop.coins.id.text))], 4_000_023), ([("productId", nil)], 4_000_023),
      ([("storefrontCountryCodes", .array([]))], 4_000_027),
      ([("storefrontCountryCodes", .array(["usa"]))], 4_000_028),
      ([("storefrontCountryCodes", .array(["USA", .integer(1)]))], 4_000_028),
      ([("storefrontCountryCodes", "USA")], 4_000_028),
    ] as [([(String, JSONValue?)], Int)] {
      let reply = await api.send("POST", Self.massPath, body: Self.massForm(changes))
      #expect(reply.problem == "400 \(code)", "\(changes)")
    }
    #expect(await api.send("POST", Self.massPath, body: Self.massForm()).status == 200)
    #expect(await api.send("POST", Self.massPath, body: Self.massForm()).problem == "400 4000011", "used before")
    for path in ["\(SimulatedShop.month.id)/outage-2", "\(SimulatedShop.year.id)/outage-1"] {
      #expect(await api.send("GET", "\(Self.massPath)/\(path)").problem == "404 4040009")
    }
  }

  /// A shop with two subscribers, on a log that fails at one append, and what became of a mass extension there.
  private func extendAll(_ dying: DyingLog, _ time: ManualTime) async throws -> (appends: Int, isDone: Bool) {
    let shop = try await SimulatedShop(time: time, log: dying.log)
    for owner in [SimulatedShop.alice, SimulatedShop.bob] { try await shop.buy(SimulatedShop.month, by: owner) }
    let appends = dying.lines.count
    let counts = try? await shop.store.renewalExtensions.extendAll(
      of: SimulatedShop.month.id, bundleId: SimulatedShop.app.bundleId, byDays: 3, requestIdentifier: "outage")
    return (appends, counts != nil)
  }

  @Test(arguments: 2...4)
  func `is continued by the calendar after a kill, each subscription once (AS-EXT-2)`(append: Int) async throws {
    let (appends, isDone) = try await extendAll(DyingLog(at: .max, .beforeWriting), ManualTime(SimulatedShop.noon))
    #expect(isDone)
    let time = ManualTime(SimulatedShop.noon)
    let dying = DyingLog(at: appends + append, .beforeWriting)
    #expect(try await extendAll(dying, time).isDone == false)
    let later = try await SimulatedShop(
      isEmpty: true, seed: 2, time: time, lines: VolatileSimulatorLog(lines: dying.lines))
    #expect(await later.calendar.keep() == 5 - append)
    let transactions = await later.store.transactions()
    let end = try #require(transactions.first?.purchaseDate) + .days(30)
    #expect(transactions.map(\.period?.expiresDate) == [end + .days(3), end + .days(3)])
    #expect(
      try await later.titles().suffix(3) == ["RENEWAL_EXTENDED", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION SUMMARY"])
  }
}
