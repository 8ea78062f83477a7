import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// What phones count about orders that were nearly lost.
enum DiagnosticsRoutes {
  static let all: [Route] = [report, read]

  private static let report = Route(
    "POST", ReportDiagnostics.path, name: "ReportDiagnostics", access: [.user, .publishable, .backend],
    bodyBytesMax: 4 << 10,
    documentation: RouteDocumentation(
      summary: "Takes a phone's counts of orders that were nearly lost. Nobody is named; a repeated id counts once.",
      request: "ReportDiagnostics", answer: "DiagnosticsTaken")
  ) { call in
    let app = try call.authenticatedApp()
    let body = try call.body(ReportDiagnostics.Request.init(json:))
    let counts = Dictionary(uniqueKeysWithValues: body.counts.map { ($0.key.rawValue, $0.value) })
    let isNew = try await call.server.engine.takePhoneReport(body.id, counts: counts, for: app)
    return call.answer(.members([("counted", .bool(isNew))]))
  }

  private static let read = Route(
    "GET", "/v1/operator/diagnostics", name: "ReadDiagnostics", access: [.operator],
    documentation: RouteDocumentation(
      summary: "What phones counted per day, beside the path and the delay of the newest grants.",
      query: [
        .init(name: "from", meaning: "The first day, such as 2025-10-09.", schema: Schemas.text(10...10)),
        .init(name: "to", meaning: "The last day.", schema: Schemas.text(10...10)),
        .operatorEnvironment("The app's own unless said otherwise."),
      ], answer: "Diagnostics")
  ) { call in
    let days = try call.days()
    let found = try await call.server.engine.readPhoneDiagnostics(
      from: days.first, to: days.last, in: try call.operatorEnvironmentOrHome())
    return call.answer(json(found))
  }

  private static func json(_ found: PhoneDiagnostics) -> JSONValue {
    let counts = found.counts.map { count in
      JSONValue.members([
        ("day", .string(count.day)), ("kind", .string(count.kind)), ("count", .integer(count.count)),
      ])
    }
    let origins = found.firstHeardFrom.map { ($0.origin.rawValue, JSONValue.integer($0.count) as JSONValue?) }
    func within(_ percent: Int) -> JSONValue? {
      found.purchaseToGrant(percent: percent).map { .integer($0.milliseconds) }
    }
    return .members([
      ("counts", .array(counts)),
      (
        "newestGrants",
        .members([
          ("examined", .integer(found.purchaseToGrant.count)), ("firstHeardFrom", .members(origins)),
          (
            "purchaseToGrantMilliseconds",
            .members([("median", within(50)), ("within95Percent", within(95)), ("longest", within(100))])
          ),
        ])
      ),
    ])
  }
}

extension Call {
  /// The days between which a list is read; every day unless the query says otherwise.
  func days() throws(CodedError<ServerErrorCode>) -> (first: String, last: String) {
    let days = (first: try query("from") ?? "0000-00-00", last: try query("to") ?? "9999-99-99")
    guard days.first.utf8.count == 10, days.last.utf8.count == 10, days.first <= days.last else {
      throw CodedError(.fieldInvalid, "from and to must be days such as 2025-10-09, in order.")
    }
    return days
  }
}
