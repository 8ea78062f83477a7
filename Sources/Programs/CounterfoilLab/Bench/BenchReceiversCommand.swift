import CounterfoilCLI
import PaymentPrimitives

/// `counterfoil-lab bench receivers`: what receivers that misbehave cost one that does not.
///
/// The same purchases are made for a sound receiver twice in one run: while there is no other, and beside three others
/// with a backlog each, of which one refuses, one hangs and one is not there. Both times the server has as many other
/// purchases. What is measured is the time from the moment a phone hands its payment in until the delivery has come.
enum BenchReceiversCommand {
  static let command = Command.of(
    "bench receivers",
    BilingualText("measure what bad receivers cost a sound one", "测量异常接收方对正常接收方的影响"),
    usage: """
      usage: counterfoil-lab bench receivers [--purchases N] [--data DIR] [--json]

      Measures how long a delivery takes to its receiver, from the phone's call to its arrival: alone, and beside
      receivers of which one answers 500, one does not answer and one is not there. The p99 beside them is to be at
      most twice the p99 alone.

        --purchases N   of each of the two, 50 to 100000 (otherwise 400)
        --data DIR      where everything lies (otherwise ./bench-data); emptied first
        --json          one JSON object a line

      Exit codes: 0 measured, 1 a delivery was lost, 2 wrong usage.

      """,
    valued: ["purchases", "data"], program: "counterfoil-lab"
  ) { options, platform in
    let purchases = Int(try options.number("purchases", in: 50...100_000) ?? 400)
    let folder = try options.one("data") ?? "bench-data"
    var lost = 0
    try await BenchReport().measure(isJSON: options.has("json"), in: folder, platform) { report in
      lost = try await run(purchases: purchases, in: folder, platform, into: report)
    }
    return lost == 0 ? ExitCode.done : ExitCode.failed
  }

  /// Measures alone, then beside the others; returns how many deliveries were lost.
  static func run(
    purchases: Int, in folder: String, _ platform: Platform, into report: BenchReport
  ) async throws -> Int {
    let result = try await ReceiversBench.build(in: folder, platform).run(purchases: purchases)
    result.print(to: report)
    return result.lost
  }
}

/// The measurements of the working receiver.
struct ReceiversResult: Sendable {
  /// Nanoseconds of each delivery, sorted: alone, and beside the others.
  let alone: [UInt64]
  let beside: [UInt64]
  /// Delivery attempts to the other receivers meanwhile.
  let othersAttempts: Int
  /// Deliveries to the working receiver that never arrived.
  let lost: Int

  private static func microseconds(_ sorted: [UInt64], perMille: Int) -> Double {
    Double(sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * perMille / 1000)]) / 1000
  }

  func print(to report: BenchReport) {
    report.note(
      "Deliveries to a sound receiver, from the phone's call to their arrival: \(alone.count) alone, \(beside.count) "
        + "beside one receiver that refuses, one that hangs and one that is down, which met \(othersAttempts) "
        + "attempts. Lost: \(lost).")
    let p99 = (
      alone: Self.microseconds(alone, perMille: 990), beside: Self.microseconds(beside, perMille: 990)
    )
    report.detail(
      "p99 beside bad receivers, against p99 alone (no row; at most 2)", Ratios([p99.beside / max(1, p99.alone)]))
    for (sorted, name) in [(alone, "alone"), (beside, "beside")] {
      report.detail("µs \(name) at the median", Ratios([Self.microseconds(sorted, perMille: 500)]))
      report.detail("µs \(name) at p99", Ratios([Self.microseconds(sorted, perMille: 990)]))
    }
  }
}
