import HTTPMessages
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

extension PaymentEngine {
  /// Forwards the store's notifications until the task is cancelled. Each app has its own worker, so that a slow or
  /// failing target delays no other.
  func forwardNotifications() async {
    await withTaskGroup(of: Void.self) { group in
      for app in apps.all {
        guard let target = app.forwardNotificationsTo else { continue }
        group.addTask { await ForwardWorker(engine: self, app: app.id, target: target).send() }
      }
      await group.waitForAll()
    }
  }

  /// Notifications of an app that the target has not received yet, pending or parked, oldest first.
  package func openForwards(of app: AppIdentifier, limit: Int) async throws -> [NotificationForward] {
    try await read { try $0.openForwards(of: app, limit: limit) }
  }

  /// Sends parked notifications of an app again, up to a limit; returns their number.
  package func redriveForwards(of app: AppIdentifier, limit: Int) async throws -> Int {
    let count = try await transact { transaction in
      let parked = try transaction.openForwards(of: app, limit: limit).filter { $0.state != .pending }
      for var forward in parked {
        forward.redrive(at: transaction.now)
        try transaction.update(forward)
      }
      return parked.count
    }
    await forwardSignal.signal(for: app)
    return count
  }

  func noteForwarded(_ attempted: NotificationForward) async throws {
    try await transact { transaction in
      guard var forward = try transaction.forward(of: attempted.notification, in: attempted.appEnvironment),
        forward.state == .pending
      else { return }
      forward.acknowledge(at: transaction.now)
      try transaction.update(forward)
    }
  }

  /// Records a failed attempt and plans the next by the schedule of deliveries; after 30 days it is parked, never
  /// dropped.
  func noteFailure(_ result: AttemptResult, of attempted: NotificationForward) async throws {
    let limits = limits
    let chance = dependencies.randomNumber(below: 1 << 32)
    let isParked = try await transact { transaction in
      guard var forward = try transaction.forward(of: attempted.notification, in: attempted.appEnvironment),
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
      metrics.count(.forwardsParkedTotal, [("app", attempted.appEnvironment.app.text)])
      log(LogEvent(.error, "forward.parked", [("notification", attempted.notification)]))
    }
  }
}

/// Forwards the notifications of one app.
struct ForwardWorker: OutgoingWork {
  let engine: PaymentEngine
  let app: AppIdentifier
  let target: ForwardTarget
  let name = "forward"

  func logBreaker(_ result: AttemptResult) {
    engine.log(
      LogEvent(.warning, "forward.targetLeftAlone", [("app", app.text), ("problem", result.problem ?? "none")]))
  }

  func nextTime() async throws -> Timestamp? {
    let app = app
    return try await engine.read { try $0.nextForwardTime(of: app) }
  }

  func listen(for span: TimeSpan) async {
    let listener = await engine.forwardSignal.listen(for: app)
    try? await engine.sleep(span, orUntil: listener.signals)
    await engine.forwardSignal.stop(listener.number, for: app)
  }

  func lease(upTo slots: Int) async throws -> [NotificationForward] {
    guard !engine.nodes.isDraining else { return [] }
    let (app, span) = (app, engine.limits.deliveryLease)
    // A read without the write lock comes first: an idle worker writes nothing.
    let isDue = try await engine.read { reader in
      try !reader.dueForwards(at: engine.now, of: app, limit: 1).isEmpty
    }
    guard isDue else { return [] }
    return try await engine.transact { transaction in
      try transaction.takeForwards(of: app, limit: slots).map { due in
        var forward = due
        forward.lease = Lease(until: transaction.now + span, fence: (due.lease?.fence ?? 0) + 1)
        try transaction.update(forward)
        return forward
      }
    }
  }

  func request(for forward: NotificationForward, at moment: Timestamp) -> (HTTPRequest, HTTPExchange) {
    let request = HTTPRequest(
      "POST", target.url, fields: ["Content-Type": "application/json", "User-Agent": "Counterfoil"],
      body: Array((forward.body ?? "").utf8))
    return (request, target.mayBeInside ? engine.exchanges.anywhere : engine.exchanges.outside)
  }

  func beginTrace(of forward: NotificationForward) -> TracedWork? {
    engine.traces.beginAttempt(
      "Forward", about: nil, message: forward.notification, attempt: forward.attempts + 1,
      noting: [("counterfoil.app", app.text)])
  }

  func note(_ result: AttemptResult, of forward: NotificationForward, since started: Timestamp) async throws {
    engine.metrics.count(
      .forwardsTotal,
      [("app", app.text), ("result", result.isAcknowledged ? "acknowledged" : "failed")])
    if result.isAcknowledged {
      try await engine.noteForwarded(forward)
    } else {
      try await engine.noteFailure(result, of: forward)
      // As for deliveries: it is due sooner than the worker looks again.
      await engine.forwardSignal.signal(for: app)
    }
  }
}
