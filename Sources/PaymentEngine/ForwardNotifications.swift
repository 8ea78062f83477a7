import HTTPMessages
public import PaymentModel
import PaymentStore
public import PaymentVocabulary
import StrictJSON

extension PaymentEngine {
  /// Passes the store's notifications on until the task is cancelled. Each app has a worker of its own, so that a slow
  /// or dead target delays no other.
  func forwardNotifications() async {
    await withTaskGroup(of: Void.self) { group in
      for app in apps.all {
        guard let target = app.forwardNotificationsTo else { continue }
        group.addTask { await ForwardWorker(self, app.id, target).run() }
      }
      await group.waitForAll()
    }
  }

  /// Notifications of an app that the other side does not have yet, pending or parked, oldest first.
  public func openForwards(of app: AppIdentifier, limit: Int) async throws -> [NotificationForward] {
    try await read { try $0.openForwards(of: app, limit: limit) }
  }

  /// Sends parked notifications of an app off again, so many at most; says how many there were.
  public func redriveForwards(of app: AppIdentifier, limit: Int) async throws -> Int {
    let count = try await transact { transaction in
      let parked = try transaction.openForwards(of: app, limit: limit).filter { $0.state != .pending }
      for var forward in parked {
        forward.redrive(at: transaction.now)
        try transaction.update(forward)
      }
      return parked.count
    }
    await forwardBell.ring(for: app)
    return count
  }

  /// The other side has it.
  func noteForwarded(_ attempted: NotificationForward) async throws {
    try await transact { transaction in
      guard var forward = try transaction.forward(of: attempted.notification, in: attempted.realm),
        forward.state == .pending
      else { return }
      forward.acknowledge(at: transaction.now)
      try transaction.update(forward)
    }
  }

  /// Notes a failed attempt and plans the next by the schedule of deliveries; after 30 days it is parked, never
  /// dropped.
  func noteFailure(_ result: AttemptResult, of attempted: NotificationForward) async throws {
    let limits = limits
    let chance = surroundings.randomNumber(below: 1 << 32)
    let isParked = try await transact { transaction in
      guard var forward = try transaction.forward(of: attempted.notification, in: attempted.realm),
        forward.state == .pending, forward.lease?.fence == attempted.lease?.fence
      else { return false }
      let now = transaction.now
      forward.attempts += 1
      forward.lastProblem = result.problem
      forward.lease = forward.lease.map { Lease(until: now, fence: $0.fence) }
      let delay = limits.deliveryDelay(after: forward.attempts, chance: chance)
      forward.nextAttemptAt = max(now + delay, result.notBefore ?? now)
      if forward.nextAttemptAt > forward.createdAt + limits.deliveryLifetime { forward.park(at: now) }
      try transaction.update(forward)
      return forward.state != .pending
    }
    if isParked {
      metrics.count("counterfoil_forwards_parked_total", [("app", attempted.realm.app.text)])
      log(LogEvent(.error, "forward.parked", [("notification", attempted.notification)]))
    }
  }
}

/// Passes the notifications of one app on: takes what is due on lease, tries it, notes what came of it.
struct ForwardWorker {
  private enum Event: Sendable {
    case attempted(AttemptResult)
    case woken
  }

  let engine: PaymentEngine
  let app: AppIdentifier
  let target: ForwardTarget

  init(_ engine: PaymentEngine, _ app: AppIdentifier, _ target: ForwardTarget) {
    self.engine = engine
    self.app = app
    self.target = target
  }

