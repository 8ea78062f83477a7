import AppStoreSimulator
import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import TestTier
import Testing

/// The commands `backup` and `restore`, beside a running server.
@Suite struct `A backup` {
  private static func take(_ shop: Shop, _ arguments: String...) async throws -> ProgramRun {
    try await counterfoil(["backup", "--to", shop.folder + "/backups"] + arguments, in: shop.folder)
  }

  /// The complete backups of a shop, oldest first.
  private static func backups(_ shop: Shop) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/backups")
      .filter { $0.hasPrefix("counterfoil-") }.sorted().map { shop.folder + "/backups/" + $0 }
  }

  /// An order of a user that was paid and presented.
  private struct Paid {
    let order: String
    let signed: String
    let transaction: String
  }

  private static func buy(_ shop: Shop, of user: String) async throws -> Paid {
    let order = try await shop.ask(
      "POST", "/v1/orders",
      body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", .string(user))]))
    let id = try #require(order.json["id"]?.string)
    let bought = try await shop.buy(order: id, account: user)
    let paid = Paid(
      order: id, signed: bought.signedTransaction, transaction: bought.transaction.id.text)
    #expect(try await present(paid, shop, of: user) == "fulfilled")
    return paid
  }

  private static func present(_ paid: Paid, _ shop: Shop, of user: String) async throws -> String? {
    let answer = try await shop.ask(
      "POST", "/v1/payments/app-store",
      body: .members([("evidence", .string(paid.signed)), ("userId", .string(user))]))
    return answer.json["payments"]?.array?.first?["verdict"]?.string
  }

  private static func use(_ database: String, in shop: Shop) throws {
    let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
    try Files.replace(
      shop.configuration,
      with: Array(text.replacing("database = \"counterfoil.db\"", with: "database = \"\(database)\"").utf8))
  }

  @Test(.timeLimit(.minutes(5)))
  func `is not restored if a byte of it differs, or if there is none`() async throws {
    try await withShop { shop in
      let none = try await counterfoil("restore", shop.folder, "--drill", in: shop.folder)
      #expect(none.code == 1 && none.errors.contains("is no backup"))
      try await shop.start()
      #expect(try await Self.take(shop).code == 0)
      let backup = try #require(try Self.backups(shop).first)
      var bytes = try Files.read(backup + "/counterfoil.db", bytesMax: 1 << 24)
      bytes[bytes.count / 2] ^= 1
      try Files.replace(backup + "/counterfoil.db", with: bytes)
      for arguments in [["--drill"], ["--to", shop.folder + "/new.db"]] {
        let damaged = try await counterfoil(["restore", backup] + arguments, in: shop.folder)
        #expect(damaged.code == 1 && damaged.errors.contains("is damaged"), "\(damaged.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: shop.folder + "/new.db"))
      try FileManager.default.removeItem(atPath: backup + "/manifest.json")
      let unfinished = try await counterfoil("restore", backup, "--drill", in: shop.folder)
      #expect(unfinished.code == 1 && unfinished.errors.contains("is no backup"))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `never overwrites the database, and wrong arguments are refused`() async throws {
    try await withShop { shop in
      try await shop.start()
      #expect(try await Self.take(shop).code == 0)
      let backup = try #require(try Self.backups(shop).first)
      let over = try await counterfoil("restore", backup, "--to", shop.database, in: shop.folder)
      #expect(over.code == 1 && over.errors.contains("exists already"), "\(over.errors)")
      for arguments in [["restore"], ["restore", backup], ["restore", backup, "--to", "x", "--drill"], ["backup"]] {
        #expect(try await counterfoil(arguments, in: shop.folder).code == 2, "\(arguments)")
      }
      #expect(try await shop.stop() == 0)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `by cp has no rows, and backup, audit and restore say so`() async throws {
    try await withShop { shop in
      try await shop.start()
      _ = try await Self.buy(shop, of: "alice")
      try FileManager.default.copyItem(atPath: shop.database, toPath: shop.folder + "/cp.db")
      let audit = try await counterfoil("audit", "--database", "cp.db", in: shop.folder)
      let holds = audit.output.contains("All rules of money hold")
      #expect(!holds && (audit.code != 0 || audit.output.contains("EMPTY")), "\(audit.output) \(audit.errors)")
      let backup = try await Self.take(shop, "--database", "cp.db")
      #expect(backup.code == 1 || backup.output.contains("EMPTY"), "\(backup.output) \(backup.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `beside a running server holds what was committed, and only the newest stay`() async throws {
    try await withShop { shop in
      try await shop.start()
      _ = try await Self.buy(shop, of: "alice")
      for _ in 0..<3 {
        let run = try await Self.take(shop, "--keep", "2", "--json")
        #expect(run.code == 0, "\(run.errors)")
        let manifest = try JSONReader.read(run.output.utf8)["manifest"]
        #expect(manifest?["rows"]?["orders"] == .integer(1) && manifest?["violations"] == .integer(0))
      }
      #expect(try Self.backups(shop).count == 2)
      let drill = try await counterfoil("restore", shop.folder + "/backups", "--drill", in: shop.folder)
      #expect(drill.code == 0 && drill.output.contains("All rules of money hold"), "\(drill.errors)")
      let left = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/backups")
      #expect(left.count == 2, "\(left)")
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `that is killed leaves nothing that looks like one, and the next one works`() async throws {
    try await withShop { shop in
      try await shop.start()
      _ = try await Self.buy(shop, of: "alice")
      #expect(try await Self.take(shop).code == 0)
      for moment in 0..<Tier.among(test: 8, check: 30, night: 200) {
        let process = try ProgramProcess(["backup", "--to", shop.folder + "/backups"], in: shop.folder)
        try await Dependencies.system.sleep(.milliseconds(Int64(moment * 5 % 120)))
        process.kill()
        _ = try await process.end()
      }
      for backup in try Self.backups(shop) {
        let drill = try await counterfoil("restore", backup, "--drill", in: shop.folder)
        #expect(drill.code == 0, "\(drill.errors)")
      }
      #expect(try await Self.take(shop).code == 0)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `that is restored keeps what was paid since for an operator, who grants it under the same delivery id`()
    async throws
  {
    try await withShop { shop in
      try await shop.start()
      _ = try await Self.buy(shop, of: "alice")
      #expect(try await Self.take(shop).code == 0)
      let lost = try await Self.buy(shop, of: "bob")
      let before = try await Self.deliveries(shop)
      #expect(before.count == 2)
      #expect(try await shop.stop() == 0)

      let backup = try #require(try Self.backups(shop).first)
      let restored = try await counterfoil("restore", backup, "--to", shop.folder + "/new.db", in: shop.folder)
      #expect(restored.code == 0 && restored.output.contains("/readyz"), "\(restored.errors)")
      try Self.use("new.db", in: shop)
      try await shop.start()
      #expect(try await Self.deliveries(shop) == before.filter { $0.user == "alice" })
      #expect(try await shop.ask("GET", "/v1/orders/\(lost.order)").status == 404)
      // The order is lost, and the evidence is none of Bob's device: an operator decides.
      #expect(try await Self.present(lost, shop, of: "bob") == "held")
      let made = try await counterfoil(
        "keys", "create", "--kind", "operator", "--label", "x", "--json", in: shop.folder)
      let key = try #require(try JSONReader.read(made.output.utf8)["key"]?.string)
      let claimed = try await shop.call(
        "POST", "/v1/operator/payments/\(lost.transaction)/claim",
        body: .members([("userId", "bob"), ("reason", "the order is newer than the backup")]), credential: key)
      #expect(claimed.status == 200, "\(claimed.json.text)")
      #expect(try await Self.deliveries(shop) == before, "receivers that store the ids book nothing twice")
      let audit = try await counterfoil("audit", in: shop.folder)
      #expect(audit.code == 0, "\(audit.output)")
    }
  }

  private struct MadeDelivery: Hashable {
    let id: String
    let user: String
  }

  private static func deliveries(_ shop: Shop) async throws -> Set<MadeDelivery> {
    let listed = try await shop.ask("GET", "/v1/deliveries")
    return Set(
      (listed.json["deliveries"]?.array ?? []).compactMap { delivery in
        delivery["id"]?.string.map { MadeDelivery(id: $0, user: delivery["delivery"]?["userId"]?.string ?? "") }
      })
  }

  @Test(.timeLimit(.minutes(5)))
  func `is taken by the server itself, soon after its start`() async throws {
    try await withShop { shop in
      try Self.schedule(shop)
      try await shop.start()
      let isTaken = try await eventually { ((try? Self.backups(shop)) ?? []).count == 1 }
      #expect(isTaken, "\(shop.process?.errors ?? "")")
      // A restart takes none: the newest is young.
      #expect(try await shop.stop() == 0)
      try await shop.start()
      _ = try await Self.buy(shop, of: "alice")
      #expect(try Self.backups(shop).count == 1)
    }
  }

  /// A backup that a clock ahead has dated must not make the next one due for ever.
  @Test(.timeLimit(.minutes(5)))
  func `of the future neither stops the schedule nor makes it take one after the other`() async throws {
    try await withShop { shop in
      try await shop.start()
      _ = try await Self.buy(shop, of: "alice")
      #expect(try await Self.take(shop).code == 0)
      let backup = try #require(try Self.backups(shop).first)
      let manifest = String(decoding: try Files.read(backup + "/manifest.json", bytesMax: 1 << 20), as: UTF8.self)
      let date = try #require(try /"takenAt":"([^"]*)"/.firstMatch(in: manifest)?.output.1)
      try Files.replace(
        backup + "/manifest.json", with: Array(manifest.replacing(date, with: "2099-01-01T00:00:00Z").utf8))
      try FileManager.default.moveItem(atPath: backup, toPath: shop.folder + "/backups/counterfoil-20990101T000000Z")
      #expect(try await shop.stop() == 0)
      try Self.schedule(shop)
      try await shop.start()
      #expect(try await eventually { try Self.backups(shop).count == 2 })
      try await Dependencies.system.sleep(.seconds(1))
      #expect(try Self.backups(shop).count == 2)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `that is empty pushes out no other`() async throws {
    try await withShop { shop in
      try await shop.start()
      _ = try await Self.buy(shop, of: "alice")
      #expect(try await Self.take(shop).code == 0)
      #expect(try await shop.stop() == 0)
      // A database that was made by mistake. No server runs over it: the store would tell it of the purchase.
      try Self.use("wrong.db", in: shop)
      #expect(
        try await counterfoil("keys", "create", "--kind", "secret", "--label", "x", in: shop.folder).code == 0)
      let empty = try await Self.take(shop, "--keep", "1")
      #expect(empty.code == 0 && empty.output.contains("EMPTY"), "\(empty.output)")
      #expect(try Self.backups(shop).count == 2)
      // A good one pushes out the others.
      #expect(try await Self.take(shop, "--keep", "1", "--database", "counterfoil.db").code == 0)
      #expect(try Self.backups(shop).count == 1)
    }
  }

  private static func schedule(_ shop: Shop) throws {
    let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
    try Files.replace(
      shop.configuration,
      with: Array(text.replacing("\n[[app]]", with: "\n[backup]\nfolder = \"backups\"\n\n[[app]]").utf8))
  }
}
