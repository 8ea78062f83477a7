package import CounterfoilCLI
import PaymentPrimitives

/// The commands of `counterfoil-lab`, in the order in which `--help` lists them.
package enum LabCommands {
  package static let program = CommandLineProgram(
    name: "counterfoil-lab",
    title: BilingualText(
      "counterfoil-lab: try Counterfoil with simulated stores, and prove it. Never for production.",
      "counterfoil-lab：用模拟商店试用并验证 Counterfoil。切勿用于生产。"), commands: all)

  private static let all: [Command] = [
    RunCommand.command, SimulatorCommand.command, DemoCommand.command, TriggerCommand.command,
    SimulateCommand.command, bench, ServeCommand.command, Commands.version,
  ]

  private static let benchUsage = """
    usage: counterfoil-lab bench verify [OPTIONS]
           counterfoil-lab bench receivers [OPTIONS]
           counterfoil-lab bench fulfil --store app-store|wechat-pay [OPTIONS]
           counterfoil-lab bench grown [OPTIONS]
           counterfoil-lab bench flood [OPTIONS]

    Measures the cost of verifying signed data, the effect of bad receivers on a good one, the cost of durable
    fulfilments, their cost on a large database, and the effect of a flood of bogus tokens on customers. Each has its
    own --help.

    Exit codes: 0 measured, 1 a delivery was lost or a run does not reconcile, 2 wrong usage.

    """

  private static let bench = Command(
    "bench", BilingualText("measure against the libraries underneath", "与底层库对比测量性能"),
    usage: benchUsage
  ) { arguments, platform in
    if arguments.first == "--help" {
      platform.print(benchUsage)
      return ExitCode.done
    }
    if arguments.first == "receivers" {
      return await BenchReceiversCommand.command.run(Array(arguments.dropFirst()), platform)
    }
    if arguments.first == "fulfil" {
      return await BenchFulfilCommand.command.run(Array(arguments.dropFirst()), platform)
    }
    if arguments.first == "grown" {
      return await BenchGrownCommand.command.run(Array(arguments.dropFirst()), platform)
    }
    if arguments.first == "flood" {
      return await BenchFloodCommand.command.run(Array(arguments.dropFirst()), platform)
    }
    guard arguments.first == "verify" else {
      let problem = arguments.first.map { "there is no measurement \($0)." } ?? "what is to be measured?"
      platform.printError("counterfoil-lab bench: \(problem)\n\n\(benchUsage)")
      return ExitCode.usage
    }
    return BenchVerifyCommand.run(
      arguments: Array(arguments.dropFirst()), nanoseconds: platform.processorNanoseconds,
      print: platform.print, printError: platform.printError)
  }
}
