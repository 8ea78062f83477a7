import CounterfoilCLI
import PaymentPrimitives

/// `counterfoil-lab bench erase`: how long the erasure of a user with many payments takes, and what fulfilments of
/// others wait for it.
enum BenchEraseCommand {
  struct Settings: Sendable {
    let payments: Int
    /// Paid orders of others, which the erasure reads.
    let others: Int
    let measured: Int
    let folder: String
  }

  static let command = Command.of(
    "bench erase", BilingualText("measure the erasure of a user with many payments", "测量删除支付众多的用户"),
    usage: """
      usage: counterfoil-lab bench erase [--payments N] [--others N] [--measured N] [--data DIR] [--json]

      Erases a user with so many payments while four phones of other users buy all the time: the milliseconds of the
      erasure, and how long a fulfilment takes beside it, against one alone. A figure counts only if all payments and
      units of the user then belong to the alias, and no rule of money is broken.

        --payments N   payments of the user, 10 to 100000 (otherwise 10000)
        --others N     paid orders of others in the database, 0 to 1000000 (otherwise 10000)
        --measured N   fulfilments alone, 50 to 100000 (otherwise 5000)
        --data DIR     where the database lies (otherwise ./bench-data); removed afterwards
        --json         one JSON object a line

      Exit codes: 0 measured, 1 something of the user is not the alias's, or the work failed, 2 wrong usage.

      """,
    valued: ["payments", "others", "measured", "data"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = Settings(
      payments: Int(try options.number("payments", in: 10...100_000) ?? 10_000),
      others: Int(try options.number("others", in: 0...1_000_000) ?? 10_000),
      measured: Int(try options.number("measured", in: 50...100_000) ?? 5000),
      folder: try options.one("data") ?? "bench-data")
    try await BenchReport().measure(isJSON: options.has("json"), in: settings.folder, platform) { report in
      try await EraseBench(settings, platform).run().print(to: report, settings)
    }
    return ExitCode.done
  }
}

/// What was measured of one erasure.
struct EraseResult: Sendable {
  let milliseconds: Int
  /// Nanoseconds of each fulfilment, sorted: alone, and beside the erasure.
  let alone: [UInt64]
  let beside: [UInt64]

  private static func microseconds(_ sorted: [UInt64], perMille: Int) -> Double {
    Double(sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * perMille / 1000)]) / 1000
  }

  func print(to report: BenchReport, _ settings: BenchEraseCommand.Settings) {
    report.note(
      "A user with \(settings.payments) payments was erased beside \(settings.others) orders of others. Meanwhile "
        + "\(beside.count) payments of others were fulfilled, and \(alone.count) before.")
    report.reference("ms for the erasure", milliseconds)
    for (name, perMille) in [("median", 500), ("p99", 990), ("longest", 1000)] {
      let (before, during) = (
        Self.microseconds(alone, perMille: perMille), Self.microseconds(beside, perMille: perMille)
      )
      report.detail(
        "\(name) of a fulfilment beside the erasure, against alone (no row)", Ratios([during / max(1, before)]))
      report.detail("µs alone, \(name)", Ratios([before]))
      report.detail("µs beside, \(name)", Ratios([during]))
    }
  }
}
