import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import SystemPlatform

/// Passes the real platform to the commands. It contains no other logic.
enum Program {
  static func main() async {
    SystemProcess.raiseOpenFilesLimit()
    let code = await CounterfoilProgram.run(
      arguments: Array(CommandLine.arguments.dropFirst()), doors: LivePlatform.all)
    SystemProcess.exit(code)
  }
}
