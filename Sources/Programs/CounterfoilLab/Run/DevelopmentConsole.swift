import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration

/// The console of `counterfoil-lab run`, with an operator who may do everything, or with two of them.
struct DevelopmentConsole {
  private static let account: OperatorName = "demo"
  private static let secondAccount: OperatorName = "demo-second"
  private static let host = "counterfoil-lab run"
  /// One yuan: less than any product that is for sale.
  private static let refundMinorUnits: Int64 = 100

  /// Whether refunds of some size, and a few other actions, need a second operator.
  ///
  /// One person who tries it could not approve what they ask for; so it is an option.
  let needsApprovals: Bool

  /// Opens it on the second port after the server's own.
  func open(_ assembly: ServerAssembly, beside port: UInt16, _ platform: Platform) throws -> Listener {
    let port = port == 0 ? 0 : port &+ 2
    return try ConsoleListener.open(
      ConsoleListenSettings(
        address: "127.0.0.1", port: port, origin: "http://localhost:\(port)", needsApprovals: needsApprovals,
        refundMinorUnits: Self.refundMinorUnits),
      over: assembly, .simulated, on: platform)
  }

  /// Where browsers reach it.
  static func origin(of console: Listener) -> String { "http://localhost:\(console.port)" }

  /// Prints a link for each operator, which signs in once, within ten minutes.
  func announceLinks(to console: Listener, _ engine: PaymentEngine, _ platform: Platform) async throws {
    let accounts = try await engine.operatorAccounts()
    if accounts.isEmpty {
      _ = try await engine.setRole(.admin, of: Self.account, in: OperatorAccount.everyApp, by: Self.host)
    }
    if needsApprovals, !accounts.contains(where: { $0.name == Self.secondAccount }) {
      _ = try await engine.setRole(.admin, of: Self.secondAccount, in: OperatorAccount.everyApp, by: Self.host)
    }
    if let link = try await signInLink(of: Self.account, to: console, engine) {
      let words = BilingualText(
        "  console    \(link)\n             (signs in once, within ten minutes)\n",
        "  控制台     \(link)\n             （登录链接，十分钟内可用一次）\n")
      platform.print(words[CommandLineProgram.language(platform)])
    }
    guard needsApprovals, let link = try await signInLink(of: Self.secondAccount, to: console, engine) else { return }
    let words = BilingualText(
      "  console, second operator\n             \(link)\n             (for another browser: it approves)\n",
      "  控制台（第二位操作员）\n             \(link)\n             （请在另一个浏览器中打开，用于审批）\n")
    platform.print(words[CommandLineProgram.language(platform)])
  }

  private func signInLink(
    of account: OperatorName, to console: Listener, _ engine: PaymentEngine
  ) async throws -> String? {
    guard let code = try await engine.makeSignInLink(for: account, by: Self.host) else { return nil }
    return ConsoleListener.signInLink(origin: Self.origin(of: console), code: code)
  }
}
