import CounterfoilCLI
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab bench audit-log`: what it costs to verify a long audit log.
enum BenchAuditLogCommand {
  struct Settings: Sendable {
    let entries: Int
    let rounds: Int
    let folder: String
    let keepsDatabase: Bool
  }

  static let command = Command.of(
    "bench audit-log", BilingualText("measure the verification of a long audit log", "测量大量操作记录的校验"),
    usage: """
      usage: counterfoil-lab bench audit-log [--entries N] [--rounds N] [--data DIR] [--keep] [--json]

      Writes so many entries in a chain, then verifies the whole chain as `counterfoil audit-log verify` does: the
      milliseconds of the fastest round, and how much the process has grown by.

        --entries N    1000 to 10000000 (otherwise 1000000)
        --rounds N     verifications, 1 to 20 (otherwise 3)
        --data DIR     where the database lies (otherwise ./bench-data); removed afterwards
        --keep         leaves the database, and measures one that is there without filling it again
        --json         one JSON object

      Exit codes: 0 the chain is whole and has all entries, 1 it is not, or the work failed, 2 wrong usage.

      """,
    valued: ["entries", "rounds", "data"], flags: ["keep"], program: "counterfoil-lab"
  ) { options, platform in
    let settings = Settings(
      entries: Int(try options.number("entries", in: 1000...10_000_000) ?? 1_000_000),
      rounds: Int(try options.number("rounds", in: 1...20) ?? 3),
      folder: try options.one("data") ?? "bench-data", keepsDatabase: options.has("keep"))
    let measured = try await AuditLogBench(settings, platform).run()
    let megabytes = measured.grownBytes / 1_048_576
    platform.print(
      options.has("json")
        ? JSONValue.members([
          ("entries", .integer(Int64(settings.entries))), ("milliseconds", .integer(Int64(measured.milliseconds))),
          ("grownMegabytes", .integer(Int64(megabytes))),
        ]).text + "\n"
        : "\(settings.entries) entries: \(measured.milliseconds) ms, \(megabytes) MB more\n")
    return ExitCode.done
  }
}
