import CounterfoilCLI
import PaymentPrimitives
import SimulationKit

/// A scenario that was played, as text for a terminal.
struct TriggerText {
  private let scenario: Scenario
  private let report: ScenarioReport
  private let language: Language

  init(_ scenario: Scenario, _ report: ScenarioReport, language: Language) {
    self.scenario = scenario
    self.report = report
    self.language = language
  }

  private static let kept = BilingualText("KEPT", "守住")
  private static let broken = BilingualText("BROKEN", "违反")

  /// The whole trace: the behaviour of common code, the steps, the verdict.
  var text: String {
    let naive = BilingualText("Common code: ", "常见代码：")
    let verdict = BilingualText("Verdict, from the ledger:", "结论（依据账本）：")
    var lines = [scenario.title[language], "", naive[language] + scenario.naive[language], ""]
    for step in report.steps {
      lines.append("  \(Self.clock(step.after))  \(step.holds.map(Self.mark) ?? " ") \(step.text[language])")
    }
    for line in report.events { lines.append("             \(line.who): \(line.what)") }
    lines += ["", verdict[language]]
    lines += report.findings.map { "  \(Self.mark($0.holds)) \($0.text[language])" }
    lines += report.problems.map { "  \(Self.mark(false)) \($0)" }
    return (lines + ["", (report.isKept ? Self.promise : Self.breach)[language]]).joined(separator: "\n") + "\n"
  }

  var line: String {
    let word = (report.isKept ? Self.kept : Self.broken)[language]
    let why = report.isKept ? "" : " – " + failures.joined(separator: "; ")
    return "\(word)  \(scenario.name): \(scenario.title[language])\(why)\n"
  }

  private var failures: [String] {
    report.steps.filter { $0.holds == false }.map { $0.text[language] }
      + report.findings.filter { !$0.holds }.map { $0.text[language] } + report.problems
  }

  private static let promise = BilingualText(
    "Kept: whatever was paid was delivered exactly once, to the one who ordered it.", "守住：已付款的，恰好发货一次，且只发给下单的人。")
  private static let breach = BilingualText(
    "BROKEN: the ledger is wrong. Please report it.", "违反：账本与应有的不符。请报告。")

  static func sum(_ count: Int, broken: Int) -> BilingualText {
    BilingualText("\(count) scenarios, \(broken) broken\n", "共 \(count) 个场景，违反 \(broken) 个\n")
  }

  private static func mark(_ holds: Bool) -> String { holds ? "✓" : "✗" }

  /// Days, hours, minutes and seconds since the beginning.
  private static func clock(_ span: TimeSpan) -> String {
    let (days, rest) = (span.milliseconds / 1000).quotientAndRemainder(dividingBy: 86_400)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = [rest / 3600, rest / 60 % 60, rest % 60].map(two).joined(separator: ":")
    return days == 0 ? "    " + clock : "\(days)d" + String(repeating: " ", count: days < 10 ? 2 : 1) + clock
  }
}
