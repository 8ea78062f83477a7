import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import StrictJSON

/// `counterfoil report revenue`: what was sold and given back.
enum ReportCommand {
  static let command = Command.of(
    "report", BilingualText("report sales, refunds, deferred revenue and net amounts", "给出销售、退款、递延收入与净额的报表"),
    usage: """
      usage: counterfoil report revenue --from DAY --to DAY [--by WORDS] [--environment E] [--csv] [OPTIONS]

      Prints what was sold and given back in some days of Beijing time, by store and currency, in the smallest unit of
      each currency; then everything that keeps the sums from being equal to the ledger or to WeChat Pay's bills.
      What users were given without a payment stands at the end: it is no revenue.

        --from DAY          the first day, such as 2026-03-01
        --to DAY            the last day, at most \(ReportDays.daysMax) days
        --by WORDS          what else divides the rows: day, month, product, storefront, separated by commas
        --environment E     otherwise the app's own
        --csv               as a table for spreadsheets
      \(OperatorServer.usage)

      Exit codes: 0 everything is equal, 1 there are differences or the server did not answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued + ["from", "to", "by", "environment"], flags: ["csv"], wordsMax: 1
  ) { options, platform in
    guard options.words == ["revenue"] else { throw UsageError("`report revenue` is needed.") }
    guard let first = try options.one("from"), let last = try options.one("to"),
      ReportDays(from: first, to: last) != nil
    else {
      throw UsageError("--from and --to must be days such as 2026-03-01, at most \(ReportDays.daysMax) of them.")
    }
    guard !options.has("csv") || !options.has("json") else { throw UsageError("--csv and --json exclude each other.") }
    let more = try ["by", "environment"].compactMap { name in try options.one(name).map { (name, $0) } }
    let query = ([("from", first), ("to", last)] + more).map { $0 + "=" + RequestTarget.encode($1) }
    let answers = try await OperatorServer.of(options, platform).answers(
      to: "/v1/reports/revenue?" + query.joined(separator: "&"), isMissing: { _ in false },
      CommandLineProgram.language(platform))
    if options.has("csv") {
      var table = CSVTable(columns: ["app"] + RevenueReport.columns)
      for answer in answers {
        for line in RevenueReport.lines(of: answer) { table.add([answer["app"]?.string ?? ""] + line) }
      }
      platform.print(String(decoding: table.bytes, as: UTF8.self))
    } else {
      for answer in answers { platform.print(options.has("json") ? answer.text + "\n" : text(answer)) }
    }
    return answers.contains { !($0["differenceSums"]?.array ?? []).isEmpty } ? ExitCode.failed : ExitCode.done
  }

  private static func text(_ report: JSONValue) -> String {
    func lines(_ list: String, _ label: String, showing columns: [String]) -> [String] {
      (report[list]?.array ?? []).map { "  \(label)  " + OperatorReport.line($0, columns) }
    }
    func amounts(_ list: String, _ label: String) -> [String] {
      (report[list]?.array ?? []).map { row in
        let names = OperatorReport.line(row, ["period", "store", "currency", "productId", "storefront"])
        let sums = [
          "sales \(row["sales"]?["amount"]?.text ?? "0") (\(row["sales"]?["count"]?.text ?? "0"))",
          "refunds \(row["refunds"]?["amount"]?.text ?? "0") (\(row["refunds"]?["count"]?.text ?? "0"))",
          "deferred \(row["deferred"]?.text ?? "0")",
        ]
        let net = row["net"].map { "net \($0.text)" + (row["netIsEstimate"]?.bool == true ? ", an estimate" : "") }
        let kept = ["fees", "coupons"].map { name in row[name].map { "\(name) \($0.text)" } }
        let rest = (kept + [net]).compactMap(\.self)
        return "  \(label)  " + ([names] + sums + rest).joined(separator: "  ")
      }
    }
    let head = OperatorReport.line(report, ["app", "environment", "from", "to"])
    let differences = ["day", "kind", "store", "transactionId", "refund", "ours", "theirs", "currency", "details"]
    let all =
      [head] + amounts("rows", "row") + amounts("totals", "total")
      + lines("differenceSums", "differences", showing: ["kind", "store", "currency", "count", "amount"])
      + lines("differences", "difference", showing: differences)
      + lines("promotional", "promotional, given and revoked", showing: ["entitlement", "given", "revoked"])
      + lines("credits", "credits, count and units", showing: ["period", "unit", "count", "amount"])
    return all.map { $0 + "\n" }.joined()
  }
}
