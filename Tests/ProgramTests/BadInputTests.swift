import AppStoreSimulator
import Cryptography
import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import Testing

/// A request that is refused, and its documented answer.
private struct Bad: Sendable {
  let what: String
  let route: String
  let body: [UInt8]
  /// nil: the shop's secret key.
  let credential: String?
  let status: Int
  let code: String

  init(
    _ what: String, to route: String = "POST /v1/orders", _ body: String, credential: String? = nil, status: Int,
    code: String
  ) {
    self.what = what
    self.route = route
    self.body = Array(body.utf8)
    self.credential = credential
    self.status = status
    self.code = code
  }
}

@Suite struct `A running server` {
  private static let order = #"{"productId": "coins.100", "store": "appStore", "userId": "u1""#

  private static let requests: [Bad] = [
    Bad("truncated JSON", order, status: 400, code: "body_unreadable"),
    Bad("no JSON at all", "buy me coins", status: 400, code: "body_unreadable"),
    Bad("a name twice", order + #", "quantity": 1, "quantity": 2}"#, status: 400, code: "body_unreadable"),
    Bad("a list", "[]", status: 400, code: "field_invalid"),
    Bad("JSON too deep", String(repeating: "[", count: 5000), status: 400, code: "body_unreadable"),
    Bad(
      "an unknown product", order.replacingOccurrences(of: "100", with: "999") + "}", status: 404,
      code: "product_unknown"),
    Bad("a negative quantity", order + #", "quantity": -1}"#, status: 400, code: "field_invalid"),
    Bad("a quantity of 0", order + #", "quantity": 0}"#, status: 400, code: "field_invalid"),
    Bad("a quantity of 11", order + #", "quantity": 11}"#, status: 400, code: "field_invalid"),
    Bad("a quantity with a fraction", order + #", "quantity": 1.5}"#, status: 400, code: "field_invalid"),
    Bad(
      "an unknown store", #"{"productId": "coins.100", "store": "barter", "userId": "u1"}"#, status: 400,
      code: "field_invalid"),
    Bad("no user", #"{"productId": "coins.100", "store": "appStore"}"#, status: 400, code: "user_missing"),
    Bad("no credential", order + "}", credential: "", status: 401, code: "credential_missing"),
    Bad(
      "a wrong secret key", order + "}", credential: "cfs_aaaaaaaaaaaa_" + wrong, status: 401,
      code: "credential_invalid"),
    Bad(
      "a token without signature", order + "}", credential: "eyJhbGciOiJub25lIn0.e30.", status: 401,
      code: "credential_invalid"),
    Bad("no token", order + "}", credential: "nonsense", status: 401, code: "credential_invalid"),
    Bad("an unknown path", to: "GET /v1/nothing", "", status: 404, code: "route_unknown"),
    Bad("a wrong method", to: "DELETE /v1/orders", "", status: 405, code: "method_not_allowed"),
    Bad("a broken query", to: "GET /v1/orders?limit=many", "", status: 400, code: "field_invalid"),
    Bad(
      "an unknown order", to: "GET /v1/orders/00000000-0000-7000-8000-000000000000", "", status: 404,
      code: "order_unknown"),
    Bad(
      "evidence of no kind", to: payments, #"{"evidence": "nonsense", "userId": "u1"}"#, status: 400,
      code: "evidence_unreadable"),
    Bad("no evidence", to: payments, #"{"userId": "u1"}"#, status: 400, code: "evidence_missing"),
    Bad("a body of 10 MB", to: payments, megabytes, status: 413, code: "http_body_too_large"),
    Bad(
      "a notification of 10 MB", to: "POST /notifications/app-store", megabytes, status: 413,
      code: "http_body_too_large"),
    Bad("no notification", to: "POST /notifications/app-store", "{}", status: 400, code: "notification_unreadable"),
    Bad(
      "an unsigned notification", to: "POST /notifications/app-store", #"{"signedPayload": "e30.e30.e30"}"#,
      status: 400,
      code: "notification_unreadable"),
  ]
  private static let payments = "POST /v1/payments/app-store"
  private static let wrong = String(repeating: "a", count: 43)
  private static let megabytes = #"{"evidence": ""# + String(repeating: "A", count: 10 << 20) + #""}"#

  @Test(.timeLimit(.minutes(5)))
  func `refuses each bad request with its documented code, and continues to serve`() async throws {
    try await withShop { shop in
      try await shop.start()
      for bad in Self.requests {
        let route = bad.route.split(separator: " ").map(String.init)
        var request = HTTPRequest(route[0], shop.address + route[1], body: bad.body)
        let credential = bad.credential ?? shop.keys["game"] ?? ""
        if !credential.isEmpty { request.fields.set("Authorization", "Bearer " + credential) }
        if !bad.body.isEmpty { request.fields.set("Content-Type", "application/json") }
        let response = try await shop.exchange.send(request, .seconds(30))
        let problem = try JSONReader.read(response.body)
        #expect(response.status == bad.status, "\(bad.what): \(problem.text)")
        #expect(problem["code"]?.string == bad.code, "\(bad.what): \(problem.text)")
        #expect(problem["remedy"]?.string?.isEmpty == false, "\(bad.what)")
        #expect(response.fields["Content-Type"] == "application/problem+json", "\(bad.what)")
      }
      try await expectServing(shop)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `refuses evidence that is incomplete, forged or of another app or store, and grants nothing for it`()
    async throws
  {
    try await withShop { shop in
      try await shop.start()
      try Files.makeFolder(shop.folder + "/other")
      let other = try await Shop.open(in: shop.folder + "/other", apps: [ShopApp(id: "game")])
      let foreign = ShopApp(id: "foreign")
      try await shop.store.catalog.setApp(SimulatedApp(bundleId: foreign.bundleId, appAppleId: 7))
      try await shop.store.catalog.setProduct(
        SimulatedProduct(
          id: foreign.storeProduct, kind: .consumable, price: .init(milliunits: 6000, currency: "CNY")),
        bundleId: foreign.bundleId)
      let genuine = try await shop.buy(order: nil, account: "a").signedTransaction
      let parts = genuine.split(separator: ".").map(String.init)
      let claims = Base64URL.encode(Array(#"{"bundleId":"com.example.game","transactionId":"1"}"#.utf8))
      for (what, jws) in [
        ("cut in its signature", String(genuine.dropLast(21))), ("without signature", parts[0] + "." + parts[1]),
        ("cut in its payload", parts[0] + "." + parts[1].dropLast(9) + "." + parts[2]),
      ] {
        let answer = try await shop.ask(
          "POST", "/v1/payments/app-store", body: .members([("evidence", .string(jws)), ("userId", "u1")]))
        #expect(answer.status == 400 && answer.json["code"]?.string == "evidence_unreadable", "\(what)")
      }
      let evidence: [(what: String, jws: String)] = [
        ("another payload under the signature", parts[0] + "." + claims + "." + parts[2]),
        ("another app's", try await shop.buy(order: nil, account: "a", app: foreign).signedTransaction),
        ("another store's", try await other.buy(order: nil, account: "a").signedTransaction),
      ]
      for (what, jws) in evidence {
        let answer = try await shop.ask(
          "POST", "/v1/payments/app-store", body: .members([("evidence", .string(jws)), ("userId", "u1")]))
        let payment = answer.json["payments"]?.array?.first
        #expect(answer.status == 200 && payment?["verdict"]?.string == "refused", "\(what): \(answer.json.text)")
        #expect(payment?["finish"]?.bool == false && payment?["reason"]?.string?.isEmpty == false, "\(what)")
      }
      let balances = try await shop.ask("GET", "/v1/users/u1/balances")
      #expect(balances.json["balances"]?.array == [])
      try await expectServing(shop)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `answers one request as one, even if a second one is hidden behind it`() async throws {
    try await withShop { shop in
      try await shop.start()
      for (what, text, code) in Self.smuggled {
        let answer = await rawReply(port: shop.port, to: text + Self.hidden)
        #expect(answer?.code == code, "\(what): \(answer?.text ?? "no answer")")
        #expect(answer?.count == 1, "\(what): \(answer?.text ?? "")")
      }
      try await expectServing(shop)
    }
  }

  private static let hidden = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let post = "POST /v1/orders HTTP/1.1\r\nHost: a\r\n"
  private static let chunked = post + "Transfer-Encoding: chunked\r\n"

  /// The forms that the first measurements of HTTP libraries list.
  private static let smuggled: [(what: String, text: String, code: String)] = [
    ("no Host", "GET /livez HTTP/1.1\r\n\r\n", "http_host_not_one"),
    ("two Hosts", "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "http_host_not_one"),
    ("a space before the colon", "GET /livez HTTP/1.1\r\nHost : a\r\n\r\n", "http_request_malformed"),
    ("NUL in a value", "GET /livez HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", "http_request_malformed"),
    ("bare line feeds", "GET /livez HTTP/1.1\nHost: a\n\n", "http_request_malformed"),
    ("both lengths", chunked + "Content-Length: 5\r\n\r\n0\r\n\r\n", "http_framing_ambiguous"),
    ("two lengths", post + "Content-Length: 2\r\nContent-Length: 1\r\n\r\nab", "http_framing_ambiguous"),
    ("a length of +5", post + "Content-Length: +5\r\n\r\nabcde", "http_framing_ambiguous"),
    ("a chunk of 0x3", chunked + "\r\n0x3\r\nabc\r\n0\r\n\r\n", "http_chunk_malformed"),
    ("xchunked", post + "Transfer-Encoding: xchunked\r\n\r\n", "http_transfer_coding_unknown"),
    (
      "gzip, chunked", post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "http_transfer_coding_unknown"
    ),
    (
      "a head of 40 kB", "GET /livez HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 40_000) + "\r\n\r\n",
      "http_head_too_large"
    ),
  ]

  @Test(.timeLimit(.minutes(5)))
  func `disconnects clients that send too slowly or stop in the middle`() async throws {
    try await withShop { shop in
      try await shop.start()
      let port = shop.port
      async let slowHead = rawReply(port: port, to: "GET /livez HTTP/1.1\r\nHost: a\r\nX: a", isSlow: true)
      async let slowBody = rawReply(
        port: port, to: Self.post + "Content-Length: 100000\r\n\r\na", isSlow: true)
      async let cutHead = rawReply(port: port, to: "GET /livez HTTP/1.1\r\nHos", endsSending: true)
      async let cutBody = rawReply(port: port, to: Self.post + "Content-Length: 9\r\n\r\nabc", endsSending: true)
      let (head, body, cuts) = (await slowHead, await slowBody, [await cutHead, await cutBody])
      #expect(head?.status == 408 && head?.code == "http_request_too_slow", "\(head?.text ?? "no answer")")
      #expect(body?.status == 408 && body?.code == "http_request_too_slow", "\(body?.text ?? "no answer")")
      for cut in cuts { #expect(cut?.code == "http_request_incomplete", "\(cut?.text ?? "no answer")") }
      try await expectServing(shop)
    }
  }

  /// Afterwards, an order can still be created, paid and granted.
  private func expectServing(_ shop: Shop) async throws {
    let order = try await shop.ask(
      "POST", "/v1/orders", body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", "after")]))
    #expect(order.status == 201, "\(order.json.text)")
    let bought = try await shop.buy(order: order.json["id"]?.string, account: "after")
    let paid = try await shop.ask(
      "POST", "/v1/payments/app-store",
      body: .members([("evidence", .string(bought.signedTransaction)), ("userId", "after")]))
    #expect(paid.json["payments"]?.array?.first?["verdict"]?.string == "fulfilled", "\(paid.json.text)")
    let end = try await shop.stop()
    #expect(end == 0)
  }
}
