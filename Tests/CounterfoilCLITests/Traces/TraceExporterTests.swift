import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import StrictJSON
import Synchronization
import Testing

/// An exporter beside a collector that answers as a test says, in time that passes only while the exporter waits.
private final class ExporterUnderTest: Sendable {
  typealias Answer = Result<HTTPResponse, HTTPExchangeError>

  private struct State {
    var answers: [Answer] = []
    var otherwise = Answer.success(HTTPResponse(status: 200, json: .object([])))
    var requests: [HTTPRequest] = []
    var timeLimits: [TimeSpan] = []
    var pauses: [TimeSpan] = []
    var events: [LogEvent] = []
    /// What else happens while the collector thinks.
    var meanwhile: @Sendable () -> Void = {}
  }

  let metrics = Metrics()
  let clock = StandingClock(EngineFixture.noon)
  let limits = TraceExporterLimits()
  private let state: Mutex<State>
  private let idle = AsyncStream.makeStream(of: Void.self)
  private let never = AsyncStream.makeStream(of: Void.self)

  init(_ answers: [Answer] = [], otherwise: Answer? = nil, meanwhile: @escaping @Sendable () -> Void = {}) {
    state = Mutex(State(answers: answers, meanwhile: meanwhile))
    if let otherwise { state.withLock { $0.otherwise = otherwise } }
  }

  var requests: [HTTPRequest] { state.withLock { $0.requests } }
  var timeLimits: [TimeSpan] { state.withLock { $0.timeLimits } }
  var pauses: [TimeSpan] { state.withLock { $0.pauses } }
  var events: [LogEvent] { state.withLock { $0.events } }
  /// The spans of each request.
  var sent: [[String]] {
    requests.map { request in
      let body = try? JSONReader.read(request.body)
      let scope = body?["resourceSpans"]?.array?.first?["scopeSpans"]?.array?.first
      return (scope?["spans"]?.array ?? []).compactMap { $0["name"]?.string }
    }
  }

  func dropped(_ reason: String) -> Double { metrics.value(.traceSpansDroppedTotal, [("reason", reason)]) }
  var exported: Double { metrics.value(.traceSpansExportedTotal) }

  func exporter(_ queue: TraceQueue = TraceQueue()) -> TraceExporter {
    let settings = TraceSettings(
      url: "http://127.0.0.1:4318/v1/traces", headers: [("Authorization", Secret(Array("Basic x".utf8)))],
      sampling: TraceSampling(ratio: 1), service: "till")
    return TraceExporter(
      settings, queue: queue, limits: limits,
      exchange: HTTPExchange { request, limit throws(HTTPExchangeError) in try self.answer(request, limit) },
      dependencies: dependencies, metrics: metrics, log: { event in self.state.withLock { $0.events.append(event) } })
  }

  private func answer(_ request: HTTPRequest, _ limit: TimeSpan) throws(HTTPExchangeError) -> HTTPResponse {
    let (answer, meanwhile) = state.withLock { state in
      state.requests.append(request)
      state.timeLimits.append(limit)
      return (state.answers.isEmpty ? state.otherwise : state.answers.removeFirst(), state.meanwhile)
    }
    meanwhile()
    return try answer.get()
  }

  private var dependencies: Dependencies {
    var dependencies = clock.dependencies
    dependencies.sleep = { [self] span in
      guard span == limits.idlePause else {
        state.withLock { $0.pauses.append(span) }
        return clock.advance(by: span)
      }
      idle.continuation.yield()
      for await _ in never.stream {}
      throw CancellationError()
    }
    return dependencies
  }

  /// Runs the exporter until nothing is left for it.
  func run(_ exporter: TraceExporter) async {
    let task = Task { await exporter.run() }
    for await _ in idle.stream { break }
    task.cancel()
    await task.value
  }

  /// Ends spans with these names.
  static func trace(_ names: [String], by exporter: TraceExporter) {
    let traces = exporter.traces()
    for name in names {
      if let span = traces.begin(name) { traces.end(span) }
    }
  }
}

@Suite struct `The exporter of traces` {
  private static func status(_ status: Int, _ fields: HTTPFields = [:]) -> ExporterUnderTest.Answer {
    .success(HTTPResponse(status: status, fields: fields))
  }

