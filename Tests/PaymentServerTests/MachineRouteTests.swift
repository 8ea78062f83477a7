import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import TestDoubles
import Testing

/// Reads Prometheus text (exposition format 0.0.4) strictly, line by line.
struct PrometheusText {
  struct Sample {
    let name: String
    let labels: [String: String]
    let value: Double
  }

  struct Unreadable: Error { let line: String }

  var types: [String: String] = [:]
  var samples: [Sample] = []
  private var helped: Set<String> = []

  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Unreadable(line: "the last line has no end") }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("# HELP ") {
        let parts = line.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, helped.insert(String(parts[2])).inserted else { throw Unreadable(line: String(line)) }
      } else if line.hasPrefix("# TYPE ") {
        let parts = line.split(separator: " ")
        guard parts.count == 4, helped.contains(String(parts[2])),
          types.updateValue(String(parts[3]), forKey: String(parts[2])) == nil
        else {
          throw Unreadable(line: String(line))
        }
      } else {
        samples.append(try Self.sample(line))
      }
    }
  }

  private static func sample(_ line: Substring) throws -> Sample {
    var rest = line
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    rest = rest.dropFirst(name.count)
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest = rest.dropFirst()
      while rest.first != "}" {
        let key = rest.prefix { $0.isLetter || $0 == "_" }
        rest = rest.dropFirst(key.count)
        guard !key.isEmpty, rest.hasPrefix("=\"") else { throw Unreadable(line: String(line)) }
        rest = rest.dropFirst(2)
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
          guard character == "\\" else {
            value.append(character)
            continue
          }
          switch rest.popFirst() {
          case "n": value.append("\n")
          case "\\": value.append("\\")
          case "\"": value.append("\"")
          default: throw Unreadable(line: String(line))
          }
        }
        guard labels.updateValue(value, forKey: String(key)) == nil else { throw Unreadable(line: String(line)) }
        if rest.first == "," { rest = rest.dropFirst() }
        guard !rest.isEmpty else { throw Unreadable(line: String(line)) }
      }
      rest = rest.dropFirst()
    }
    guard !name.isEmpty, rest.first == " ", let value = Double(rest.dropFirst()) else {
      throw Unreadable(line: String(line))
    }
    return Sample(name: String(name), labels: labels, value: value)
  }

  func value(_ name: String, _ labels: [String: String]) -> Double? {
    samples.first { $0.name == name && $0.labels == labels }?.value
  }
}

@Suite struct `What machines ask` {
  @Test func `livez succeeds whatever the database does; readyz reports the database's state`() async throws {
    let isDown = SharedFlag()
    let front = try await ServerFixture.open {
      $0.faults = DatabaseFaults(read: { isDown.value ? .unavailable : nil })
    }
    #expect(await front.ask("GET", "/livez")["version"]?.string == "1.0-test")
    #expect(await front.ask("GET", "/readyz")["status"]?.string == "ready")
    isDown.value = true
    #expect(await front.ask("GET", "/livez").status == 200)
    // A good answer is cached for a second, a bad one never.
    #expect(await front.ask("GET", "/readyz").status == 200)
    front.clock.advance(by: .seconds(1))
    let down = await front.ask("GET", "/readyz")
    #expect(down.status == 503)
    #expect(down.code == "database_unavailable")
    #expect(down.fields["Retry-After"] != nil)
    isDown.value = false
    #expect(await front.ask("GET", "/readyz").status == 200)
  }

  @Test func `readyz and metrics report a full disk, and report by themselves when it has room again`() async throws {
    let isFull = SharedFlag()
    let front = try await ServerFixture.open {
      $0.faults = DatabaseFaults(transaction: { isFull.value ? .refused(.full) : .none })
    }
    isFull.value = true
    #expect(await front.ask("GET", "/readyz").status == 200)
    #expect(await front.order().hasSuffix("database_unavailable"))
    front.clock.advance(by: .seconds(1))
    let down = await front.ask("GET", "/readyz")
    #expect(down.status == 503)
    #expect(down["detail"]?.string == DatabaseErrorCode.full.meaning.english)
    let metrics = await front.ask("GET", "/metrics", as: front.keys.operator)
    #expect(metrics.text.contains("counterfoil_store_writable 0"))
    #expect(front.recorder.events.count { $0.name == "store.failing" } == 1)
    isFull.value = false
    #expect(await front.ask("GET", "/readyz").status == 200)
    let again = await front.ask("GET", "/metrics", as: front.keys.operator)
    #expect(again.text.contains("counterfoil_store_writable 1"))
  }

