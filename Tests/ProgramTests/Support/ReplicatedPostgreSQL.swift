import Foundation
import PaymentPrimitives
import Synchronization
import SystemPlatform
import TestDatabases
import TestPlatform

/// A PostgreSQL server with a synchronous standby, behind a proxy that leads to whichever is the primary.
final class ReplicatedPostgreSQL: Sendable {
  private struct State {
    var primary: PostgreSQLServer
    var standby: PostgreSQLServer?
  }

  private let state: Mutex<State>
  let line: FaultyLine

  var primary: PostgreSQLServer { state.withLock { $0.primary } }

  init() async throws {
    let primary = try await PostgreSQLServer()
    line = try await FaultyLine(to: primary)
    state = Mutex(State(primary: primary))
    try await addStandby()
  }

  /// Makes a new standby. From now on no commit is answered before both servers have it.
  func addStandby() async throws {
    let primary = primary
    let standby = try await PostgreSQLServer(standbyOf: primary)
    state.withLock { $0.standby = standby }
    try primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try primary.run("SELECT pg_reload_conf()")
    let isSynchronous = try await eventually {
      try primary.run("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
    }
    guard isSynchronous else { throw ShopError("the standby does not follow") }
  }

  /// Kills the primary as a power cut would, and lets the standby take its place.
  func failOver() async throws {
    guard let standby = state.withLock({ $0.standby }) else { throw ShopError("there is no standby") }
    primary.kill()
    try standby.run("SELECT pg_promote()")
    state.withLock { $0 = State(primary: standby) }
    try line.lead(to: standby)
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
}
