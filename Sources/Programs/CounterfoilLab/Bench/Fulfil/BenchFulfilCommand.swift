import CounterfoilCLI
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab bench fulfil`: what durable fulfilments cost, against the database underneath and against the sum
/// of their parts.
enum BenchFulfilCommand {
  /// The measured work and the number of rounds.
  struct Settings: Sendable {
    let store: Store
    let orders: Int
    let rounds: Int
    let callers: Int
    let connections: Int
    let folder: String
  }

  static let command = Command.of(
    "bench fulfil", BilingualText("measure durable fulfilments", "测量持久化履约的性能"),
    usage: """
      usage: counterfoil-lab bench fulfil --store app-store|wechat-pay [--orders N] [--rounds N] [--callers N]
             [--connections N] [--data DIR] [--profile] [--json]
             [--database URL [--growth N | --news N [--pace N]]]

      Measures rows 3 and 4 of docs/specification/numbers.md:
        row 3  durable fulfilments a second, SQLite with synchronous=FULL, in process, against a bare loop of the same
               SQL at its best batch, through SQLite's C interface
        row 4  the same over HTTP, against an echo of the same sizes, a signature check and a fulfilment in process;
               all in processor time of the server
      Each run begins on a copy of one database and is held against what was paid: a figure counts only if
      paid = granted = deliveries made, nothing is doubled and the audit finds nothing.

        --store S         whose payments: app-store or wechat-pay
        --orders N        paid purchases in a run, 10 to 100000 (otherwise 5000)
        --rounds N        rounds of all runs, 1 to 99 (otherwise 5)
        --callers N       callers at a time in process, 1 to 4096 (otherwise 1024: a full commit and one to come)
        --connections N   kept connections over HTTP, 1 to 512 (otherwise 64)
        --data DIR        where everything lies (otherwise ./bench-data); removed afterwards
        --database URL    measures the engine's half of row 5 instead: on this PostgreSQL, each round in a schema of its
                          own; the password is in PGPASSWORD. scripts/bench-postgresql measures the whole row
        --growth N        with --database: what --orders cost beside N fulfilled ones, 30 to 10000000, against a new
                          schema, in turn in each round
        --news N          with --database: how soon N waiting calls on one node, 10 to 20000, are told of grants on
                          another; --pace is how many are granted in a second (otherwise 200)
        --profile         also where the time goes; always printed of a row that falls short
        --json            one JSON object a line

      Exit codes: 0 measured, 1 a run does not reconcile, or the work failed, 2 wrong usage.

      """,
    valued: [
      "store", "orders", "rounds", "callers", "connections", "data", "database", "growth", "news", "hand-in", "to",
      "pace",
    ],
    flags: ["profile", "over"],
    program: "counterfoil-lab"
  ) { options, platform in
    let connections = Int(try options.number("connections", in: 1...512) ?? 64)
    // The bench starts itself with this option, as the client over HTTP; there is no other use.
    if let path = try options.one("hand-in"), let address = try options.one("to") {
      let rate = try options.number("pace", in: 1...10_000).map { Int($0) }
      let pace = rate.map { options.has("over") ? LoadClient.Pace.over(perSecond: $0) : .once(perSecond: $0) }
      return try await LoadClient.work(
        path, to: address, connections: connections, pace: pace ?? .asFastAsItGoes, platform)
    }
    let store: Store
    switch try options.one("store") {
    case "app-store": store = .appStore
    case "wechat-pay": store = .weChatPay
    default: throw UsageError("--store must be app-store or wechat-pay.")
    }
    let settings = Settings(
      store: store, orders: Int(try options.number("orders", in: 10...100_000) ?? 5000),
      rounds: Int(try options.number("rounds", in: 1...99) ?? 5),
      callers: Int(try options.number("callers", in: 1...4096) ?? 1024), connections: connections,
      folder: try options.one("data") ?? "bench-data")
    try await BenchReport().measure(isJSON: options.has("json"), in: settings.folder, platform) { report in
      if let address = try options.one("database") {
        let bench = try PostgreSQLFulfilBench(settings, on: address, platform)
        if let count = try options.number("growth", in: 30...10_000_000) {
          return try await bench.grow(to: Int(count), into: report)
        }
        guard let count = try options.number("news", in: 10...20_000) else { return try await bench.run(into: report) }
        let pace = Int(try options.number("pace", in: 1...10_000) ?? 200)
        return try await NodeNewsBench(nodes: bench, count: Int(count), pace: pace).run(into: report)
      }
      let result = try await FulfilBench(settings, platform).run()
      result.print(to: report, wantsProfile: options.has("profile"))
    }
    return ExitCode.done
  }
}
