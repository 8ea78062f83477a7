import PaymentDatabase
import PaymentPrimitives
import SQLRows

/// Opens sessions on the first of its servers that can be written.
struct ConnectionOpener: Sendable {
  /// The oldest server: 15, such as 150000.
  static let serverVersionMin = 150_000

  private let address: ServerAddress
  private let settings: PostgreSQLSettings
  private let statements = StatementTypes()
  let work = WorkCount()
  let unknownCommits = UnknownCommits()
  let lostCommits = LostCommits()

  /// - Throws: `invalidAddress`.
  init(_ settings: PostgreSQLSettings) throws(CodedError<DatabaseErrorCode>) {
    self.settings = settings
    address = try ServerAddress(settings.address, password: settings.password, schema: settings.schema)
  }

  /// - Throws: `CodedError<DatabaseErrorCode>`: of the last server, if none will do.
  func open() throws -> Connection { try firstHost { try open($0) } }

  /// Opens a session that answers callers: everything that it sees has reached the standby, where the server has one.
  ///
  /// A server that starts again shows each commit that it had written, also one that no standby has yet. A fail-over
  /// would take such an answer back. So the session first commits once itself, behind all that it can see. A primary
  /// that was replaced and runs on cannot do that: then the next server is tried.
  ///
  /// - Throws: `CodedError<DatabaseErrorCode>`: also if no standby confirms that commit in time.
  func openForAnswers() throws -> Connection {
    try firstHost { host in
      let connection = try open(host)
      do {
        try connection.runConfirmed(Self.mark)
        return connection
      } catch {
        connection.close()
        throw CodedError<DatabaseErrorCode>(.unavailable, "The standby has not confirmed what PostgreSQL shows.")
      }
    }
  }

  /// Whether a session may answer on: its server has committed within `confirmedFor`, or does so now. A session that
  /// may not is closed.
  func stillLeads(_ connection: Connection) -> Bool {
    let age = settings.monotonicNanoseconds() - connection.confirmedAt
    guard connection.isOutsideTransaction, age >= UInt64(settings.confirmedFor.milliseconds) * 1_000_000 else {
      return true
    }
    do { try connection.runConfirmed(Self.mark) } catch {
      connection.close()
      return false
    }
    return true
  }

  private func firstHost(_ body: (ServerAddress.Host) throws -> Connection) throws -> Connection {
    var last: any Error = CodedError<DatabaseErrorCode>(.unavailable)
    for host in address.hosts {
      do {
        for place in try places(of: host) {
          do { return try body(place) } catch {
            last = error
            // Whoever answers is the server, and another of its addresses would say the same.
            guard (error as? CodedError<DatabaseErrorCode>)?.code == .unavailable else { break }
          }
        }
      } catch { last = error }
    }
    throw last
  }

  /// A host once for each of its addresses, so that libpq looks no name up.
  private func places(of host: ServerAddress.Host) throws -> [ServerAddress.Host] {
    guard let name = host.nameToLookUp, let lookUp = settings.lookUp else { return [host] }
    guard let found = lookUp(name, settings.openingDeadline) else {
      throw CodedError<DatabaseErrorCode>(.unavailable, "The name of \(host.name) was not looked up in time.")
    }
    guard !found.isEmpty else {
      throw CodedError<DatabaseErrorCode>(.unavailable, "The name of \(host.name) has no address.")
    }
    return found.map { host.at($0) }
  }

  private func open(_ host: ServerAddress.Host) throws -> Connection {
    let line = try Line(
      to: host, within: settings.openingDeadline, monotonicNanoseconds: settings.monotonicNanoseconds)
    do {
      let connection = try Connection(
        line, statementDeadline: settings.statementDeadline, commitDeadline: settings.commitDeadline,
        statements: statements, work: work)
      try Self.requireVersion(connection.serverVersion, at: host.name)
      let found = try connection.first(Self.session, { _ in }, { ($0.flag(), $0.text()) })
      guard found?.1 == settings.schema else { throw Self.pooler(at: host.name) }
      guard found?.0 == false else {
        throw CodedError<DatabaseErrorCode>(.readOnly, "PostgreSQL at \(host.name) is a standby.")
      }
      return connection
    } catch {
      line.close()
      // A statement of this name is prepared already: another program has used the same session.
      if (error as? PostgreSQLFailure)?.state == "42P05" { throw Self.pooler(at: host.name) }
      throw (error as? PostgreSQLFailure)?.databaseError ?? error
    }
  }

  static func requireVersion(_ version: Int, at name: String) throws(CodedError<DatabaseErrorCode>) {
    guard version >= serverVersionMin else {
      throw CodedError(.unsupportedServer, "PostgreSQL at \(name) is \(version / 10_000).\(version % 10_000).")
    }
  }

  static func pooler(at name: String) -> CodedError<DatabaseErrorCode> {
    CodedError(.poolerBetween, "It is at \(name).")
  }

  /// A record in the log of the server that concerns no table. Its commit waits for the standby as every other does.
  private static let mark = SQL("SELECT 1 FROM pg_logical_emit_message(true, 'counterfoil', '')")

  /// Whether the session cannot write, and its search path: a sign of whether it took its settings.
  private static let session = SQL(
    """
    SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on', current_setting('search_path')
    """)
}
