package import PaymentDatabase
package import PaymentPrimitives

/// The location of a database on a PostgreSQL server and how it is used.
package struct PostgreSQLSettings: Sendable {
  /// The address, such as `postgresql://counterfoil@db1,db2/shop?sslmode=verify-full`. It contains no password.
  package var address: String
  /// The password, if the server asks for one. It is never shown.
  package var password: String?
  /// The schema with Counterfoil's tables: small letters, digits and underscores.
  package var schema: String
  /// The profile of the database: written into a new one, compared with an existing one.
  package var profile: DatabaseProfile
  /// The steps of the schema; tests pass those of another version.
  package var steps = PostgreSQLSchema.migrations
  /// The time of transactions; nil is the database's own clock. Tests pass one that stands still.
  package var clock: (@Sendable () -> Timestamp)?
  /// Nanoseconds of a clock that only goes forward, for deadlines.
  package var monotonicNanoseconds: @Sendable () -> UInt64
  /// Gives the addresses of a server's name, none if it has none; nil if they do not come within the span. Without it
  /// libpq looks names up, and waits as long as the system does.
  package var lookUp: (@Sendable (_ name: String, _ span: TimeSpan) -> [String]?)?
  /// The longest wait for one server to accept a connection at one of its addresses, and for the look-up of its name.
  package var openingDeadline = TimeSpan.seconds(5)
  /// The longest wait for the answer to a statement. The server itself gives up earlier.
  package var statementDeadline = TimeSpan.seconds(40)
  /// The longest wait for the answer to a COMMIT. Afterwards its outcome is determined by another connection.
  package var commitDeadline = TimeSpan.seconds(10)
  /// How long a session answers after the last commit of its server. Then the server must prove anew that it leads.
  package var confirmedFor = TimeSpan.seconds(10)
  /// The most transactions in one commit.
  package var batchMax = 200
  /// The most waiting transactions; further ones fail with `overloaded`.
  package var waitingMax = 4096
  /// The most waiting or running reads; further ones fail with `overloaded`.
  package var readingMax = 4096

  package init(
    address: String, profile: DatabaseProfile, monotonicNanoseconds: @escaping @Sendable () -> UInt64
  ) {
    self.address = address
    self.profile = profile
    self.monotonicNanoseconds = monotonicNanoseconds
    schema = "counterfoil"
  }
}
