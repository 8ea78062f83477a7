import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import Testing

/// A shop whose spans are kept in memory.
private struct TracedServer {
  let front: ServerFixture
  private let kept: Kept

  private final class Kept: Sendable {
    let spans = Mutex<[TracedSpan]>([])
  }

  static func open(_ change: (inout ServerFixture.Changes) -> Void = { _ in }) async throws -> TracedServer {
    let kept = Kept()
    let front = try await ServerFixture.open { changes in
      changes.traces = Traces(
        TraceSampling(ratio: 1), dependencies: StandingClock(EngineFixture.noon).dependencies, drop: { _ in },
        receive: { new in kept.spans.withLock { $0 += new } })
      change(&changes)
    }
    return TracedServer(front: front, kept: kept)
  }

  /// Without the fixture's own question for the document, which the first test of a process asks.
  var all: [TracedSpan] { kept.spans.withLock { $0.filter { $0.span.name != "GET /openapi.json" } } }
  func of(_ trace: String) -> [Span] { all.filter { $0.trace.description == trace }.map(\.span) }
  func forget() { kept.spans.withLock { $0 = [] } }

  /// The trace of an order, as a reader of it writes that.
  static func trace(of order: String) -> String { order.filter { $0 != "-" } }
}

@Suite struct `The trace of a request` {
  private static let callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let caller: HTTPFields = [
    "traceparent": "00-\(callersTrace)-00f067aa0ba902b7-01", "tracestate": "a=1",
  ]

  private static func words(_ span: Span) -> [String: Span.Value] {
    Dictionary(span.attributes.map { ($0.name, $0.value) }) { first, _ in first }
  }

