import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Reports for the books: sums that are computed from the payments at the time of the call.
enum ReportRoutes {
  static let all: [Route] = [revenue]

  private static let dimensions = RevenueReport.Dimension.allCases.map(\.rawValue)

  private static let revenue = Route(
    "GET", "/v1/reports/revenue", name: "ReadRevenueReport", access: [.backend, .operator],
    documentation: RouteDocumentation(
      summary: "Sales, refunds, deferred revenue of subscriptions and net amounts of some days, by store and currency.",
      query: [
        .init(
          name: "from", meaning: "The first day of Beijing time, such as 2026-03-01.", schema: Schemas.text(10...10)),
        .init(
          name: "to", meaning: "The last day; at most \(ReportDays.daysMax) days.", schema: Schemas.text(10...10)),
        .init(
          name: "by",
          meaning: "What else divides the rows, separated by commas: \(dimensions.joined(separator: ", "))."),
        .init(
          name: "format", meaning: "`csv` gives the same as a table; `json` unless said otherwise.",
          schema: Schemas.words(["json", "csv"])), .environment,
      ], answer: "RevenueReport",
      isTableToo: true)
  ) { call in
    let request = try request(call)
    let format = try call.word("format", { ["json", "csv"].contains($0) ? $0 : nil }, ["json", "csv"])
    let report: RevenueReport
    do {
      report = try await call.server.engine.readRevenueReport(request, of: try call.authenticatedApp())
    } catch is ReportTooLarge {
      throw CodedError<ServerErrorCode>(
        .fieldInvalid,
        "The report would have more than \(RevenueReport.rowsMax) rows: ask for fewer days, or fewer words in by.")
    }
    let json = report.json
    guard format == "csv" else { return call.answer(json) }
    var table = CSVTable(columns: RevenueReport.columns)
    for line in RevenueReport.lines(of: json) { table.add(line) }
    return HTTPResponse(
      status: 200, fields: ["Content-Type": "text/csv; charset=utf-8", "Cache-Control": "no-store"], body: table.bytes)
  }

  private static func request(_ call: Call) throws(CodedError<ServerErrorCode>) -> RevenueReport.Request {
    guard let days = ReportDays(from: try call.query("from") ?? "", to: try call.query("to") ?? "") else {
      throw CodedError(
        .fieldInvalid,
        "from and to must be days such as 2026-03-01, in order, and at most \(ReportDays.daysMax) of them.")
    }
    let words = (try call.query("by") ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let known = words == [""] ? [] : words.map { RevenueReport.Dimension(rawValue: $0) }
    let chosen = Set(known.compactMap(\.self))
    guard chosen.count == known.count else {
      throw CodedError(
        .fieldInvalid, "by must have each of these words once at most: \(dimensions.joined(separator: ", ")).")
    }
    return RevenueReport.Request(days, by: chosen, in: try environment(of: call))
  }

  private static func environment(of call: Call) throws(CodedError<ServerErrorCode>) -> AppEnvironment {
    if call.caller == nil { return try call.operatorEnvironmentOrHome() }
    return try call.appEnvironment()
  }
}
