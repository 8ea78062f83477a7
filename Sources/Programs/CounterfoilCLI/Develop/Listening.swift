import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// One run of `counterfoil listen`. A message counts as forwarded once its place is on disk, which happens after the
/// receiver's answer: so a kill at any moment repeats a message and loses none.
struct Listening {
  static let grants: Set<String> = ["grant.created", "grant.reversed", "grant.reinstated"]

  let server: ListenServer
  let target: String
  let types: Set<String>
  let environment: String?
  let acknowledges: Bool
  let isOnce: Bool
  let prints: Bool
  let isLive: Bool
  let endsWhenQuiet: Bool
  let platform: Platform
  let exchange: HTTPExchange
  var state: ListenState

  private static let page = 100
  /// The longest that a server lets a call wait.
  private static let waitSeconds = 25
  private static let answerLimit = TimeSpan.seconds(15)
  /// Pauses before a message is tried again; the last one repeats.
  private static let pauses: [Int64] = [1, 2, 4, 8, 15, 30]

  private var name: String { [server.name, environment ?? "", target].joined(separator: " ") }
  private var sleep: @Sendable (TimeSpan) async throws -> Void { platform.dependencies.sleep }

  mutating func run(since: Timestamp?) async throws {
    var place = since == nil ? state.places[name] : nil
    if place == nil { place = try await begin(since) }
    guard var place else { return }
    while true {
      var isQuiet = true
      while try await forwardDeliveries(&place, since: since) { isQuiet = false }
      // The feed also says when to look again.
      let wait = endsWhenQuiet || !isQuiet ? 0 : Self.waitSeconds
      if try await forwardEvents(&place, since: since, wait: wait) { isQuiet = false }
      if endsWhenQuiet, isQuiet { return }
    }
  }

  /// The first place: the present end, or what happened since a moment.
  private mutating func begin(_ since: Timestamp?) async throws -> ListenState.Place {
    var place = ListenState.Place()
    if since == nil { place.event = try await lastEvent() }
    while since == nil {
      let page = try await deliveries(after: place.delivery)
      guard let last = page.last?["id"]?.string else { break }
      place.delivery = last
    }
    try state.keep(place, at: name, platform)
    return place
  }

  /// The present end of the feed; nil without any event: then all of the feed is to come.
  private func lastEvent() async throws -> String? {
    let now = platform.dependencies.now().iso8601
    var next = try await answer("GET", "/v1/events?limit=1&" + query([("since", now)]))["next"]?.string
    // That page begins a minute earlier: entries of one moment need not be in the order of time.
    while let last = next {
      let page = try await answer("GET", "/v1/events?" + query([("limit", "\(Self.page)"), ("after", last)]))
      guard let further = page["next"]?.string, further != last else { break }
      next = further
    }
    return next
  }

  // MARK: deliveries

  /// - Returns: whether there may be more.
  private mutating func forwardDeliveries(_ place: inout ListenState.Place, since: Timestamp?) async throws -> Bool {
    let page = try await deliveries(after: place.delivery)
    for row in page {
      guard let id = row["id"]?.string, let body = row["delivery"] else { continue }
      if isAsked(body, since: since) {
        let isAcknowledged = try await forward(body, id: id)
        if acknowledges, isAcknowledged {
          _ = try await answer("POST", "/v1/deliveries/\(RequestTarget.encode(id))/ack")
        }
      }
      place.delivery = id
      try state.keep(place, at: name, platform)
    }
    return page.count == Self.page
  }

  private func deliveries(after last: String?) async throws -> [JSONValue] {
    let asked = [("state", "all"), ("limit", "\(Self.page)")] + (last.map { [("after", $0)] } ?? [])
    return try await answer("GET", server.deliveries + "?" + query(asked))["deliveries"]?.array ?? []
  }

  // MARK: events