  @Test func `is its order's, from the order to the grant, as one tree`() async throws {
    let traced = try await TracedServer.open()
    let order = await traced.front.order()
    await traced.front.submit(
      TestAppStoreSigner(at: traced.front.now()).transaction("1001", token: order), as: traced.front.token())
    await traced.front.ask("GET", "/v1/orders/" + order, as: traced.front.keys.secret, fields: Self.caller)
    let spans = traced.of(TracedServer.trace(of: order))
    #expect(
      spans.map(\.name) == [
        "CreateOrder", "POST /v1/orders", "VerifyEvidence", "Fulfil", "POST /v1/payments/app-store",
        "GET /v1/orders/{orderId}",
      ])
    #expect(spans.filter { $0.parent == nil }.map(\.name) == ["POST /v1/orders"])
    let ids = Set(spans.map(\.id))
    #expect(ids.count == spans.count && spans.allSatisfy { $0.parent.map(ids.contains) ?? true })
    #expect(spans.last?.links.first?.state == "a=1")
    let granted = Self.words(spans[3])
    #expect(granted["counterfoil.path"] == .text("client") && granted["counterfoil.state"] == .text("fulfilled"))
    #expect(granted["counterfoil.newly_granted"] == .truth(true))
    let request = Self.words(spans[4])
    #expect(request["http.route"] == .text("/v1/payments/app-store"))
    #expect(request["http.response.status_code"] == .number(200) && request["counterfoil.caller"] == .text("user"))
  }

  @Test func `begins once: an order that is asked for again hangs below its creation`() async throws {
    let traced = try await TracedServer.open()
    func ask() async -> String {
      let body: JSONValue = .members([("productId", "coins.100"), ("store", "appStore")])
      let answer = await traced.front.ask(
        "POST", "/v1/orders", as: traced.front.token(), json: body, fields: ["Idempotency-Key": "k"])
      return answer["id"]?.string ?? ""
    }
    let order = await ask()
    #expect(await ask() == order)
    let spans = traced.of(TracedServer.trace(of: order))
    #expect(spans.count == 4 && spans.filter { $0.parent == nil }.count == 1)
    #expect(Set(spans.map(\.id)).count == 4)
  }

  @Test func `is never that of an order which the caller may not see`() async throws {
    let traced = try await TracedServer.open()
    let order = await traced.front.order(of: "alice")
    let before = traced.of(TracedServer.trace(of: order)).count
    let fields: HTTPFields = ["traceparent": "00-\(TracedServer.trace(of: order))-00f067aa0ba902b7-01"]
    for (path, method) in [("", "GET"), ("/close", "POST"), ("/approval-pending", "POST")] {
      let answer = await traced.front.ask(
        method, "/v1/orders/\(order)\(path)", as: traced.front.token(of: "bob"), fields: fields)
      #expect(answer.status == 404)
    }
    #expect(traced.of(TracedServer.trace(of: order)).count == before)
    #expect(traced.all.count == before + 3)
  }

  @Test func `is the caller's for a request about no order, with a secret key alone`() async throws {
    let traced = try await TracedServer.open()
    for (credential, joins) in [
      (traced.front.token(), false), (traced.front.keys.publishable, false), (traced.front.keys.secret, true),
    ] {
      traced.forget()
      await traced.front.ask("GET", "/v1/products", as: credential, fields: Self.caller)
      let span = try #require(traced.all.first)
      #expect((span.trace.description == Self.callersTrace) == joins)
      #expect(span.span.links.map(\.trace.description) == [Self.callersTrace])
    }
  }

  @Test func `is not there for probes, scrapes, unknown paths, and calls over a rate`() async throws {
    let traced = try await TracedServer.open {
      $0.settings = { $0.rates.user = .init(perSecond: 1, burst: 1) }
    }
    for path in ["/livez", "/readyz", "/metrics", "/none", "/v1/%6Frders"] { await traced.front.ask("GET", path) }
    #expect(traced.all.isEmpty)
    var statuses: [Int] = []
    for _ in 0..<3 { statuses.append(await traced.front.ask("GET", "/v1/products", as: traced.front.token()).status) }
    #expect(statuses.contains(429))
    #expect(traced.all.count == statuses.count { $0 == 200 })
  }

  @Test func `stands in the log of the request`() async throws {
    let traced = try await TracedServer.open()
    let order = await traced.front.order()
    let lines = traced.front.recorder.events.filter {
      ["order.created", "http.answered"].contains($0.name) && !$0.fields.contains { $0.value == "ReadOpenAPI" }
    }
    #expect(lines.count == 2)
    for line in lines {
      let fields = Dictionary(line.fields.map { ($0.name, $0.value) }) { first, _ in first }
      #expect(fields["trace"] == TracedServer.trace(of: order) && fields["span"]?.utf8.count == 16)
    }
  }

  @Test func `holds no token, key, evidence, user, transaction or address (A19)`() async throws {
    let traced = try await TracedServer.open()
    let front = traced.front
    let user: UserIdentifier = "canary-user@example.com"
    let order = await front.order(of: user, [("metadata", .members([("note", "canary-metadata")]))])
    let evidence = TestAppStoreSigner(at: front.now()).transaction("424242424242", token: order)
    await front.submit(evidence, as: front.token(of: user), from: "203.0.113.77")
    await front.ask("GET", "/v1/users/\(user.text)/balances?environment=simulated", as: front.keys.secret)
    await front.ask("POST", "/v1/payments/app-store", as: "canary-credential", json: .members([]))
    await front.ask("GET", "/v1/orders/canary-reference", as: front.keys.secret)
    let text = traced.all.map { "\($0)" }.joined(separator: "\n")
    #expect(text.contains("CreateOrder") && text.contains("/v1/users/{userId}/balances"))
    var canaries = [
      user.text, "canary", "424242424242", "203.0.113.77", front.keys.secret, front.keys.publishable,
    ]
    canaries += evidence.split(separator: ".").map { String($0) }
    canaries += front.token(of: user).split(separator: ".").map { String($0) }
    for canary in canaries { #expect(!text.contains(canary), "\(canary)") }
  }

  @Test func `goes on at the backend: each attempt to deliver carries it, and Apple gets nothing of it`() throws {
    let fixture = AppStoreServerFixture()
    let (traced, order) = try fixture.perform { dependencies in
      let traced = try await TracedServer.open {
        $0.dependencies = dependencies
        $0.networkAnswers = HTTPResponse(status: 503)
      }
      let order = await traced.front.order()
      await traced.front.submit(
        TestAppStoreSigner(at: traced.front.now()).transaction("1001", token: order), as: traced.front.token())
      return (traced, order)
    }
    fixture.process.spawn { await traced.front.engine.run() }
    fixture.world.run(for: .minutes(1))
    let trace = TracedServer.trace(of: order)
    let sent = traced.of(trace).filter { $0.name == "Deliver" }
    let told = traced.front.recorder.asked.filter { $0.fields["webhook-id"] != nil }
    #expect(sent.count > 1 && told.count == sent.count)
    #expect(told.map { $0.fields.values("traceparent") } == sent.map { ["00-\(trace)-\($0.id)-01"] })
    #expect(Set(sent.map(\.id)).count == sent.count && Set(sent.map(\.parent)).count == 1)
    #expect(sent.allSatisfy { $0.isFailed && Self.words($0)["http.response.status_code"] == .number(503) })
    let others = traced.front.recorder.asked.filter { $0.fields["webhook-id"] == nil }
    #expect(others.allSatisfy { $0.fields["traceparent"] == nil && $0.fields["tracestate"] == nil })
  }

  @Test func `is in no delivery while nothing is traced`() throws {
    let fixture = AppStoreServerFixture()
    let front = try fixture.perform { dependencies in
      let front = try await ServerFixture.open { $0.dependencies = dependencies }
      let order = await front.order()
      await front.submit(TestAppStoreSigner(at: front.now()).transaction("1001", token: order), as: front.token())
      return front
    }
    fixture.process.spawn { await front.engine.run() }
    fixture.world.run(for: .minutes(1))
    #expect(!front.recorder.asked.isEmpty && front.recorder.asked.allSatisfy { $0.fields["traceparent"] == nil })
  }
}
