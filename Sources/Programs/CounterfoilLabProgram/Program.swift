import CounterfoilCLI
import CounterfoilLab
import ProgramPlatform
import SystemPlatform

/// `counterfoil-lab`: hands the platform to the commands. Nothing else is decided here.
enum Program {
  static func main() async {
    SystemProcess.raiseOpenFilesLimit()
    let code = await LabCommands.program.run(
      arguments: Array(CommandLine.arguments.dropFirst()), platform: LivePlatform.all)
    SystemProcess.exit(code)
  }
}
