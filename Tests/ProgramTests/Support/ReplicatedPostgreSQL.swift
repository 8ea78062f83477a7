import Foundation
import PaymentPrimitives
import Synchronization
import SystemPlatform
import TestDatabases
import TestPlatform
import TestSubprocess

/// A PostgreSQL server with a synchronous standby, behind a proxy that leads to whichever is the primary.
final class ReplicatedPostgreSQL: Sendable {
  /// A server, and the small disk of its tables, where one can be made.
  struct Member {
    let server: PostgreSQLServer
    let disk: SmallDisk?
    let folder: String?
  }

  private struct State {
    var primary: Member
    var standby: Member?
  }

  /// Three nodes have ten connections each, and the tests a few.
  private static let options = "-c max_connections=80"
  private let state: Mutex<State>
  let line: FaultyLine

  var primary: PostgreSQLServer { state.withLock { $0.primary.server } }

  init() async throws {
    let server = try await PostgreSQLServer(options: Self.options)
    let disk = try Self.disk()
    if let folder = disk?.folder {
      try server.run("CREATE TABLESPACE small LOCATION '\(folder)'")
      try server.run("ALTER SYSTEM SET default_tablespace = 'small'")
      try server.run("SELECT pg_reload_conf()")
    }
    line = try await FaultyLine(to: server)
    state = Mutex(State(primary: Member(server: server, disk: disk?.disk, folder: disk?.folder)))
    try await addStandby()
  }

  private static func disk() throws -> (disk: SmallDisk, folder: String)? {
    guard SmallDisk.isPossible else { return nil }
    let disk = try SmallDisk(megabytes: 384)
    return (disk, try disk.tableFolder())
  }

  /// Makes a new standby. From now on no commit is answered before both servers have it.
  func addStandby() async throws {
    let primary = state.withLock { $0.primary }
    let disk = try Self.disk()
    var folders: [String: String] = [:]
    if let old = primary.folder, let new = disk?.folder { folders = [old: new] }
    let standby = Member(
      server: try await PostgreSQLServer(standbyOf: primary.server, options: Self.options, folders: folders),
      disk: disk?.disk, folder: disk?.folder)
    state.withLock { $0.standby = standby }
    try primary.server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try primary.server.run("SELECT pg_reload_conf()")
    let isSynchronous = try await eventually {
      try primary.server.run("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
    }
    guard isSynchronous else { throw ShopError("the standby does not follow") }
  }

  /// Kills the primary as a power cut would, and lets the standby take its place.
  func failOver() async throws {
    guard let standby = state.withLock({ $0.standby }) else { throw ShopError("there is no standby") }
    primary.kill()
    try standby.server.run("SELECT pg_promote()")
    state.withLock { $0 = State(primary: standby) }
    try line.lead(to: standby.server)
    try await addStandby()
  }

  /// Kills the primary and starts it again over what it had written.
  func restart() async throws {
    let primary = primary
    try await primary.restart()
  }

  /// Ends sessions of the servers' programs, by chance.
  ///
  /// - Returns: how many.
  func endSessions(oneIn count: Int) throws -> Int {
    let ended = try primary.run(
      """
      SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() * \(count) < 1
      """)
    return Int(ended) ?? 0
  }

  /// Locks the keys that were used last, in the other order than the nodes do.
  ///
  /// - Returns: how many deadlocks the server ended.
  func deadlock(in schema: String) async throws -> Int {
    let before = try deadlocks()
    for _ in 0..<10 {
      // The others notice first, so that one of theirs is ended.
      _ = try? primary.run(
        """
        DO $$ DECLARE found bigint; BEGIN
        SET LOCAL deadlock_timeout = '5s';
        FOR found IN SELECT key FROM (
          SELECT key FROM \(schema).lock_keys WHERE key <> 0 ORDER BY age(xmin) LIMIT 60) AS used ORDER BY key DESC LOOP
          PERFORM 1 FROM \(schema).lock_keys WHERE key = found FOR UPDATE;
          PERFORM pg_sleep(0.02);
        END LOOP; END $$
        """)
      // A server process tells its counts after up to a second.
      if try await eventually(tries: 100, { try self.deadlocks() > before }) { break }
    }
    return try deadlocks() - before
  }

  private func deadlocks() throws -> Int {
    Int(try primary.run("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'")) ?? 0
  }

  /// Locks tables for some seconds: every writer and reader of the nodes waits.
  func lockTables(in schema: String) async throws -> Int {
    try primary.run(
      """
      BEGIN; LOCK TABLE \(schema).orders, \(schema).balances IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(4); COMMIT
      """)
    return 1
  }

  /// Takes all connections while the nodes have lost theirs.
  ///
  /// - Returns: 1 if the server refused more.
  func fillConnections() async throws -> Int {
    let primary = primary
    let taking = try await primary.takeConnections(for: .seconds(3))
    defer { taking.kill() }
    guard taking.output.contains("full") else { return 0 }
    line.cutAll()
    try await Dependencies.system.sleep(.seconds(3))
    return 1
  }

  /// Fills the disk of the tables for some seconds.
  func fillDisk() async throws -> Int {
    guard let disk = state.withLock({ $0.primary.disk }) else { return 0 }
    try disk.fill(true)
    try await Dependencies.system.sleep(.seconds(3))
    try disk.fill(false)
    return 1
  }
}