  /// - Returns: whether there was something.
  private mutating func forwardEvents(
    _ place: inout ListenState.Place, since: Timestamp?, wait: Int
  ) async throws -> Bool {
    var asked = [("limit", "\(Self.page)"), ("wait", "\(wait)")]
    if let event = place.event {
      asked.append(("after", event))
    } else if let since {
      asked.append(("since", since.iso8601))
    }
    let feed = try await answer("GET", "/v1/events?" + query(asked))
    let events = feed["events"]?.array ?? []
    for entry in events {
      if let body = entry["event"], let id = body["id"]?.string, isAsked(body, since: since) {
        _ = try await forward(body, id: id)
      }
      place.event = entry["id"]?.string ?? place.event
      try state.keep(place, at: name, platform)
    }
    // A page may have passed over entries without an event for this reader, and there may be more behind it.
    guard let next = feed["next"]?.string, next != place.event else { return !events.isEmpty }
    place.event = next
    try state.keep(place, at: name, platform)
    return true
  }

  private func isAsked(_ body: JSONValue, since: Timestamp?) -> Bool {
    guard types.contains(body["type"]?.string ?? "") else { return false }
    guard let since, let at = body["occurredAt"]?.string.flatMap({ Timestamp(iso8601: $0) }) else { return true }
    return at >= since
  }

  // MARK: forwarding

  /// Sends a message until the receiver acknowledges it, or with `--once` until it answers.
  ///
  /// - Returns: whether the receiver acknowledged it.
  private func forward(_ body: JSONValue, id: String) async throws -> Bool {
    guard isLive || body["environment"]?.string != "production" else {
      throw CommandFailure("There are messages of production. Forward them with --live, if you mean it.")
    }
    for attempt in 0... {
      let began = platform.monotonicNanoseconds()
      let request = WebhookSigning.request(
        body: body.text, id: id, to: target, secrets: [state.secret], at: platform.dependencies.now())
      let found: (text: String, isAcknowledged: Bool, isRefused: Bool)
      do {
        let status = try await exchange.send(request, Self.answerLimit).status
        let isAcknowledged = (200...299).contains(status)
        found = ("\(status)", isAcknowledged, !isAcknowledged)
      } catch HTTPExchangeError.cancelled {
        throw CancellationError()
      } catch { found = ("no answer", false, false) }
      let milliseconds = (platform.monotonicNanoseconds() - began) / 1_000_000
      platform.print("→ \(found.text) \(milliseconds) ms " + Self.line(body, id) + "\n")
      if prints, attempt == 0 { platform.print(body.text + "\n") }
      if found.isAcknowledged || found.isRefused && isOnce { return found.isAcknowledged }
      try await sleep(.seconds(Self.pauses[min(attempt, Self.pauses.count - 1)]))
    }
    return false
  }

  /// `grant.created dlv_… alice 100 coin`
  private static func line(_ body: JSONValue, _ id: String) -> String {
    let user = body["userId"]?.string
    let units = body["units"].flatMap { units in
      units["amount"]?.integer.map { "\($0) " + (units["unit"]?.string ?? "") }
    }
    let right = body["entitlement"]?["name"]?.string
    return TerminalText.line(
      [body["type"]?.string, id, user, units ?? right].compactMap(\.self).joined(separator: " "))
  }

  // MARK: the server

  /// An answer of the server, however long it takes.
  private func answer(_ method: String, _ path: String) async throws -> JSONValue {
    var said: String?
    for attempt in 0... {
      switch try await server.ask(method, path + environmentQuery(path)) {
      case .json(let json): return json
      case .later(let why):
        if said != why { platform.printError("counterfoil: \(why)\n") }
        said = why
      }
      try await sleep(.seconds(Self.pauses[min(attempt, Self.pauses.count - 1)]))
    }
    return .null
  }

  private func environmentQuery(_ path: String) -> String {
    guard let environment, !path.hasSuffix("/ack") else { return "" }
    return "&environment=" + RequestTarget.encode(environment)
  }

  private func query(_ parameters: [(String, String)]) -> String {
    parameters.map { $0 + "=" + RequestTarget.encode($1) }.joined(separator: "&")
  }
}
