import Foundation
import PaymentPrimitives
import Synchronization
import SystemPlatform
import TestDatabases
import TestSubprocess

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The built program in its own process, with its own child processes, as in the demonstration. It is killed when this
/// value is released: a failed test leaves nothing running.
final class ProgramProcess: Sendable {
  /// The longest wait for a process, in steps of 10 ms. A test that reaches it fails.
  static let patience = 6000

  private let program: OtherProgram

  /// Commands of `counterfoil-lab` that `counterfoil` does not have.
  private static let labCommands: Set<String> = ["run", "simulator", "demo", "trigger", "simulate", "bench"]

  /// The program is in the folder of the tests that were built with it.
  static func executable(_ name: String) throws -> String {
    guard let tests = SystemProcess.executablePath else { throw CocoaError(.fileNoSuchFile) }
    #if canImport(Darwin)
      let folder = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath ?? tests
    #else
      let folder = tests
    #endif
    return URL(fileURLWithPath: folder).deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// Starts it in a folder.
  ///
  /// - Parameters:
  ///   - program: by default the program that has the command.
  ///   - deadline: its longest run time.
  init(
    _ arguments: [String], in folder: String, environment: [String: String] = [:], program: String? = nil,
    within deadline: Duration = .seconds(600)
  ) throws {
    let isOfLab = arguments.first.map { Self.labCommands.contains($0) } == true
    let name = program ?? (isOfLab ? "counterfoil-lab" : "counterfoil")
    // The shell changes to the folder and becomes the program, with the same process id.
    self.program = try OtherProgram(
      "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", folder, try Self.executable(name)] + arguments,
      environment: Self.variables(with: environment), within: deadline)
  }

  /// This process's environment without variables that would change the program's texts or settings.
  private static func variables(with added: [String: String]) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("LC_") && !name.hasPrefix("LANG") && !name.hasPrefix("COUNTERFOIL_")
    }
    variables["TEST_DATABASE_PASSWORD"] = PostgreSQLServer.password
    variables.merge(added) { $1 }
    return variables
  }

  var identifier: pid_t { program.identifier }
  var output: String { program.output }
  var errors: String { program.errors }
  /// Its exit status; nil while it runs.
  var status: Int32? { program.status }

  func signal(_ number: Int32) { program.signal(number) }
  func kill() { program.kill() }
  func hold() -> Bool { program.hold() }
  func release() { program.release() }

  /// Waits for its end. After a timeout it kills the process and returns nil. A whole run, as that of a bench, may take
  /// most of a test's time limit beside other tests on a slow machine, so it gets more time than one answer.
  func end() async throws -> Int32? {
    for _ in 0..<(4 * Self.patience) {
      if let status { return status }
      try await Dependencies.system.sleep(.milliseconds(10))
    }
    kill()
    return nil
  }
}

/// The result of a run of the program.
struct ProgramRun: Sendable {
  let code: Int32?
  let output: String
  let errors: String
}

/// Runs the program to its end.
func counterfoil(
  _ arguments: String..., in folder: String, environment: [String: String] = [:], program: String? = nil
) async throws -> ProgramRun {
  try await counterfoil(arguments, in: folder, environment: environment, program: program)
}

func counterfoil(
  _ arguments: [String], in folder: String, environment: [String: String] = [:], program: String? = nil
) async throws -> ProgramRun {
  let process = try ProgramProcess(arguments, in: folder, environment: environment, program: program)
  let code = try await process.end()
  return ProgramRun(code: code, output: process.output, errors: process.errors)
}

/// A folder that exists during a test.
func withFolder<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Result
) async throws -> Result {
  let folder = NSTemporaryDirectory() + "counterfoil-program-tests-" + UUID().uuidString
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await body(folder)
}

/// A free local port below the range for outgoing connections. Otherwise a client that calls while the server is dead
/// could get the server's own port.
func freePort() throws -> UInt16 {
  for _ in 0..<100 {
    let port = UInt16(20_000 + Dependencies.system.randomNumber(below: 12_000))
    if handedOut.withLock({ $0.insert(port).inserted }), isFree(port) { return port }
  }
  throw POSIXError(.EADDRINUSE)
}

/// Ports that other tests of this process will listen on.
private let handedOut = Mutex<Set<UInt16>>([])

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
