import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import Testing

/// `[erasures] list`: the file outside the database, and a restored backup (record 302).
@Suite struct `The file of erasures` {
  private static func list(_ shop: Shop) -> String { shop.folder + "/erased.list" }

  private static func configure(_ shop: Shop) throws {
    let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
    try Files.replace(
      shop.configuration, with: Array((text + "\n[erasures]\nlist = \"\(list(shop))\"\n").utf8))
  }

  private static func use(_ database: String, in shop: Shop) throws {
    let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
    try Files.replace(
      shop.configuration,
      with: Array(text.replacing("database = \"counterfoil.db\"", with: "database = \"\(database)\"").utf8))
  }

  private static func coins(of user: String, _ shop: Shop) async throws -> Int64? {
    let answer = try await shop.ask("GET", "/v1/balances?userId=\(user)")
    return answer.json["balances"]?.array?.first?["amount"]?.integer
  }

  /// Buys 100 coins for a user, whose backend has booked them.
  private static func buy(_ shop: Shop, of user: String) async throws {
    let order = try await shop.placeOrder(of: user)
    _ = try await shop.buy(order: order, account: user)
    let paid = try await shop.ask("GET", "/v1/orders/\(order)?userId=\(user)&wait=20")
    #expect(paid.json["state"]?.string == "paid", "\(paid.json.text)")
    let listed = try await shop.ask("GET", "/v1/deliveries")
    for delivery in listed.json["deliveries"]?.array ?? [] {
      let id = try #require(delivery["id"]?.string)
      #expect(try await shop.ask("POST", "/v1/deliveries/\(id)/ack").status < 300)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `that is damaged lets no server start, and the error names file and line`() async throws {
    try await withShop { shop in
      try Self.configure(shop)
      try Files.replace(Self.list(shop), with: Array("nothing of ours\n".utf8))
      let run = try await counterfoil("serve", in: shop.folder)
      #expect(run.code == 1 && run.errors.contains("erased.list"), "\(run.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `erases a user again after a restore, before the server answers, and names none`() async throws {
    try await withShop { shop in
      try Self.configure(shop)
      let made = try await counterfoil(
        "keys", "create", "--kind", "secret", "--may-erase", "--label", "x", "--json", in: shop.folder)
      let key = try #require(try JSONReader.read(made.output.utf8)["key"]?.string)
      try await shop.start()
      try await Self.buy(shop, of: "alice-9f3")
      let backup = try await counterfoil("backup", "--to", shop.folder + "/backups", in: shop.folder)
      #expect(backup.code == 0, "\(backup.errors)")

      let refused = try await shop.ask("POST", "/v1/users/alice-9f3/erase")
      #expect(refused.status == 403, "\(refused.json.text)")
      let erased = try await shop.call("POST", "/v1/users/alice-9f3/erase", body: nil, credential: key)
      let alias = try #require(erased.json["userId"]?.string, "\(erased.json.text)")
      #expect(erased.status == 201 && alias.hasPrefix("erased_"))
      let lines = String(decoding: try Files.read(Self.list(shop), bytesMax: 1 << 20), as: UTF8.self)
      #expect(lines.contains(alias) && !lines.contains("alice-9f3"), "\(lines)")
      #expect(try await shop.stop() == 0)

      let taken = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/backups")
      let place = try #require(taken.first { $0.hasPrefix("counterfoil-") })
      let restored = try await counterfoil(
        "restore", shop.folder + "/backups/" + place, "--to", shop.folder + "/new.db", in: shop.folder)
      #expect(restored.code == 0, "\(restored.errors)")
      try Self.use("new.db", in: shop)
      try await shop.start()
      #expect(try await Self.coins(of: "alice-9f3", shop) == nil)
      #expect(try await Self.coins(of: alias, shop) == 100)
      let again = try await shop.call("POST", "/v1/users/alice-9f3/erase", body: nil, credential: key)
      #expect(again.status == 200 && again.json["userId"]?.string == alias, "\(again.json.text)")
      #expect(try await counterfoil("audit", in: shop.folder).code == 0)
    }
  }
}
