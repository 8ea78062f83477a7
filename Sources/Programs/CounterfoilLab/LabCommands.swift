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
           counterfoil-lab bench http [OPTIONS]
           counterfoil-lab bench grown [OPTIONS]
           counterfoil-lab bench search [OPTIONS]
           counterfoil-lab bench revenue [OPTIONS]
           counterfoil-lab bench audit-log [OPTIONS]
           counterfoil-lab bench erase [OPTIONS]
           counterfoil-lab bench flood [OPTIONS]
           counterfoil-lab bench notified [OPTIONS]
           counterfoil-lab bench start [OPTIONS]
           counterfoil-lab bench all [OPTIONS]

    Measures the cost of verifying signed data, the effect of bad receivers on a good one, the cost of durable
    fulfilments, of a purchase over HTTP, their cost on a large database, an operator's searches there, a report of
    revenue, a long audit log, the erasure of a user and its effect on others, the effect of a flood of bogus tokens on
    customers, how soon a notification is answered, start and memory. Each has its own --help. Each prints the machine
    and what other programs used of it; beside busy programs it gives no verdict.

    Exit codes: 0 measured, 1 a delivery was lost or a run does not reconcile, 2 wrong usage.

    """

  /// The measurements, by the second word of the command.
  private static let benches: [String: Command] = [
    "verify": BenchVerifyCommand.command, "receivers": BenchReceiversCommand.command,
    "fulfil": BenchFulfilCommand.command, "grown": BenchGrownCommand.command, "search": BenchSearchCommand.command,
    "console": BenchConsoleCommand.command,
    "revenue": BenchRevenueCommand.command, "audit-log": BenchAuditLogCommand.command,
    "erase": BenchEraseCommand.command,
    "flood": BenchFloodCommand.command,
    "http": BenchHTTPCommand.command, "notified": BenchNotifiedCommand.command, "start": BenchStartCommand.command,
    "all": BenchAllCommand.command,
  ]

  private static let bench = Command(
    "bench", BilingualText("measure against the libraries underneath", "与底层库对比测量性能"),
    usage: benchUsage, options: CommandOptions(), parts: benches.values.sorted { $0.name < $1.name }
  ) { arguments, platform in
    if arguments.first == "--help" {
      platform.print(benchUsage)
      return ExitCode.done
    }
    guard let bench = arguments.first.flatMap({ benches[$0] }) else {
      let problem = arguments.first.map { "there is no measurement \($0)." } ?? "what is to be measured?"
      platform.printError("counterfoil-lab bench: \(problem)\n\n\(benchUsage)")
      return ExitCode.usage
    }
    return await bench.run(Array(arguments.dropFirst()), platform)
  }
}
