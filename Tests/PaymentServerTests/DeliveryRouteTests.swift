import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `A delivery for a backend that pulls` {
  private func bought(_ front: ServerFixture, _ id: String = "1001") async -> String {
    let order = await front.order()
    await front.submit(TestAppStoreSigner(at: front.now()).transaction(id, token: order), as: front.token())
    return order
  }

  private func claim(_ front: ServerFixture, _ body: [(String, JSONValue?)] = []) async -> [JSONValue] {
    let answer = await front.ask(
      "POST", "/v1/deliveries/claim", as: front.keys.secret, json: body.isEmpty ? nil : .members(body))
    return answer["deliveries"]?.array ?? []
  }

  @Test(arguments: [
    [("limit", JSONValue.integer(0))], [("limit", .integer(101))], [("limit", "5")], [("leaseSeconds", .integer(0))],
    [("leaseSeconds", .integer(3601))], [("environment", "production")], [("environment", "moon")],
    [("environment", .integer(1))],
  ])
  func `is refused outside its limits and environments`(fields: [(String, JSONValue)]) async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask(
      "POST", "/v1/deliveries/claim", as: front.keys.secret, json: .members(fields.map { ($0.0, $0.1) }))
    #expect(answer.code == "field_invalid")
  }

  @Test func `that does not exist is refused (delivery_unknown)`() async throws {
    let front = try await ServerFixture.open()
    for id in ["dlv_x", "a%20b", String(repeating: "d", count: 2000)] {
      let answer = await front.ask("POST", "/v1/deliveries/\(id)/ack", as: front.keys.secret)
      #expect(answer.status == 404)
      #expect(answer.code == "delivery_unknown")
    }
  }

  @Test func `is leased, comes again under the same id, and ends with its acknowledgement (A20)`() async throws {
    let front = try await ServerFixture.open()
    let order = await bought(front)
    let first = await claim(front, [("leaseSeconds", .integer(30))])
    #expect(first.count == 1)
    #expect(await claim(front).isEmpty)
    front.clock.advance(by: .seconds(31))
    let second = await claim(front)
    #expect(second.first?["id"] == first.first?["id"])
    #expect(second.first?["delivery"] == first.first?["delivery"])
    let id = try #require(first.first?["id"]?.string)
    let acknowledged = await front.ask("POST", "/v1/deliveries/\(id)/ack", as: front.keys.secret)
    #expect(acknowledged["state"]?.string == "acknowledged")
    // A replayed acknowledgement changes nothing, not even the count.
    front.clock.advance(by: .minutes(1))
    let again = await front.ask("POST", "/v1/deliveries/\(id)/ack", as: front.keys.secret)
    #expect(again.json == acknowledged.json)
    front.clock.advance(by: .hours(2))
    #expect(await claim(front).isEmpty)
    let read = await front.ask("GET", "/v1/orders/" + order, as: front.token())
    #expect(read["delivery"]?.string == "acknowledged")
    #expect(read["deliveredAt"] == acknowledged["acknowledgedAt"])
  }

  @Test func `states what was granted, to which user, by which order`() async throws {
    let front = try await ServerFixture.open()
    let order = await bought(front)
    let body = try #require(await claim(front).first?["delivery"])
    #expect(body["type"]?.string == "grant.created")
    #expect(body["orderId"]?.string == order)
    #expect(body["userId"]?.string == "alice")
    #expect(body["units"]?.text == #"{"unit":"coin","amount":100}"#)
    #expect(body["sequence"]?.integer == 1)
    #expect(body["match"]?.array?.first?.string == "exact")
  }

  @Test func `is listed page by page, by its state`() async throws {
    let front = try await ServerFixture.open()
    for number in 0..<5 {
      _ = await bought(front, "100\(number)")
      front.clock.advance(by: .seconds(1))
    }
    var seen: [String] = []
    var next: String?
    repeat {
      let query = "?limit=2" + (next.map { "&after=" + RequestTarget.encode($0) } ?? "")
      let page = await front.ask("GET", "/v1/deliveries" + query, as: front.keys.secret)
      seen += (page["deliveries"]?.array ?? []).compactMap { $0["id"]?.string }
      next = page["next"]?.string
    } while next != nil && seen.count < 20
    #expect(seen.count == 5)
    #expect(Set(seen).count == 5)
    await front.ask("POST", "/v1/deliveries/\(seen[0])/ack", as: front.keys.secret)
    func count(_ state: String) async -> Int? {
      await front.ask("GET", "/v1/deliveries?state=" + state, as: front.keys.secret)["deliveries"]?.array?.count
    }
    #expect(await count("pending") == 4)
    #expect(await count("acknowledged") == 1)
    #expect(await count("parked") == 0)
    for query in ["?state=lost", "?limit=0", "?limit=101", "?limit=+5", "?limit=x", "?limit=1&limit=2"] {
      let answer = await front.ask("GET", "/v1/deliveries" + query, as: front.keys.secret)
      #expect(answer.code == "field_invalid", "\(query)")
    }
  }

  @Test func `is sent again by an operator under the same id (A20)`() async throws {
    let front = try await ServerFixture.open()
    _ = await bought(front)
    let id = try #require(await claim(front).first?["id"]?.string)
    let driven = await front.ask("POST", "/v1/operator/deliveries/\(id)/redrive", as: front.keys.operator)
    #expect(driven["id"]?.string == id)
    let unknown = await front.ask("POST", "/v1/operator/deliveries/dlv_x/redrive", as: front.keys.operator)
    #expect(unknown.code == "delivery_unknown")
  }
}

