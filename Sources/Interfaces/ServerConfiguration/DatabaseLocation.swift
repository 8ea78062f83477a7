package import Cryptography
package import PaymentDatabase
package import PaymentPrimitives
import PostgreSQLDatabase

/// Where a server's rows are.
package enum DatabaseLocation: Sendable {
  /// In a SQLite file, for one process. The path is relative to the working folder.
  case file(String)
  /// On a PostgreSQL server, for any number of processes.
  case server(DatabaseServerSettings)

  /// Its path or its address, for messages; neither contains a password.
  package var name: String {
    switch self {
    case .file(let path): path
    case .server(let settings): settings.url
    }
  }

  /// The path of its file; nil if it is on a server.
  package var file: String? {
    if case .file(let path) = self { return path }
    return nil
  }

  /// What a flag names: an address, `sqlite:` and a path, or a path.
  ///
  /// - Throws: `invalidAddress`.
  package init(naming text: String) throws(CodedError<DatabaseErrorCode>) {
    guard PostgreSQLAddress.isAddress(text) else {
      guard !text.contains("://") else {
        throw CodedError(.invalidAddress, "It is neither a path nor an address of PostgreSQL.")
      }
      self = .file(Self.path(in: text))
      return
    }
    _ = try PostgreSQLAddress(text)
    self = .server(DatabaseServerSettings(url: text))
  }

  /// The path in `sqlite:path`, or in a path alone.
  static func path(in text: String) -> String {
    text.hasPrefix("sqlite:") ? String(text.dropFirst("sqlite:".count)) : text
  }
}

/// The settings of a database on a PostgreSQL server.
package struct DatabaseServerSettings: Sendable {
  /// Its address, without a password.
  package var url: String
  /// The password, if the server asks for one.
  package var password: Secret?
  /// The schema with the tables.
  package var schema = "counterfoil"
  /// What keeps a commit from being lost.
  package var durability = DatabaseDurability.local
  /// The connections that write.
  package var writers = 4
  /// The connections that read.
  package var readers = 4
  /// The most transactions in one commit.
  package var batch = 200
  /// The most transactions that wait.
  package var waiting = 4096
  /// The longest wait for the answer to a COMMIT.
  package var commitDeadline = TimeSpan.seconds(10)

  package init(url: String) { self.url = url }
}

/// What keeps an answered commit from being lost with a machine.
package enum DatabaseDurability: String, Hashable, CaseIterable, Sendable {
  /// A synchronous standby, which has each commit before it is answered.
  case replicated
  /// The storage of a managed database, which copies by itself.
  case storage
  /// Nothing but the disk of one machine.
  case local
}
