import HTTPMessages
import PaymentPrimitives

/// What is sent to one receiver until it has it: deliveries to a backend, notifications passed on.
protocol OutgoingWork: Sendable {
  associatedtype Item: Sendable

  var engine: PaymentEngine { get }

  /// Takes so many at most of what is due; nobody else tries them until their lease ends.
  func lease(upTo slots: Int) async throws -> [Item]

  /// When something is due at the earliest, as far as is known.
  func nextTime() async throws -> Timestamp?

  /// Until there is new work, but no longer than so long.
  func listen(for span: TimeSpan) async

  /// The request, and the way that it takes.
  func request(for item: Item, at moment: Timestamp) -> (HTTPRequest, HTTPExchange)

  /// Writes down what came of an attempt.
  func note(_ result: AttemptResult, of item: Item, since started: Timestamp) async throws

  /// The receiver fails again and again, and is left alone for a while.
  func logBreaker(_ result: AttemptResult)

  /// What this work is called in the log: `<name>.leaseFailed`.
  var name: String { get }
}

private enum SendingEvent: Sendable {
  case attempted(AttemptResult)
  case woken
}

extension OutgoingWork {
  /// Takes what is due on lease, tries it, notes what came of it, until the task is cancelled.
  func send() async {
    await withTaskGroup(of: SendingEvent.self) { group in
      var inFlight = 0
      var isWaiting = false
      var breaker = CircuitBreaker(engine.limits)
      while !Task.isCancelled {
        let slots = breaker.slots(
          inFlight: inFlight, most: engine.limits.deliveriesInFlightPerEndpoint, at: engine.surroundings.now())
        let leased = await leaseWhatIsDue(upTo: slots)
        for item in leased {
          inFlight += 1
          group.addTask { .attempted(await attempt(item)) }
        }
        // Without a free slot only the end of an attempt is news: what is due would be looked for in vain, again and
        // again.
        if !isWaiting, leased.count < slots || inFlight == 0 {
          isWaiting = true
          let earliest = slots > 0 ? nil : breaker.nextProbe(at: engine.surroundings.now())
          group.addTask {
            await waitForWork(notBefore: earliest)
            return .woken
          }
        }
        switch await group.next() {
        case .attempted(let result):
          inFlight -= 1
          breaker.note(result, at: engine.surroundings.now())
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
      // That the database cannot be written the log says once a minute anyway.
      if (error as? CodedError<EngineErrorCode>)?.code != .storeUnavailable {
        engine.log(LogEvent(.error, "\(name).leaseFailed", [("error", "\(error)")]))
      }
      // A full disk is not emptied by asking it fifty times a second.
      try? await engine.surroundings.sleep(engine.limits.deliveryLeasePause)
      return []
    }
  }

  /// Until something may be due: a ring, or some time at the latest; while the receiver is left alone, until the next
  /// probe.
  private func waitForWork(notBefore earliest: Timestamp?) async {
    let now = engine.surroundings.now()
    if let earliest {
      try? await engine.surroundings.sleep(max(.milliseconds(20), earliest - now))
      return
    }
    let idle = engine.limits.deliveryIdle
    let next = try? await nextTime()
    await listen(for: max(.milliseconds(20), min(idle, (next ?? nil).map { $0 - now } ?? idle)))
  }

  private func attempt(_ item: Item) async -> AttemptResult {
    let started = engine.surroundings.now()
    let (request, exchange) = request(for: item, at: started)
    let result: AttemptResult
    do throws(HTTPExchangeError) {
      result = AttemptResult(try await exchange.send(request, engine.limits.deliveryTimeLimit), at: started)
    } catch .cancelled {
      // The lease ends by itself and it is tried again.
      return AttemptResult(problem: "cancelled", isReceiversFault: false)
    } catch {
      result = AttemptResult(problem: Self.words(for: error), isReceiversFault: true)
    }
    do { try await note(result, of: item, since: started) } catch {
      // Nothing is lost: when the lease ends it is sent again, the same.
      engine.log(LogEvent(.error, "\(name).notNoted", [("error", "\(error)")]))
    }
    return result
  }
}

extension OutgoingWork {
  /// Of what the network says of itself: enough to know it by.
  private static var whyCharactersMax: Int { 200 }

  /// Why no answer came, for a person who reads the log or the delivery.
  private static func words(for error: HTTPExchangeError) -> String {
    switch error {
    case .unreachable(let why): "The receiver could not be reached: \(shown(why))"
    case .outcomeUnknown(let why): "No whole answer came: \(shown(why))"
    case .unreadableAnswer(let why): "The answer could not be read: \(shown(why))"
    case .refusedTarget(let why): "The address may not be called: \(shown(why))"
    case .cancelled: "cancelled"
    }
  }

  private static func shown(_ why: String) -> String {
    let line = String.UnicodeScalarView(why.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 })
    return String(String(line).prefix(whyCharactersMax))
  }
}

/// What an attempt to send met.
struct AttemptResult: Sendable {
  var isAcknowledged: Bool
  /// The status of the answer; nil where none came.
  var status: Int?
  var problem: String?
  /// When the receiver wants to be asked again at the earliest.
  var notBefore: Timestamp?
  /// 410: the receiver says that it is gone for good.
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
    isGone = response.status == 410
    isReceiversFault = !isAcknowledged
    if !isAcknowledged, let after = response.fields["Retry-After"].flatMap({ Int64($0) }), after >= 0 {
      notBefore = moment + .seconds(min(after, 86_400))
    }
  }
}
