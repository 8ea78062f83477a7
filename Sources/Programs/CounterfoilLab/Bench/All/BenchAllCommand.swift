import CounterfoilCLI
import PaymentPrimitives

/// `counterfoil-lab bench all`: every measurement in one run, and the page about them.
enum BenchAllCommand {
  static let command = Command.of(
    "bench all", BilingualText("measure everything and write the page about it", "执行全部测量并写出结果页"),
    usage: """
      usage: counterfoil-lab bench all [--page FILE] [--rounds N] [--grown] [--data DIR]

      Runs all measurements one after the other, each with its own conditions: verify, verify --receipts, flood,
      receivers, fulfil for both stores, notified, http, start. With --grown also grown, which takes an hour.

        --page FILE   also writes the results as a page, such as docs/performance.md
        --rounds N    rounds of each measurement, 1 to 99 (otherwise what each has by itself)
        --grown       also the database with a million orders
        --data DIR    where everything lies (otherwise ./bench-data); removed afterwards

      Exit codes: 0 measured, 1 a delivery was lost, a run does not reconcile, or the work failed, 2 wrong usage.

      """,
    valued: ["page", "rounds", "data"], flags: ["grown"], program: "counterfoil-lab"
  ) { options, platform in
    let rounds = try options.number("rounds", in: 1...99).map { Int($0) }
    let folder = try options.one("data") ?? "bench-data"
    var page = PerformancePage()
    for bench in benches(rounds, in: folder, wantsGrown: options.has("grown")) {
      platform.print("\n\(bench.name)\n")
      let report = BenchReport()
      try await report.measure(isJSON: false, in: bench.usesDisk ? folder : nil, platform) { report in
        try await bench.run(platform, report)
      }
      page.add(bench.name, report)
    }
    if let path = try options.one("page") {
      try platform.files.replace(path, Array(page.text(writtenAt: platform.dependencies.now()).utf8))
    }
    return ExitCode.done
  }

  private struct Bench {
    let name: String
    var usesDisk = true
    let run: (Platform, BenchReport) async throws -> Void
  }

  private static func benches(_ rounds: Int?, in folder: String, wantsGrown: Bool) -> [Bench] {
    verifications(rounds)
      + [flood(rounds, in: folder), receivers(in: folder)]
      + [Store.appStore, .weChatPay].map { fulfilments(at: $0, rounds, in: folder) }
      + [notified(in: folder), http(rounds, in: folder), start(rounds, in: folder)]
      + (wantsGrown ? [grown(rounds, in: folder)] : [])
  }

  private static func verifications(_ rounds: Int?) -> [Bench] {
    var verify = BenchVerifyCommand.Settings()
    if let rounds { verify.pairs = rounds }
    let settings = verify
    return [
      Bench(name: "bench verify", usesDisk: false) { platform, report in
        BenchVerifyCommand.run(settings, nanoseconds: platform.processorNanoseconds, into: report)
      },
      Bench(name: "bench verify --receipts", usesDisk: false) { platform, report in
        ReceiptBench().run(settings, nanoseconds: platform.processorNanoseconds, into: report)
      },
    ]
  }

  private static func flood(_ rounds: Int?, in folder: String) -> Bench {
    Bench(name: "bench flood") { platform, report in
      let settings = BenchFloodCommand.Settings(
        customersPerSecond: 50, bogusPerSecond: 500, seconds: 6, rounds: rounds ?? 5, folder: folder)
      try await BenchFloodCommand.run(settings, platform, into: report)
    }
  }

  private static func receivers(in folder: String) -> Bench {
    Bench(name: "bench receivers") { platform, report in
      // It empties its folder first, and that of the other benches has files of them.
      let lost = try await BenchReceiversCommand.run(
        purchases: 400, in: folder + "/receivers", platform, into: report)
      guard lost == 0 else { throw CommandFailure("\(lost) deliveries were lost.") }
    }
  }

  private static func fulfilments(at store: Store, _ rounds: Int?, in folder: String) -> Bench {
    Bench(name: "bench fulfil --store \(store == .appStore ? "app-store" : "wechat-pay")") { platform, report in
      let settings = BenchFulfilCommand.Settings(
        store: store, orders: 5000, rounds: rounds ?? 5, callers: 1024, connections: 64, folder: folder)
      try await FulfilBench(settings, platform).run().print(to: report, wantsProfile: false)
    }
  }

  private static func notified(in folder: String) -> Bench {
    Bench(name: "bench notified") { platform, report in
      let settings = BenchNotifiedCommand.Settings(notifications: 2000, perSecond: 100, folder: folder)
      try await BenchNotifiedCommand.run(settings, platform, into: report)
    }
  }

  private static func http(_ rounds: Int?, in folder: String) -> Bench {
    Bench(name: "bench http") { platform, report in
      let settings = BenchHTTPCommand.Settings(
        purchases: 2000, rounds: rounds ?? 3, connections: 32, waiting: 100_000, folder: folder)
      try await BenchHTTPCommand.run(settings, platform, into: report)
    }
  }

  private static func start(_ rounds: Int?, in folder: String) -> Bench {
    Bench(name: "bench start") { platform, report in
      let settings = BenchStartCommand.Settings(orders: 2000, starts: rounds ?? 7, folder: folder)
      try await StartBench(settings, platform).run(into: report)
    }
  }

  private static func grown(_ rounds: Int?, in folder: String) -> Bench {
    Bench(name: "bench grown") { platform, report in
      let settings = BenchGrownCommand.Settings(
        orders: 1_000_000, beside: 10_000, subscriptions: 100_000, measured: 5000, rounds: rounds ?? 5,
        folder: folder)
      try await GrownBench(settings, platform).run().print(to: report, settings)
    }
  }
}
