import CounterfoilCLI
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab bench console`: what the console's pages cost in a database that has grown.
enum BenchConsoleCommand {
  static let command = Command.of(
    "bench console", BilingualText("measure the console's pages in a large database", "测量大型数据库中的控制台页面"),
    usage: """
      usage: counterfoil-lab bench console [--orders N] [--measured N] [--data DIR] [--keep] [--json]

      Fills a database with so many paid orders, then measures each page of the console, from the request to the bytes:
      the median and the 95th percentile in milliseconds, and the size of the largest. The 95th percentile of a page
      must stay below 100 ms, that of a search and of an order's timeline below 20 ms.

        --orders N     paid orders, 1000 to 10000000 (otherwise 1000000)
        --measured N   calls of each page, 10 to 100000 (otherwise 200)
        --data DIR     where the database lies (otherwise ./bench-data); removed afterwards
        --keep         leaves the database, and measures one that is there without filling it again
        --json         one JSON object a line

      Exit codes: 0 each page is fast enough, 1 one is not, or the work failed, 2 wrong usage.

      """,
    valued: ["orders", "measured", "data"], flags: ["keep"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = BenchSearchCommand.Settings(
      orders: Int(try options.number("orders", in: 1000...10_000_000) ?? 1_000_000),
      measured: Int(try options.number("measured", in: 10...100_000) ?? 200),
      folder: try options.one("data") ?? "bench-data", keepsDatabase: options.has("keep"))
    let timings = try await ConsoleBench(settings, platform).run()
    for timing in timings {
      let (median, high) = (timing.share(50), timing.share(95))
      let words =
        "\(timing.page): p50 \(BenchSearchCommand.rounded(median)) ms, p95 \(BenchSearchCommand.rounded(high)) ms"
      platform.print(
        options.has("json")
          ? JSONValue.members([
            ("page", .string(timing.page)), ("p50Microseconds", .integer(Int64(median * 1000))),
            ("p95Microseconds", .integer(Int64(high * 1000))), ("bytes", .integer(timing.bytes)),
            ("orders", .integer(settings.orders)), ("fast", .bool(timing.isFast)),
          ]).text + "\n"
          : words + ", \(timing.bytes) bytes" + (timing.isFast ? "\n" : "  TOO SLOW\n"))
    }
    return timings.allSatisfy(\.isFast) ? ExitCode.done : ExitCode.failed
  }
}