  @Test func `HEAD is answered like GET, and OPTIONS lists the methods of a path`() async throws {
    let front = try await ServerFixture.open()
    let head = await front.ask("HEAD", "/livez")
    #expect(head.status == 200)
    let options = await front.ask("OPTIONS", "/v1/orders")
    #expect(options.status == 204)
    #expect(options.fields["Allow"]?.contains("POST") == true)
    #expect(options.text.isEmpty)
  }

  @Test func `metrics are for operators, and for this machine unless a proxy forwards the request`() async throws {
    let front = try await ServerFixture.open()
    #expect(await front.ask("GET", "/metrics").code == "credential_missing")
    #expect(await front.ask("GET", "/metrics", as: front.keys.secret).code == "not_allowed")
    #expect(await front.ask("GET", "/metrics", as: front.keys.operator).status == 200)
    for peer in ["127.0.0.1", "::1"] { #expect(await front.ask("GET", "/metrics", from: peer).status == 200) }
    for field in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP", "x-forwarded-host"] {
      var fields = HTTPFields()
      fields.add(field, "1.2.3.4")
      let answer = await front.ask("GET", "/metrics", fields: fields, from: "127.0.0.1")
      #expect(answer.code == "credential_missing", "\(field)")
    }
  }

  @Test func `metrics are read without the database, and show the backlog that was measured last`() async throws {
    let isDown = SharedFlag()
    let front = try await ServerFixture.open {
      $0.faults = DatabaseFaults(
        transaction: { isDown.value ? .refused(.unavailable) : .none }, read: { isDown.value ? .unavailable : nil })
    }
    await front.submit(TestAppStoreSigner().transaction("1001", token: front.order()), as: front.token())
    let home = ["app": "shop", "environment": "simulated"]
    let before = try PrometheusText(await front.ask("GET", "/metrics", from: "127.0.0.1").text)
    #expect(before.value("counterfoil_deliveries_pending", home) == nil)
    await front.engine.measureBacklog()
    isDown.value = true
    let down = try PrometheusText(await front.ask("GET", "/metrics", from: "127.0.0.1").text)
    #expect(down.value("counterfoil_deliveries_pending", home) == 1)
    #expect(down.samples.allSatisfy { $0.name != "counterfoil_store_failures_total" })
  }

