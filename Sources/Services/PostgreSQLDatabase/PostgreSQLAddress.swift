package import PaymentDatabase
package import PaymentPrimitives

/// What the address of a database tells before anything is connected.
package struct PostgreSQLAddress: Hashable, Sendable {
  /// The servers, by name or number; a path is the folder of a socket on this machine.
  package let servers: [String]
  /// Whether a server must prove its host name by a certificate (`sslmode=verify-full`).
  package let verifiesServers: Bool

  /// - Throws: `invalidAddress`. The message never repeats the address: it may contain a password by mistake.
  package init(_ text: String) throws(CodedError<DatabaseErrorCode>) {
    let address = try ServerAddress(text, password: nil, schema: "counterfoil")
    servers = address.hosts.map { $0.options["hostaddr"] ?? $0.options["host"] ?? "" }
    verifiesServers = address.hosts.allSatisfy { $0.options["sslmode"] == "verify-full" }
  }

  /// Whether a text is meant as such an address.
  package static func isAddress(_ text: String) -> Bool { ServerAddress.schemes.contains { text.hasPrefix($0) } }

  /// Whether an address contains a password, which then counts as disclosed.
  package static func containsPassword(_ text: String) -> Bool {
    guard isAddress(text), let options = try? ServerAddress.parse(text) else { return false }
    return options["password"] != nil || options["sslpassword"] != nil
  }

  /// Whether a schema can have that name: small letters, digits and underscores.
  package static func isSchema(_ name: String) -> Bool { ServerAddress.isPlain(name) }

  /// Whether what is sent stays on this machine.
  package var staysHere: Bool {
    servers.allSatisfy { $0.hasPrefix("/") || $0.hasPrefix("127.") || $0 == "::1" || $0 == "localhost" }
  }
}
