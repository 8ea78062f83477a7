import CounterfoilCLI
import PaymentPrimitives

/// `counterfoil-lab bench http`: what the calls of a purchase cost the server, and what waiting calls cost.
enum BenchHTTPCommand {
  struct Settings: Sendable {
    let purchases: Int
    let rounds: Int
    let connections: Int
    let waiting: Int
    let folder: String
  }

  /// The processor time that a purchase with its notification may cost the server, in microseconds.
  static let sumAim = 650.0

  static let command = Command.of(
    "bench http", BilingualText("measure purchases over HTTP", "测量通过 HTTP 的购买"),
    usage: """
      usage: counterfoil-lab bench http [--purchases N] [--rounds N] [--connections N] [--waiting N] [--data DIR]
        [--json]

      Measures what each call of a purchase costs the server: the order, the payment handed in, the poll of the paid
      order, the store's notification; and GET /livez beside an echo. The server runs in this process over SQLite on
      disk, its client in a second one. At the end, calls wait for orders that stay unpaid: what they cost while nothing
      happens, and how soon they are answered once something does. A figure counts only if paid = granted = deliveries
      made, and the audit finds nothing.

        --purchases N     purchases of a round, call by call, and as many again call after call (otherwise 2000)
        --rounds N        rounds, 1 to 99 (otherwise 3)
        --connections N   kept connections, 1 to 512 (otherwise 32)
        --waiting N       calls that wait at the same time, 0 to 1000000 (otherwise 100000)
        --data DIR        where everything lies (otherwise ./bench-data); removed afterwards
        --json            one JSON object a line

      Exit codes: 0 measured, 1 a run does not reconcile, or the work failed, 2 wrong usage.

      """,
    valued: ["purchases", "rounds", "connections", "waiting", "data", "shopper", "to"], program: "counterfoil-lab"
  ) { options, platform in
    // The bench starts itself with this option, as the client; there is no other use.
    if let path = try options.one("shopper"), let address = try options.one("to") {
      return try await HTTPShopper.work(path, to: address, platform)
    }
    let settings = Settings(
      purchases: Int(try options.number("purchases", in: 10...100_000) ?? 2000),
      rounds: Int(try options.number("rounds", in: 1...99) ?? 3),
      connections: Int(try options.number("connections", in: 1...512) ?? 32),
      waiting: Int(try options.number("waiting", in: 0...1_000_000) ?? 100_000),
      folder: try options.one("data") ?? "bench-data")
    try await BenchReport().measure(isJSON: options.has("json"), in: settings.folder, platform) { report in
      try await run(settings, platform, into: report)
    }
    return ExitCode.done
  }

  /// Measures all rounds, then the waiting calls.
  static func run(_ settings: Settings, _ platform: Platform, into report: BenchReport) async throws {
    let rounds = try await HTTPBench(settings, platform).run()
    tell(rounds, settings, to: report)
    guard settings.waiting > 0 else { return }
    try await WaitingBench(settings, platform).run(into: report)
  }

  private static func tell(_ rounds: [HTTPRound], _ settings: Settings, to report: BenchReport) {
    report.note(
      "\(rounds.count) rounds of \(settings.purchases) purchases over \(settings.connections) connections, the client "
        + "in a second process. They reconcile: paid = granted = deliveries made, nothing doubled, the audit finds "
        + "nothing. µs are processor time of the server.")
    func figures(_ figure: (HTTPRound) -> Double) -> Ratios { Ratios(rounds.map(figure)) }
    report.detail(
      "µs for a purchase with its notification: the sum of its four calls (aim <= \(Int(sumAim)))", figures(\.sum))
    for phase in HTTPPhase.ofPurchase + [.livez, .echo] {
      report.detail("µs for \(name(phase))", figures { $0.microseconds(phase) })
    }
    report.detail("GET /livez against an echo", figures { $0.microseconds(.livez) / $0.microseconds(.echo) })
    report.detail(
      "µs for a purchase, its four calls mixed with those of others", figures { $0.microseconds(.purchases) })
    report.detail(
      "purchases a second with all their calls, beside the client on the same machine",
      figures { $0.costs[.purchases]?.perSecond ?? 0 })
    for phase in HTTPPhase.ofPurchase + [.livez] {
      report.detail("µs until \(name(phase)) is answered, at the median", figures { $0.latency(phase, percent: 50) })
      report.detail("µs until \(name(phase)) is answered, at p99", figures { $0.latency(phase, percent: 99) })
    }
  }

  private static func name(_ phase: HTTPPhase) -> String {
    switch phase {
    case .livez: "GET /livez"
    case .echo: "an echo of the same size"
    case .order: "an order"
    case .submit: "a payment handed in"
    case .poll: "a poll of a paid order"
    case .notification: "the notification of a known payment"
    case .purchases: "a purchase"
    }
  }
}