  @Test func `metrics are Prometheus text that counts what happened, with labels escaped`() async throws {
    let front = try await ServerFixture.open()
    let order = await front.order()
    // The second one changes nothing, and counts nothing.
    for _ in 0..<2 { await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token()) }
    front.engine.metrics.count(.verifyFailuresTotal, [("reason", "a\"b\\c\nd{e}=,f")], by: 3)
    front.clock.advance(by: .seconds(90))
    await front.engine.measureBacklog()
    let answer = await front.ask("GET", "/metrics", from: "127.0.0.1")
    #expect(answer.fields["Content-Type"]?.hasPrefix("text/plain; version=0.0.4") == true)
    let text = try PrometheusText(answer.text)
    #expect(text.value("counterfoil_verify_failures_total", ["reason": "a\"b\\c\nd{e}=,f"]) == 3)
    #expect(text.value("counterfoil_http_requests_total", ["route": "CreateOrder", "status": "201"]) == 1)
    let home = ["app": "shop", "environment": "simulated"]
    let atStore = home.merging(["store": "appStore"]) { $1 }
    #expect(text.value("counterfoil_orders_created_total", atStore) == 1)
    #expect(text.value("counterfoil_purchase_to_grant_seconds_count", atStore) == 1)
    #expect(text.value("counterfoil_invariant_violation_total", ["invariant": "1"]) == 0, "shown before the first")
    #expect(text.value("counterfoil_payments_waiting", home.merging(["state": "held"]) { $1 }) == 0)
    #expect(text.value("counterfoil_deliveries_pending", home) == 1)
    #expect(text.value("counterfoil_oldest_undelivered_seconds", home) == 90)
    let count = text.value("counterfoil_http_request_seconds_count", ["route": "CreateOrder"])
    #expect(count == 1)
    #expect(text.value("counterfoil_http_request_seconds_bucket", ["route": "CreateOrder", "le": "+Inf"]) == count)
    for sample in text.samples {
      let family = text.types.keys.contains { sample.name == $0 || sample.name.hasPrefix($0 + "_") }
      #expect(family, "\(sample.name) has no type")
    }
    let declared = Dictionary(uniqueKeysWithValues: Metric.allCases.map { ($0.rawValue, Set($0.labels)) })
    for sample in text.samples {
      let name = ["_bucket", "_sum", "_count"].reduce(sample.name) { name, suffix in
        name.hasSuffix(suffix) && declared[name] == nil ? String(name.dropLast(suffix.count)) : name
      }
      #expect(declared[name] == Set(sample.labels.keys).subtracting(["le"]), "\(sample.name)")
    }
  }

  @Test(arguments: Metric.allCases) func `each metric says in both languages what it is`(metric: Metric) {
    #expect(!metric.help.english.isEmpty && !metric.help.chinese.isEmpty)
    #expect(metric.kind != .counter || metric.rawValue.hasSuffix("_total"))
    #expect(metric.kind != .histogram || metric.rawValue.hasSuffix("_seconds"))
  }

  @Test func `labels never name a path, a method or a user that a caller made up`() async throws {
    let front = try await ServerFixture.open()
    for target in ["/canary-path", "/v1/orders/canary-order", "/v1/users/canary-user/orders"] {
      await front.ask("CANARY", target, as: front.keys.secret)
      await front.ask("GET", target, as: front.keys.secret)
    }
    let text = await front.ask("GET", "/metrics", from: "127.0.0.1").text
    #expect(!text.lowercased().contains("canary"))
    let logged = front.recorder.events.flatMap { $0.fields.map { $0.value.lowercased() } }
    #expect(logged.allSatisfy { !$0.contains("canary") })
  }

  @Test func `each answer has one line in the log, with the same request id`() async throws {
    let front = try await ServerFixture.open()
    let answer = await front.ask("GET", "/v1/balances", as: front.token())
    let lines = front.recorder.events.filter { event in
      event.fields.contains { $0.name == "requestId" && $0.value == answer.fields["X-Request-Id"] }
    }
    #expect(lines.count == 1)
    #expect(lines.first?.name == "http.answered")
    let names = ["requestId", "method", "route", "status", "milliseconds", "app", "caller"]
    #expect(lines.first?.fields.map(\.name) == names)
    #expect(lines.first?.fields.first { $0.name == "caller" }?.value == "user")
  }

  @Test func `an unexpected failure is internal_error, and tells the caller nothing about it`() async throws {
    let isBroken = SharedFlag()
    let front = try await ServerFixture.open {
      let storage = InMemoryStorage.simulated()
      $0.database = BreakingDatabase(inner: InMemoryDatabase(storage, now: { EngineFixture.noon }), isBroken: isBroken)
    }
    isBroken.value = true
    let answer = await front.ask("GET", "/v1/balances", as: front.token())
    #expect(answer.status == 500)
    #expect(answer.code == "internal_error")
    #expect(!answer.text.contains("row 7"))
    let alarm = front.recorder.events.first { $0.name == "http.failed" }
    #expect(alarm?.level == .error)
    #expect(alarm?.fields.first { $0.name == "requestId" }?.value == answer["requestId"]?.string)
    #expect(alarm?.fields.contains { $0.value.contains("row 7") } == true)
  }

  @Test func `a database that does not answer is 503, and a broken rule of money 500`() async throws {
    let code = Mutex<DatabaseErrorCode?>(nil)
    let front = try await ServerFixture.open { $0.faults = DatabaseFaults(read: { code.withLock { $0 } }) }
    let token = front.token()
    for fault: DatabaseErrorCode in [.unavailable, .overloaded, .contended, .full] {
      code.withLock { $0 = fault }
      let answer = await front.ask("GET", "/v1/balances", as: token)
      #expect(answer.status == 503)
      #expect(answer.code == "database_unavailable")
    }
    code.withLock { $0 = .outcomeUnknown }
    #expect(await front.ask("GET", "/v1/balances", as: token).code == "outcome_unknown")
    code.withLock { $0 = .inconsistent }
    let broken = await front.ask("GET", "/v1/balances", as: token)
    #expect(broken.status == 500)
    #expect(broken.code == "invariant_broken")
  }
}

/// A database that fails with an unexpected error on request.
struct BreakingDatabase: PaymentDatabase {
  struct Unforeseen: Error, CustomStringConvertible { let description = "page 3, row 7" }

  let inner: InMemoryDatabase
  let isBroken: SharedFlag

  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value> { await inner.transact(body) }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    guard !isBroken.value else { throw Unforeseen() }
    return try await inner.read(body)
  }
}

final class SharedFlag: Sendable {
  private let state = Mutex(false)

  var value: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
