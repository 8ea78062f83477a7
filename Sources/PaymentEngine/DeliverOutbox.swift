import HTTPMessages
import PaymentModel
import PaymentStore
import PaymentVocabulary

extension PaymentEngine {
  /// Delivers to all configured endpoints until the task is cancelled. Each endpoint has a worker of its own, so that a
  /// slow or dead one delays no other.
  func deliverOutbox() async {
    await withTaskGroup(of: Void.self) { group in
      for app in apps.all {
        for endpoint in app.endpoints {
          group.addTask { await DeliveryWorker(self, app, endpoint).run() }
        }
      }
      await group.waitForAll()
    }
  }
}

/// Sends the deliveries of one endpoint: takes what is due on lease, tries it, notes what came of it.
struct DeliveryWorker {
  private enum Event: Sendable {
    case attempted(AttemptResult)
    case woken
  }

  let engine: PaymentEngine
  let endpoint: DeliveryEndpoint
  let realms: [Realm]

  init(_ engine: PaymentEngine, _ app: AppSettings, _ endpoint: DeliveryEndpoint) {
    self.engine = engine
    self.endpoint = endpoint
    self.realms = endpoint.environments.sorted().map { Realm(app: app.id, environment: $0) }
  }

  func run() async {
    await endLeasesOfTheDead()
    await withTaskGroup(of: Event.self) { group in
      var inFlight = 0
      var isWaiting = false
      var breaker = CircuitBreaker(engine.limits)
      while !Task.isCancelled {
        let slots = breaker.slots(
          inFlight: inFlight, most: engine.limits.deliveriesInFlightPerEndpoint,
          at: engine.surroundings.now())
        let leased = await lease(upTo: slots)
        for delivery in leased {
          inFlight += 1
          group.addTask { .attempted(await attempt(delivery)) }
        }
        // Without a free slot only the end of an attempt is news: what is due would be looked for in vain, again and
        // again.
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
          if breaker.hasJustOpened { logBreaker(result) }
        case .woken: isWaiting = false
        case nil: return
        }
      }
      group.cancelAll()
    }
  }

  /// What a worker had in its hands when its process was killed is sent again at once, not when its lease ends. A lease
  /// that somebody alive holds may end with it: then the delivery is sent twice under one id, as after any long answer.
  private func endLeasesOfTheDead() async {
    let (realms, limits) = (realms, engine.limits)
    do {
      try await engine.transact { transaction in
        for realm in realms {
          try DeliveryLeasing.endLeases(
            in: realm, within: limits.deliveryLease, most: limits.deliveryLeasesEndedAtStart, transaction)
        }
      }
    } catch {
      // They end by themselves.
      engine.log(LogEvent(.warning, "delivery.leasesNotEnded", [("error", "\(error)")]))
    }
  }

  private func logBreaker(_ result: AttemptResult) {
    engine.metrics.count("counterfoil_delivery_breaker_opened_total", [("endpoint", endpoint.name)])
    engine.log(
      LogEvent(
        .warning, "delivery.endpointLeftAlone",
        [("endpoint", endpoint.name), ("problem", result.problem ?? "none")]))
  }

  /// Until something may be due: a ring, or some time at the latest; while the receiver is left alone, until the next
  /// probe.
  private func waitForWork(notBefore earliest: Timestamp?) async {
    let idle = engine.limits.deliveryIdle
    let now = engine.surroundings.now()
    if let earliest {
      try? await engine.surroundings.sleep(max(.milliseconds(20), earliest - now))
      return
    }
    let realms = realms
    let next = try? await engine.read { store in
      // Of its own realms alone: others' deliveries may wait for a backend that pulls.
      try realms.compactMap { try store.nextDeliveryTime(in: $0) }.min()
    }
    let span = max(.milliseconds(20), min(idle, (next ?? nil).map { $0 - now } ?? idle))
    guard let realm = realms.first else { return }
    let listener = await engine.deliveryBell.listen(for: realm)
    try? await engine.sleep(span, orUntil: listener.rings)
    await engine.deliveryBell.stop(listener.number, for: realm)
  }

  /// Takes deliveries that are due; nobody else tries them until the lease ends.
  private func lease(upTo slots: Int) async -> [Delivery] {
    guard slots > 0 else { return [] }
    let span = engine.limits.deliveryLease
    let realms = realms
    do {
      // Looked for without the writer first: an idle worker writes nothing.
      let isDue = try await engine.read { store in
        let now = engine.surroundings.now()
        return try realms.contains { try !store.dueDeliveries(at: now, in: $0, limit: 1).isEmpty }
      }
      guard isDue else { return [] }
      return try await engine.transact { transaction in
        var leased: [Delivery] = []
        for realm in realms where leased.count < slots {
          leased += try DeliveryLeasing.lease(
            in: realm, upTo: slots - leased.count, for: span, transaction)
        }
        return leased
      }
    } catch {
      engine.log(LogEvent(.error, "delivery.leaseFailed", [("error", "\(error)")]))
      // A full disk is not emptied by asking it fifty times a second.
      try? await engine.surroundings.sleep(engine.limits.deliveryLeasePause)
      return []
    }
  }

  private func attempt(_ delivery: Delivery) async -> AttemptResult {
    let started = engine.surroundings.now()
    let request = WebhookSigning.request(for: delivery, to: endpoint, at: started)
    let exchange = endpoint.mayBeInside ? engine.exchanges.anywhere : engine.exchanges.outside
    let result: AttemptResult
    do {
      result = AttemptResult(
        try await exchange.send(request, engine.limits.deliveryTimeLimit), at: started)
    } catch HTTPExchangeError.cancelled {
      // The lease ends by itself and the delivery is tried again.
      return AttemptResult(problem: "cancelled", isReceiversFault: false)
    } catch {
      result = AttemptResult(problem: "\(error)", isReceiversFault: true)
    }
    engine.metrics.count(
      "counterfoil_deliveries_total",
      [("endpoint", endpoint.name), ("result", result.isAcknowledged ? "acknowledged" : "failed")])
    engine.metrics.time(
      "counterfoil_delivery_seconds", [("endpoint", endpoint.name)],
      milliseconds: (engine.surroundings.now() - started).milliseconds)
    await note(result, of: delivery)
    return result
  }

  private func note(_ result: AttemptResult, of delivery: Delivery) async {
    do {
      if result.isAcknowledged {
        _ = try await engine.acknowledge(delivery.id, in: nil)
      } else {
        try await engine.noteFailure(result, of: delivery)
      }
    } catch {
      // Nothing is lost: when the lease ends the delivery is sent again under the same id.
      engine.log(LogEvent(.error, "delivery.notNoted", [("error", "\(error)")]))
    }
  }
}

/// What an attempt to deliver met.
struct AttemptResult: Sendable {
  var isAcknowledged: Bool
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
    isAcknowledged = (200..<300).contains(response.status)
    problem = isAcknowledged ? nil : "HTTP status \(response.status)"
    isGone = response.status == 410
    isReceiversFault = !isAcknowledged
    if !isAcknowledged, let after = response.fields["Retry-After"].flatMap({ Int64($0) }), after >= 0 {
      notBefore = moment + .seconds(min(after, 86_400))
    }
  }
}