@Suite struct `A webhook of ours` {
  /// The requests for one purchase within a minute, and the delivery afterwards.
  private func sent(answering response: HTTPResponse) throws -> (requests: [HTTPRequest], delivery: JSONValue?) {
    let fixture = AppStoreServerFixture()
    let front = try fixture.perform { dependencies in
      let front = try await ServerFixture.open {
        $0.dependencies = dependencies
        $0.networkAnswers = response
      }
      let order = await front.order()
      await front.submit(TestAppStoreSigner(at: front.now()).transaction("1001", token: order), as: front.token())
      return front
    }
    fixture.process.spawn { await front.engine.run() }
    fixture.world.run(for: .minutes(1))
    return (front.recorder.asked, try fixture.perform { _ in await front.deliveries().first })
  }

  @Test func `replayed at another time, under another id or changed does not verify (A20)`() throws {
    let (requests, delivery) = try sent(answering: HTTPResponse(status: 204))
    #expect(requests.count == 1)
    #expect(delivery?["state"]?.string == "acknowledged")
    let request = try #require(requests.first)
    let id = try #require(request.fields["webhook-id"])
    let time = try #require(request.fields["webhook-timestamp"])
    let signature = try #require(request.fields["webhook-signature"])
    func verifies(_ id: String, _ time: String, body: [UInt8], by secret: String) -> Bool {
      let code = HMACSHA256.code(for: Array((id + "." + time + ".").utf8) + body, key: Secret(Array(secret.utf8)))
      return signature == "v1," + Base64.encode(code)
    }
    #expect(verifies(id, time, body: request.body, by: ServerFixture.webhookSecret))
    let later = String((Int64(time) ?? 0) + 600)
    #expect(!verifies(id, later, body: request.body, by: ServerFixture.webhookSecret))
    #expect(!verifies("dlv_other", time, body: request.body, by: ServerFixture.webhookSecret))
    #expect(!verifies(id, time, body: request.body + [0x20], by: ServerFixture.webhookSecret))
    #expect(!verifies(id, time, body: request.body, by: "another secret made for tests, of 32 bytes"))
    #expect(try JSONReader.read(request.body)["id"]?.string == id)
  }

  @Test func `goes to the configured address alone; a redirect is a failure and is not followed (A16)`() throws {
    let inside = "http://169.254.169.254/latest/meta-data"
    let (requests, delivery) = try sent(answering: HTTPResponse(status: 302, fields: ["Location": inside]))
    #expect(requests.count > 1)
    #expect(requests.allSatisfy { $0.target == "https://backend.example/hook" })
    #expect(Set(requests.compactMap { $0.fields["webhook-id"] }).count == 1)
    #expect(delivery?["state"]?.string == "pending")
  }

  @Test func `is never sent to an address that a caller names (A16)`() async throws {
    let front = try await ServerFixture.open()
    let inside = "http://169.254.169.254/latest/meta-data"
    let document = try await Document.served(by: front.server)
    let credentials = [front.token(), front.keys.secret, front.keys.operator, front.keys.publishable]
    for operation in document.operations {
      let body = JSONValue.members(
        ["url", "callback", "webhook", "endpoint", "evidence", "signedPayload", "metadata", "reference"]
          .map { ($0, .string(inside)) })
      for credential in credentials {
        await front.ask(
          operation.method, operation.path() + "?url=" + RequestTarget.encode(inside), as: credential, json: body,
          fields: ["Host": "169.254.169.254", "X-Forwarded-Host": "169.254.169.254", "Referer": inside])
      }
    }
    #expect(front.recorder.asked.isEmpty)
  }
}
