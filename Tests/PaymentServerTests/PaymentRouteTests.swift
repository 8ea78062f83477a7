import AppStoreProtocol
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SigningAuthorities
import StrictJSON
import Testing

@Suite struct `Submitting a payment` {
  private let path = "/v1/payments/app-store"

  @Test func `is refused without evidence (evidence_missing)`() async throws {
    let front = try await ServerFixture.open()
    for body: JSONValue in [.object([]), .members([("evidence", .null)]), .members([("orderIds", .array([]))])] {
      let answer = await front.ask("POST", path, as: front.token(), json: body)
      #expect(answer.status == 400)
      #expect(answer.code == "evidence_missing")
    }
  }

  @Test func `that no store can have signed is refused (evidence_unreadable)`() async throws {
    let front = try await ServerFixture.open()
    let genuine = TestAppStoreSigner().transaction("1001")
    let parts = genuine.split(separator: ".").map(String.init)
    let texts = [
      "x", "a.b.c", "..", genuine + ".", parts[0] + "." + parts[1], parts[0] + ".!." + parts[2],
      String(repeating: "A", count: 262_145), "MIIT" + String(repeating: "A", count: 100),
    ]
    for text in texts {
      let answer = await front.submit(text, as: front.token())
      #expect(answer.status == 400, "\(text.prefix(20))")
      #expect(answer.code == "evidence_unreadable", "\(text.prefix(20))")
    }
  }

  @Test func `truncated anywhere grants nothing`() async throws {
    let front = try await ServerFixture.open { $0.settings = { $0.rates.failedCheckCost = 0 } }
    let genuine = TestAppStoreSigner().transaction("1001")
    for length in stride(from: 1, to: genuine.utf8.count, by: 97) {
      let answer = await front.submit(String(genuine.prefix(length)), as: front.token())
      #expect(answer.code == "evidence_unreadable" || answer.payment["verdict"]?.string == "refused")
      #expect(answer.payment["finish"]?.bool != true)
    }
    #expect(await front.coins() == 0)
  }

