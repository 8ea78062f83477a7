import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The simulated App Store Server API` {
  private static let stranger = ECDSAPrivateKey(curve: .p256, randomBytes: [UInt8](repeating: 7, count: 32))

  private func path(_ id: TransactionIdentifier) -> String { "/inApps/v1/transactions/\(id.text)" }

  @Test func `answers 401 without JSON to every token that is not one of the team's (AS-API-1)`() async throws {
    let api = try await APIShop()
    let target = path(try await api.shop.buy(SimulatedShop.coins).transaction.id)
    let now = api.shop.time.now.seconds
    let other = "11111111-2222-4333-8444-555555555555"
    let wrong: [String] = [
      "", "a.b.c", api.token() + ".x", api.token(signedBy: Self.stranger),
      api.token(header: [("alg", "HS256")]), api.token(header: [("alg", "none")]), api.token(header: [("alg", nil)]),
      api.token(header: [("kid", "AAAAAAAAAA")]), api.token(header: [("kid", nil)]), api.token(header: [("typ", "X")]),
      api.token(claims: [("iss", .string(other))]), api.token(claims: [("iss", nil)]),
      api.token(claims: [("aud", "appstoreconnect-v2")]), api.token(claims: [("aud", nil)]),
      api.token(claims: [("bid", "com.example.other")]), api.token(claims: [("bid", nil)]),
      api.token(claims: [("exp", nil)]), api.token(claims: [("exp", .integer(now))]),
      api.token(claims: [("exp", .number("\(now).5"))]), api.token(claims: [("exp", .number("9e9"))]),
      api.token(claims: [("exp", .string("\(now + 100)"))]), api.token(claims: [("iat", .integer(now + 1))]),
      api.token(claims: [("iat", .number("\(now + 1).25"))]), api.token(claims: [("iat", .string("\(now)"))]),
      api.token(claims: [("iat", .integer(now - 100)), ("exp", .integer(now + 3501))]),
      api.token(claims: [("iat", nil), ("exp", .integer(now + 3601))]),
    ]
    for token in wrong {
      let reply = await api.send("GET", target, token: token)
      let words = String(decoding: reply.response.body, as: UTF8.self)
      #expect(reply.status == 401 && words.hasPrefix("Unauthenticated\n\nRequest ID: "), "\(token)")
    }
    var request = api.request("GET", target)
    request.fields = [:]
    #expect(await api.store.serverAPI.respond(to: request).status == 401)
    // Some of Apple's libraries send no `iat`; a token may then last one hour. The one for Swift writes fractions.
    for claims: [(String, JSONValue?)] in [
      [], [("iat", nil)], [("iat", .integer(now - 100)), ("exp", .integer(now + 3500))],
      [("iat", .number("\(now).25")), ("exp", .number("\(now + 300).5"))],
      [("iat", .number("\(now).0")), ("exp", .number("\(now + 3600).999"))],
    ] {
      #expect(await api.send("GET", target, token: api.token(claims: claims)).status == 200)
    }
  }

  @Test func `accepts registered keys, and keeps the ready-made one (AS-API-1)`() async throws {
    let api = try await APIShop()
    let issuer = try #require(AppStoreUUID("11111111-2222-4333-8444-555555555555"))
    #expect(SimulatedAPIKey(keyId: "short", issuerId: issuer, publicKey: Self.stranger.publicKey) == nil)
    let key = try #require(
      SimulatedAPIKey(keyId: "STRANGER01", issuerId: issuer, publicKey: Self.stranger.publicKey))
    let token = api.token(
      header: [("kid", "STRANGER01")], claims: [("iss", .string(issuer.text))], signedBy: Self.stranger)
    let target = path(try await api.shop.buy(SimulatedShop.coins).transaction.id)
    #expect(await api.send("GET", target, token: token).status == 401)
    try await api.store.apiSettings.setKey(key)
    #expect(await api.send("GET", target, token: token).status == 200)
    let again = try await api.shop.restarted()
    #expect(
      await again.store.apiKeys() == api.store.apiKeys() && again.store.testAPIKey.key == api.store.testAPIKey.key)
    let ours = try #require(
      SimulatedAPIKey(
        keyId: api.store.testAPIKey.key.keyId, issuerId: issuer, publicKey: Self.stranger.publicKey))
    await #expect(throws: CodedError<SimulatorErrorCode>.self) { try await api.store.apiSettings.setKey(ours) }
  }

  @Test func `knows its paths and methods, and which App Store each host stands for (AS-API-2)`() async throws {
    let api = try await APIShop()
    let target = path(try await api.shop.buy(SimulatedShop.coins).transaction.id)
    for wrong in ["/inApps/v1/elsewhere", "/inApps", target + "/other"] {
      #expect(await api.send("GET", wrong).status == 404)
    }
    #expect(await api.send("DELETE", target).status == 405)
    for (origin, status) in [
      ("https://api.storekit.apple.com", 200), ("https://api.storekit.itunes.apple.com", 200),
      ("http://127.0.0.1:8081/app-store/production", 200), ("http://127.0.0.1:8081", 200),
      ("https://api.storekit-sandbox.apple.com", 404), ("https://api.storekit-sandbox.itunes.apple.com", 404),
      ("http://127.0.0.1:8081/app-store/sandbox", 404),
    ] {
      let reply = await api.send("GET", origin + target)
      #expect(reply.status == status && (status == 200 || reply.problem == "404 4040010"), "\(origin)")
    }
    try await api.store.setBehaviour(.unreleasedInProduction, to: 1)
    #expect(await api.send("GET", target).status == 401, "(AS-API-4)")
  }

  @Test func `counts calls by the hour, and sends the start of the next hour in milliseconds (AS-API-3)`() async throws
  {
    let api = try await APIShop()
    let target = path(try await api.shop.buy(SimulatedShop.coins).transaction.id)
    try await api.store.setBehaviour(.apiCallsPerHour, to: 2)
    for _ in 0..<2 { #expect(await api.send("GET", target).status == 200) }
    let reply = await api.send("GET", target)
    #expect(reply.problem == "429 4290000")
    #expect(
      reply.response.fields["Retry-After"] == Timestamp(iso8601: "2026-11-20T13:00:00Z").map { "\($0.milliseconds)" })
    #expect(await api.send("POST", target + "/finish").status == 200, "another kind of call has its own")
    api.shop.time.advance(by: .hours(1))
    #expect(await api.send("GET", target).status == 200)
  }

  @Test func `fails as planned, before or after the effect of the call (AS-API-13)`() async throws {
    let api = try await APIShop()
    let id = try await api.shop.buy(SimulatedShop.coins).transaction.id
    let early: [(AppStoreAPIFault, AppStoreAPIAnswer?, String)] = [
      (.unreachable, .unreachable, ""), (.loseRequest, .lost, ""), (.unauthorized, nil, "401 0"),
      (.notFound, nil, "404 4040010"), (.rateLimited, nil, "429 4290000"), (.internalError, nil, "500 5000000"),
      (.internalErrorRetryable, nil, "500 5000001"), (.notFoundYet, nil, "404 4040002"), (.htmlError, nil, "502 0"),
    ]
    let finish = path(id) + "/finish"
    for (fault, answer, problem) in early {
      try await api.store.apiSettings.plan(PlannedAPIFault(fault, of: .finish))
      if let answer {
        #expect(await api.store.serverAPI.answer(to: api.request("POST", finish)) == answer)
      } else {
        #expect(await api.send("POST", finish).problem == problem)
      }
      #expect(await api.store.transactions().first?.isFinished == false, "\(fault)")
    }
    try await api.store.apiSettings.plan(PlannedAPIFault(.loseAnswer, of: .finish))
    #expect(await api.send("GET", path(id)).status == 200, "of another kind")
    #expect(await api.store.serverAPI.answer(to: api.request("POST", finish)) == .lost)
    #expect(await api.store.transactions().first?.isFinished == true)
    try await api.store.apiSettings.plan(PlannedAPIFault(.internalErrorAfterEffect, of: .consumption))
    let words = JSONValue.members([
      ("customerConsented", .bool(true)), ("sampleContentProvided", .bool(false)), ("deliveryStatus", "DELIVERED"),
    ])
    let told = await api.send("PUT", "/inApps/v2/transactions/consumption/\(id.text)", body: words)
    #expect(told.problem == "500 5000000")
    #expect(await api.store.consumptionTold()[id] != nil)
    try await api.store.apiSettings.plan(PlannedAPIFault(.cutAnswer, skip: 1))
    #expect(await api.send("GET", path(id)).json != .null)
    let cut = await api.send("GET", path(id))
    #expect(cut.status == 200 && cut.json == .null && !cut.response.body.isEmpty)
    try await api.store.apiSettings.plan(PlannedAPIFault(.slow, count: nil))
    for _ in 0..<2 {
      guard case .response(_, let span) = await api.store.serverAPI.answer(to: api.request("GET", path(id))) else {
        Issue.record("it answers after a delay")
        return
      }
      #expect(span == .seconds(30))
    }
    #expect(try await api.shop.restarted().store.apiFaults() == [PlannedAPIFault(.slow, count: nil)])
    try await api.store.apiSettings.forgetFaults()
    #expect(await api.store.apiFaults().isEmpty)
  }

  @Test func `breaks its connections on a network too (AS-API-13)`() async throws {
    let api = try await APIShop()
    let target = path(try await api.shop.buy(SimulatedShop.coins).transaction.id)
    #expect(try await api.store.serverAPI.network.send(api.request("GET", target), .seconds(5)).status == 200)
    for fault in [AppStoreAPIFault.unreachable, .loseRequest, .loseAnswer] {
      try await api.store.apiSettings.plan(PlannedAPIFault(fault))
      await #expect(throws: HTTPExchangeError.self) {
        try await api.store.serverAPI.network.send(api.request("GET", target), .seconds(5))
      }
    }
  }

  @Test func `is controlled over HTTP (AS-API-13)`() async throws {
    let shop = try await ControlledShop()
    let keys = try await shop.send("GET", "/simulator/api-keys")
    #expect(keys.json["keys"]?.array?.count == 1)
    let pem = try #require(keys.json["testPrivateKey"]?.string)
    #expect(try ECDSAPrivateKey(pem: Secret(pem.utf8)).publicKey == shop.shop.store.testAPIKey.key.publicKey)
    let key: [(String, JSONValue?)] = [
      ("issuerId", "11111111-2222-4333-8444-555555555555"),
      ("publicKey", .string(PEM.text(label: "PUBLIC KEY", bytes: Self.stranger.publicKey.spki))),
    ]
    #expect(try await shop.send("PUT", "/simulator/api-keys/STRANGER01", body: .members(key)).status == 200)
    #expect(try await shop.send("PUT", "/simulator/api-keys/no", body: .members(key)).status == 400)
    let fault = JSONValue.members([("fault", "slow"), ("operation", "history"), ("count", "always")])
    #expect(try await shop.send("POST", "/simulator/api-faults", body: fault).status == 201)
    #expect(try await shop.send("POST", "/simulator/api-faults", body: .members([("fault", "fast")])).status == 400)
    let list = try await shop.send("GET", "/simulator/api-faults").json
    #expect(list["planned"]?.array == [fault] && list["operations"]?.array?.count == 19)
    #expect(try await shop.send("DELETE", "/simulator/api-faults").status == 204)
    #expect(await shop.shop.store.apiFaults().isEmpty)
  }
}
