import CounterfoilAPI
import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON
import Synchronization

extension PaymentEngine {
  /// Sends events to the endpoints that name their types, until the task is cancelled.
  ///
  /// One node sends to an endpoint at a time. Events have workers of their own, so they never delay a delivery.
  func sendEvents() async {
    await withTaskGroup(of: Void.self) { group in
      for app in apps.all {
        for endpoint in app.endpoints where !endpoint.types.isEmpty {
          group.addTask { await sendEvents(of: app, to: endpoint) }
        }
      }
      await group.waitForAll()
    }
  }

  private func sendEvents(of app: AppPolicy, to endpoint: DeliveryEndpoint) async {
    let pause = limits.workLeasePause
    await repeatUntilDone(loggingErrors: "event.sendingFailed", pause: pause) {
      let worker = EventWorker(self, app, endpoint: endpoint)
      // It ends when the task is cancelled, or the lease goes to another node.
      guard try await doAlone("events.\(app.id.text).\(endpoint.name)", { await worker.send() }) else {
        try await dependencies.sleep(pause)
        return false
      }
      return Task.isCancelled
    }
  }
}

/// An event on its way to an endpoint.
struct SentEvent: Sendable {
  let number: Int64
  let appEnvironment: AppEnvironment
  let id: String
  let body: String
  let attempts: Int
  let since: Timestamp
  let order: OrderIdentifier?
}

/// Sends the events of one endpoint.
struct EventWorker: OutgoingWork {
  let engine: PaymentEngine
  private let app: AppIdentifier
  private let atStart: DeliveryEndpoint
  private let appEnvironments: [AppEnvironment]
  private let held = HeldEvents()
  let name = "event"

  init(_ engine: PaymentEngine, _ app: AppPolicy, endpoint: DeliveryEndpoint) {
    self.engine = engine
    self.app = app.id
    atStart = endpoint
    appEnvironments = endpoint.environments.sorted().map { AppEnvironment(app: app.id, environment: $0) }
  }

  /// The endpoint as the present configuration has it.
  private var endpoint: DeliveryEndpoint {
    engine.apps[app]?.endpoints.first { $0.name == atStart.name } ?? atStart
  }

  private func setting(_ appEnvironment: AppEnvironment) -> String {
    EventPlace.setting(appEnvironment, endpoint: atStart.name)
  }

  // MARK: what is due

  func lease(upTo slots: Int) async throws -> [SentEvent] {
    guard !engine.nodes.isDraining else { return [] }
    let (app, name) = (app, atStart.name)
    guard try await !engine.read({ try $0.isPaused(name, of: app) }) else { return [] }
    var leased: [SentEvent] = []
    for appEnvironment in appEnvironments where leased.count < slots {
      let place = try await readOn(in: appEnvironment)
      leased += try await due(in: place, of: appEnvironment, upTo: slots - leased.count)
    }
    return leased
  }

  /// Takes further entries of the feed, as long as there is room for open ones.
  ///
  /// - Returns: the place as it is stored then.
  private func readOn(in appEnvironment: AppEnvironment) async throws -> EventPlace {
    let setting = setting(appEnvironment)
    guard let known = try await engine.read({ try EventPlace(text: $0.setting(setting)) }) else {
      return try await begin(in: appEnvironment)
    }
    let room = EventPlace.openMax - known.open.count
    guard room > 0, let ends = try await engine.settledRows() else { return known }
    let query = JournalQuery(appEnvironment: appEnvironment, after: known.after, upTo: ends.journal, limit: room)
    let page = try await engine.read { try $0.journal(query) }
    guard let last = page.last, last.number > known.after else { return known }
    let types = atStart.types
    let taken = page.entries.filter { entry in entry.entry.eventType.map { types.contains($0) } ?? false }
    return try await engine.transact { transaction in
      guard var place = try EventPlace(text: transaction.setting(setting)), place.after == known.after else {
        return known
      }
      place.take(taken, upTo: last.number, at: transaction.now)
      try transaction.set(setting, to: place.text)
      return place
    }
  }

  /// An endpoint that is new receives what happens from now on.
  private func begin(in appEnvironment: AppEnvironment) async throws -> EventPlace {
    let setting = setting(appEnvironment)
    guard let ends = try await engine.settledRows() else { return EventPlace(after: 0) }
    let last = try await engine.read { try PaymentEngine.lastEvent(upTo: ends.journal, $0) }
    return try await engine.transact { transaction in
      if let place = try EventPlace(text: transaction.setting(setting)) { return place }
      let place = EventPlace(after: last?.number ?? 0)
      try transaction.set(setting, to: place.text)
      return place
    }
  }

  /// Open events that may be sent now.
  private func due(in place: EventPlace, of appEnvironment: AppEnvironment, upTo limit: Int) async throws -> [SentEvent]
  {
    let held = held
    let (due, waiting) = try await engine.read { reader in
      let now = engine.now
      var (due, waiting): ([SentEvent], [Int64]) = ([], [])
      for open in place.open where due.count < limit && open.nextAttemptAt <= now {
        guard held.mayTry(open.number, at: engine.dependencies.now()) else { continue }
        guard let found = try reader.firstJournalEntry(from: open.number), found.number == open.number,
          let event = SentEvent(found.entry, open)
        else { continue }
        // What is granted comes first: a receiver never hears of a price before it can know the purchase.
        if let payment = found.entry.payment,
          try reader.deliveries(of: payment).contains(where: { $0.state == .pending })
        {
          waiting.append(open.number)
        } else {
          due.append(event)
        }
      }
      return (due, waiting)
    }
    let next = engine.dependencies.now() + engine.limits.eventGrantRecheck
    for number in waiting { held.wait(number, until: next) }
    for event in due { held.isInFlight(event.number) }
    return due
  }

