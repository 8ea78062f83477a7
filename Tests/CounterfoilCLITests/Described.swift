import CounterfoilCLI
import CounterfoilLab
import Foundation
import Synchronization

/// A program with its commands, run in memory.
struct Described: Sendable {
  let name: String
  let program: CommandLineProgram

  static let programs = [
    Described(name: "counterfoil", program: .counterfoil),
    Described(name: "counterfoil-lab", program: LabCommands.program),
  ]

  /// All commands, each before its parts.
  var all: [Command] { program.commands.flatMap { [$0] + $0.parts } }

  func run(_ arguments: [String]) async -> ConfigCommandRun.Answer {
    await ConfigCommandRun.run("", files: [:], variables: [:], arguments: arguments, program: program)
  }

  /// The program of that name on the PATH; nil if there is none.
  static func onPath(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

extension Command {
  /// Options by which measurements call their own second process.
  private static let internals: Set<String> = ["hand-in", "to", "pace", "over", "shopper"]

  /// All options that it accepts, without those.
  var optionsForPeople: [String] {
    let all = options.valued + options.flags + ["help", "json"]
    return name.hasPrefix("bench ") ? all.filter { !Self.internals.contains($0) } : all
  }
}
