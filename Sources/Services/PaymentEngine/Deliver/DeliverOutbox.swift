import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// Delivers to all configured endpoints until the task is cancelled. Each endpoint has its own worker, so that a
  /// slow or failing one delays no other.
  func deliverOutbox() async {
    await withTaskGroup(of: Void.self) { group in
      for app in apps.all {
        for endpoint in app.endpoints {
          group.addTask { await DeliveryWorker(self, app, endpoint: endpoint).run() }
        }
      }
      await group.waitForAll()
    }
  }
}

/// Sends the deliveries of one endpoint.
struct DeliveryWorker: OutgoingWork {
  let engine: PaymentEngine
  private let app: AppIdentifier
  private let atStart: DeliveryEndpoint
  let appEnvironments: [AppEnvironment]
  let name = "delivery"
  private let failures = FailedDeliveries()

  init(_ engine: PaymentEngine, _ app: AppPolicy, endpoint: DeliveryEndpoint) {
    self.engine = engine
    self.app = app.id
    self.atStart = endpoint
    self.appEnvironments = endpoint.environments.sorted().map { AppEnvironment(app: app.id, environment: $0) }
  }

  /// The endpoint as the present configuration has it: a reload may bring another address, or another secret.
  private var endpoint: DeliveryEndpoint {
    engine.apps[app]?.endpoints.first { $0.name == atStart.name } ?? atStart
  }

  func run() async {
    // Leases of a node end with the node; those of an earlier process of a database that one process holds, here.
    if engine.database.coordination == nil { await endLeasesOfTheDead() }
    await send()
  }

  /// Ends the leases of a worker after its process was killed; its deliveries are sent again at once, not when the
  /// lease ends. The lease of a running worker may end too. Then the delivery is sent twice under one id, as after
  /// any long answer.
  private func endLeasesOfTheDead() async {
    let (appEnvironments, limits) = (appEnvironments, engine.limits)
    do {
      try await engine.transact { transaction in
        for appEnvironment in appEnvironments {
          try DeliveryLeasing.endLeases(
            in: appEnvironment, within: limits.deliveryLease, most: limits.deliveryLeasesEndedAtStart, transaction)
        }
      }
    } catch {
      // The leases also expire without this step.
      engine.log(LogEvent(.warning, "delivery.leasesNotEnded", [("error", "\(error)")]))
    }
  }

  func logBreaker(_ result: AttemptResult) {
    engine.metrics.count(.deliveryBreakerOpenedTotal, [("endpoint", endpoint.name)])
    engine.log(
      LogEvent(
        .warning, "delivery.endpointLeftAlone",
        [("endpoint", endpoint.name), ("problem", result.problem ?? "none")]))
  }

  func nextTime() async throws -> Timestamp? {
    let (appEnvironments, app, name) = (appEnvironments, app, atStart.name)
    return try await engine.read { reader in
      // A resumed endpoint gets a signal; without one it looks again after the idle time.
      guard try !reader.isPaused(name, of: app) else { return nil }
      // Only its own app environments: deliveries of others may wait for a backend that pulls.
      return try appEnvironments.compactMap { try reader.nextDeliveryTime(in: $0) }.min()
    }
  }

  func listen(for span: TimeSpan) async {
    guard let appEnvironment = appEnvironments.first else { return }
    let listener = await engine.deliverySignal.listen(for: appEnvironment)
    try? await engine.sleep(span, orUntil: listener.signals)
    await engine.deliverySignal.stop(listener.number, for: appEnvironment)
  }

  func lease(upTo slots: Int) async throws -> [Delivery] {
    guard !engine.nodes.isDraining else { return [] }
    let span = engine.limits.deliveryLease
    let (appEnvironments, app, name) = (appEnvironments, app, atStart.name)
    // A read without the write lock comes first: an idle worker writes nothing.
    let isDue = try await engine.read { reader in
      let now = engine.now
      return try appEnvironments.contains { try !reader.dueDeliveries(at: now, in: $0, limit: 1).isEmpty }
        && !reader.isPaused(name, of: app)
    }
    guard isDue else { return [] }
    return try await engine.transact { transaction in
      var leased: [Delivery] = []
      for appEnvironment in appEnvironments where leased.count < slots {
        leased += try DeliveryLeasing.lease(in: appEnvironment, upTo: slots - leased.count, for: span, transaction)
      }
      return leased
    }
  }

  func request(for delivery: Delivery, at moment: Timestamp) -> (HTTPRequest, HTTPExchange) {
    let endpoint = endpoint
    return (
      WebhookSigning.request(for: delivery, to: endpoint, at: moment),
      endpoint.mayBeInside ? engine.exchanges.anywhere : engine.exchanges.outside
    )
  }

  func beginTrace(of delivery: Delivery) -> TracedWork? {
    engine.traces.beginAttempt(
      "Deliver", about: delivery.order, message: delivery.id.text, attempt: delivery.attempts + 1,
      noting: [
        ("counterfoil.app", app.text), ("counterfoil.endpoint", endpoint.name),
        ("counterfoil.delivery", delivery.id.text),
        ("counterfoil.kind", delivery.kind.rawValue),
      ])
  }

  func note(_ result: AttemptResult, of delivery: Delivery, since started: Timestamp) async throws {
    engine.metrics.count(
      .deliveriesTotal,
      [("endpoint", endpoint.name), ("result", result.isAcknowledged ? "acknowledged" : "failed")])
    engine.metrics.time(
      .deliverySeconds, [("endpoint", endpoint.name)],
      milliseconds: (engine.dependencies.now() - started).milliseconds)
    if result.isAcknowledged {
      _ = try await engine.acknowledge(delivery.id, in: nil)
      guard await failures.succeeded(delivery.id) else { return }
      engine.log(
        LogEvent(
          .info, "delivery.succeededAgain",
          [("endpoint", endpoint.name), ("delivery", delivery.id.text), ("attempts", "\(delivery.attempts + 1)")]))
    } else {
      try await engine.noteFailure(result, of: delivery, at: endpoint.name, since: started)
      // The worker waits until the end of this lease, or longer: now it is due sooner.
      await engine.deliverySignal.signal(for: delivery.payment.appEnvironment)
      guard let others = await failures.failed(delivery.id, at: engine.dependencies.now()) else { return }
      engine.log(
        LogEvent(
          .warning, "delivery.failed",
          [
            ("endpoint", endpoint.name), ("delivery", delivery.id.text),
            ("status", result.status.map { "\($0)" } ?? "none"), ("reason", result.problem ?? "none"),
            ("attempts", "\(delivery.attempts + 1)"), ("othersFailing", "\(others)"),
          ]))
    }
  }
}
