import AppStoreProtocol
import CounterfoilCLI
import PaymentPrimitives
import SimulationKit
import StrictJSON

/// `counterfoil-lab trigger`: a named situation, played step by step and judged by the books.
enum TriggerCommand {
  private static let usage = """
    usage: counterfoil-lab trigger --list [--json]
           counterfoil-lab trigger SCENARIO [--seed S] [--trace] [--json]
           counterfoil-lab trigger all [--seed S] [--json]
           counterfoil-lab trigger --server URL [--simulator URL] [--user ID] [--product ID] [--bundle-id ID] WHAT

    Plays a situation in which common code loses money: the real client library, the real server and engine, the
    simulated App Store and WeChat Pay, and a backend that books deliveries, on simulated time and in one process.
    Each step is explained. The verdict at the end comes from the ledger. It uses no file and no network.

    With --server, it makes something happen at a running simulated server instead, so that your own backend receives
    what follows. It needs a secret key in COUNTERFOIL_SECRET_KEY.

      --list         the scenarios by name
      SCENARIO       one of them; docs/traps.md explains each
      all            all scenarios, one line each
      --seed S       the order in which jobs run (default: 1); the same seed gives the same run
      --trace        also the trace of the simulation's parts, in English
      --json         one JSON object, of all: one a line
      --server URL   the server, such as http://127.0.0.1:8080
      --simulator URL  the simulated App Store and WeChat Pay (default: http://127.0.0.1:8081)
      --user ID      who buys (default: alice)
      --product ID   what is bought (default: the first of the catalog that fits)
      --bundle-id ID  the app's (default: com.example.demo)
      WHAT           \(TriggerAtServer.Happening.allCases.map(\.rawValue).joined(separator: ", "))

    Exit codes: 0 the promise was kept, or it has happened; 1 it was broken, or a server refused; 2 wrong usage.

    """

  static let command = command(Substitutions())

  /// The command on a simulation in which a test has replaced some parts.
  static func command(_ substitutions: Substitutions) -> Command {
    .of(
      "trigger", BilingualText("play a trap of payments step by step, and check the ledger", "逐步演示一个支付陷阱，并核对账本"),
      usage: usage, valued: ["seed"] + atServer, flags: ["list", "trace"], wordsMax: 1
    ) { options, platform in
      let language = CommandLineProgram.language(platform)
      if let server = try options.one("server") { return try await trigger(at: server, options, platform) }
      if let name = try atServer.first(where: { try options.one($0) != nil }) {
        throw UsageError("--\(name) is for --server.")
      }
      let asJSON = options.has("json")
      if options.has("list") {
        guard options.words.isEmpty else { throw UsageError("--list takes no scenario.") }
        platform.print(asJSON ? listed.text + "\n" : list(in: language))
        return ExitCode.done
      }
      guard let name = options.words.first else { throw UsageError("A scenario must be named; --list lists them.") }
      let seed = UInt64(try options.number("seed", in: 0...Int64.max) ?? 1)
      if name == "all" { return all(seed, substitutions, asJSON: asJSON, language: language, platform: platform) }
      guard let scenario = Scenario.all.first(where: { $0.name == name }) else { throw unknown(name) }
      let report = scenario.run(seed: seed, substitutions: substitutions, keepsTrace: options.has("trace"))
      platform.print(
        asJSON ? json(scenario, report).text + "\n" : TriggerText(scenario, report, language: language).text)
      return report.isKept ? ExitCode.done : ExitCode.failed
    }
  }

  private static let atServer = ["server", "simulator", "user", "product", "bundle-id"]

  private static func trigger(at server: String, _ options: Options, _ platform: Platform) async throws -> Int32 {
    let all = TriggerAtServer.Happening.allCases
    if options.has("list") {
      for one in all {
        platform.print("  " + one.rawValue + "  " + one.meaning[CommandLineProgram.language(platform)] + "\n")
      }
      return ExitCode.done
    }
    guard let happening = options.words.first.flatMap(TriggerAtServer.Happening.init(rawValue:)) else {
      throw UsageError("One of \(all.map(\.rawValue).joined(separator: ", ")) is needed.")
    }
    guard let key = platform.environment("COUNTERFOIL_SECRET_KEY"), !key.isEmpty else {
      throw UsageError("--server needs a secret key in COUNTERFOIL_SECRET_KEY.")
    }
    try await TriggerAtServer(
      server: server, simulator: try options.one("simulator") ?? "http://127.0.0.1:8081", key: key,
      user: try options.one("user") ?? "alice", product: try options.one("product"),
      bundleId: try options.one("bundle-id") ?? SimulatedProfile.identity.bundleId,
      exchange: try platform.exchange(.anywhere), print: platform.print
    ).run(happening)
    return ExitCode.done
  }

  private static func unknown(_ name: String) -> UsageError {
    let nearest = Scenario.all.map(\.name).min { EditDistance.between($0, name) < EditDistance.between($1, name) }
    let hint = nearest.map { EditDistance.between($0, name) <= 5 ? " Is \($0) meant?" : "" } ?? ""
    return UsageError("There is no scenario \(name).\(hint) --list lists them.")
  }

  // MARK: Lists

  private static func list(in language: Language) -> String {
    let width = Scenario.all.map(\.name.count).max() ?? 0
    var text = ""
    for group in Scenario.Group.allCases {
      text += group.title[language] + "\n"
      for scenario in Scenario.all where scenario.group == group {
        let padding = String(repeating: " ", count: width - scenario.name.count + 2)
        text += "  " + scenario.name + padding + scenario.title[language] + "\n"
      }
    }
    return text
  }

  private static var listed: JSONValue {
    .members([
      (
        "scenarios",
        .array(
          Scenario.all.map {
            .members([
              ("name", .string($0.name)), ("group", .string($0.group.rawValue)), ("title", json($0.title)),
              ("naive", json($0.naive)),
            ])
          })
      )
    ])
  }

  private static func all(
    _ seed: UInt64, _ substitutions: Substitutions, asJSON: Bool, language: Language, platform: Platform
  ) -> Int32 {
    var broken = 0
    for scenario in Scenario.all {
      let report = scenario.run(seed: seed, substitutions: substitutions)
      if !report.isKept { broken += 1 }
      platform.print(
        asJSON ? json(scenario, report).text + "\n" : TriggerText(scenario, report, language: language).line)
    }
    if !asJSON { platform.print(TriggerText.sum(Scenario.all.count, broken: broken)[language]) }
    return broken == 0 ? ExitCode.done : ExitCode.failed
  }

  // MARK: JSON

  private static func json(_ text: BilingualText) -> JSONValue {
    .members(Language.allCases.map { ($0.rawValue, .string(text[$0])) })
  }

  private static func json(_ scenario: Scenario, _ report: ScenarioReport) -> JSONValue {
    .members([
      ("scenario", .string(scenario.name)), ("group", .string(scenario.group.rawValue)),
      ("title", json(scenario.title)), ("naive", json(scenario.naive)),
      (
        "steps",
        .array(
          report.steps.map {
            .members([
              ("afterMilliseconds", .integer($0.after.milliseconds)), ("text", json($0.text)),
              ("holds", $0.holds.map { .bool($0) }),
            ])
          })
      ),
      (
        "verdict",
        .array(report.findings.map { .members([("text", json($0.text)), ("holds", .bool($0.holds))]) })
      ),
      ("problems", .array(report.problems.map { .string($0) })), ("kept", .bool(report.isKept)),
      (
        "story",
        report.events.isEmpty ? nil : .array(report.events.map { .string("\($0.who): \($0.what)") })
      ),
    ])
  }
}
