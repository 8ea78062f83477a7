package import CounterfoilCLI
import PaymentPrimitives
package import SimulationKit
import StrictJSON

/// `counterfoil-lab simulate`: runs simulated worlds, each from one number, until one breaks the promise.
package enum SimulateCommand {
  /// Runs the command in simulations with parts of the caller: for a program of the tests.
  ///
  /// - Parameters:
  ///   - arguments: the arguments after `world`.
  ///   - platform: only output and clock are used.
  /// - Returns: the exit code.
  package static func run(arguments: [String], platform: Platform, substitutions: Substitutions) async -> Int32 {
    await command(substitutions).run(arguments, platform)
  }

  private static let usage = """
    usage: counterfoil-lab simulate [--seeds N] [--first S] [--workers W] [--json]
           counterfoil-lab simulate --seed S [--explain] [--json]
           counterfoil-lab simulate … [--nodes N] [--hazards all | NAME,NAME…] [--without NAME,NAME…]
           counterfoil-lab simulate --wechat-day N [--seed S]
           counterfoil-lab simulate --subscription-year N [--seed S]
           counterfoil-lab simulate --apple-history N [--seed S]

    Runs whole simulated worlds: shoppers with the real client library, the real server over a database that fails, a
    simulated App Store, a backend, a bad network, and kills. Everything in a world comes from its seed, so a seed that
    fails can be run again. No file and no network is touched.

      --seeds N      how many worlds (default: 1000)
      --first S      the first seed (default: 1)
      --workers W    how many at a time (default: 2)
      --once         run each world once; otherwise a second run must be the same to the last step
      --seed S       one world
      --explain      show its trace: time, part, event
      --nodes N      N servers over a model of PostgreSQL with a standby: nodes are cut off, stopped and killed, the
                     primary is replaced, and clocks differ (2 to 9; default: 1 or 2 servers over another database)
      --hazards L    what worlds are drawn from: all, or some of \(hazardNames)
      --without L    what worlds are not drawn from, of those
      --wechat-day N one day with N orders at WeChat Pay, every fault on, and the bill of the morning after
      --subscription-year N
                     one year of N subscribers, with lost, late and duplicated notifications
      --apple-history N
                     months with N purchases at the App Store of which the server heard too little, and the comparison
                     with Apple's records, killed again and again

    Exit codes: 0 every world kept the promise, 1 one did not, 2 wrong usage.

    """

  static let command = command(Substitutions())

  private static func command(_ substitutions: Substitutions) -> Command {
    .of(
      "simulate", BilingualText("run simulated worlds from seeds, and show the trace of one", "按种子运行模拟世界，并可显示其中一次的经过"),
      usage: usage,
      valued: [
        "seeds", "first", "workers", "seed", "wechat-day", "subscription-year", "apple-history", "hazards", "without",
        "nodes",
      ],
      flags: ["explain", "once"]
    ) { options, platform in
      guard options.words.isEmpty else { throw UsageError("\(options.words[0]) is no option of this command.") }
      var substitutions = substitutions
      try read(options, into: &substitutions.hazards)
      if let nodes = try options.number("nodes", in: 2...9) { substitutions.nodes = Int(nodes) }
      if let orders = try options.number("wechat-day", in: 1...10_000_000) {
        let seed = try options.number("seed", in: 0...Int64.max) ?? 1
        return try WeChatDayReport.run(orders: Int(orders), seed: seed, platform)
      }
      if let subscribers = try options.number("subscription-year", in: 1...1_000_000) {
        let seed = try options.number("seed", in: 0...Int64.max) ?? 1
        return try SubscriptionYearReport.run(subscribers: Int(subscribers), seed: seed, platform)
      }
      if let transactions = try options.number("apple-history", in: 1...10_000_000) {
        let seed = try options.number("seed", in: 0...Int64.max) ?? 1
        return try AppleHistoryReport.run(transactions: Int(transactions), seed: seed, platform)
      }
      if let seed = try options.number("seed", in: 0...Int64.max) {
        return one(
          UInt64(seed), substitutions, explains: options.has("explain"), asJSON: options.has("json"), platform: platform
        )
      }
      guard !options.has("explain") else { throw UsageError("--explain needs a --seed.") }
      let plan = Plan(
        first: UInt64(try options.number("first", in: 0...Int64.max / 2) ?? 1),
        count: UInt64(try options.number("seeds", in: 1...1_000_000_000) ?? 1000),
        workers: Int(try options.number("workers", in: 1...256) ?? 2), runsTwice: !options.has("once"),
        substitutions: substitutions)
      return await many(plan, asJSON: options.has("json"), platform)
    }
  }

  private static let hazardNames = WorldHazard.allCases.map(\.rawValue).joined(separator: ", ")

  private static func read(_ options: Options, into hazards: inout Set<WorldHazard>) throws {
    if let names = try options.one("hazards") {
      hazards = names == "all" ? Set(WorldHazard.allCases) : try self.hazards(names)
    }
    if let names = try options.one("without") { hazards.subtract(try self.hazards(names)) }
  }

  private static func hazards(_ names: String) throws -> Set<WorldHazard> {
    Set(
      try names.split(separator: ",").map { name in
        guard let hazard = WorldHazard(rawValue: String(name)) else {
          throw UsageError("\(name) is no hazard. There are \(hazardNames).")
        }
        return hazard
      })
  }

  private struct Plan: Sendable {
    let first: UInt64
    let count: UInt64
    let workers: Int
    let runsTwice: Bool
    let substitutions: Substitutions
  }

  // MARK: One simulation

  private static func one(
    _ seed: UInt64, _ substitutions: Substitutions, explains: Bool, asJSON: Bool, platform: Platform
  ) -> Int32 {
    let report = PaymentWorld.run(seed: seed, substitutions: substitutions, keepsTrace: explains)
    if asJSON {
      platform.print(json(report).text + "\n")
    } else {
      for line in report.events { platform.print(text(line) + "\n") }
      platform.print(
        "seed \(seed): \(report.charges) charges, \(report.steps) steps, trace \(hexadecimal(report.trace))\n")
      for problem in report.problems { platform.print("BROKEN \(problem)\n") }
    }
    return report.problems.isEmpty ? ExitCode.done : ExitCode.failed
  }

  /// One line: the time since the beginning of the simulation, the actor, the event.
  private static func text(_ line: EventTraceLine) -> String {
    let passed = (line.at - SimulatedWorld.beginning).milliseconds
    let (days, rest) = passed.quotientAndRemainder(dividingBy: 86_400_000)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map(two).joined(separator: ":")
    let fraction = String(1000 + rest % 1000).dropFirst()
    let who = line.who + String(repeating: " ", count: max(0, 10 - line.who.count))
    return "\(days)d \(clock).\(fraction)  \(who)  \(line.what)"
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func json(_ report: WorldReport) -> JSONValue {
    .members([
      ("seed", .string("\(report.seed)")), ("charges", .integer(report.charges)), ("steps", .integer(report.steps)),
      ("trace", .string(hexadecimal(report.trace))),
      ("problems", .array(report.problems.map(JSONValue.string))),
      ("story", report.events.isEmpty ? nil : .array(report.events.map { .string(text($0)) })),
    ])
  }

  // MARK: Many simulations

  private struct Tally: Sendable {
    var worlds: UInt64 = 0
    var charges = 0
    var steps = 0
    var marks: [CoverageMark: Int] = [:]
    var broken: [WorldReport] = []

    mutating func add(_ report: WorldReport) {
      worlds += 1
      charges += report.charges
      steps += report.steps
      for mark in report.marks.keys { marks[mark, default: 0] += 1 }
      if !report.problems.isEmpty { broken.append(report) }
    }
  }

  private static let shownMost = 20

  private static func many(_ plan: Plan, asJSON: Bool, _ platform: Platform) async -> Int32 {
    let started = platform.monotonicNanoseconds()
    let tally = await run(plan) { report in
      if !asJSON, !report.problems.isEmpty { platform.printError(failure(report, of: plan, platform)) }
    }
    let milliseconds = Int64((platform.monotonicNanoseconds() - started) / 1_000_000)
    platform.print(asJSON ? json(tally, milliseconds).text + "\n" : summary(tally, milliseconds))
    return tally.broken.isEmpty ? ExitCode.done : ExitCode.failed
  }

  private static func world(_ seed: UInt64, _ plan: Plan) -> WorldReport {
    var report = PaymentWorld.run(seed: seed, substitutions: plan.substitutions)
    if plan.runsTwice, PaymentWorld.run(seed: seed, substitutions: plan.substitutions).trace != report.trace {
      report.problems.append("a second run of the seed came out otherwise")
    }
    return report
  }

  private static func run(
    _ plan: Plan, _ tell: @escaping @Sendable (WorldReport) -> Void
  ) async -> Tally {
    await withTaskGroup(of: WorldReport.self) { group in
      var tally = Tally()
      var next = plan.first
      let end = plan.first + plan.count
      func addOne() {
        guard next < end, tally.broken.count < shownMost else { return }
        let seed = next
        next += 1
        group.addTask { world(seed, plan) }
      }
      for _ in 0..<plan.workers { addOne() }
      for await report in group {
        tally.add(report)
        tell(report)
        addOne()
      }
      return tally
    }
  }

  private static func failure(_ report: WorldReport, of plan: Plan, _ platform: Platform) -> String {
    let nodes = plan.substitutions.nodes > 0 ? "--nodes \(plan.substitutions.nodes) " : ""
    return report.problems.map { "seed \(report.seed): BROKEN \($0)\n" }.joined()
      + "  again: \(platform.programName) simulate \(nodes)--seed \(report.seed) --explain\n"
  }

  private static func summary(_ tally: Tally, _ milliseconds: Int64) -> String {
    let perSecond = milliseconds == 0 ? 0 : Int64(tally.worlds) * 1000 / milliseconds
    var text = "\(tally.worlds) worlds, \(tally.charges) charges, \(tally.steps) steps in \(milliseconds) ms"
    text += " (\(perSecond) worlds a second); broken: \(tally.broken.count)\n"
    for mark in CoverageMark.allCases {
      text += "  \(mark.rawValue): in \(tally.marks[mark, default: 0]) worlds\n"
    }
    return text
  }

  private static func json(_ tally: Tally, _ milliseconds: Int64) -> JSONValue {
    .members([
      ("worlds", .integer(Int(clamping: tally.worlds))), ("charges", .integer(tally.charges)),
      ("steps", .integer(tally.steps)), ("milliseconds", .integer(milliseconds)),
      ("broken", .array(tally.broken.map { json($0) })),
      ("sights", .members(CoverageMark.allCases.map { ($0.rawValue, .integer(tally.marks[$0, default: 0])) })),
    ])
  }
}
