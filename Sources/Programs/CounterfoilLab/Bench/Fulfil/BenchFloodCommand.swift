import CounterfoilCLI
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab bench flood`: what customers feel of a flood of bogus tokens.
enum BenchFloodCommand {
  /// The rate per second, the duration and the number of rounds.
  struct Settings: Sendable {
    let customersPerSecond: Int
    let bogusPerSecond: Int
    let seconds: Int
    let rounds: Int
    let folder: String
  }

  static let command = Command.of(
    "bench flood", BilingualText("measure how a flood of bogus tokens affects customers", "测量大量伪造凭证对正常用户的影响"),
    usage: """
      usage: counterfoil-lab bench flood [--rate N] [--bogus N] [--seconds N] [--rounds N] [--data DIR] [--json]

      Measures the other half of row 7 of docs/specification/numbers.md: customers submit paid purchases over HTTP at a
      steady rate, once alone and once while another process sends bogus tokens of every kind. The row is the customers'
      time at p99 during the flood divided by their time at p99 without it. A run counts only if all
      purchases are granted once and the flood reached its rate.

        --rate N     purchases a second, 1 to 1000 (otherwise 50)
        --bogus N    bogus tokens a second, 1 to 10000 (otherwise 500, with which chains that are examined fill a core)
        --seconds N  how long a run lasts, 1 to 60 (otherwise 6)
        --rounds N   pairs of runs, 1 to 99 (otherwise 5)
        --data DIR   where everything lies (otherwise ./bench-data); removed afterwards
        --json       one JSON object a line

      Exit codes: 0 measured, 1 a run does not reconcile, or the work failed, 2 wrong usage.

      """,
    valued: ["rate", "bogus", "seconds", "rounds", "data"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = Settings(
      customersPerSecond: Int(try options.number("rate", in: 1...1000) ?? 50),
      bogusPerSecond: Int(try options.number("bogus", in: 1...10_000) ?? 500),
      seconds: Int(try options.number("seconds", in: 1...60) ?? 6),
      rounds: Int(try options.number("rounds", in: 1...99) ?? 5), folder: try options.one("data") ?? "bench-data")
    try await BenchReport().measure(isJSON: options.has("json"), in: settings.folder, platform) { report in
      try await run(settings, platform, into: report)
    }
    return ExitCode.done
  }

  /// Measures all rounds.
  static func run(_ settings: Settings, _ platform: Platform, into report: BenchReport) async throws {
    let rounds = try await FloodBench(settings, platform).run()
    let (rate, bogus) = (settings.customersPerSecond, settings.bogusPerSecond)
    report.note(
      "\(rounds.count) pairs of runs of \(settings.seconds) s: \(rate) purchases a second, alone and beside \(bogus) "
        + "bogus tokens a second. All runs reconcile: paid = granted, nothing doubled.")
    report.row(
      .flood, "customers' time at p99 during a flood of bogus tokens, against p99 without it",
      ratios: Ratios(rounds.map { $0.flooded.nanoseconds(at: 99) / $0.quiet.nanoseconds(at: 99) }))
    report.detail(
      "the same at the median", Ratios(rounds.map { $0.flooded.nanoseconds(at: 50) / $0.quiet.nanoseconds(at: 50) }))
    report.detail("p99 without the flood, in milliseconds", Ratios(rounds.map { $0.quiet.nanoseconds(at: 99) / 1e6 }))
    report.detail("p99 during the flood, in milliseconds", Ratios(rounds.map { $0.flooded.nanoseconds(at: 99) / 1e6 }))
    report.detail("bogus tokens answered a second", Ratios(rounds.map { Double($0.bogusAnswered) / $0.seconds }))
  }
}

struct FloodRound: Sendable {
  let quiet: LoadClient.Result
  let flooded: LoadClient.Result
  /// Bogus tokens that were answered meanwhile.
  let bogusAnswered: Int

  var seconds: Double { Double(flooded.nanoseconds) / 1e9 }
}

extension LoadClient.Result {
  /// The longest time of this percentage of the calls, in nanoseconds.
  func nanoseconds(at percentile: Int) -> Double {
    guard !latencies.isEmpty else { return 1 }
    return Double(latencies.sorted()[min(latencies.count - 1, latencies.count * percentile / 100)])
  }
}
