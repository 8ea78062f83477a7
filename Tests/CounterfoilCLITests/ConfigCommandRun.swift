import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import ServerConfiguration
import Synchronization
import TOMLConfiguration

/// Runs a command, by default `counterfoil config check`, with a configuration and files in memory.
enum ConfigCommandRun {
  struct Answer: Sendable {
    let code: Int32
    let shown: String
    let errors: String
  }

  /// What a command printed.
  private final class Screen: Sendable {
    private let text = Mutex("")
    var shown: String { text.withLock { $0 } }
    func show(_ more: String) { text.withLock { $0 += more } }
  }

  /// What the machine below does not allow.
  struct Machine: Sendable {
    /// Files that everybody can read.
    var exposed: Set<String> = []
    var isPortTaken = false
    /// The beginning of the paths that cannot be written.
    var unwritable: String?
  }

  /// 2026-03-01T12:00:00Z
  static let now = Timestamp(milliseconds: 1_772_366_400_000)

  static func run(
    _ toml: String, files: [String: [UInt8]], variables: [String: String],
    arguments: [String] = ["config", "check", "--config", "c.toml"], exchange: HTTPExchange? = nil,
    machine: Machine? = nil,
    program: CommandLineProgram = .counterfoil
  ) async -> Answer {
    let (output, errors) = (Screen(), Screen())
    struct Closed: Error {}
    let write: @Sendable (String) throws -> Void = { path in
      guard let machine else { throw Closed() }
      if let closed = machine.unwritable, path.hasPrefix(closed) {
        throw CodedError<ConfigurationErrorCode>(.fileUnreadable, "\(path): Permission denied.")
      }
    }
    var system = FileSystem(
      read: { path, _ in path == "c.toml" ? Array(toml.utf8) : files[path] },
      replace: { path, _ in try write(path) }, remove: { try write($0) }, makeFolder: { _ in throw Closed() },
      names: { _ in throw Closed() }, openLog: { _ in throw Closed() })
    system.isReadableByOthers = { machine?.exposed.contains($0) ?? false }
    // A command that may send may name what it sends.
    var randomBytes = Dependencies.refusing.randomBytes
    if exchange != nil { randomBytes = { [UInt8](repeating: 7, count: $0) } }
    let platform = Platform(
      dependencies: Dependencies(
        now: { now }, randomBytes: randomBytes, sleep: Dependencies.refusing.sleep),
      monotonicNanoseconds: { 0 }, processorNanoseconds: { 0 },
      files: system,
      environment: { variables[$0] }, print: { output.show($0) }, isTerminal: false, printError: { errors.show($0) },
      listen: { settings, _ in
        guard let machine else { throw Closed() }
        guard !machine.isPortTaken else {
          throw CodedError<ConfigurationErrorCode>(.cannotWork, "Address already in use.")
        }
        return Listener(address: settings.address, port: settings.port, run: {}, stop: {})
      },
      exchange: { _ in
        guard let exchange else { throw Closed() }
        return exchange
      },
      shutdown: { AsyncStream { $0.finish() } }, startSelf: { _, _ in throw Closed() }, programName: "counterfoil")
    let code = await program.run(arguments: arguments, platform: platform)
    return Answer(code: code, shown: output.shown, errors: errors.shown)
  }
}
