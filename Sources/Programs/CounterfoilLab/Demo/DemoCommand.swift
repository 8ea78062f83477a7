import CounterfoilCLI
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab demo`: shoppers buy while everything breaks, and at the end the books are compared.
enum DemoCommand {
  static let command = Command.of(
    "demo", BilingualText("simulate purchases during failures, then compare all records", "在各种故障下购物，最后对账"),
    usage: """
      usage: counterfoil-lab demo [--shoppers N] [--purchases N] [--kills N] [--data DIR] [--json]

      Starts a server in its own process, and here a simulated App Store, a backend that misbehaves, and shoppers with
      the client library. While they buy, the server is killed with kill -9, notifications and callbacks are lost, and
      apps are killed and restarted. At the end it compares the charges, grants and deliveries.

        --shoppers N        1 to 100 (otherwise 6)
        --purchases N       purchases of each shopper, 1 to 1000 (otherwise 10)
        --kills N           how often the server is killed, 0 to 1000 (otherwise 5)
        --data DIR          the folder for all data (otherwise ./demo-data); emptied first
        --json              the result as one JSON object

      Exit codes: 0 nothing lost, nothing doubled; 1 something is; 2 wrong usage.

      """,
    valued: ["shoppers", "purchases", "kills", "data"], program: "counterfoil-lab"
  ) { options, platform in
    let plan = DemoPlan(
      shoppers: Int(try options.number("shoppers", in: 1...100) ?? 6),
      purchases: Int(try options.number("purchases", in: 1...1000) ?? 10),
      kills: Int(try options.number("kills", in: 0...1000) ?? 5),
      folder: try options.one("data") ?? "demo-data", isJSON: options.has("json"))
    let result = try await DemoRun(plan, platform).run()
    platform.print(plan.isJSON ? result.json.text + "\n" : result.table(CommandLineProgram.language(platform)))
    return result.isRight ? ExitCode.done : ExitCode.failed
  }
}

struct DemoPlan: Sendable {
  let shoppers: Int
  let purchases: Int
  let kills: Int
  let folder: String
  let isJSON: Bool
}