  @Test func `sends what ended in batches, as OTLP over HTTP in JSON, with the configured fields`() async throws {
    let test = ExporterUnderTest()
    let exporter = test.exporter()
    ExporterUnderTest.trace((0..<600).map { "s\($0)" }, by: exporter)
    await test.run(exporter)
    #expect(test.sent.map(\.count) == [512, 88] && test.sent.flatMap(\.self) == (0..<600).map { "s\($0)" })
    let request = try #require(test.requests.first)
    #expect(request.method == "POST" && request.target == "http://127.0.0.1:4318/v1/traces")
    #expect(request.fields["Content-Type"] == "application/json" && request.fields["Authorization"] == "Basic x")
    #expect(test.exported == 600 && test.pauses.isEmpty && test.events.isEmpty)
  }

  @Test func `drops and counts what does not fit, in number and in bytes`() async {
    let test = ExporterUnderTest()
    let exporter = test.exporter(TraceQueue(spansMax: 10))
    ExporterUnderTest.trace((0..<14).map { "s\($0)" }, by: exporter)
    #expect(test.dropped("queueFull") == 4)
    await test.run(exporter)
    #expect(test.sent == [(0..<10).map { "s\($0)" }], "the oldest stay")
    let small = test.exporter(TraceQueue(bytesMax: 1000))
    ExporterUnderTest.trace([String](repeating: String(repeating: "n", count: 200), count: 5), by: small)
    #expect(test.dropped("queueFull") == 4 + 3)
  }

  @Test(arguments: [429, 502, 503, 504])
  func `sends a batch again if the collector is busy, with longer and longer pauses`(status: Int) async {
    let test = ExporterUnderTest([Self.status(status), Self.status(status), Self.status(status)])
    let exporter = test.exporter()
    ExporterUnderTest.trace(["a", "b"], by: exporter)
    await test.run(exporter)
    #expect(test.sent == [["a", "b"], ["a", "b"], ["a", "b"], ["a", "b"]])
    #expect(test.exported == 2 && test.pauses.count == 3)
    for (pause, whole) in zip(test.pauses, [1000, 2000, 4000]) {
      #expect((Int64(whole / 2)...Int64(whole)).contains(pause.milliseconds), "\(pause)")
    }
    #expect(test.events.map(\.name) == ["traces.exportFailed", "traces.exportedAgain"], "one line for all of them")
  }

  @Test(
    arguments: [
      ("7", 7000), ("0", 1000), ("600", 600_000), ("99999999", 600_000), ("Sun, 01 Mar 2026 12:00:30 GMT", 30_000),
      ("Sun, 01 Mar 2020 12:00:30 GMT", 1000),
    ] as [(String, Int64)])
  func `waits as long as Retry-After says, within bounds`(text: String, milliseconds: Int64) async {
    let test = ExporterUnderTest([Self.status(503, ["Retry-After": text])])
    let exporter = test.exporter()
    ExporterUnderTest.trace(["a"], by: exporter)
    await test.run(exporter)
    #expect(test.pauses.map(\.milliseconds) == [milliseconds] && test.exported == 1)
  }

  @Test(arguments: ["-1", "soon", "", "1e3", "99999999999999999999"])
  func `ignores a Retry-After that says nothing`(text: String) async {
    let test = ExporterUnderTest([Self.status(503, ["Retry-After": text])])
    let exporter = test.exporter()
    ExporterUnderTest.trace(["a"], by: exporter)
    await test.run(exporter)
    #expect((500...1000).contains(test.pauses.first?.milliseconds ?? 0) && test.exported == 1)
  }

  @Test func `gives a batch up after eight attempts without an answer, and goes on with the next`() async {
    let down = ExporterUnderTest.Answer.failure(.unreachable("down"))
    let test = ExporterUnderTest([ExporterUnderTest.Answer](repeating: down, count: 8))
    let exporter = test.exporter()
    ExporterUnderTest.trace(["a"], by: exporter)
    await test.run(exporter)
    #expect(test.requests.count == 8 && test.dropped("unreachable") == 1 && test.exported == 0)
    #expect(test.pauses.allSatisfy { $0 <= .minutes(1) })
    ExporterUnderTest.trace(["b"], by: exporter)
    await test.run(exporter)
    #expect(test.exported == 1 && test.sent.last == ["b"])
  }

