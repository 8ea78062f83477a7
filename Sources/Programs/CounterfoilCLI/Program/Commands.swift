import PaymentPrimitives

/// All commands, in the order in which `--help` lists them.
enum Commands {
  static let all: [Command] = [
    ServeCommand.command, SimulatorCommand.command, DemoCommand.command,
    verify, OrdersCommand.command, ReconcileCommand.command, AuditCommand.command,
    ImportCommand.command, ObservedCommand.command, ForwardsCommand.command, KeysCommand.command,
    TokenCommand.command,
    SchemaCommand.command, InitCommand.command, ConfigCommand.command, DoctorCommand.command, WorldCommand.command,
    TriggerCommand.command,
    bench, version,
  ]

  private static let verify = Command(
    "verify",
    BilingualText("hold App Store evidence against Apple's signatures", "用 Apple 的签名核验 App Store 凭证"),
    usage: VerifyCommand.usage
  ) { arguments, doors in
    VerifyCommand.run(
      arguments: arguments,
      doors: VerifyCommand.Platform(
        now: doors.surroundings.now(),
        readFile: { path in
          guard let bytes = try doors.files.read(path, VerifyCommand.fileBytesMax + 1) else {
            throw CommandFailure("there is no such file")
          }
          return bytes
        }, print: doors.print, printError: doors.printError))
  }

  private static let benchUsage = """
    usage: counterfoil bench verify [OPTIONS]
           counterfoil bench receivers [OPTIONS]
           counterfoil bench fulfil --store app-store|wechat-pay [OPTIONS]
           counterfoil bench grown [OPTIONS]
           counterfoil bench flood [OPTIONS]

    Measures what verifying signed data costs, what bad receivers cost a sound one, what durable fulfilments cost, what
    they cost on a database that has grown, and what customers feel of a flood of bogus tokens; each says more with
    --help.

    Exit codes: 0 measured, 1 a delivery was lost or a run does not reconcile, 2 wrong usage.

    """

  private static let bench = Command(
    "bench", BilingualText("measure against the libraries underneath", "与底层库对比测量性能"),
    usage: benchUsage
  ) { arguments, doors in
    if arguments.first == "--help" {
      doors.print(benchUsage)
      return ExitCode.done
    }
    if arguments.first == "receivers" {
      return await BenchReceiversCommand.command.run(Array(arguments.dropFirst()), doors)
    }
    if arguments.first == "fulfil" {
      return await BenchFulfilCommand.command.run(Array(arguments.dropFirst()), doors)
    }
    if arguments.first == "grown" {
      return await BenchGrownCommand.command.run(Array(arguments.dropFirst()), doors)
    }
    if arguments.first == "flood" {
      return await BenchFloodCommand.command.run(Array(arguments.dropFirst()), doors)
    }
    guard arguments.first == "verify" else {
      let problem = arguments.first.map { "there is no measurement \($0)." } ?? "what is to be measured?"
      doors.printError("counterfoil bench: \(problem)\n\n\(benchUsage)")
      return ExitCode.usage
    }
    return BenchVerifyCommand.run(
      arguments: Array(arguments.dropFirst()), nanoseconds: doors.processorNanoseconds,
      print: doors.print, printError: doors.printError)
  }

  private static let version = Command.of(
    "version", BilingualText("print the version", "显示版本"),
    usage: """
      usage: counterfoil version

      Prints the version.

      Exit codes: 0 printed, 2 wrong usage.

      """
  ) { _, doors in
    doors.print("counterfoil \(Version.text)\n")
    return ExitCode.done
  }
}
