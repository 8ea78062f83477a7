import CounterfoilCLI
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab bench grown`: what a fulfilment and a question for rights cost on a database that has grown, beside
/// an empty one.
enum BenchGrownCommand {
  /// The measured work and the number of rounds.
  struct Settings: Sendable {
    let orders: Int
    /// Orders in the database used for comparison; it has a tenth as many subscriptions.
    let beside: Int
    let subscriptions: Int
    let measured: Int
    let rounds: Int
    let folder: String
  }

  static let command = Command.of(
    "bench grown", BilingualText("measure a database that has grown", "测量数据量增大后的性能"),
    usage: """
      usage: counterfoil-lab bench grown [--orders N] [--lines N] [--beside N] [--measured N] [--rounds N] [--data DIR]
        [--json]

      Measures row 6 of docs/specification/numbers.md: what a fulfilment costs on a database with so many paid orders,
      evidence included, and subscriptions, against one with few and an empty one; and the same for GET /v1/entitlements
      over HTTP, asked by a process of its own. The databases are measured in turn; a figure counts only if each of them
      holds in the end what was paid, once. Where the machine does not keep files in memory, let DIR lie in a file
      system that does: the row speaks of a database that is warm.

        --orders N     paid orders in the grown database, 1000 to 10000000 (otherwise 1000000)
        --beside N     orders in the one it is held against, 100 to 1000000 (otherwise 10000)
        --lines N      subscriptions in it, 100 to 1000000 (otherwise 100000)
        --measured N   fulfilments, and questions, of a round, 100 to 100000 (otherwise 5000)
        --rounds N     rounds, 1 to 99 (otherwise 5)
        --data DIR     where everything lies (otherwise ./bench-data); removed afterwards
        --json         one JSON object a line

      Exit codes: 0 measured, 1 a database does not reconcile, or the work failed, 2 wrong usage.

      """,
    valued: ["orders", "beside", "lines", "measured", "rounds", "data"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = Settings(
      orders: Int(try options.number("orders", in: 1000...10_000_000) ?? 1_000_000),
      beside: Int(try options.number("beside", in: 100...1_000_000) ?? 10_000),
      subscriptions: Int(try options.number("lines", in: 100...1_000_000) ?? 100_000),
      measured: Int(try options.number("measured", in: 100...100_000) ?? 5000),
      rounds: Int(try options.number("rounds", in: 1...99) ?? 5), folder: try options.one("data") ?? "bench-data")
    try await BenchReport().measure(isJSON: options.has("json"), in: settings.folder, platform) { report in
      try await GrownBench(settings, platform).run().print(to: report, settings)
    }
    return ExitCode.done
  }
}
