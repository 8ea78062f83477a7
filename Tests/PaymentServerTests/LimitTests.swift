import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The rates` {
  private func open(_ change: @escaping @Sendable (inout ServerSettings) -> Void) async throws -> ServerFixture {
    try await ServerFixture.open { $0.settings = change }
  }

  /// How many of these requests are answered.
  private func answered(
    _ count: Int, _ front: ServerFixture, as credential: String?, target: String = "/v1/balances",
    from peer: String = "192.0.2.1", fields: HTTPFields = [:]
  ) async -> Int {
    var answered = 0
    for _ in 0..<count {
      let answer = await front.ask("GET", target, as: credential, fields: fields, from: peer)
      if answer.status == 429 {
        #expect(answer.code == "too_many_requests")
        #expect(answer.fields["Retry-After"] == "1")
      } else {
        answered += 1
      }
    }
    return answered
  }

  @Test func `limit a user to one burst from all addresses, and no other user`() async throws {
    let front = try await open { $0.rates.user = .init(perSecond: 2, burst: 5) }
    #expect(await answered(8, front, as: front.token()) == 5)
    #expect(await answered(3, front, as: front.token(), from: "198.51.100.1") == 0)
    #expect(await answered(3, front, as: front.token(of: "bob")) == 3)
    front.clock.advance(by: .seconds(1))
    #expect(await answered(5, front, as: front.token()) == 2)
    front.clock.advance(by: .hours(5))
    #expect(await answered(8, front, as: front.token()) == 5)
  }

  @Test func `limit each key to its own burst`() async throws {
    let front = try await open { $0.rates.key = .init(perSecond: 1, burst: 3) }
    #expect(await answered(5, front, as: front.keys.secret, target: "/v1/orders") == 3)
    #expect(await answered(5, front, as: front.keys.otherSecret, target: "/v1/orders") == 3)
    #expect(await answered(5, front, as: front.keys.operator, target: "/v1/operator/queue") == 3)
  }

  @Test func `limit an address, or the first 64 bits of an IPv6 address, also for unknown paths`() async throws {
    let front = try await open { $0.rates.peer = .init(perSecond: 1, burst: 4) }
    #expect(await answered(6, front, as: nil, target: "/nowhere", from: "192.0.2.9") == 4)
    var passed = 0
    for host in 1...6 { passed += await answered(1, front, as: nil, from: "2001:db8:0:1::\(host)") }
    #expect(passed == 4)
    #expect(await answered(1, front, as: nil, from: "2001:DB8::1:0:0:0:7") == 0)
    #expect(await answered(1, front, as: nil, from: "2001:db8:0:2::1") == 1)
    #expect(await answered(6, front, as: nil, from: "::ffff:203.0.113.5") == 4)
    #expect(await answered(1, front, as: nil, from: "203.0.113.5") == 0)
  }

  @Test func `make a wrong credential expensive, and leave probes and good credentials alone`() async throws {
    let front = try await open { $0.rates.peer = .init(perSecond: 1, burst: 50) }
    #expect(await answered(6, front, as: "cfs_aaaaaaaaaaaa_wrong") == 3)
    #expect(await answered(1, front, as: nil) == 0)
    #expect(await answered(1, front, as: front.token()) == 1)
    for target in ["/livez", "/readyz"] { #expect(await answered(9, front, as: nil, target: target) == 9) }
  }

  @Test func `charge forged evidence to the user that a gateway names, not to the gateway (A15)`() async throws {
    let front = try await open { $0.rates.user = .init(perSecond: 1, burst: 45) }
    var stranger = TestAppStoreSigner()
    stranger.signing = TestAppStoreSigner.stranger
    func forge(_ user: String) async -> Int {
      await front.submit(stranger.transaction("1"), as: front.keys.secret, [("userId", .string(user))]).status
    }
    var statuses: [Int] = []
    for _ in 0..<4 { statuses.append(await forge("mallory")) }
    #expect(statuses == [200, 200, 200, 429])
    #expect(await forge("alice") == 200)
  }

  @Test func `accept X-Forwarded-For only from trusted proxies`() async throws {
    let front = try await open {
      $0.rates.peer = .init(perSecond: 1, burst: 3)
      $0.trustedProxies = TrustedProxies(["10.0.0.1", "10.0.0.2"].compactMap { AddressBlock($0) })
    }
    func passed(_ forwarded: String..., from peer: String = "10.0.0.1") async -> Int {
      var passed = 0
      for value in forwarded {
        passed += await answered(
          1, front, as: nil, target: "/openapi.json", from: peer, fields: ["X-Forwarded-For": value])
      }
      return passed
    }
    // The sender is not trusted: all requests count for the sender.
    #expect(await passed("1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", from: "192.0.2.50") == 3)
    // The nearest address that is not a proxy counts, whatever the caller wrote before it; a port is not part of it.
    #expect(await passed("9.9.9.1, 7.7.7.7", "9.9.9.2,7.7.7.7, 10.0.0.2", "7.7.7.7:4711", "7.7.7.7:4712") == 3)
    #expect(await passed("6.6.6.6") == 1)
    #expect(await passed("[2001:db8:5::1]:80", "2001:db8:5::2", "2001:db8:5:0:1::", "[2001:db8:5::9]:81") == 3)
    // Without a valid address, the proxy itself counts.
    #expect(await passed("unknown", "1.2.3.4.evil", String(repeating: "1", count: 99), "<script>") == 3)
  }
}

@Suite struct `Bad requests` {
  @Test(arguments: [
    ("/v1/orders/%", 400, "target_unreadable"), ("/v1/orders/%zz", 400, "target_unreadable"),
    ("/v1/orders/a%2Fb", 404, "order_unknown"), ("/v1/orders/a%00", 400, "target_unreadable"),
    ("/v1/orders/%ff", 400, "target_unreadable"), ("/v1/../v1/orders", 400, "target_unreadable"),
    ("/v1/orders/..", 400, "target_unreadable"), ("v1/orders", 400, "target_unreadable"),
    ("", 400, "target_unreadable"), ("*", 400, "target_unreadable"), ("http://a/v1/orders", 400, "target_unreadable"),
    ("/v1/orders?a=%", 400, "target_unreadable"), ("/", 404, "route_unknown"), ("/v1", 404, "route_unknown"),
    ("//v1/orders", 404, "route_unknown"), ("/v1/orders/", 404, "route_unknown"), ("/v1//orders", 404, "route_unknown"),
    ("/v1/%6Frders", 404, "route_unknown"), ("/V1/orders", 404, "route_unknown"), ("/v2/orders", 404, "route_unknown"),
    ("/v1/operator", 404, "route_unknown"), ("/v1/orders/a/b/c", 404, "route_unknown"),
  ])
  func `for invalid or unknown paths have their own codes`(
    target: String, status: Int, code: String
  ) async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask("GET", target, as: front.token())
    #expect(answer.status == status)
    #expect(answer.code == code)
  }

  @Test func `with another method are answered with the allowed ones (method_not_allowed)`() async throws {
    let front = try await ServerFixture.open()
    let operations = try await Document.served(by: front.server).operations
    for operation in operations {
      let taken = Set(operations.filter { $0.path == operation.path }.map(\.method))
      for method in ["PUT", "DELETE", "PATCH", "get", "BREW"] where !taken.contains(method) {
        let answer = await front.ask(method, operation.path(), as: front.token())
        #expect(answer.status == 405)
        #expect(answer.code == "method_not_allowed")
        let allowed = Set((answer.fields["Allow"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
        #expect(allowed.contains(operation.method) && allowed.contains("OPTIONS"))
      }
    }
  }

  @Test func `with a body of another media type are refused (media_type_not_taken)`() async throws {
    let front = try await ServerFixture.open()
    let body = Array(#"{"productId":"coins.100","store":"appStore"}"#.utf8)
    func post(_ fields: HTTPFields) async -> Answer {
      await front.ask("POST", "/v1/orders", as: front.token(), body: body, fields: fields)
    }
    for type in [
      "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data; boundary=x", "",
      "application/json; charset=gbk", "text/json, application/json",
    ] {
      let answer = await post(["Content-Type": type])
      #expect(answer.status == 415, "\(type)")
      #expect(answer.code == "media_type_not_taken", "\(type)")
      #expect(answer.fields["Accept"] == "application/json")
    }
    #expect(
      await post(["Content-Type": "application/json", "Content-Encoding": "gzip"]).code == "media_type_not_taken")
    var doubled = HTTPFields()
    doubled.add("Content-Type", "application/json")
    doubled.add("Content-Type", "text/plain")
    #expect(await post(doubled).code == "media_type_not_taken")
    for type in ["application/json", "Application/JSON; Charset=\"UTF-8\"", "application/vnd.team+json"] {
      #expect(await post(["Content-Type": type]).status == 201, "\(type)")
    }
    #expect(await post([:]).status == 201)
  }

  @Test func `too large are refused before they are read, at every call (body_too_large)`() async throws {
    let front = try await ServerFixture.open()
    let large = Array(repeating: UInt8(ascii: " "), count: 10 << 20)
    for operation in try await Document.served(by: front.server).operations {
      let answer = await front.ask(operation.method, operation.path(), as: front.token(), body: large)
      #expect(answer.status == 413)
      #expect(answer.code == "body_too_large")
    }
  }

  @Test func `with invalid JSON are refused with the place of the error (body_unreadable)`() async throws {
    let front = try await ServerFixture.open()
    let good = #"{"productId":"coins.100","store":"appStore"}"#
    var bodies = (1..<good.utf8.count).map { Array(good.utf8.prefix($0)) }
    bodies += [
      good + good, good + "x", good.replacing("\"", with: "'"),
      #"{"productId":"coins.100","store":"appStore","store":"x"}"#,
      #"{"productId":"coins.100",}"#, "{\"productId\":\"a\u{1}\"}", #"{"a":01}"#, #"{"a":NaN}"#, #"{"a":"\ud800"}"#,
      String(repeating: "[", count: 17) + String(repeating: "]", count: 17), "\u{FEFF}" + good,
      "[" + String(repeating: "0,", count: 5000) + "0]",
    ].map { Array($0.utf8) }
    bodies += [[0xFF, 0xFE], [0x7B, 0x22, 0xC0, 0x80, 0x22, 0x3A, 0x31, 0x7D], Array(repeating: 0, count: 8)]
    for body in bodies {
      let answer = await front.ask("POST", "/v1/orders", as: front.token(), body: body)
      #expect(answer.status == 400)
      #expect(answer.code == "body_unreadable", "\(String(decoding: body.prefix(60), as: UTF8.self))")
    }
    for body in ["[]", "null", "1", "\"x\""] {
      #expect(await front.ask("POST", "/v1/orders", as: front.token(), body: Array(body.utf8)).code == "field_invalid")
    }
  }

  @Test func `are answered in the language that is asked for`() async throws {
    let front = try await ServerFixture.open()
    for (wish, language) in [
      ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"), ("en;q=0.1, zh;q=0.2", "zh-Hans"), ("fr, zh-TW", "zh-Hans"),
      ("en, zh", "en"), ("zh;q=0, en", "en"), ("de", "en"), ("", "en"),
      ("zh;q=x, en;q=0.1", "zh-Hans"), (";;;,,,=q", "en"),
    ] {
      let answer = await front.ask("GET", "/nowhere", fields: ["Accept-Language": wish])
      #expect(answer.fields["Content-Language"] == language, "\(wish)")
      #expect((answer["title"]?.string?.contains("路径") == true) == (language == "zh-Hans"), "\(wish)")
    }
  }
}
