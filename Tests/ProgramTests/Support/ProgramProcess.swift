import Foundation
import TestSubprocess
import PaymentPrimitives
import Synchronization
import SystemPlatform

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The built program, run as a process of its own, with what it starts itself, as the demonstration does. It is gone,
/// whatever it was doing, when nobody holds this value any more: a test that fails leaves nothing behind.
final class ProgramProcess: Sendable {
  /// The longest that a process is waited for; reaching it is a failed test, never an expectation.
  static let patience = 6000

  private let program: OtherProgram

  /// What `counterfoil-lab` does, and `counterfoil` does not.
  private static let labCommands: Set<String> = ["run", "simulator", "demo", "trigger", "simulate", "bench"]

  /// The program lies beside the tests that were built with it.
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
  /// - Parameter program: the one that has the command of the arguments unless it is named.
  init(
    _ arguments: [String], in folder: String, environment: [String: String] = [:], program: String? = nil
  ) throws {
    let isOfLab = arguments.first.map { Self.labCommands.contains($0) } == true
    let name = program ?? (isOfLab ? "counterfoil-lab" : "counterfoil")
    // The shell goes to the folder and becomes the program, under the same process id.
    self.program = try OtherProgram(
      "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", folder, try Self.executable(name)] + arguments,
      environment: Self.variables(with: environment), within: .seconds(600))
  }

  /// This process's environment without what would change the program's words or settings.
  private static func variables(with added: [String: String]) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("LC_") && !name.hasPrefix("LANG") && !name.hasPrefix("COUNTERFOIL_")
    }
    variables.merge(added) { $1 }
    return variables
  }

  var identifier: pid_t { program.identifier }
  var output: String { program.output }
  var errors: String { program.errors }
  /// How it has ended; nil while it runs.
  var status: Int32? { program.status }

  func signal(_ number: Int32) { program.signal(number) }
  func kill() { program.kill() }
  func hold() -> Bool { program.hold() }
  func release() { program.release() }

  /// Waits for its end; kills it when patience runs out, and says so by nil.
  func end() async throws -> Int32? {
    for _ in 0..<Self.patience {
      if let status { return status }
      try await Dependencies.system.sleep(.milliseconds(10))
    }
    kill()
    return nil
  }
}

/// What a run of the program came to.
struct ProgramRun: Sendable {
  let code: Int32?
  let output: String
  let errors: String
}

/// Runs the program to its end.
func counterfoil(
  _ arguments: String..., in folder: String, environment: [String: String] = [:], program: String? = nil
) async throws -> ProgramRun {
  let process = try ProgramProcess(arguments, in: folder, environment: environment, program: program)
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
    try await Dependencies.system.sleep(.milliseconds(10))
  }
  return false
}

/// A port of this machine that nobody listens on, below those that the system gives to outgoing connections: a client
/// that calls while the server is dead could otherwise be given the server's own port.
func freePort() throws -> UInt16 {
  for _ in 0..<100 {
    let port = UInt16(20_000 + Dependencies.system.randomNumber(below: 12_000))
    if handedOut.withLock({ $0.insert(port).inserted }), isFree(port) { return port }
  }
  throw POSIXError(.EADDRINUSE)
}

/// What other tests of this process are about to listen on.
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
