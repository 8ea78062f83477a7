import CounterfoilCLI
import ProgramPlatform
import SystemPlatform

/// `counterfoil`: hands the platform to the commands. Nothing else is decided here.
enum Program {
  static func main() async {
    SystemProcess.raiseOpenFilesLimit()
    let code = await CommandLineProgram.counterfoil.run(
      arguments: Array(CommandLine.arguments.dropFirst()), platform: LivePlatform.all)
    SystemProcess.exit(code)
  }
}
