import HTTPMessages
import PaymentModel
import PaymentPrimitives

/// Work that is sent to one receiver until it acknowledges: deliveries to a backend, forwarded notifications.
protocol OutgoingWork: Sendable {
  associatedtype Item: Sendable

  var engine: PaymentEngine { get }

  /// Leases due items, up to a limit; no other worker tries them until their lease ends.
  func lease(upTo slots: Int) async throws -> [Item]

  /// The earliest known time when something is due.
  func nextTime() async throws -> Timestamp?

  /// Waits until there is new work, at most for the given span.
  func listen(for span: TimeSpan) async

  /// The request, and the exchange that sends it.
  func request(for item: Item, at moment: Timestamp) -> (HTTPRequest, HTTPExchange)

  /// Stores the result of an attempt.
  func note(_ result: AttemptResult, of item: Item, since started: Timestamp) async throws

  /// Logs that the receiver failed repeatedly, and is paused.
  func logBreaker(_ result: AttemptResult)

  /// The name of this work in the log: `<name>.leaseFailed`.
  var name: String { get }

  /// Begins the trace of an attempt; nil if nothing is traced.
  func beginTrace(of item: Item) -> TracedWork?
}

private enum SendingEvent: Sendable {
  case attempted(AttemptResult)
  case woken
}

extension OutgoingWork {
  /// Leases what is due, tries it, and stores the result, until the task is cancelled.
  func send() async {
    await withTaskGroup(of: SendingEvent.self) { group in
      var inFlight = 0
      var isWaiting = false
      var breaker = CircuitBreaker(engine.limits)
      while !Task.isCancelled {
        let slots = breaker.slots(
          inFlight: inFlight, most: engine.deliveriesInFlight, at: engine.dependencies.now())
        let leased = await leaseWhatIsDue(upTo: slots)
        for item in leased {
          inFlight += 1
          group.addTask { .attempted(await attempt(item)) }
        }
        // Without a free slot only the end of an attempt matters; repeated searches for due items would be useless.
        if !isWaiting, leased.count < slots || inFlight == 0 {
          isWaiting = true
          let earliest = slots > 0 ? nil : breaker.nextProbe(at: engine.dependencies.now())
          group.addTask {
            await waitForWork(notBefore: earliest)
            return .woken
          }
        }
        switch await group.next() {
        case .attempted(let result):
          inFlight -= 1
          breaker.note(result, at: engine.dependencies.now())
          if breaker.hasJustOpened { logBreaker(result) }
        case .woken: isWaiting = false
        case nil: return
        }
      }
      group.cancelAll()
    }
  }

  private func leaseWhatIsDue(upTo slots: Int) async -> [Item] {
    guard slots > 0 else { return [] }
    do { return try await lease(upTo: slots) } catch {
      // The log reports once a minute anyway that the database cannot be written.
      if (error as? CodedError<EngineErrorCode>)?.code != .storeUnavailable {
        engine.log(LogEvent(.error, "\(name).leaseFailed", [("error", "\(error)")]))
      }
      // Frequent retries do not help with a full disk.
      try? await engine.dependencies.sleep(engine.limits.deliveryLeasePause)
      return []
    }
  }

  /// Waits until something may be due: a signal, or some time at the latest. While the receiver is paused, it waits
  /// until the next probe.
  private func waitForWork(notBefore earliest: Timestamp?) async {
    if let earliest {
      try? await engine.dependencies.sleep(max(.milliseconds(20), earliest - engine.dependencies.now()))
      return
    }
    let now = engine.now
    let idle = engine.limits.deliveryIdle
    let next = try? await nextTime()
    await listen(for: max(.milliseconds(20), min(idle, (next ?? nil).map { $0 - now } ?? idle)))
  }

  private func attempt(_ item: Item) async -> AttemptResult {
    guard let trace = beginTrace(of: item) else { return await attempt(item, in: nil) }
    let result = await trace.within { await attempt(item, in: trace) }
    trace.end { span in
      span.note("counterfoil.acknowledged", result.isAcknowledged)
      if let status = result.status { span.note("http.response.status_code", status) }
      span.isFailed = !result.isAcknowledged
    }
    return result
  }

  private func attempt(_ item: Item, in trace: TracedWork?) async -> AttemptResult {
    let started = engine.dependencies.now()
    var (request, exchange) = request(for: item, at: started)
    if let trace { request.fields.set("traceparent", trace.traceparent) }
    let result: AttemptResult
    do throws(HTTPExchangeError) {
      result = AttemptResult(try await exchange.send(request, engine.limits.deliveryTimeLimit), at: engine.now)
    } catch .cancelled {
      // The lease expires and it is tried again.
      return AttemptResult(problem: "cancelled", isReceiversFault: false)
    } catch {
      result = AttemptResult(problem: Self.problemText(for: error), isReceiversFault: true)
    }
    do { try await note(result, of: item, since: started) } catch {
      // Nothing is lost: when the lease ends, the same item is sent again.
      engine.log(LogEvent(.error, "\(name).notNoted", [("error", "\(error)")]))
    }
    return result
  }
}

extension HTTPExchangeError {
  /// Why no answer came, in words for a person; it may repeat what the other side said.
  var problem: String {
    switch self {
    case .unreachable(let why): "The receiver could not be reached: \(why)"
    case .outcomeUnknown(let why): "No whole answer came: \(why)"
    case .unreadableAnswer(let why): "The answer could not be read: \(why)"
    case .refusedTarget(let why): "The address may not be called: \(why)"
    case .cancelled: "cancelled"
    }
  }
}

extension OutgoingWork {
  /// The most characters of a network error text in the log.
  private static var problemCharactersMax: Int { 230 }

  /// Why no answer came, for a person who reads the log or the delivery.
  private static func problemText(for error: HTTPExchangeError) -> String { shown(error.problem) }

  private static func shown(_ why: String) -> String {
    let line = String.UnicodeScalarView(why.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 })
    return String(String(line).prefix(problemCharactersMax))
  }
}

/// The result of an attempt to send.
struct AttemptResult: Sendable {
  var isAcknowledged: Bool
  /// The status of the answer; nil if none came.
  var status: Int?
  var problem: String?
  /// The earliest time at which the receiver accepts another attempt.
  var notBefore: Timestamp?
  /// The beginning of the answer's body.
  var answer: [UInt8] = []
  /// 410: the receiver states that it is permanently gone.
  var isGone: Bool
  var isReceiversFault: Bool

  init(problem: String, isReceiversFault: Bool) {
    self.isAcknowledged = false
    self.problem = problem
    self.isGone = false
    self.isReceiversFault = isReceiversFault
  }

  init(_ response: HTTPResponse, at moment: Timestamp) {
    status = response.status
    isAcknowledged = (200..<300).contains(response.status)
    problem = isAcknowledged ? nil : "HTTP status \(response.status)"
    answer = Array(response.body.prefix(DeliveryAttempt.answerBytesMax))
    isGone = response.status == 410
    isReceiversFault = !isAcknowledged
    if !isAcknowledged, let after = response.fields["Retry-After"].flatMap({ Int64($0) }), after >= 0 {
      notBefore = moment + .seconds(min(after, 86_400))
    }
  }
}
