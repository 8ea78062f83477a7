import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import Testing

/// While a server has the database open, keys are created and revoked through the server.
@Suite struct `The command keys beside a running server` {
  private func create(_ shop: Shop, kind: String = "secret") async throws -> (id: String, key: String) {
    let made = try await counterfoil("keys", "create", "--kind", kind, "--label", "x", "--json", in: shop.folder)
    #expect(made.code == 0, "\(made.errors)")
    let json = try JSONReader.read(made.output.utf8)
    return (try #require(json["id"]?.string), try #require(json["key"]?.string))
  }

  @Test(.timeLimit(.minutes(5)))
  func `refuses an unknown key id, and an app that the server was not started with`() async throws {
    try await withShop { shop in
      try await shop.start()
      for id in ["nope", "no/pe", "..", "%2e"] {
        let unknown = try await counterfoil("keys", "revoke", id, in: shop.folder)
        #expect(unknown.code == 1 && unknown.errors.contains("(key_unknown)"), "\(id): \(unknown.errors)")
      }
      let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
      let other = text.replacing("id = \"game\"", with: "id = \"other\"")
      try Files.replace(shop.configuration, with: Array(other.utf8))
      let made = try await counterfoil("keys", "create", "--kind", "secret", "--label", "x", in: shop.folder)
      #expect(made.code == 1 && made.errors.contains("The running server does not know the app other"))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `creates a key that is valid at once, and revokes it with effect at once`() async throws {
    try await withShop { shop in
      try await shop.start()
      let made = try await create(shop)
      let used = try await shop.call("GET", "/v1/orders", body: nil, credential: made.key)
      #expect(used.status == 200)
      let revoked = try await counterfoil("keys", "revoke", made.id, in: shop.folder)
      #expect(revoked.code == 0 && revoked.output == "\(made.id) is revoked.\n")
      let refused = try await shop.call("GET", "/v1/orders", body: nil, credential: made.key)
      #expect(refused.status == 401)
      let end = try await shop.stop()
      #expect(end == 0)
      let listed = try await counterfoil("keys", "list", in: shop.folder)
      #expect(listed.output.contains("\(made.id)  game  secret") && listed.output.contains("revoked"))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `gives operator keys a role and an expiry, and warns of those without a role`() async throws {
    try await withShop { shop in
      try await shop.start()
      let operatorKey = ["keys", "create", "--kind", "operator", "--label", "x"]
      for wrong in [
        operatorKey + ["--role", "king"], operatorKey + ["--expires", "0d"],
        operatorKey + ["--expires", "2020-01-01T00:00:00Z"],
        ["keys", "create", "--kind", "secret", "--label", "x", "--role", "viewer"],
      ] {
        let refused = try await counterfoil(wrong, in: shop.folder)
        #expect(refused.code == 2, "\(wrong)")
      }
      let made = try await counterfoil(
        operatorKey + ["--role", "viewer", "--expires", "90d", "--json"], in: shop.folder)
      let json = try JSONReader.read(made.output.utf8)
      let key = try #require(json["key"]?.string)
      #expect(made.code == 0 && json["role"]?.string == "viewer" && json["expiresAt"] != nil && made.errors.isEmpty)
      let read = try await shop.call("GET", "/v1/operator/queue", body: nil, credential: key)
      #expect(read.status == 200)
      let refused = try await shop.call("GET", "/v1/operator/keys", body: nil, credential: key)
      #expect(refused.status == 403)
      let quiet = try await counterfoil("keys", "list", in: shop.folder)
      #expect(quiet.output.contains("operator  viewer") && quiet.output.contains("expires "))
      let bare = try await counterfoil(operatorKey, in: shop.folder)
      #expect(bare.code == 0 && bare.errors.contains("--role"))
      let warned = try await counterfoil("keys", "list", in: shop.folder)
      #expect(warned.output.contains("operator  without a role") && warned.errors.contains("may do everything"))
      let checked = try await counterfoil("doctor", "--json", in: shop.folder)
      #expect(checked.output.contains("operator_keys") && checked.output.contains("warned"))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `uses a file that only its owner reads, only for operator routes, until the server ends`() async throws {
    try await withShop { shop in
      try await shop.start()
      let path = shop.database + ".access"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let json = try JSONReader.read(try Files.read(path, bytesMax: 1 << 20))
      let address = try #require(json["address"]?.string)
      #expect(address.hasPrefix("http://127.0.0.1:"))
      let key = try #require(json["keys"]?.array?.first?["key"]?.string)
      for target in ["/v1/orders", "/livez", "/v1/operatorx", "/v1/operator"] {
        let answer = try await shop.exchange.send(
          HTTPRequest("GET", address + target, fields: ["Authorization": "Bearer " + key]), .seconds(10))
        #expect(answer.status == 404, "\(target)")
      }
      let wrong = String(key.dropLast()) + (key.hasSuffix("A") ? "B" : "A")
      let refused = try await shop.call("GET", "/v1/operator/keys", body: nil, credential: wrong)
      #expect(refused.status == 401)
      let end = try await shop.stop()
      #expect(end == 0)
      #expect(!FileManager.default.fileExists(atPath: path))
      let listed = try await counterfoil("keys", "list", in: shop.folder)
      #expect(!listed.output.contains(String(key.prefix(16))), "the key is not in the database")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `uses the database directly after the server was killed and left its file behind`() async throws {
    try await withShop { shop in
      try await shop.start()
      shop.process?.signal(SIGKILL)
      _ = try await shop.process?.end()
      #expect(FileManager.default.fileExists(atPath: shop.database + ".access"))
      let made = try await create(shop)
      try await shop.start()
      let used = try await shop.call("GET", "/v1/orders", body: nil, credential: made.key)
      #expect(used.status == 200)
    }
  }
}
