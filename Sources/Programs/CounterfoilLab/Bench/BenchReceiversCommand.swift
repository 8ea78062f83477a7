import AppStoreSimulator
import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON

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
        --json          one JSON object

      Exit codes: 0 measured, 1 a delivery was lost, 2 wrong usage.

      """,
    valued: ["purchases", "data"], program: "counterfoil-lab"
  ) { options, platform in
    let purchases = Int(try options.number("purchases", in: 50...100_000) ?? 400)
    let folder = try options.one("data") ?? "bench-data"
    let bench = try await ReceiversBench.build(in: folder, platform)
    let result = try await bench.run(purchases: purchases)
    platform.print(options.has("json") ? result.json.text + "\n" : result.text)
    return result.lost == 0 ? ExitCode.done : ExitCode.failed
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

  private static func percentile(_ sorted: [UInt64], perMille: Int) -> UInt64 {
    sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * perMille / 1000)]
  }

  private func microseconds(_ perMille: Int) -> (alone: UInt64, beside: UInt64) {
    (Self.percentile(alone, perMille: perMille) / 1000, Self.percentile(beside, perMille: perMille) / 1000)
  }

  /// The p99 beside the others, in hundredths of the p99 alone.
  private var ratioInHundredths: UInt64 {
    let p99 = microseconds(990)
    return p99.alone == 0 ? 0 : p99.beside * 100 / p99.alone
  }

  private var ratio: String {
    let rest = ratioInHundredths % 100
    return "\(ratioInHundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  var text: String {
    let (p50, p99) = (microseconds(500), microseconds(990))
    return """
      deliveries to a sound receiver, from the phone's call to their arrival
        alone, \(alone.count) of them:                        p50 \(p50.alone) µs, p99 \(p99.alone) µs
        beside one refusing, one hanging, one down:  p50 \(p50.beside) µs, p99 \(p99.beside) µs
        attempts that the others met meanwhile: \(othersAttempts); lost: \(lost)
      p99 beside against alone: \(ratio) (at most 2.00)

      """
  }

  var json: JSONValue {
    let (p50, p99) = (microseconds(500), microseconds(990))
    return .members([
      ("purchases", .integer(alone.count)), ("p50AloneMicroseconds", .integer(p50.alone)),
      ("p50BesideMicroseconds", .integer(p50.beside)), ("p99AloneMicroseconds", .integer(p99.alone)),
      ("p99BesideMicroseconds", .integer(p99.beside)), ("p99RatioInHundredths", .integer(ratioInHundredths)),
      ("othersAttempts", .integer(othersAttempts)), ("lost", .integer(lost)),
    ])
  }
}
