import CounterfoilCLI
import CounterfoilLab
import DeviceWorld
import PaymentPrimitives
import SimulationKit
import SystemPlatform

/// `counterfoil-lab simulate` with the shipped adapters on its phones. It carries stand-ins for Apple's frameworks and
/// is therefore no product: `make world` builds and runs it.
enum DeviceWorldProgram {
  private struct Closed: Error {}

  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    // As the command line of a failed seed is printed.
    if arguments.first == "simulate" { arguments.removeFirst() }
    SystemProcess.exit(await SimulateCommand.run(arguments: arguments, platform: platform, substitutions: .devices))
  }

  /// A world needs the screen and a stopwatch: all other doors are shut.
  private static var platform: Platform {
    Platform(
      dependencies: .refusing, monotonicNanoseconds: SystemClock.monotonicNanoseconds,
      processorNanoseconds: SystemClock.processorNanoseconds,
      files: FileSystem(
        read: { _, _ in throw Closed() }, replace: { _, _ in throw Closed() }, remove: { _ in throw Closed() },
        makeFolder: { _ in throw Closed() }, names: { _ in throw Closed() }, openLog: { _ in throw Closed() }),
      environment: SystemProcess.environment, print: { StandardStreams.output($0) },
      isTerminal: StandardStreams.outputIsTerminal, printError: { StandardStreams.error($0) },
      listen: { _, _ in throw Closed() }, exchange: { _ in throw Closed() },
      shutdown: { AsyncStream { $0.finish() } }, startSelf: { _, _ in throw Closed() },
      programName: CommandLine.arguments.first ?? "DeviceWorldProgram")
  }
}
