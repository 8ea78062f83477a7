import Foundation
import PaymentVocabulary
import Synchronization
import SystemSurroundings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The built program, run as a process of its own. What it writes lies in two files. It is gone, whatever it was doing,
/// when nobody holds this value any more: a test that fails leaves nothing behind.
final class ProgramProcess: Sendable {
  /// The longest that a process is waited for; reaching it is a failed test, never an expectation.
  static let patience = 6000

  let identifier: pid_t
  private let outputFile: String
  private let errorFile: String
  /// How it ended, once it has: its exit code, or 128 and the signal's number.
  private let ended = Mutex<Int32?>(nil)

  /// The program lies beside the tests that were built with it.
  static func executable() throws -> String {
    guard let tests = SystemProcess.executablePath else { throw CocoaError(.fileNoSuchFile) }
    #if canImport(Darwin)
      let folder = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath ?? tests
    #else
      let folder = tests
    #endif
    return URL(fileURLWithPath: folder).deletingLastPathComponent().appendingPathComponent("counterfoil").path
  }

  /// Starts it in a folder, which is where its output goes too.
  init(_ arguments: [String], in folder: String, environment: [String: String] = [:]) throws {
    let name = UUID().uuidString
    outputFile = folder + "/" + name + ".out"
    errorFile = folder + "/" + name + ".err"
    let program = try Self.executable()
    // The shell goes to the folder and becomes the program, under the same process id.
    let shell = "/bin/sh"
    var words = Self.pointers([shell, "-c", "cd \"$0\" && exec \"$@\"", folder, program] + arguments)
    var variables = Self.pointers(Self.variables(with: environment))
    defer { for pointer in words + variables { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputFile, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errorFile, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // A group of its own: what it starts itself, as the demonstration does, is killed with it.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Another test may ignore a signal just now; the program must not inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    posix_spawnattr_setpgroup(&attributes, 0)
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, shell, &actions, &attributes, &words, &variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
    self.identifier = identifier
  }

  deinit { kill() }

  private static func pointers(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }

  /// This process's environment without what would change the program's words or settings.
  private static func variables(with added: [String: String]) -> [String] {
    var variables = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("LC_") && !name.hasPrefix("LANG") && !name.hasPrefix("COUNTERFOIL_")
    }
    variables.merge(added) { $1 }
    return variables.sorted { $0.key < $1.key }.map { $0.key + "=" + $0.value }
  }

  var output: String { Self.text(outputFile) }
  var errors: String { Self.text(errorFile) }

  private static func text(_ file: String) -> String {
    (try? Files.read(file, bytesMax: 64 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  // MARK: signals

  /// Sends a signal, unless it has ended.
  func signal(_ number: Int32) {
    ended.withLock { ended in
      if ended == nil { send(number, to: identifier) }
    }
  }

  /// Kills it and what it has started: nothing of it runs any more when this returns.
  func kill() {
    ended.withLock { ended in
      guard ended == nil else { return }
      send(SIGKILL, to: -identifier)
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
      ended = Self.code(of: status)
    }
  }

  /// Stops it where it stands; false if it has ended. All of its threads stand still when this returns.
  func hold() -> Bool {
    ended.withLock { ended in
      guard ended == nil else { return false }
      send(SIGSTOP, to: identifier)
      var status: Int32 = 0
      while waitpid(identifier, &status, WUNTRACED) < 0 && errno == EINTR {}
      if status & 0xFF == 0x7F { return true }
      ended = Self.code(of: status)
      return false
    }
  }

  /// Lets it go on.
  func release() { signal(SIGCONT) }

  // MARK: its end

  /// How it has ended; nil while it runs.
  var status: Int32? {
    ended.withLock { ended in
      guard ended == nil else { return ended }
      var status: Int32 = 0
      if waitpid(identifier, &status, WNOHANG) == identifier { ended = Self.code(of: status) }
      return ended
    }
  }

  /// Waits for its end; kills it when patience runs out, and says so by nil.
  func end() async throws -> Int32? {
    for _ in 0..<Self.patience {
      if let status { return status }
      try await Surroundings.system.sleep(.milliseconds(10))
    }
    kill()
    return nil
  }

  private static func code(of status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }
}

private func send(_ signal: Int32, to identifier: pid_t) { _ = kill(identifier, signal) }

/// What a run of the program came to.
struct ProgramRun: Sendable {
  let code: Int32?
  let output: String
  let errors: String
}

/// Runs the program to its end.
func counterfoil(
  _ arguments: String..., in folder: String, environment: [String: String] = [:]
) async throws -> ProgramRun {
  let process = try ProgramProcess(arguments, in: folder, environment: environment)
  let code = try await process.end()
  return ProgramRun(code: code, output: process.output, errors: process.errors)
}

/// A folder for the length of a test.
func withFolder<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Result
) async throws -> Result {
  let folder = NSTemporaryDirectory() + "counterfoil-program-tests-" + UUID().uuidString
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await body(folder)
}

/// Waits until something is so, by looking again and again; false if it never becomes so.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
  for _ in 0..<ProgramProcess.patience {
    if try await condition() { return true }
    try await Surroundings.system.sleep(.milliseconds(10))
  }
  return false
}

/// A port of this machine that nobody listens on, below those that the system gives to outgoing connections: a client
/// that calls while the server is dead could otherwise be given the server's own port.
func freePort() throws -> UInt16 {
  for _ in 0..<100 {
    let port = UInt16(20_000 + Surroundings.system.randomNumber(below: 12_000))
    if isFree(port) { return port }
  }
  throw POSIXError(.EADDRINUSE)
}

private func isFree(_ port: UInt16) -> Bool {
  #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #endif
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
