import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

/// Where the simulator once differed from the App Store, found with Apple's own libraries.
@Suite struct `The simulated App Store, held against Apple's` {
  private static let trial = SimulatedOffer(.introductoryOffer, nil, payment: .freeTrial, period: .week)
  private static let cheap = SimulatedOffer(.introductoryOffer, nil, payment: .payUpFront, period: .month, price: 1000)

  @Test func `looks up no order in the sandbox (AS-API-6)`() async throws {
    let api = try await APIShop(.sandbox)
    let bought = try await api.shop.buy(SimulatedShop.coins).transaction
    let reply = await api.send("GET", "https://api.storekit-sandbox.apple.com/inApps/v1/lookup/" + bought.orderId)
    #expect(reply.status == 404 && reply.json == .null)
  }

  @Test func `takes the first form of consumption information only for what it is for (AS-API-12)`() async throws {
    let api = try await APIShop()
    let theme = try await api.shop.buy(SimulatedShop.theme).transaction.id
    let reply = await api.send("PUT", "/inApps/v1/transactions/consumption/\(theme.text)", body: .members([]))
    #expect(reply.status == 400 && reply.json["errorCode"]?.integer == 4_000_047)
  }

  @Test func `reads both spellings of true in a query (AS-API-9)`() async throws {
    let api = try await APIShop()
    let kept = try await api.shop.buy(SimulatedShop.coins).transaction.id.text
    let refunded = try await api.shop.buy(SimulatedShop.coins).transaction.id
    _ = try await api.store.refunds.refund(refunded)
    for (query, expected) in [
      ("revoked=True", [refunded.text]), ("revoked=true", [refunded.text]), ("revoked=False", [kept]),
      ("excludeRevoked=True", [kept]),
    ] {
      let reply = await api.send("GET", "/inApps/v2/history/\(kept)?\(query)").json
      #expect(try await api.numbers(reply["signedTransactions"]) == expected, "\(query)")
    }
    #expect(await api.send("GET", "/inApps/v2/history/\(kept)?revoked=TRUE").status == 400)
  }

  @Test(arguments: [SimulatedEnvironment.sandbox, .production])
  func `dates the download in the sandbox as Apple does, and names the build in production (AS-SIGN-4)`(
    environment: SimulatedEnvironment
  ) async throws {
    let shop = try await SimulatedShop(environment)
    var app = SimulatedShop.app
    (app.version, app.build) = ("1.2", "7")
    try await shop.store.catalog.setApp(app)
    let signed = try await shop.store.purchases.appTransaction(of: SimulatedShop.alice, for: nil)
    let claims = try JSONReader.read(try #require(CompactJWS(signed.utf8, bytesMax: 1 << 16)).payload)
    let isSandbox = environment == .sandbox
    #expect(claims["originalApplicationVersion"]?.string == (isSandbox ? "1.0" : "7"))
    let date = isSandbox ? 1_375_340_400_000 : await shop.store.now().seconds * 1000
    #expect(claims["originalPurchaseDate"]?.integer == date)
    let version = claims["versionExternalIdentifier"]?.integer
    #expect(isSandbox ? version == nil : (100_000_000...999_999_999).contains(version ?? 0))
    (app.version, app.build) = ("1.3", "8")
    try await shop.store.catalog.setApp(app)
    let next = try await shop.store.purchases.appTransaction(of: SimulatedShop.alice, for: nil)
    let later = try JSONReader.read(try #require(CompactJWS(next.utf8, bytesMax: 1 << 16)).payload)
    #expect(isSandbox || later["versionExternalIdentifier"]?.integer != version)
  }

  @Test func `numbers each refusal of a token (AS-API-1)`() async throws {
    let api = try await APIShop()
    var numbers: Set<String> = []
    for _ in 0..<2 {
      let reply = await api.send("GET", "/inApps/v1/transactions/1", token: "a.b.c")
      let text = String(decoding: reply.response.body, as: UTF8.self)
      #expect(reply.status == 401 && text.wholeMatch(of: /Unauthenticated\n\nRequest ID: [A-Z2-7]{26}\.0\.0\n/) != nil)
      numbers.insert(text)
    }
    #expect(numbers.count == 2)
  }

  @Test(arguments: [(trial, "true", "false"), (cheap, "false", "true")])
  func `says of an introductory period what it is, in each form (AS-VR-8)`(
    offer: SimulatedOffer, isTrial: String, isIntroduced: String
  ) async throws {
    let shop = try await SimulatedShop()
    try await shop.offer([offer])
    let id = try await shop.buy(SimulatedShop.month).transaction.id
    let receipt = try await shop.store.appReceipt(of: SimulatedShop.alice)
    let body = JSONValue.members([
      ("receipt-data", .string(receipt)), ("password", .string(shop.store.authority.testSharedSecret)),
    ])
    let request = HTTPRequest("POST", "https://buy.itunes.apple.com/verifyReceipt", json: body)
    let answer = try JSONReader.read(await shop.store.serverAPI.respond(to: request).body)
    let entry = try #require(answer["receipt"]?["in_app"]?.array?.first)
    #expect(entry["transaction_id"]?.string == id.text && entry["is_trial_period"]?.string == isTrial)
    #expect(entry["is_in_intro_offer_period"]?.string == isIntroduced)
    let verdict = try ReceiptVerifier(
      SignedDataConfiguration(profile: .development, anchors: [shop.store.authority.root])
    ).verifyAppReceipt(
      receipt, expecting: SimulatedShop.expectations, at: await shop.store.now())
    let read = try #require(verdict.verified?.receipt.inApp.first)
    #expect(read.isTrialPeriod == (isTrial == "true" ? 1 : 0))
    #expect(read.isInIntroOfferPeriod == (isIntroduced == "true" ? 1 : 0))
  }

  @Test func `answers a moved clock, and every later call, when all that fell due is done (AS-TIME-1)`() async throws {
    let api = try await APIShop()
    let shop = api.shop
    let idle = TimeSpan.minutes(10)
    let control = AppStoreSimulatorAPI(shop.store)
    let running = Task { await shop.calendar.run() }
    await shop.time.untilSomebodySleeps(until: shop.time.now + idle)
    let line = try await shop.buy(SimulatedShop.month).transaction
    for days in [31, 1, 367, 45] {
      let body = JSONValue.members([("advanceSeconds", .integer(days * 86_400))])
      let moved = await control.respond(to: HTTPRequest("POST", "/simulator/clock", json: body))
      #expect(moved.status == 200)
      #expect(try await shop.renewal(of: line.id).status == .active, "\(days) days later")
      #expect(try await shop.renewal(of: line.id).info.expirationIntent == nil)
    }
    // The world's time passes: the call itself lets the renewals take place.
    shop.time.advance(by: .days(31))
    let path = "https://api.storekit.itunes.apple.com/inApps/v1/subscriptions/\(line.id.text)"
    var request = HTTPRequest("GET", path)
    request.fields.set("Authorization", "Bearer " + api.token())
    let answer = try JSONReader.read(await shop.store.serverAPI.respond(to: request).body)
    let item = answer["data"]?.array?.first?["lastTransactions"]?.array?.first
    #expect(item?["status"]?.integer == 1)
    running.cancel()
    await running.value
  }
}