  func nextTime() async throws -> Timestamp? {
    let (appEnvironments, held, app, name) = (appEnvironments, held, app, atStart.name)
    return try await engine.read { reader in
      guard try !reader.isPaused(name, of: app) else { return nil }
      var next: Timestamp?
      for appEnvironment in appEnvironments {
        guard let place = try EventPlace(text: reader.setting(setting(appEnvironment))) else { return engine.now }
        let times = place.open.compactMap { held.time(of: $0, at: engine.dependencies.now()) }
        next = ([next].compactMap(\.self) + times).min()
        guard place.open.count < EventPlace.openMax else { continue }
        if try reader.firstJournalEntry(from: place.after + 1) != nil { return engine.now }
      }
      return next
    }
  }

  func listen(for span: TimeSpan) async {
    let listener = engine.commits.listenToAll()
    defer { engine.commits.stop(listener.number) }
    // Another node does not signal here.
    let most = engine.database.coordination == nil ? span : min(span, engine.limits.eventRecheck)
    try? await engine.sleep(most, orUntil: listener.signals)
    // Many commits end one wait.
    try? await engine.dependencies.sleep(min(span, engine.limits.feedPause))
  }

  // MARK: an attempt

  func request(for event: SentEvent, at moment: Timestamp) -> (HTTPRequest, HTTPExchange) {
    let endpoint = endpoint
    let request = WebhookSigning.request(
      body: event.body, id: event.id, to: endpoint.url, secrets: endpoint.secrets, at: moment)
    return (request, endpoint.mayBeInside ? engine.exchanges.anywhere : engine.exchanges.outside)
  }

  func beginTrace(of event: SentEvent) -> TracedWork? {
    engine.traces.beginAttempt(
      "Deliver", about: event.order, message: event.id, attempt: event.attempts + 1,
      noting: [("counterfoil.app", app.text), ("counterfoil.endpoint", endpoint.name)])
  }

  func note(_ result: AttemptResult, of event: SentEvent, since started: Timestamp) async throws {
    defer { held.end(event.number) }
    engine.metrics.count(
      .eventsSentTotal,
      [("endpoint", atStart.name), ("result", result.isAcknowledged ? "acknowledged" : "failed")])
    let (setting, limits) = (setting(event.appEnvironment), engine.limits)
    let chance = engine.dependencies.randomNumber(below: 1 << 32)
    let isParked = try await engine.transact { transaction in
      guard var place = try EventPlace(text: transaction.setting(setting)) else { return false }
      var isParked = false
      if result.isAcknowledged {
        place.close(event.number)
      } else {
        let delay = limits.deliveryDelay(after: event.attempts + 1, chance: chance)
        let next = max(transaction.now + delay, result.notBefore ?? transaction.now)
        isParked = next > event.since + limits.deliveryLifetime
        if isParked { place.close(event.number) } else { place.postpone(event.number, until: next) }
      }
      if isParked {
        try transaction.insert(
          JournalEntry(
            .eventParked, in: event.appEnvironment, at: transaction.now, order: event.order, payment: nil,
            details: JSONValue.members([("event", .string(event.id)), ("endpoint", .string(atStart.name))]).text))
      }
      try transaction.set(setting, to: place.text)
      return isParked
    }
    if isParked {
      engine.log(LogEvent(.error, "event.parked", [("endpoint", atStart.name), ("event", event.id)]))
    }
  }

  func logBreaker(_ result: AttemptResult) {
    engine.log(
      LogEvent(
        .warning, "event.endpointLeftAlone", [("endpoint", atStart.name), ("problem", result.problem ?? "none")]))
  }
}

/// The open events that this worker does not try now: they are in flight, or wait for the delivery of their grant.
private final class HeldEvents: Sendable {
  private let until = Mutex<[Int64: Timestamp?]>([:])

  func mayTry(_ number: Int64, at now: Timestamp) -> Bool {
    until.withLock { until in
      switch until[number] {
      case nil: true
      case .some(nil): false
      case .some(let moment?): moment <= now
      }
    }
  }

  func isInFlight(_ number: Int64) { until.withLock { $0[number] = .some(nil) } }
  func wait(_ number: Int64, until moment: Timestamp) { until.withLock { $0[number] = moment } }
  func end(_ number: Int64) { until.withLock { $0[number] = nil } }

  /// When an open event may be tried; nil while it is in flight.
  func time(of open: EventPlace.Open, at now: Timestamp) -> Timestamp? {
    until.withLock { until in
      switch until[open.number] {
      case nil: open.nextAttemptAt
      case .some(nil): nil
      case .some(let moment?): max(moment, open.nextAttemptAt)
      }
    }
  }
}

extension SentEvent {
  /// Nil for an entry without an event.
  fileprivate init?(_ entry: JournalEntry, _ open: EventPlace.Open) {
    guard let body = entry.event, let id = try? JSONReader.read(body.utf8)["id"]?.string else { return nil }
    self.init(
      number: open.number, appEnvironment: entry.appEnvironment, id: id, body: body, attempts: open.attempts,
      since: open.since, order: entry.order)
  }
}

extension JournalEntry {
  /// The type of the event that the entry carries; nil if it carries none, or one that only a later version knows.
  fileprivate var eventType: EventType? {
    event.flatMap { try? JSONReader.read($0.utf8)["type"]?.string }.flatMap { EventType(rawValue: $0) }
  }
}
