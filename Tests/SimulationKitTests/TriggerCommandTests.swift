import CounterfoilCLI
import CounterfoilLab
import PaymentPrimitives
import SimulationKit
import StrictJSON
import Synchronization
import Testing

@Suite struct `The command trigger` {

  private struct Closed: Error {}

  /// A platform with only output: a scenario needs nothing else.
  private func platform(_ language: String?, _ output: Screen, errors: Screen) -> Platform {
    Platform(
      dependencies: .refusing, monotonicNanoseconds: { 0 }, processorNanoseconds: { 0 },
      files: FileSystem(
        read: { _, _ in throw Closed() }, replace: { _, _ in throw Closed() }, remove: { _ in throw Closed() },
        makeFolder: { _ in throw Closed() }, names: { _ in throw Closed() }, openLog: { _ in throw Closed() }),
      environment: { $0 == "LANG" ? language : nil }, print: { output.show($0) }, isTerminal: false,
      printError: { errors.show($0) }, listen: { _, _ in throw Closed() }, exchange: { _ in throw Closed() },
      shutdown: { AsyncStream { $0.finish() } }, startSelf: { _, _ in throw Closed() },
      programName: "counterfoil")
  }

  private final class Screen: Sendable {
    private let text = Mutex("")
    var shown: String { text.withLock { $0 } }
    func show(_ more: String) { text.withLock { $0 += more } }
  }

  private func run(
    _ arguments: [String], language: String? = nil
  ) async -> (code: Int32, output: String, errors: String) {
    let (output, errors) = (Screen(), Screen())
    let code = await LabCommands.program.run(
      arguments: ["trigger"] + arguments, platform: platform(language, output, errors: errors))
    return (code, output.shown, errors.shown)
  }

  @Test func `refuses unknown arguments, and names the nearest scenario`() async {
    #expect(await run([]).code == 2)
    #expect(await run(["--list", "ask-to-buy"]).code == 2)
    #expect(await run(["ask-to-buy", "more"]).code == 2)
    #expect(await run(["ask-to-buy", "--seed", "minus"]).code == 2)
    let near = await run(["ask-to-bye"])
    #expect(near.code == 2 && near.output.isEmpty && near.errors.contains("Is ask-to-buy meant?"))
  }

  @Test func `lists the scenarios, in both languages and as JSON`() async throws {
    let english = await run(["--list"])
    for scenario in Scenario.all { #expect(english.output.contains("  \(scenario.name) ")) }
    #expect(english.code == 0 && english.output.contains("WeChat Pay"))
    #expect(await run(["--list"], language: "zh_CN.UTF-8").output.contains("支付队列"))
    let json = try JSONReader.read(Array(await run(["--list", "--json"]).output.utf8))
    #expect(json["scenarios"]?.array?.count == Scenario.all.count)
  }

  @Test func `explains the steps, and ends with a verdict from the ledger`() async throws {
    let english = await run(["kill-after-password"])
    #expect(english.code == 0)
    #expect(english.output.contains("Common code: ") && english.output.contains("Verdict, from the ledger:"))
    #expect(english.output.contains("✓ charged by the stores: 1"))
    #expect(english.output.hasSuffix("to the one who ordered it.\n"))
    let chinese = await run(["kill-after-password"], language: "zh_CN.UTF-8")
    #expect(chinese.output.contains("结论（依据账本）：") && chinese.output.contains("✓ 商店扣款：1 笔"))
    let json = try JSONReader.read(Array(await run(["kill-after-password", "--json"]).output.utf8))
    #expect(json["kept"]?.bool == true && json["scenario"]?.string == "kill-after-password")
    #expect(json["steps"]?.array?.isEmpty == false && json["verdict"]?.array?.isEmpty == false)
    #expect(await run(["kill-after-password", "--trace"]).output.contains("backend: books grant.created"))
  }
}
