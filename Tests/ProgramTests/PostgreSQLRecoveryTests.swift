import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestDatabases
import TestPlatform
import TestTier
import Testing

@Suite(
  .enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)),
  .enabled(if: Tier.among(test: false, check: true, night: true), "it takes long: make check runs it"))
struct `A recovery of PostgreSQL to a moment` {
  @Test(.timeLimit(.minutes(10)))
  func `has what was paid until then, and the server asks about the time since`() async throws {
    try await withFolder { folder in
      let archive = folder + "/archive"
      try FileManager.default.createDirectory(
        atPath: archive, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
      let first = try await PostgreSQLServer(
        options: "-c archive_mode=on -c archive_command='cp %p \(archive)/%f'")
      let table = databaseTable(first, schema: "counterfoil")
      try await withShop(database: table) { shop in
        try await shop.start()
        try await Self.sell(to: "ann", shop)
        let base = try first.baseBackup()
        try await Self.sell(to: "bob", shop)
        let since = Dependencies.system.now()
        try first.run("SELECT pg_create_restore_point('before_the_loss')")
        try await Self.sell(to: "cleo", shop)
        try first.run("SELECT pg_switch_wal()")
        let isArchived = try await eventually {
          try first.run("SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) FROM pg_stat_archiver")
            == "t"
        }
        #expect(isArchived)
        #expect(try await shop.stop() == 0)
        first.kill()

        let second = try await PostgreSQLServer(
          recovering: base,
          options: "-c restore_command='cp \(archive)/%f %p' -c recovery_target_name=before_the_loss "
            + "-c recovery_target_action=promote")
        let text = String(decoding: try Files.read(shop.configuration, bytesMax: 1 << 20), as: UTF8.self)
        let moved = text.replacing(first.address(), with: second.address())
        try Files.replace(shop.configuration, with: Array(moved.utf8))
        let audit = try await counterfoil("audit", "--json", in: shop.folder)
        #expect(audit.code == 0 && audit.output.contains(#""fulfilled":2"#), "\(audit.output) \(audit.errors)")
        let noted = try await counterfoil("restored", "--since", since.iso8601, in: shop.folder)
        #expect(noted.code == 0, "\(noted.errors)")
        try await shop.start()
        #expect(shop.process?.errors.contains("backup.") == true, "\(shop.process?.errors ?? "")")
        let kept = try await shop.ask("GET", "/v1/balances?userId=bob")
        #expect(kept.json["balances"]?.array?.first?["amount"]?.integer == 100, "\(kept.json.text)")
        let lost = try await shop.ask("GET", "/v1/balances?userId=cleo")
        #expect(lost.json["balances"]?.array?.isEmpty ?? true, "\(lost.json.text)")
        #expect(try await shop.stop() == 0)
      }
    }
  }

  private static func sell(to user: String, _ shop: Shop) async throws {
    let order = try await shop.placeOrder(of: user)
    _ = try await shop.buy(order: order, account: user)
    let paid = try await shop.ask("GET", "/v1/orders/\(order)?userId=\(user)&wait=20")
    #expect(paid.json["state"]?.string == "paid", "\(paid.json.text)")
  }
}
