package import Foundation
import Synchronization
import SystemPlatform
package import TestSubprocess

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A PostgreSQL server of the tests, with its own folder and a free port on this machine alone. It ends with the
/// process of the tests, at the latest.
package final class PostgreSQLServer: Sendable {
  /// Why there is none, for the tests that are skipped without one.
  package static let absent = "no PostgreSQL can be started here: there is no initdb"
  /// Whether this machine has one.
  package static var isPresent: Bool { programs != nil }
  /// What names the owner of every test database.
  package static let user = "counterfoil"
  package static let password = "correct horse"

  /// What a program of PostgreSQL said when it failed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let directory: URL
  package let port: Int
  private let program: Mutex<OtherProgram>
  private let programs: String
  /// The shell command that runs it.
  private let running: String

  /// The folder with `initdb` and `postgres`: that of `COUNTERFOIL_TEST_POSTGRESQL`, or the newest that is installed.
  /// Debian keeps it off the path.
  private static let programs: String? = {
    if let chosen = ProcessInfo.processInfo.environment["COUNTERFOIL_TEST_POSTGRESQL"] { return chosen }
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let folders =
      versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(root)/\($0)/bin" }
      + ["/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"]
    return folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()

  /// Starts one, and waits until it answers.
  ///
  /// - Parameter options: further settings, such as `-c ssl=on`.
  package convenience init(options: String = "") async throws {
    try await self.init(options: options) { programs in
      """
      printf '%s' '\(Self.password)' >password &&
      '\(programs)/initdb' -D data -U \(Self.user) --pwfile=password --auth=scram-sha-256 -E UTF8 --locale=C \
      --no-sync >initdb 2>&1 && rm password
      """
    }
  }

  /// Starts one that recovers from the folder of a base backup.
  ///
  /// - Parameter options: where it gets the WAL, and how far it recovers.
  package convenience init(recovering backup: String, options: String) async throws {
    try await self.init(options: options) { _ in
      "cp -r '\(backup)' data && chmod 700 data && touch data/recovery.signal"
    }
  }

  /// Starts a standby that follows another server.
  ///
  /// - Parameters:
  ///   - options: further settings: no limit is below that of the other.
  ///   - folders: where it has the tablespaces, by the folder that the other has.
  package convenience init(
    standbyOf primary: PostgreSQLServer, options: String = "", folders: [String: String] = [:]
  ) async throws {
    let places = folders.map { "-T '\($0)=\($1)' " }.sorted().joined()
    try await self.init(options: options) { programs in
      """
      '\(programs)/pg_basebackup' -D data -R -X stream --checkpoint=fast --no-sync \(places)-d 'host=127.0.0.1 \
      port=\(primary.port) user=\(Self.user) password='"'"'\(Self.password)'"'"' application_name=standby' >backup 2>&1
      """
    }
  }

  /// - Parameter making: the shell command that makes the folder `data`.
  private init(options: String = "", making: (_ programs: String) -> String) async throws {
    guard let programs = Self.programs else { throw CocoaError(.executableNotLoadable) }
    self.programs = programs
    directory = try makeTestDirectory()
    // The server refuses to run as root, so its user needs the folder.
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path)
    port = try Self.freePort()
    runAfterTests(Self.removing(directory.path))
    // Segments of shared memory in its folder go with the folder, also if the server is killed.
    running = """
      exec '\(programs)/postgres' -D data -p \(port) -k '\(directory.path)' -c listen_addresses=127.0.0.1 -c fsync=off \
      -c dynamic_shared_memory_type=mmap -c max_connections=300 -c shared_buffers=32MB \(options) 2>&1
      """
    program = Mutex(try Self.start("cd '\(directory.path)' && \(making(programs)) && \(running)"))
    try await awaitStart()
  }

  /// Kills it and starts it again over what it had written.
  package func restart() async throws {
    program.withLock { $0.kill() }
    // None of its processes runs. One that nobody has reaped would still count as running, by this file.
    let again = try Self.start(
      "cd '\(directory.path)' && \(Self.freeingMemory("data")); rm -f data/postmaster.pid .s.PGSQL.*; \(running)")
    program.withLock { $0 = again }
    try await awaitStart()
  }

  private func awaitStart() async throws {
    let program = program.withLock { $0 }
    // A standby says it in these words, too, with others between.
    try await program.awaitOutput("ready to accept")
    guard !program.hasEnded else { throw Failure(description: program.output + program.errors) }
  }

  /// Starts one with TLS.
  ///
  /// - Parameters:
  ///   - certificate: the path of its certificate.
  ///   - key: the path of the key, which the server's user gets.
  package convenience init(certificate: String, key: String) async throws {
    if getuid() == 0 { try await OtherProgram.run("/usr/bin/env", ["chown", "nobody", key]) }
    try await self.init(options: "-c ssl=on -c ssl_cert_file='\(certificate)' -c ssl_key_file='\(key)'")
  }

  deinit {
    program.withLock { $0.kill() }
    _ = try? Self.start(Self.removing(directory.path)).end()
    try? FileManager.default.removeItem(at: directory)
  }

  /// A killed server leaves a small segment of shared memory, and a system has few thousand of them. The seventh line
  /// of its file names the segment.
  private static func freeingMemory(_ data: String) -> String {
    "sed -n '7s/.* //p' '\(data)/postmaster.pid' 2>/dev/null | xargs -r ipcrm -m"
  }

  private static func removing(_ folder: String) -> String {
    "\(freeingMemory("\(folder)/data")); rm -rf '\(folder)' || { sleep 1; rm -rf '\(folder)'; }"
  }

  /// Runs a script as the user of the server: PostgreSQL refuses to run as root.
  private static func start(_ script: String, environment: [String: String]? = nil) throws -> OtherProgram {
    getuid() == 0
      ? try OtherProgram(
        "/usr/bin/env", ["runuser", "-u", "nobody", "--", "/bin/sh", "-c", script],
        environment: environment, within: .seconds(36_000))
      : try OtherProgram(
        "/bin/sh", ["-c", script], environment: environment,
        within: .seconds(36_000))
  }

  /// Copies the running server, as `pg_basebackup` does.
  ///
  /// - Returns: the folder of the copy, which goes with this server.
  package func baseBackup() throws -> String {
    let folder = directory.appendingPathComponent("base").path
    var environment = ProcessInfo.processInfo.environment
    environment["PGPASSWORD"] = Self.password
    let copy = try Self.start(
      "'\(programs)/pg_basebackup' -d '\(address())' -D '\(folder)' --checkpoint=fast --no-sync",
      environment: environment)
    guard copy.end() == 0 else { throw Failure(description: copy.errors) }
    return folder
  }

  /// The address of its database `postgres`, without a password.
  package func address(_ query: String = "", port: Int? = nil) -> String {
    "postgresql://\(Self.user)@127.0.0.1:\(port ?? self.port)/postgres\(query)"
  }

  /// Kills it and all its processes, as a power cut would.
  package func kill() { program.withLock { $0.kill() } }

  /// Runs SQL as its owner; returns the rows, columns separated by `|`.
  @discardableResult package func run(_ sql: String) throws -> String {
    var environment = ProcessInfo.processInfo.environment
    environment["PGPASSWORD"] = Self.password
    let psql = try OtherProgram(
      "\(programs)/psql",
      ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", address(), "-c", sql], environment: environment)
    let code = psql.end()
    guard code == 0 else { throw Failure(description: psql.errors) }
    return psql.output.trimmingCharacters(in: .newlines)
  }

  /// Takes every connection that the server has left, and holds them for a time: programs that never end their log-in.
  ///
  /// - Returns: whether the server then refused one.
  package func takeConnections(for duration: Duration) async throws -> OtherProgram {
    let program = try OtherProgram(
      "/usr/bin/env", ["python3", "-u", "-c", Self.takingScript, "\(port)", "\(duration.components.seconds)"])
    try await program.awaitOutput("full")
    return program
  }

  /// It sends the first message of the protocol, and waits for the question for a password.
  private static let takingScript = #"""
    import socket, struct, sys, time
    words = b"user\0counterfoil\0database\0postgres\0\0"
    held = []
    for _ in range(1000):
        line = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        line.sendall(struct.pack("!ii", 8 + len(words), 196608) + words)
        if line.recv(1) != b"R":
            print("full")
            break
        held.append(line)
    time.sleep(int(sys.argv[2]))
    """#

  /// Begins a transaction that holds what it locked until it is ended.
  ///
  /// - Parameter name: the name of its session, for `pg_stat_activity`.
  package func begin(_ sql: String, named name: String) throws -> OtherProgram {
    var environment = ProcessInfo.processInfo.environment
    environment["PGPASSWORD"] = Self.password
    environment["PGAPPNAME"] = name
    return try OtherProgram(
      "\(programs)/psql", ["-X", "-q", "-d", address(), "-c", "\(sql); SELECT pg_sleep(120)"], environment: environment)
  }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw CocoaError(.fileReadUnknown) }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

/// The one server that tests share, each with a schema of its own.
package actor SharedPostgreSQL {
  package static let shared = SharedPostgreSQL()
  private var start: Task<PostgreSQLServer, any Error>?
  private var schemas = 0

  package func server() async throws -> PostgreSQLServer {
    if let start { return try await start.value }
    let start = Task { try await PostgreSQLServer() }
    self.start = start
    return try await start.value
  }

  /// The name of a schema that no other test uses.
  package func newSchema() -> String {
    schemas += 1
    return "test_\(schemas)"
  }
}
