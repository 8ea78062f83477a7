import CounterfoilCLI
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab bench search`: what an operator's searches and stories cost in a database that has grown.
enum BenchSearchCommand {
  struct Settings: Sendable {
    let orders: Int
    let measured: Int
    let folder: String
    let keepsDatabase: Bool
  }

  static let command = Command.of(
    "bench search", BilingualText("measure an operator's searches in a large database", "测量大型数据库中的查询性能"),
    usage: """
      usage: counterfoil-lab bench search [--orders N] [--measured N] [--data DIR] [--keep] [--json]

      Fills a database with so many paid orders, then measures an operator's search by each key, the timeline of an
      order, of a payment and of a user, and lists: the median and the 95th percentile, in milliseconds.

        --orders N     paid orders, 1000 to 10000000 (otherwise 1000000)
        --measured N   reads of each kind, 100 to 100000 (otherwise 1000)
        --data DIR     where the database lies (otherwise ./bench-data); removed afterwards
        --keep         leaves the database, and measures one that is there without filling it again
        --json         one JSON object a line

      Exit codes: 0 each 95th percentile is below 20 ms, 1 one is not, or the work failed, 2 wrong usage.

      """,
    valued: ["orders", "measured", "data"], flags: ["keep"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = Settings(
      orders: Int(try options.number("orders", in: 1000...10_000_000) ?? 1_000_000),
      measured: Int(try options.number("measured", in: 100...100_000) ?? 1000),
      folder: try options.one("data") ?? "bench-data", keepsDatabase: options.has("keep"))
    let timings = try await SearchBench(settings, platform).run()
    for timing in timings {
      let (median, high) = (timing.share(50), timing.share(95))
      platform.print(
        options.has("json")
          ? JSONValue.members([
            ("read", .string(timing.name)), ("p50Microseconds", .integer(Int64(median * 1000))),
            ("p95Microseconds", .integer(Int64(high * 1000))), ("orders", .integer(settings.orders)),
          ]).text + "\n"
          : "\(timing.name): p50 \(rounded(median)) ms, p95 \(rounded(high)) ms\n")
    }
    return timings.allSatisfy { $0.share(95) < SearchBench.goalMilliseconds } ? ExitCode.done : ExitCode.failed
  }

  static func rounded(_ milliseconds: Double) -> String {
    let hundredths = Int(milliseconds * 100 + 0.5)
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
