import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import Testing

/// The last entry of the audit log leaves the database with each backup.
@Suite struct `The audit log of a backup` {
  private static func makeKey(_ shop: Shop) async throws {
    let made = try await counterfoil("keys", "create", "--kind", "secret", "--label", "x", in: shop.folder)
    #expect(made.code == 0, "\(made.errors)")
  }

  private static func backUp(_ shop: Shop) async throws -> (run: ProgramRun, path: String, manifest: JSONValue) {
    let run = try await counterfoil("backup", "--to", shop.folder + "/backups", "--json", in: shop.folder)
    let json = try JSONReader.read(run.output.utf8)
    return (run, try #require(json["path"]?.string), try #require(json["manifest"]))
  }

  private static func verify(_ arguments: String..., in shop: Shop) async throws -> ProgramRun {
    try await counterfoil(["audit-log", "verify"] + arguments, in: shop.folder)
  }

  @Test(.timeLimit(.minutes(5)))
  func `is not taken from a folder that is no backup, nor beside another head`() async throws {
    try await withShop { shop in
      try await Self.makeKey(shop)
      let backup = try await Self.backUp(shop)
      let none = try await Self.verify("--backup", shop.folder, in: shop)
      #expect(none.code == 2 && none.errors.contains("is no backup"), "\(none.errors)")
      let both = try await Self.verify(
        "--backup", backup.path, "--head", "1:" + String(repeating: "0", count: 64), in: shop)
      #expect(both.code == 2 && both.errors.contains("Either --head"), "\(both.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `shows that a database lacks entries which the backup has`() async throws {
    try await withShop { shop in
      try await Self.makeKey(shop)
      let first = try await Self.backUp(shop)
      try await Self.makeKey(shop)
      let second = try await Self.backUp(shop)
      let numbers = [first, second].map { $0.manifest["auditLogHead"]?["number"]?.integer ?? 0 }
      #expect(numbers[0] > 0 && numbers[1] > numbers[0])
      // The database of now has the last entries of both; the first backup's database lacks the last of the second.
      #expect(try await Self.verify("--backup", first.path, in: shop).code == 0)
      #expect(try await Self.verify("--backup", second.path, in: shop).code == 0)
      let old = try await Self.verify(
        "--backup", second.path, "--database", first.path + "/counterfoil.db", in: shop)
      #expect(old.code == 1 && old.output.contains("headMissing"), "\(old.output) \(old.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `that somebody changed is told, and this backup pushes out none`() async throws {
    try await withShop { shop in
      try await shop.start()
      let order = try await shop.placeOrder(of: "alice")
      _ = try await shop.buy(order: order, account: "alice")
      #expect(try await shop.ask("GET", "/v1/orders/\(order)?userId=alice&wait=20").json["state"]?.string == "paid")
      #expect(try await shop.stop() == 0)
      try await Self.makeKey(shop)
      let good = try await Self.backUp(shop)
      #expect(good.run.code == 0 && good.manifest["auditLogBrokenAt"] == nil)

      let log = try await counterfoil("audit-log", "--json", in: shop.folder)
      let newest = try #require(log.output.split(separator: "\n").first)
      let action = try #require(try JSONReader.read(newest.utf8)["action"]?.string)
      try Self.change(action, in: shop.database)
      let backup = try await counterfoil(
        "backup", "--to", shop.folder + "/backups", "--keep", "1", in: shop.folder)
      #expect(backup.code == 1 && backup.output.contains("audit log is broken at entry"), "\(backup.output)")
      #expect(FileManager.default.fileExists(atPath: good.path))
    }
  }

  /// Writes another action of the same length into the file, behind the back of the triggers.
  private static func change(_ action: String, in database: String) throws {
    var bytes = Data(try Files.read(database, bytesMax: 1 << 26))
    let other = Data(action.utf8.dropLast() + [UInt8(ascii: "~")])
    var count = 0
    while let found = bytes.range(of: Data(action.utf8)) {
      bytes.replaceSubrange(found, with: other)
      count += 1
    }
    try #require(count > 0)
    try Files.replace(database, with: Array(bytes))
  }
}