  @Test func `that is forged, by an unknown authority or for another app is answered with refused`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    var stranger = TestAppStoreSigner()
    stranger.signing = TestAppStoreSigner.stranger
    let genuine = TestAppStoreSigner().transaction("1001", token: order)
    let other = TestAppStoreSigner().transaction("1002", token: order)
    // The signature of one under the content of the other.
    let mixed =
      genuine.split(separator: ".")[..<2].joined(separator: ".") + "." + String(other.split(separator: ".")[2])
    let foreign = TestAppStoreSigner().transaction("1001", token: order) { $0["bundleId"] = "com.example.other" }
    for (evidence, reason) in [
      (stranger.transaction("1001", token: order), "invalidChain"), (mixed, "invalidSignature"),
      (foreign, "invalidAppIdentifier"),
    ] {
      let answer = await front.submit(evidence, as: front.token())
      #expect(answer.status == 200)
      #expect(answer.payment["verdict"]?.string == "refused")
      #expect(answer.payment["reason"]?.string == reason)
      #expect(answer.payment["finish"]?.bool == false)
    }
    #expect(await front.coins() == 0)
    #expect(await front.ask("GET", "/v1/orders/" + order, as: front.token())["state"]?.string == "awaitingPayment")
  }

  @Test func `pays the order that it names; the order then shows it, and why (1B.16)`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let answer = await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    #expect(answer.payment["verdict"]?.string == "fulfilled")
    #expect(answer.payment["finish"]?.bool == true)
    #expect(answer.payment["orderId"]?.string == order)
    let read = await front.ask("GET", "/v1/orders/" + order, as: front.token())
    #expect(read["state"]?.string == "paid")
    #expect(read["delivery"]?.string == "pending")
    #expect(read["lastVerdict"]?["verdict"]?.string == "fulfilled")
    #expect(await front.coins() == 100)
  }

  @Test func `of a revoked transaction delivers nothing, and the order says so (1B.16)`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let evidence = TestAppStoreSigner().transaction("1001", token: order) {
      $0["revocationDate"] = .integer(EngineFixture.noon.milliseconds)
      $0["revocationReason"] = .integer(0)
    }
    let answer = await front.submit(evidence, as: front.token())
    #expect(answer.payment["verdict"]?.string == "revoked")
    #expect(await front.coins() == 0)
    #expect(await front.deliveries().isEmpty)
    let read = await front.ask("GET", "/v1/orders/" + order, as: front.token())
    #expect(read["lastVerdict"]?["verdict"]?.string == "revoked")
    #expect(read["state"]?.string != "paid")
  }

  @Test func `for another user's order reveals neither the order nor the user`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order("coins.100", of: "alice")
    let answer = await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token(of: "bob"))
    #expect(answer.payment["verdict"]?.string == "fulfilledForAnother")
    #expect(answer.payment["finish"]?.bool == true)
    #expect(!answer.text.contains(order))
    #expect(!answer.text.contains("alice"))
    #expect(await front.coins(of: "alice") == 100)
    #expect(await front.coins(of: "bob") == 0)
  }

  @Test func `with the app's key alone grants to the order's owner, or waits unclaimed`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let named = await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.keys.publishable)
    #expect(named.payment["verdict"]?.string == "fulfilledForAnother")
    #expect(await front.coins() == 100)
    let nameless = await front.submit(TestAppStoreSigner().transaction("1002"), as: front.keys.publishable)
    #expect(nameless.payment["verdict"]?.string == "unclaimed")
    #expect(nameless.payment["finish"]?.bool == false)
    let withUser = await front.submit(
      TestAppStoreSigner().transaction("1003"), as: front.keys.publishable, [("userId", "alice")])
    #expect(withUser.code == "user_not_allowed")
  }

  @Test func `by id alone is a question, and is answered only for the user's own transaction`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    func ask(_ id: String, as credential: String, _ query: String = "") async -> Answer {
      await front.ask("POST", path + query, as: credential, json: .members([("transactionId", .string(id))]))
    }
    #expect(await ask("1001", as: front.token()).payment["orderId"]?.string == order)
    #expect(await ask("1001", as: front.keys.secret, "?userId=alice").payment["verdict"]?.string == "fulfilled")
    for (id, credential, query) in [
      ("1001", front.token(of: "bob"), ""), ("9", front.token(), ""), ("1001", front.keys.publishable, ""),
      ("1001", front.keys.secret, ""), ("1001", front.keys.secret, "?userId=bob"),
    ] {
      let answer = await ask(id, as: credential, query)
      #expect(answer.status == 404)
      #expect(answer.code == "transaction_unknown")
    }
  }

  @Test func `compares the client's other statements with the evidence, and never trusts them`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    let answer = await front.submit(
      TestAppStoreSigner().transaction("1001", token: order), as: front.token(),
      [
        ("productId", "com.example.coins1000"), ("quantity", .integer(-5)), ("amount", "0.01"), ("currency", "XXX"),
        ("transactionId", "666"), ("parameters", .members([("a", .array([.null]))])),
      ])
    #expect(answer.payment["transactionId"]?.string == "1001")
    #expect(await front.coins() == 100)
  }

  @Test func `is busy when too many unknown signatures come at once (verification_busy)`() async throws {
    let front = try await ServerFixture.open { $0.verifier.unknownChainsBurst = 5 }
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1", token: order), as: front.token())
    var codes: Set<String> = []
    for number in 0..<8 where !codes.contains("verification_busy") {
      let authority = TestAppStoreSigner.newStranger(number)
      var signer = TestAppStoreSigner()
      signer.signing = authority
      let answer = await front.submit(signer.transaction("1001"), as: front.token())
      if let code = answer.code {
        codes.insert(code)
        #expect(answer.status == 503)
        #expect(answer.fields["Retry-After"] != nil)
      }
    }
    #expect(codes == ["verification_busy"])
    // A known signer is still served.
    let known = await front.submit(TestAppStoreSigner().transaction("2", token: await front.order()), as: front.token())
    #expect(known.payment["verdict"]?.string == "fulfilled")
  }

  @Test func `with an unknown signature uses up only the budget of the user who sent it`() async throws {
    let front = try await ServerFixture.open {
      ($0.verifier.chainsPerSenderBurst, $0.verifier.chainsPerSenderPerSecond) = (1, 0)
    }
    func send(_ number: Int, as user: UserIdentifier) async -> Answer {
      var signer = TestAppStoreSigner()
      signer.signing = TestAppStoreSigner.newStranger(number)
      return await front.submit(signer.transaction("1001"), as: front.token(of: user))
    }
    #expect(await send(1, as: "mallory").payment["verdict"]?.string == "refused")
    #expect(await send(2, as: "mallory").code == "verification_busy")
    #expect(await send(3, as: "alice").payment["verdict"]?.string == "refused")
    #expect(await front.submit(TestAppStoreSigner().transaction("1"), as: front.token(of: "bob")).status == 200)
  }

  @Test func `reported as finished notes only the user's known transactions`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    func report(_ ids: [JSONValue], as credential: String) async -> Answer {
      await front.ask(
        "POST", path + "/finished", as: credential, json: .members([("transactionIds", .array(ids))]))
    }
    #expect(await report(["1001", "9"], as: front.token())["noted"]?.integer == 1)
    #expect(await report(["1001"], as: front.token(of: "bob"))["noted"]?.integer == 0)
    #expect(await report(Array(repeating: "1", count: 201), as: front.token()).code == "field_invalid")
    #expect(await front.ask("POST", path + "/finished", as: front.token(), json: .object([])).code == "field_invalid")
  }
}

extension TestAppStoreSigner {
  /// A different untrusted authority for each number.
  static func newStranger(_ number: Int) -> SigningChain {
    let authority = AppleShapedAuthority(
      name: "Engine Tests", randomBytes: (0..<48).map { UInt8(($0 * 7 + number * 13 + 1) & 255) },
      notBefore: EngineFixture.noon - .days(365), notAfter: EngineFixture.noon + .days(3650))
    return authority.signingChain(
      serialNumber: 9, randomBytes: Array(repeating: UInt8(number & 127) + 1, count: 32),
      notBefore: EngineFixture.noon - .days(30), notAfter: EngineFixture.noon + .days(700))
  }
}
