import CounterfoilCLI
import PaymentPrimitives

/// `counterfoil-lab bench start`: how soon a server is ready, and how much memory it uses when idle.
enum BenchStartCommand {
  struct Settings: Sendable {
    let orders: Int
    let starts: Int
    let folder: String
  }

  static let command = Command.of(
    "bench start", BilingualText("measure start and memory", "测量启动时间和内存占用"),
    usage: """
      usage: counterfoil-lab bench start [--orders N] [--starts N] [--data DIR] [--json]

      Measures row 9 of docs/specification/numbers.md: the time from the start of `serve` until /readyz answers 200,
      with a new database and with a filled one in turn, and the memory that the process holds a second later. The
      program that is started is this one: it has the simulators, too, which `counterfoil` has not.

        --orders N   paid orders in the filled database, 10 to 1000000 (otherwise 2000)
        --starts N   starts with each database, 1 to 99 (otherwise 7)
        --data DIR   where everything lies (otherwise ./bench-data); removed afterwards
        --json       one JSON object a line

      Exit codes: 0 measured, 1 a server did not become ready, 2 wrong usage.

      """,
    valued: ["orders", "starts", "data"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = Settings(
      orders: Int(try options.number("orders", in: 10...1_000_000) ?? 2000),
      starts: Int(try options.number("starts", in: 1...99) ?? 7), folder: try options.one("data") ?? "bench-data")
    try await BenchReport().measure(isJSON: options.has("json"), in: settings.folder, platform) { report in
      try await StartBench(settings, platform).run(into: report)
    }
    return ExitCode.done
  }
}
