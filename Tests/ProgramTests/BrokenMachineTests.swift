import Foundation
import SystemPlatform
import TestPlatform
import Testing

/// Mistakes of a machine that only a real one has.
@Suite struct `A machine on which a server cannot work` {
  private static func configuration(_ folder: String, port: UInt16) throws {
    try Files.replace(
      folder + "/counterfoil.toml",
      with: Array(
        """
        profile = "production"
        port = \(port)
        database = "\(folder)/data/counterfoil.db"
        trusted_proxies = ["127.0.0.1"]
        [[app]]
        id = "shop"
        bundle_id = "com.acme.shop"
        app_apple_id = 1234567890
        deliver_from = 2026-01-01T00:00:00Z
        [[app.user_token_key]]
        kid = "shop-1"
        algorithm = "HS256"
        secret = { file = "user-token.secret" }
        [[app.product]]
        id = "coins.100"
        kind = "consumable"
        app_store_product_ids = ["com.acme.shop.coins100"]
        units = { unit = "coin", amount = 100 }

        """.utf8))
    try Files.replace(folder + "/user-token.secret", with: Array(repeating: 0x61, count: 64))
  }

  @Test(.timeLimit(.minutes(5)))
  func `has a secret that everybody can read: check, doctor and the server refuse it`() async throws {
    try await withFolder { folder in
      try Self.configuration(folder, port: try freePort())
      try Files.makeFolder(folder + "/data")
      #expect(try await counterfoil("config", "check", in: folder).code == 0)
      for place in [folder, folder + "/user-token.secret"] {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
      }
      for command in [["config", "check"], ["doctor"], ["serve"]] {
        let refused = try await counterfoil(command, in: folder)
        #expect(refused.code == 2, "\(command)")
        let place = "app[0].user_token_key[0].secret: configuration_secret_exposed"
        #expect(refused.errors.contains(place), "\(refused.errors)")
        #expect(refused.errors.contains("chmod o-rwx user-token.secret"), "\(refused.errors)")
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `has no folder for the database, or another program on the port: doctor says so`() async throws {
    try await withFolder { folder in
      let port = try freePort()
      try Self.configuration(folder, port: port)
      let without = try await counterfoil("doctor", in: folder)
      #expect(without.code == 1 && without.output.contains("server.database: FAILED"), "\(without.output)")
      #expect(without.output.contains("install -d -o counterfoil"), "\(without.output)")
      try Files.makeFolder(folder + "/data")
      let good = try await counterfoil("doctor", in: folder)
      #expect(good.code == 0, "\(good.output)\(good.errors)")
      #expect(try Files.names(in: folder + "/data") == [], "the doctor leaves nothing behind")
      let other = try WebhookReceiver(port: port, secret: [1])
      defer { other.stop() }
      let taken = try await counterfoil("doctor", in: folder)
      #expect(taken.code == 1 && taken.output.contains("server.address: FAILED"), "\(taken.output)")
      #expect(taken.output.contains("http_address_unavailable"), "\(taken.output)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `where a server runs already passes: its port is its own`() async throws {
    try await withShop { shop in
      try await shop.start()
      let beside = try await counterfoil("doctor", in: shop.folder)
      #expect(beside.code == 0, "\(beside.output)")
      #expect(beside.output.contains("A server runs over this database already."), "\(beside.output)")
      #expect(try await shop.stop() == 0)
    }
  }
}
