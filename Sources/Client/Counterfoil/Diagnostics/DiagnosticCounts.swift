import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

/// What this device counted about orders that were nearly lost. It names no person, no order and no transaction.
///
/// A report keeps its id until the server has answered: so a process that is killed in between counts nothing twice.
struct DiagnosticCounts: Hashable, Sendable {
  /// A report that may have been sent.
  struct Report: Hashable, Sendable {
    let id: OrderIdentifier
    let counts: [ReportDiagnostics.Kind: Int64]
    let madeAt: Timestamp
  }

  /// Counts are gathered for so long before they are sent.
  static let gathering = TimeSpan.hours(1)
  /// The least time between two reports.
  static let interval = TimeSpan.days(1)
  /// The server remembers a report's id for a little longer.
  static let reportLifetime = TimeSpan.days(30)

  /// Not in a report yet.
  private(set) var open: [ReportDiagnostics.Kind: Int64] = [:]
  private(set) var openSince: Timestamp?
  private(set) var report: Report?
  private(set) var sentAt: Timestamp?

  /// Adds to a count, up to what the server takes.
  mutating func add(_ kind: ReportDiagnostics.Kind, at now: Timestamp) {
    open[kind] = min(ReportDiagnostics.Request.countMax, (open[kind] ?? 0) + 1)
    openSince = openSince ?? now
  }

  /// Makes the next report if it is time for one, or drops one that the server could count twice by now.
  ///
  /// - Returns: whether anything changed.
  mutating func prepareReport(id: OrderIdentifier, at now: Timestamp) -> Bool {
    let before = self
    if let made = report?.madeAt, now - made > Self.reportLifetime { report = nil }
    // A moment in the future was written while the clock was wrong.
    let hasGathered = openSince.map { now < $0 || now - $0 >= Self.gathering } ?? false
    let isTime = sentAt.map { now < $0 || now - $0 >= Self.interval } ?? true
    if report == nil, hasGathered, isTime {
      report = Report(id: id, counts: open, madeAt: now)
      open = [:]
      openSince = nil
    }
    return self != before
  }

  /// The server has counted the report, or will never take it.
  mutating func noteAnswer(to id: OrderIdentifier, at now: Timestamp) {
    guard report?.id == id else { return }
    report = nil
    sentAt = now
  }
}

// MARK: stored form

extension DiagnosticCounts {
  init(json: JSONFields?) throws(JSONFieldError) {
    guard let json else { return }
    open = try Self.counts(json.optionalFields("open"))
    openSince = try json.optionallyConverted("openSince", "a date") { Timestamp(iso8601: $0) }
    sentAt = try json.optionallyConverted("sentAt", "a date") { Timestamp(iso8601: $0) }
    guard let fields = try json.optionalFields("report") else { return }
    report = Report(
      id: try fields.converted("id", "a UUID") { OrderIdentifier($0) },
      counts: try Self.counts(fields.optionalFields("counts")),
      madeAt: try fields.converted("madeAt", "a date") { Timestamp(iso8601: $0) })
  }

  /// Nil while nothing was counted.
  var json: JSONValue? {
    guard self != DiagnosticCounts() else { return nil }
    return .members([
      ("open", open.isEmpty ? nil : Self.json(open)), ("openSince", openSince.map { .string($0.iso8601) }),
      ("sentAt", sentAt.map { .string($0.iso8601) }),
      (
        "report",
        report.map { report in
          .members([
            ("id", .string(report.id.appAccountToken)), ("counts", Self.json(report.counts)),
            ("madeAt", .string(report.madeAt.iso8601)),
          ])
        }
      ),
    ])
  }

  private static func counts(_ fields: JSONFields?) throws(JSONFieldError) -> [ReportDiagnostics.Kind: Int64] {
    var counts: [ReportDiagnostics.Kind: Int64] = [:]
    for kind in ReportDiagnostics.Kind.allCases {
      counts[kind] = try fields?.optionalInteger(kind.rawValue, in: 1...ReportDiagnostics.Request.countMax)
    }
    return counts
  }

  private static func json(_ counts: [ReportDiagnostics.Kind: Int64]) -> JSONValue {
    .members(ReportDiagnostics.Kind.allCases.map { kind in (kind.rawValue, counts[kind].map { .integer($0) }) })
  }
}