  private static let final: [(answer: ExporterUnderTest.Answer, reason: String)] = [
    (status(400), "refused"), (status(401), "refused"), (status(404), "refused"), (status(500), "refused"),
    (status(302), "refused"), (.failure(.unreadableAnswer("too large")), "answerUnreadable"),
    (.failure(.refusedTarget("ftp")), "refused"),
  ]

  @Test(arguments: final.indices) func `drops at once what another attempt would not bring`(index: Int) async {
    let (answer, reason) = Self.final[index]
    let test = ExporterUnderTest([answer])
    let exporter = test.exporter()
    ExporterUnderTest.trace(["a", "b"], by: exporter)
    await test.run(exporter)
    #expect(test.requests.count == 1 && test.dropped(reason) == 2 && test.exported == 0)
  }

  private static let partial: [(body: String, rejected: Int)] = [
    (#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"x"}}"#, 2),
    (#"{"partialSuccess":{"rejectedSpans":1}}"#, 1), (#"{"partialSuccess":{"rejectedSpans":"-5"}}"#, 0),
    (#"{"partialSuccess":{"rejectedSpans":99}}"#, 3), (#"{"partialSuccess":{"rejectedSpans":9223372036854775807}}"#, 3),
    ("", 0), ("nonsense", 0), ("[1]", 0), (#"{"partialSuccess":{}}"#, 0), (String(repeating: "[", count: 10_000), 0),
  ]

  @Test(arguments: partial.indices)
  func `counts what the collector rejected of a batch, whatever its answer is`(index: Int) async {
    let (body, rejected) = Self.partial[index]
    let test = ExporterUnderTest([.success(HTTPResponse(status: 200, body: Array(body.utf8)))])
    let exporter = test.exporter()
    ExporterUnderTest.trace(["a", "b", "c"], by: exporter)
    await test.run(exporter)
    #expect(test.dropped("refused") == Double(rejected) && test.exported == Double(3 - rejected))
    #expect(test.requests.count == 1)
  }

  @Test func `sends what is left at the end, the interrupted batch first`() async {
    let test = ExporterUnderTest([.failure(.cancelled)])
    let exporter = test.exporter()
    ExporterUnderTest.trace(["a"], by: exporter)
    await test.run(exporter)
    ExporterUnderTest.trace(["b"], by: exporter)
    await exporter.flush()
    #expect(test.sent == [["a"], ["a"], ["b"]] && test.exported == 2 && test.dropped("ended") == 0)
  }

  @Test func `does not wait at the end: what the collector does not take is dropped and counted`() async {
    let test = ExporterUnderTest(otherwise: Self.status(503))
    let exporter = test.exporter()
    ExporterUnderTest.trace((0..<600).map { "s\($0)" }, by: exporter)
    await exporter.flush()
    #expect(test.requests.count == 1 && test.dropped("ended") == 600 && test.pauses.isEmpty)
    #expect(test.timeLimits.allSatisfy { $0 <= .seconds(3) })
  }

  @Test func `ends in time although each batch is slow`() async {
    let clock = SharedClock()
    let test = ExporterUnderTest(meanwhile: { clock.advance() })
    clock.clock = test.clock
    let exporter = test.exporter()
    ExporterUnderTest.trace((0..<2048).map { "s\($0)" }, by: exporter)
    await exporter.flush()
    // Two seconds each: the second has one left, and no third begins.
    #expect(test.timeLimits == [.seconds(3), .seconds(1)])
    #expect(test.exported == 1024 && test.dropped("ended") == 1024)
  }

  @Test func `shows each reason before the first loss, so that an alert sees it`() async {
    let test = ExporterUnderTest()
    _ = test.exporter()
    let text = test.metrics.text()
    for reason in ["queueFull", "tooManyAtOnce", "refused", "unreachable", "answerUnreadable", "ended"] {
      #expect(text.contains("counterfoil_trace_spans_dropped_total{reason=\"\(reason)\"} 0\n"))
    }
  }
}

/// A clock that is known later than the function that moves it.
private final class SharedClock: Sendable {
  private let held = Mutex<StandingClock?>(nil)

  var clock: StandingClock? {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }

  func advance() { clock?.advance(by: .seconds(2)) }
}
