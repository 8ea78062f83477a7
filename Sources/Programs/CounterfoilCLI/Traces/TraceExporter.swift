import Cryptography
import Diagnostics
package import HTTPMessages
package import PaymentEngine
package import PaymentPrimitives
package import ServerConfiguration
import StrictJSON

/// Sends spans to a collector by OTLP over HTTP, beside all other work: nothing waits for it.
///
/// A batch that the collector cannot take now is sent again. Meanwhile the queue fills, and what no longer fits is
/// dropped and counted.
package actor TraceExporter {
  /// Why spans were dropped: a label of the metric.
  private enum Loss: String, CaseIterable {
    case queueFull
    /// One piece of work had too many.
    case tooManyAtOnce
    /// The collector refused them, or gave up on them.
    case refused
    /// The collector could not be reached, or answered that it is busy, too often.
    case unreachable
    /// The collector answered something that cannot be read: it may have them.
    case answerUnreadable
    /// The server ended before they were sent.
    case ended
  }

  private nonisolated let queue: TraceQueue
  private let settings: TraceSettings
  private let exchange: HTTPExchange
  private let dependencies: Dependencies
  private nonisolated let metrics: Metrics
  private let log: Log
  private let limits: TraceExporterLimits
  /// The spans of the present attempt; they are kept for the next.
  private var batch: [TracedSpan] = []
  private var attempts = 0
  private var hasFailed = false

  package init(
    _ settings: TraceSettings, queue: TraceQueue = TraceQueue(), limits: TraceExporterLimits = TraceExporterLimits(),
    exchange: HTTPExchange, dependencies: Dependencies, metrics: Metrics, log: @escaping Log
  ) {
    self.settings = settings
    self.queue = queue
    self.limits = limits
    self.exchange = exchange
    self.dependencies = dependencies
    self.metrics = metrics
    self.log = log
    // An alert on an increase misses the first event of a series that did not exist before.
    for loss in Loss.allCases { metrics.count(.traceSpansDroppedTotal, [("reason", loss.rawValue)], by: 0) }
  }

  /// The port of the engine that leads here.
  package nonisolated func traces() -> Traces {
    Traces(
      settings.sampling, dependencies: dependencies, drop: { self.count($0, .tooManyAtOnce) },
      receive: { spans in self.count(self.queue.add(spans), .queueFull) })
  }

  /// Sends what comes, until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      let pause = await sendNext(within: limits.timeLimit)
      guard pause > .zero else { continue }
      try? await dependencies.sleep(pause)
    }
  }

  /// Sends what is left, as long as its limit allows. It is called once the work is over, outside of its task.
  package func flush() async {
    let deadline = dependencies.now() + limits.flushLimit
    while !batch.isEmpty || queue.count > 0 {
      let rest = deadline - dependencies.now()
      guard rest > .zero, await sendNext(within: min(rest, limits.timeLimit)) == .zero else { break }
    }
    count(batch.count + queue.take(.max).count, .ended)
    batch = []
  }

  /// Sends one batch; returns how long to wait until the next.
  private func sendNext(within timeLimit: TimeSpan) async -> TimeSpan {
    if batch.isEmpty {
      batch = queue.take(limits.batchMax)
      attempts = 0
    }
    guard !batch.isEmpty else { return limits.idlePause }
    attempts += 1
    let outcome: Outcome
    do throws(HTTPExchangeError) {
      outcome = Outcome(try await exchange.send(request(), timeLimit), at: dependencies.now())
    } catch {
      switch error {
      case .cancelled: return limits.idlePause
      case .unreadableAnswer: outcome = .lost(.answerUnreadable, "The answer could not be read.")
      case .unreachable(let why), .outcomeUnknown(let why): outcome = .later(after: nil, why)
      case .refusedTarget(let why): outcome = .lost(.refused, why)
      }
    }
    return note(outcome)
  }

  private func request() -> HTTPRequest {
    var request = HTTPRequest("POST", settings.url, json: OTLPRequest.body(batch, service: settings.service))
    request.fields.set("User-Agent", "Counterfoil")
    for (name, value) in settings.headers {
      request.fields.set(name, value.withBytes { String(decoding: $0, as: UTF8.self) })
    }
    return request
  }

  // MARK: outcomes

  private enum Outcome {
    /// Taken, but for as many.
    case taken(rejected: Int)
    case later(after: TimeSpan?, String)
    case lost(Loss, String)

    init(_ response: HTTPResponse, at now: Timestamp) {
      switch response.status {
      case 200..<300: self = .taken(rejected: Self.rejected(in: response.body))
      case 429, 502, 503, 504:
        self = .later(after: Self.retryAfter(response, at: now), "HTTP status \(response.status)")
      default: self = .lost(.refused, "HTTP status \(response.status)")
      }
    }

    private static func retryAfter(_ response: HTTPResponse, at now: Timestamp) -> TimeSpan? {
      guard let text = response.fields["Retry-After"] else { return nil }
      if let seconds = Int64(text), seconds >= 0 { return .seconds(min(seconds, 86_400)) }
      return Timestamp(httpDate: text).map { max(.zero, $0 - now) }
    }

    /// `partialSuccess.rejectedSpans`, a number or a text.
    private static func rejected(in body: [UInt8]) -> Int {
      guard let answer = try? JSONReader.read(body), let rejected = answer["partialSuccess"]?["rejectedSpans"] else {
        return 0
      }
      return Int(rejected.integer ?? rejected.string.flatMap { Int64($0) } ?? 0)
    }
  }

  /// Counts an outcome; returns how long to wait.
  private func note(_ outcome: Outcome) -> TimeSpan {
    switch outcome {
    case .taken(let rejected):
      let rejected = min(max(0, rejected), batch.count)
      metrics.count(.traceSpansExportedTotal, by: Double(batch.count - rejected))
      count(rejected, .refused)
      batch = []
      if hasFailed { log(LogEvent(.info, "traces.exportedAgain")) }
      hasFailed = false
      return .zero
    case .lost(let loss, let why):
      count(batch.count, loss)
      batch = []
      tell(why)
      return limits.pauseMin
    case .later(let span, let why):
      tell(why)
      if attempts >= limits.attemptsMax {
        count(batch.count, .unreachable)
        batch = []
      }
      return span.map { min(max($0, limits.pauseMin), limits.retryAfterMax) } ?? pause()
    }
  }

  /// Twice as long each time, less up to a half by chance: many servers of one team do not come back together.
  private func pause() -> TimeSpan {
    let doubled = limits.pauseMin.milliseconds << Int64(min(attempts - 1, 16))
    let whole = min(doubled, limits.pauseMax.milliseconds)
    return .milliseconds(whole - Int64(dependencies.randomNumber(below: UInt64(whole / 2 + 1))))
  }

  /// Once for each series of failures: a collector that is down must not fill the log.
  private func tell(_ why: String) {
    guard !hasFailed else { return }
    hasFailed = true
    log(LogEvent(.warning, "traces.exportFailed", [("why", String(why.prefix(200)))]))
  }

  private nonisolated func count(_ spans: Int, _ loss: Loss) {
    guard spans > 0 else { return }
    metrics.count(.traceSpansDroppedTotal, [("reason", loss.rawValue)], by: Double(spans))
  }
}

/// Every limit of the exporter by name, with the reason for its value.
package struct TraceExporterLimits: Hashable, Sendable {
  /// The most spans of one request: about 300 kB.
  package var batchMax = 512
  /// How long the exporter looks away if nothing waits: traces are seen about a second late.
  package var idlePause = TimeSpan.milliseconds(500)
  /// How long one request may take, with its answer.
  package var timeLimit = TimeSpan.seconds(10)
  /// The shortest pause after a failure, which doubles each time.
  package var pauseMin = TimeSpan.seconds(1)
  package var pauseMax = TimeSpan.minutes(1)
  /// The longest pause that an answer may ask for.
  package var retryAfterMax = TimeSpan.minutes(10)
  /// After so many attempts a batch is dropped: about three minutes without an answer that says how long.
  package var attemptsMax = 8
  /// How long the server waits at its end for what is left.
  package var flushLimit = TimeSpan.seconds(3)

  package init() {}
}
