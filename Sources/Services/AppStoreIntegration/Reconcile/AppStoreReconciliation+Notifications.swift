import AppStoreProtocol
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// How far Apple's history of notifications is read.
private struct NotificationMark {
  /// The history is complete up to here.
  var readUntil: Timestamp?
  /// The end of the last pass whose failures were read from far back.
  var lookedBackUntil: Timestamp?
  /// The pass in progress.
  var pass: Pass?

  /// One pass over a time span, page by page: Apple requires the same request with each page.
  struct Pass {
    let from: Timestamp
    /// Where the failures begin, in a pass that looks far back for them.
    let failuresFrom: Timestamp?
    let until: Timestamp
    /// First only the notifications that did not arrive, then all.
    var onlyFailures: Bool
    var token: String?

    /// Where the request in progress begins.
    var start: Timestamp { onlyFailures ? failuresFrom ?? from : from }

    /// The earliest moment that the pass reads.
    var earliest: Timestamp { failuresFrom ?? from }
  }

  init(text: String?) {
    guard let json = text.flatMap({ try? JSONReader.read($0.utf8) }) else { return }
    readUntil = json["readUntil"]?.integer.map { Timestamp(milliseconds: $0) }
    lookedBackUntil = json["lookedBackUntil"]?.integer.map { Timestamp(milliseconds: $0) }
    guard let from = json["from"]?.integer, let until = json["until"]?.integer else { return }
    pass = Pass(
      from: Timestamp(milliseconds: from),
      failuresFrom: json["failuresFrom"]?.integer.map { Timestamp(milliseconds: $0) },
      until: Timestamp(milliseconds: until), onlyFailures: json["onlyFailures"] == .bool(true),
      token: json["token"]?.string)
  }

  var text: String {
    JSONValue.members([
      ("readUntil", readUntil.map { .integer($0.milliseconds) }),
      ("lookedBackUntil", lookedBackUntil.map { .integer($0.milliseconds) }),
      ("from", pass.map { .integer($0.from.milliseconds) }),
      ("failuresFrom", pass?.failuresFrom.map { .integer($0.milliseconds) }),
      ("until", pass.map { .integer($0.until.milliseconds) }), ("onlyFailures", pass.map { .bool($0.onlyFailures) }),
      ("token", pass?.token.map(JSONValue.string)),
    ]).text
  }
}

extension AppStoreReconciliation {
  /// How long Apple keeps its history.
  private static func kept(in environment: StoreEnvironment) -> TimeSpan {
    environment == .sandbox ? .days(30) : .days(180)
  }

  /// A pass begins so much after the end of what Apple keeps, because that limit moves while the pages are read.
  private static let margin = TimeSpan.days(1)

  /// How far two passes overlap: a notification may enter the history later than it was created.
  private static let overlap = TimeSpan.hours(6)

  /// Apple tries a notification for up to 157 hours, and its history tells one only after its first attempt. One that
  /// was late and never arrived is found by reading the failures from this long before the last such look.
  private static let lookBack = TimeSpan.days(7)
  private static let lookBackInterval = TimeSpan.days(1)

  /// The span that is read next.
  private static func nextPass(after mark: NotificationMark, at now: Timestamp, earliest: Timestamp)
    -> NotificationMark.Pass
  {
    let from = max(earliest, mark.readUntil.map { $0 - overlap } ?? earliest)
    let looksBack = mark.lookedBackUntil.map { $0 <= now - lookBackInterval } ?? true
    let failuresFrom = max(earliest, mark.lookedBackUntil.map { min(from, $0 - lookBack) } ?? earliest)
    return NotificationMark.Pass(
      from: from, failuresFrom: looksBack ? failuresFrom : nil, until: now, onlyFailures: true)
  }

  /// Reads the notifications that Apple's history gained since the last run.
  mutating func readNotifications(of environment: StoreEnvironment) async throws {
    let name = "appStore.notifications.\(app.id.text).\(environment.rawValue)"
    var mark = NotificationMark(text: try await engine.read { try $0.setting(name) })
    let now = engine.now
    let limit = now - Self.kept(in: environment)
    if let pass = mark.pass, pass.earliest < limit { mark.pass = nil }
    var pass = mark.pass ?? Self.nextPass(after: mark, at: now, earliest: limit + Self.margin)
    var wasLost = false
    while report.stoppedBy == nil {
      try Task.checkCancellation()
      var request = NotificationHistoryRequest(from: pass.start, to: pass.until)
      if pass.onlyFailures { request.onlyFailures = true }
      let call: AppStoreServerCall<NotificationHistoryResponse> = try .notificationHistory(
        request, paginationToken: pass.token)
      switch await gateway.send(call, environment: environment, priority: .reconciliation).outcome {
      case .answered(let page):
        for item in page.notificationHistory { try await take(item) }
        guard !page.hasMore || page.paginationToken.map({ $0 != pass.token }) == true else {
          return stop("Apple says that there is more, and not where.")
        }
        pass.token = page.hasMore ? page.paginationToken : nil
        if pass.token == nil {
          guard pass.onlyFailures else {
            let lookedBack = pass.failuresFrom == nil ? mark.lookedBackUntil : pass.until
            mark = NotificationMark(text: nil)
            mark.readUntil = pass.until
            mark.lookedBackUntil = lookedBack
            return try await put(mark, name)
          }
          pass.onlyFailures = false
        }
        mark.pass = pass
        try await put(mark, name)
      case .refused(let error) where pass.token != nil && !wasLost:
        // The page is no longer available: read the same span from its beginning, once. Repeated notifications change
        // nothing.
        wasLost = true
        engine.log(LogEvent(.warning, "reconciliation.pageLost", [("app", app.id.text), ("why", "\(error)")]))
        pass.token = nil
      case .refused(let error)
      where error.code == .notAuthorized && !isAboutOurAccess(error, in: environment):
        // The app was never released: production has sent no notification.
        return
      case .refused(let error): return stop("\(error)")
      case .unknown(let why): return stop(why.summary)
      }
    }
  }

  private func put(_ mark: NotificationMark, _ name: String) async throws {
    let text = mark.text
    try await engine.transact { try $0.set(name, to: text) }
  }

  /// Takes in one notification as if it had arrived; a known one changes nothing.
  private mutating func take(_ item: NotificationHistoryResponseItem) async throws {
    report.notifications += 1
    let body = JSONValue.members([("signedPayload", .string(item.signedPayload))]).bytes
    do {
      let receipt = try await engine.receiveAppStoreNotification(body, for: app.id)
      guard receipt.isNew else { return }
      report.add(.missedNotification, receipt.id, state: receipt.effect, isHealed: true)
      if receipt.firstSeen, let transaction = receipt.transaction {
        report.add(.missedPayment, transaction.text, state: "by notification", isHealed: true)
      }
    } catch let error as CodedError<EngineErrorCode> {
      switch error.code {
      case .notificationUnreadable, .notificationNotOurs:
        report.add(.unreadable, "notification", state: error.details, isHealed: false)
      default: throw error
      }
    }
  }
}
