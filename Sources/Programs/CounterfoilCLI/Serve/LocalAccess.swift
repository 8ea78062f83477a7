import HTTPMessages
import PaymentEngine
package import PaymentModel
package import PaymentServer
package import PaymentPrimitives
import StrictJSON

/// How commands on this machine ask a running server, which holds its database alone.
///
/// The server opens a port of its own on the loopback address and writes a file beside the database, readable by its
/// owner only: the port, and an operator key for each app. These keys live in the memory of that process alone and end
/// with it. Whoever can read the file can read the database.
package struct LocalAccess: Sendable {
  /// An operator key for each app.
  package let texts: [(app: AppIdentifier, text: String)]
  /// The same keys as the server knows them.
  package let keys: [APIKey]

  package init(to apps: [AppIdentifier], _ surroundings: Dependencies) {
    let made = apps.map { app in
      (app, APIKeyText.newKey(.operator, for: app, label: "a command on this machine", surroundings))
    }
    texts = made.map { ($0.0, $0.1.text) }
    keys = made.map(\.1.key)
  }

  package static func file(of database: String) -> String { database + ".access" }

  /// Listens on the loopback address, for operator routes only, and writes the file.
  package func listen(for server: PaymentServer, database: String, _ doors: Platform) throws -> Listener {
    var settings = ListenSettings(address: "127.0.0.1", port: 0)
    settings.drainLimit = .seconds(5)
    let listener = try doors.listen(settings) { request, peer in
      guard request.target.hasPrefix("/v1/operator/") else { return HTTPResponse(status: 404) }
      return await server.respond(to: request, from: peer)
    }
    let json = JSONValue.members([
      ("address", .string("http://127.0.0.1:\(listener.port)")),
      (
        "keys",
        .array(texts.map { .members([("app", .string($0.app.text)), ("key", .string($0.text))]) })
      ),
    ])
    try doors.files.replace(Self.file(of: database), json.bytes)
    return listener
  }

  /// Removes the file: nobody listens any more. One that is left by a killed server names a port that nobody answers
  /// on, or keys that no other process takes.
  package func end(database: String, _ doors: Platform) {
    try? doors.files.remove(Self.file(of: database))
  }
}
