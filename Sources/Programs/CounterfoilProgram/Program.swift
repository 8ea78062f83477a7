import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import SystemPlatform

/// Hands the real doors to the commands. Nothing else is decided here.
enum Program {
  static func main() async {
    SystemProcess.raiseOpenFilesLimit()
    let code = await CounterfoilProgram.run(
      arguments: Array(CommandLine.arguments.dropFirst()), doors: LivePlatform.all)
    SystemProcess.exit(code)
  }
}
