import HTTPMessages
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
package import PaymentServer
import ServerConfiguration
import StrictJSON

/// Lets commands on this machine call a running server, which has exclusive access to its database.
///
/// The server opens a separate port on the loopback address and writes a file beside the database. Only its owner can
/// read the file. It contains the port, the console's address, and an operator key for each app. These keys exist only
/// in the memory of that process and end with it. A process that can read the file can also read the database.
package struct LocalAccess: Sendable {
  /// An operator key for each app.
  package let texts: [(app: AppIdentifier, text: String)]
  /// The same keys in the server's form.
  package let keys: [APIKey]

  package init(to apps: [AppIdentifier], _ dependencies: Dependencies) {
    let made = apps.map { app in
      (
        app,
        APIKeyText.newKey(.operator, for: app, label: "a command on this machine", role: .admin, dependencies)
      )
    }
    texts = made.map { ($0.0, $0.1.text) }
    keys = made.map(\.1.key)
  }

  package static func file(of database: String) -> String { database + ".access" }

  /// Listens on the loopback address, for operator routes and accounts only, and writes the file.
  ///
  /// - Parameter console: where browsers reach the console; nil if there is none.
  package func listen(
    for server: PaymentServer, _ engine: PaymentEngine, database: String, console: String?, _ platform: Platform
  ) throws -> Listener {
    var settings = ListenSettings(address: "127.0.0.1", port: 0)
    settings.drainLimit = .seconds(5)
    let keys = texts.map(\.text)
    let listener = try platform.listen(settings) { request, peer in
      if request.target == AccountRequest.path {
        return await AccountRequest.respond(to: request, engine, keys: keys)
      }
      guard request.target.hasPrefix("/v1/operator/") else { return HTTPResponse(status: 404) }
      return await server.respond(to: request, from: peer)
    }
    let json = JSONValue.members([
      ("address", .string("http://127.0.0.1:\(listener.port)")),
      (
        "keys",
        .array(texts.map { .members([("app", .string($0.app.text)), ("key", .string($0.text))]) })
      ), ("console", console.map(JSONValue.string)),
    ])
    try platform.files.replace(Self.file(of: database), json.bytes)
    return listener
  }

  /// Removes the file, because the port is closed. A file that a killed server left behind names a closed port, or keys
  /// that no other process accepts.
  package func end(database: String, _ platform: Platform) {
    try? platform.files.remove(Self.file(of: database))
  }
}
