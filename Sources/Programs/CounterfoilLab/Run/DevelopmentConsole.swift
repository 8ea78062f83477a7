import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration

/// The console of `counterfoil-lab run`, with an operator who may do everything.
enum DevelopmentConsole {
  private static let account: OperatorName = "demo"

  /// Opens it on the second port after the server's own.
  static func open(_ assembly: ServerAssembly, beside port: UInt16, _ platform: Platform) throws -> Listener {
    let port = port == 0 ? 0 : port &+ 2
    return try ConsoleListener.open(
      // One person tries it: nobody could approve what they ask for.
      ConsoleListenSettings(
        address: "127.0.0.1", port: port, origin: "http://localhost:\(port)", needsApprovals: false),
      over: assembly, .simulated, on: platform)
  }

  /// Prints a link that signs in once, within ten minutes.
  static func announceLink(to console: Listener, _ engine: PaymentEngine, _ platform: Platform) async throws {
    let host = "counterfoil-lab run"
    if try await engine.operatorAccounts().isEmpty {
      _ = try await engine.setRole(.admin, of: account, in: OperatorAccount.everyApp, by: host)
    }
    guard let code = try await engine.makeSignInLink(for: account, by: host) else { return }
    let link = ConsoleListener.signInLink(origin: "http://localhost:\(console.port)", code: code)
    let words = BilingualText(
      "  console    \(link)\n             (signs in once, within ten minutes)\n",
      "  控制台     \(link)\n             （登录链接，十分钟内可用一次）\n")
    platform.print(words[CommandLineProgram.language(platform)])
  }
}
