import CounterfoilCLI
import CounterfoilLab
import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import Testing

@Suite struct `The command bench verify` {
  private struct Closed: Error {}

  /// A run of the command. The clocks advance with each use: no real time is involved, so the figures are always the
  /// same.
  private final class Run: Sendable {
    private struct State {
      var output = ""
      var errors = ""
      var processor: UInt64 = 0
      var wall: UInt64 = 0
    }

    private let state = Mutex(State())
    /// How many nanoseconds other programs use in each span of 100.
    private let othersPercent: UInt64

    init(othersPercent: UInt64) { self.othersPercent = othersPercent }

    var output: String { state.withLock { $0.output } }
    var errors: String { state.withLock { $0.errors } }

    private func processor() -> UInt64 {
      state.withLock { state in
        state.processor += 1_000_000
        state.wall += 1_000_000
        return state.processor
      }
    }

    private func wall() -> UInt64 {
      state.withLock { state in
        state.wall += 1000
        return state.wall
      }
    }

    var platform: Platform {
      var platform = Platform(
        dependencies: Dependencies(
          now: { Timestamp(seconds: 1_795_000_000) }, randomBytes: { [UInt8](repeating: 7, count: $0) },
          sleep: { [self] span in state.withLock { $0.wall += UInt64(span.milliseconds) * 1_000_000 } }),
        monotonicNanoseconds: { [self] in wall() }, processorNanoseconds: { [self] in processor() },
        files: FileSystem(
          read: { _, _ in nil }, replace: { _, _ in }, remove: { _ in }, makeFolder: { _ in }, names: { _ in [] },
          openLog: { _ in throw Closed() }),
        environment: { _ in nil }, print: { [self] text in state.withLock { $0.output += text } }, isTerminal: false,
        printError: { [self] text in state.withLock { $0.errors += text } }, listen: { _, _ in throw Closed() },
        exchange: { _ in throw Closed() }, shutdown: { AsyncStream { $0.finish() } },
        startSelf: { _, _ in throw Closed() }, programName: "counterfoil-lab")
      platform.machine.processorModel = "A processor made for tests"
      platform.machine.coreCount = 1
      platform.machine.busyNanoseconds = { [self] in
        state.withLock { $0.processor + $0.wall * othersPercent / 100 }
      }
      return platform
    }
  }

  private func run(
    _ arguments: String..., othersPercent: UInt64 = 0
  ) async -> (code: Int32, output: String, errors: String) {
    let run = Run(othersPercent: othersPercent)
    let code = await BenchVerifyCommand.command.run(arguments, run.platform)
    return (code, run.output, run.errors)
  }

  @Test func `answers wrong usage with 2`() async {
    for arguments in [["--pairs"], ["--pairs", "0"], ["--batch", "x"], ["--what"]] {
      let run = Run(othersPercent: 0)
      let code = await BenchVerifyCommand.command.run(arguments, run.platform)
      #expect(code == 2 && run.errors.contains("usage:"))
    }
  }

  @Test func `prints rows 1 and 7, with the range of the pairs`() async {
    let result = await run("--pairs", "3", "--batch", "2")
    #expect(result.code == 0 && result.errors.isEmpty)
    #expect(
      result.output.contains("row 1  1.000 [1.000, 1.000]") && result.output.contains("row 7  1.000 [1.000, 1.000]"))
    // By this clock a bogus token costs as much as a verification, which is too much.
    #expect(result.output.contains("FALLS SHORT (asked <= 0.200, aim <= 0.120)"))
    #expect(result.output.contains("met, aim reached (asked >= 0.800, aim >= 0.920)"))
    #expect(result.output.contains("A processor made for tests, 1 cores") && !result.output.contains("step:"))
  }

  @Test func `gives no verdict if other programs use more than a tenth of the cores (record 173)`() async {
    let busy = await run("--pairs", "1", "--batch", "1", othersPercent: 12)
    #expect(busy.code == 0)
    #expect(busy.output.contains("row 1  1.000") && busy.output.contains("no verdict (asked"))
    #expect(busy.output.contains("No verdict: other programs used 12 % of the cores before the bench began"))
    #expect(!busy.output.contains("FALLS SHORT") && !busy.output.contains("met"))
    let json = await run("--pairs", "1", "--batch", "1", "--json", othersPercent: 12)
    #expect(json.output.contains(#""noVerdict""#) && !json.output.contains(#""met""#))
    let quiet = await run("--pairs", "1", "--batch", "1", othersPercent: 8)
    #expect(quiet.output.contains("FALLS SHORT"))
  }

  @Test func `prints row 2 instead when asked for receipts`() async {
    let result = await run("--receipts", "--pairs", "1", "--batch", "2")
    #expect(result.code == 0 && result.errors.isEmpty)
    #expect(result.output.contains("row 2  1.000") && !result.output.contains("row 1"))
  }

  @Test func `shows where the time goes when asked, as JSON too`() async throws {
    let result = await run("--pairs", "1", "--batch", "1", "--profile", "--json")
    let lines = try result.output.split(separator: "\n").map { try JSONReader.read($0.utf8) }
    #expect(lines.filter { $0["name"]?.string?.hasPrefix("step:") == true }.count == 5)
    let row = try #require(lines.first { $0["row"]?.integer == 1 })
    #expect(row["median"] == .number("1.000") && row["bound"] == .number("0.800") && row["met"] == .bool(true))
    let help = await run("--help")
    #expect(help.output.contains("Exit codes"))
  }

  @Test func `judges each row by the bounds of the page of numbers`() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../docs/specification/numbers.md").standardized
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    func digits(_ cell: Substring) -> [Double] {
      cell.split { !"0123456789.".contains($0) }.compactMap { Double($0) }
    }
    for row in BenchRow.allCases {
      let bounds = row.bounds
      let cells = lines.filter { $0.hasPrefix("| \(bounds.number) |") }.map { $0.split(separator: "|") }
      #expect(
        cells.contains { digits($0[2]).contains(bounds.bound) && digits($0[3]).contains(bounds.aim) },
        "row \(bounds.number): \(bounds.bound), \(bounds.aim)")
    }
  }
}