  func run() async {
    await withTaskGroup(of: Event.self) { group in
      var inFlight = 0
      var isWaiting = false
      var breaker = CircuitBreaker(engine.limits)
      while !Task.isCancelled {
        let slots = breaker.slots(
          inFlight: inFlight, most: engine.limits.deliveriesInFlightPerEndpoint, at: engine.surroundings.now())
        let leased = await lease(upTo: slots)
        for forward in leased {
          inFlight += 1
          group.addTask { .attempted(await attempt(forward)) }
        }
        if !isWaiting, leased.count < slots || inFlight == 0 {
          isWaiting = true
          let earliest = slots > 0 ? nil : breaker.nextProbe
          group.addTask {
            await waitForWork(notBefore: earliest)
            return .woken
          }
        }
        switch await group.next() {
        case .attempted(let result):
          inFlight -= 1
          breaker.note(result, at: engine.surroundings.now())
          if breaker.hasJustOpened {
            engine.log(
              LogEvent(
                .warning, "forward.targetLeftAlone", [("app", app.text), ("problem", result.problem ?? "none")]))
          }
        case .woken: isWaiting = false
        case nil: return
        }
      }
      group.cancelAll()
    }
  }

  /// Until something may be due: a ring, or some time at the latest; while the target is left alone, until the next
  /// probe.
  private func waitForWork(notBefore earliest: Timestamp?) async {
    let idle = engine.limits.deliveryIdle
    let now = engine.surroundings.now()
    if let earliest {
      try? await engine.surroundings.sleep(max(.milliseconds(20), earliest - now))
      return
    }
    let app = app
    let next = try? await engine.read { try $0.nextForwardTime(of: app) }
    let span = max(.milliseconds(20), min(idle, (next ?? nil).map { $0 - now } ?? idle))
    let listener = await engine.forwardBell.listen(for: app)
    try? await engine.sleep(span, orUntil: listener.rings)
    await engine.forwardBell.stop(listener.number, for: app)
  }

  /// Takes what is due; nobody else tries it until the lease ends.
  private func lease(upTo slots: Int) async -> [NotificationForward] {
    guard slots > 0 else { return [] }
    let (app, span) = (app, engine.limits.deliveryLease)
    do {
      // Looked for without the writer first: an idle worker writes nothing.
      let isDue = try await engine.read { store in
        try !store.dueForwards(at: engine.surroundings.now(), of: app, limit: 1).isEmpty
      }
      guard isDue else { return [] }
      return try await engine.transact { transaction in
        try transaction.dueForwards(at: transaction.now, of: app, limit: slots).map { due in
          var forward = due
          forward.lease = Lease(until: transaction.now + span, fence: (due.lease?.fence ?? 0) + 1)
          try transaction.update(forward)
          return forward
        }
      }
    } catch {
      engine.log(LogEvent(.error, "forward.leaseFailed", [("error", "\(error)")]))
      try? await engine.surroundings.sleep(engine.limits.deliveryLeasePause)
      return []
    }
  }

  private func attempt(_ forward: NotificationForward) async -> AttemptResult {
    let started = engine.surroundings.now()
    let request = HTTPRequest(
      "POST", target.url, fields: ["Content-Type": "application/json", "User-Agent": "Counterfoil"],
      body: Array((forward.body ?? "").utf8))
    let exchange = target.mayBeInside ? engine.exchanges.anywhere : engine.exchanges.outside
    let result: AttemptResult
    do {
      result = AttemptResult(try await exchange.send(request, engine.limits.deliveryTimeLimit), at: started)
    } catch HTTPExchangeError.cancelled {
      // The lease ends by itself and it is tried again.
      return AttemptResult(problem: "cancelled", isReceiversFault: false)
    } catch {
      result = AttemptResult(problem: "\(error)", isReceiversFault: true)
    }
    engine.metrics.count(
      "counterfoil_forwards_total",
      [("app", app.text), ("result", result.isAcknowledged ? "acknowledged" : "failed")])
    do {
      if result.isAcknowledged {
        try await engine.noteForwarded(forward)
      } else {
        try await engine.noteFailure(result, of: forward)
      }
    } catch {
      // Nothing is lost: when the lease ends it is sent again, the same bytes.
      engine.log(LogEvent(.error, "forward.notNoted", [("error", "\(error)")]))
    }
    return result
  }
}
