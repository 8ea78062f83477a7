import Console
import HTTPMessages
package import PaymentDatabase
import PaymentPrimitives
import PaymentServer
package import ServerConfiguration
import Synchronization

/// Serves the console on a port of its own: whoever reaches the API does not reach it.
package enum ConsoleListener {
  /// A form with a reason of 1,000 characters is the largest body.
  private static let bodyBytesMax = 64 << 10

  /// Opens the listener of a configuration.
  package static func open(
    _ settings: ConsoleListenSettings, over assembly: ServerAssembly, _ profile: DatabaseProfile, on platform: Platform
  ) throws -> Listener {
    let slot = Slot()
    var listen = ListenSettings(address: settings.address, port: settings.port)
    listen.bodyBytesMax = bodyBytesMax
    listen.drainLimit = .seconds(5)
    let listener = try platform.listen(listen) { request, peer in
      guard let console = slot.console.withLock({ $0 }) else { return HTTPResponse(status: 503) }
      return await console.respond(to: request, from: peer)
    }
    let origin = origin(of: settings, at: listener)
    var shown = ConsoleSettings(
      origin: origin, isSimulated: profile == .simulated, version: Version.text,
      approvals: settings.needsApprovals ? ApprovalRules(refundMinorUnits: settings.refundMinorUnits) : nil)
    shown.identity = try settings.provider.map { provider in
      IdentityVerification(
        provider, log: assembly.log, readKeys: try ProviderKeySource.reader(of: provider.keys, on: platform))
    }
    let console = Console(
      engine: assembly.engine, settings: shown, requests: assembly.server.requests,
      dependencies: platform.dependencies, log: assembly.log)
    slot.console.withLock { $0 = console }
    assembly.log(LogEvent(.info, "console.listening", [("origin", origin)]))
    return listener
  }

  /// Where browsers reach it. Port 0 gets its number only when it is opened; then the origin names it.
  package static func origin(of settings: ConsoleListenSettings, at listener: Listener) -> String {
    settings.port == 0 ? "http://localhost:\(listener.port)" : settings.origin
  }

  /// The address that signs an operator in.
  package static func signInLink(origin: String, code: String) -> String {
    Console.signInLink(origin: origin, code: code)
  }

  /// Takes the console once its origin is known.
  private final class Slot: Sendable {
    let console = Mutex<Console?>(nil)
  }
}
