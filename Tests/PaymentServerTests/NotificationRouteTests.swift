import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `A notification of the App Store` {
  private let path = "/notifications/app-store"

  @Test func `that is not a signed payload is refused permanently (notification_unreadable, 1B.19)`() async throws {
    let front = try await ServerFixture.open { $0.settings = { $0.rates.failedCheckCost = 0 } }
    let genuine = TestAppStoreSigner().notification("n1", about: TestAppStoreSigner().transaction("1001")).text
    var bodies = [
      "", "{}", "[]", "null", "x", genuine + "}", #"{"signedPayload":null}"#, #"{"signedPayload":1}"#,
      #"{"signedPayload":"a.b"}"#, #"{"signedPayload":"a.b.c"}"#, #"{"signedPayload":"a.b.c","signedPayload":"a.b.c"}"#,
      #"{"notification_type":"REFUND","password":"x","unified_receipt":{}}"#,
      String(repeating: "[", count: 100_000), "\u{FEFF}" + genuine,
    ]
    for length in stride(from: 1, to: genuine.utf8.count, by: 211) { bodies.append(String(genuine.prefix(length))) }
    for body in bodies {
      let answer = await front.ask("POST", path, body: Array(body.utf8))
      #expect(answer.status == 400, "\(body.prefix(40))")
      #expect(answer.code == "notification_unreadable", "\(body.prefix(40))")
    }
  }

  @Test func `with a broken signature, outside or inside, is refused (1B.19)`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let transaction = TestAppStoreSigner().transaction("1001", token: order)
    let payload = TestAppStoreSigner().notification("n1", about: transaction)["signedPayload"]?.string ?? ""
    let other = TestAppStoreSigner().notification("n2", about: transaction)["signedPayload"]?.string ?? ""
    let parts = payload.split(separator: ".")
    let mixed = parts[0] + "." + parts[1] + "." + other.split(separator: ".")[2]
    let outside = await front.ask("POST", path, json: .members([("signedPayload", .string(String(mixed)))]))
    #expect(outside.code == "notification_unreadable")
    let inner = transaction.split(separator: ".")
    let strange = TestAppStoreSigner().transaction("1002", token: order).split(separator: ".")
    let forged = inner[0] + "." + inner[1] + "." + strange[2]
    let inside = await front.ask("POST", path, json: TestAppStoreSigner().notification("n3", about: String(forged)))
    #expect(inside.code == "notification_unreadable")
    #expect(await front.coins() == 0)
  }

  @Test func `of an unknown app, key or environment gets 503 and is sent again (notification_not_ours)`() async throws {
    let front = try await ServerFixture.open()
    let transaction = TestAppStoreSigner().transaction("1001")
    var stranger = TestAppStoreSigner()
    stranger.signing = TestAppStoreSigner.stranger
    let foreign = AppIdentity(bundleId: "com.example.foreign", appAppleId: 99)
    let asked = [
      (path, TestAppStoreSigner().notification("n1", about: nil, bundle: foreign)),
      (path, stranger.notification("n2", about: nil)),
      (path + "/nobody", TestAppStoreSigner().notification("n3", about: nil)),
      // One for the shop, posted under the other app's name.
      (path + "/other", TestAppStoreSigner().notification("n4", about: transaction)),
    ]
    for (target, body) in asked {
      let answer = await front.ask("POST", target, json: body)
      #expect(answer.status == 503)
      #expect(answer.code == "notification_not_ours")
      #expect(answer.fields["Retry-After"] != nil)
    }
  }

  @Test func `is accepted at both addresses, decoded inside and outside, and grants (1B.18, 1B.19)`() async throws {
    let front = try await ServerFixture.open()
    for (number, target) in [path, path + "/shop"].enumerated() {
      let order = await front.order()
      let id = "100\(number)"
      let transaction = TestAppStoreSigner().transaction(id, token: order)
      let answer = await front.ask(
        "POST", target, json: TestAppStoreSigner().notification("n\(number)", about: transaction))
      #expect(answer.status == 200)
      #expect(answer["effect"]?.string == "applied")
      #expect(answer["notificationUUID"]?.string == "n\(number)")
      #expect(answer["transactionId"]?.string == id)
      #expect(answer["firstSeen"]?.bool == true)
      let read = await front.ask("GET", "/v1/orders/" + order, as: front.token())
      #expect(read["state"]?.string == "paid")
    }
    #expect(await front.coins() == 200)
  }

  /// Apple has one URL for production and one for the sandbox; both may be the same.
  @Test func `of Apple's sandbox and of production is accepted at either URL (1B.18)`() async throws {
    for (sandbox, production) in [(path, path), (path + "/shop", path), (path, path + "/shop")] {
      let front = try await ServerFixture.open()
      let orders = [await front.order(), await front.order()]
      let asked: [(target: String, environment: String, id: String)] = [
        (sandbox, "Sandbox", "1001"), (production, "Production", "1002"),
      ]
      for (asked, order) in zip(asked, orders) {
        let transaction = TestAppStoreSigner().transaction(asked.id, token: order) {
          $0["environment"] = .string(asked.environment)
        }
        let body = TestAppStoreSigner().notification("n" + asked.id, about: transaction, environment: asked.environment)
        let answer = await front.ask("POST", asked.target, json: body)
        #expect(answer.status == 200)
        #expect(answer["effect"]?.string == "applied")
        #expect(await front.ask("GET", "/v1/orders/" + order, as: front.token())["state"]?.string == "paid")
      }
      #expect(await front.coins() == 200)
    }
  }

  @Test func `is accepted with any media type, and any number of times`() async throws {
    let front = try await ServerFixture.open()
    let body = TestAppStoreSigner().notification(
      "n1", about: TestAppStoreSigner().transaction("1001", token: await front.order())
    )
    .bytes
    for type in ["application/json;charset=UTF-8", "text/plain", "application/x-www-form-urlencoded"] {
      let answer = await front.ask("POST", path, body: body, fields: ["Content-Type": type])
      #expect(answer.status == 200)
    }
    #expect(await front.coins() == 100)
    #expect(await front.deliveries().count == 1)
  }

  @Test func `of a kind without an effect is kept, and a test is answered`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let transaction = TestAppStoreSigner().transaction("1001", token: order)
    let kept = await front.ask(
      "POST", path, json: TestAppStoreSigner().notification("n1", "METADATA_UPDATE", about: transaction))
    #expect(kept["effect"]?.string == "kept")
    #expect(await front.coins() == 0)
    let test = await front.ask("POST", path, json: TestAppStoreSigner().notification("n2", "TEST", about: nil))
    #expect(test["effect"]?.string == "applied")
  }

  @Test func `with an unknown signature uses up only the budget of the address that sent it`() async throws {
    let front = try await ServerFixture.open {
      ($0.verifier.chainsPerSenderBurst, $0.verifier.chainsPerSenderPerSecond) = (1, 0)
    }
    func send(_ number: Int, from peer: String) async -> String? {
      var signer = TestAppStoreSigner()
      signer.signing = TestAppStoreSigner.newStranger(number)
      return await front.ask("POST", path, json: signer.notification("n\(number)", about: nil), from: peer).code
    }
    #expect(await send(1, from: "192.0.2.66") == "notification_not_ours")
    #expect(await send(2, from: "192.0.2.66") == "verification_busy")
    #expect(await send(3, from: "192.0.2.67") == "notification_not_ours")
    let genuine = TestAppStoreSigner().notification("n", "TEST", about: nil)
    #expect(await front.ask("POST", path, json: genuine, from: "192.0.2.68").status == 200)
  }

  @Test func `of 513 kB is too large, and one that floods is slowed down (A15)`() async throws {
    let front = try await ServerFixture.open {
      $0.settings = {
        $0.rates.notifications = .init(perSecond: 1, burst: 50)
        $0.rates.reserve = .init(perSecond: 1, burst: 1)
      }
    }
    let large = await front.ask("POST", path, body: Array(repeating: 0x20, count: (512 << 10) + 1))
    #expect(large.status == 413)
    #expect(large.code == "body_too_large")
    var codes: [String?] = []
    for _ in 0..<5 { codes.append(await front.ask("POST", path, json: .members([("signedPayload", "a.b.c")])).code) }
    // 50 are allowed at once, a forgery costs 21, and the reserve has one.
    #expect(codes == Array(repeating: "notification_unreadable", count: 4) + ["too_many_requests"])
    #expect(await front.ask("GET", "/v1/balances", as: front.token(), from: "192.0.2.7").status == 200)
  }
}
