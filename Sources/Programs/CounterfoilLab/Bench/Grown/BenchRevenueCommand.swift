import CounterfoilCLI
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab bench revenue`: what a report of a month costs in a database that has grown.
enum BenchRevenueCommand {
  struct Settings: Sendable {
    let payments: Int
    let rounds: Int
    let folder: String
    let keepsDatabase: Bool
  }

  static let command = Command.of(
    "bench revenue", BilingualText("measure a report of revenue in a large database", "测量大型数据库中的收入报表"),
    usage: """
      usage: counterfoil-lab bench revenue [--payments N] [--rounds N] [--data DIR] [--keep] [--json]

      Writes so many charged payments of 30 days, half of each store, then makes the report of these days in several
      ways: the seconds of the fastest round, and how much the process has grown by. Rows are written directly: a
      report reads payments and refunds alone.

        --payments N   1000 to 10000000 (otherwise 1000000)
        --rounds N     reports of each kind, 1 to 20 (otherwise 3)
        --data DIR     where the database lies (otherwise ./bench-data); removed afterwards
        --keep         leaves the database, and measures one that is there without filling it again
        --json         one JSON object a line

      Exit codes: 0 every report has all payments, 1 one has not, or the work failed, 2 wrong usage.

      """,
    valued: ["payments", "rounds", "data"], flags: ["keep"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = Settings(
      payments: Int(try options.number("payments", in: 1000...10_000_000) ?? 1_000_000),
      rounds: Int(try options.number("rounds", in: 1...20) ?? 3),
      folder: try options.one("data") ?? "bench-data", keepsDatabase: options.has("keep"))
    for report in try await RevenueBench(settings, platform).run() {
      let (seconds, megabytes) = (Int64(report.milliseconds), report.grownBytes / 1_048_576)
      platform.print(
        options.has("json")
          ? JSONValue.members([
            ("report", .string(report.name)), ("milliseconds", .integer(seconds)),
            ("grownMegabytes", .integer(Int64(megabytes))), ("rows", .integer(report.rows)),
            ("payments", .integer(settings.payments)),
          ]).text + "\n"
          : "\(report.name): \(seconds) ms, \(report.rows) rows, \(megabytes) MB more\n")
    }
    return ExitCode.done
  }
}
