import CounterfoilCLI
import CounterfoilLab
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import Testing

/// What a command printed.
private final class Screen: Sendable {
  private let text = Mutex("")
  var shown: String { text.withLock { $0 } }
  func show(_ more: String) { text.withLock { $0 += more } }
}

@Suite struct `The command simulate` {
  private let output = Screen()
  private let errors = Screen()

  private struct Closed: Error {}

  /// A platform with only output and a clock: a world needs nothing else.
  private var platform: Platform {
    Platform(
      dependencies: .refusing, monotonicNanoseconds: { 0 }, processorNanoseconds: { 0 },
      files: FileSystem(
        read: { _, _ in throw Closed() }, replace: { _, _ in throw Closed() }, remove: { _ in throw Closed() },
        makeFolder: { _ in throw Closed() }, names: { _ in throw Closed() }, openLog: { _ in throw Closed() }),
      environment: { _ in nil }, print: { output.show($0) }, isTerminal: false, printError: { errors.show($0) },
      listen: { _, _ in throw Closed() }, exchange: { _ in throw Closed() },
      shutdown: { AsyncStream { $0.finish() } }, startSelf: { _, _ in throw Closed() },
      programName: "counterfoil")
  }

  private func run(_ arguments: String...) async -> Int32 {
    await LabCommands.program.run(arguments: ["simulate"] + arguments, platform: platform)
  }

  @Test func `refuses to explain without a seed, and refuses unknown arguments`() async {
    #expect(await run("--explain") == 2)
    #expect(await run("--seed", "minus") == 2)
    #expect(await run("7") == 2)
    #expect(await run("--seed", "1", "--hazards", "dragons") == 2)
    #expect(errors.shown.contains("dragons is no hazard."))
    #expect(errors.shown.contains("--explain needs a --seed."))
  }

  @Test func `prints the events of a seed: time, actor, event`() async {
    #expect(await run("--seed", "1", "--explain") == 0)
    let lines = output.shown.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("0d 00:") && $0.contains("  backend     books grant.created of ") })
    #expect(lines.last?.hasPrefix("seed 1: ") == true)
  }

  @Test func `runs many seeds, each twice, and counts its coverage marks`() async throws {
    #expect(await run("--seeds", "2", "--first", "5", "--json") == 0)
    let tally = try JSONReader.read(Array(output.shown.utf8))
    #expect(tally["worlds"]?.integer == 2)
    #expect(tally["broken"] == .array([]))
    #expect(tally["sights"]?["appKilled"]?.integer == 2)
  }
}
