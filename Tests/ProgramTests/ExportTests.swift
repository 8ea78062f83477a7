import AppStoreSimulator
import Foundation
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestDatabases
import TestPlatform
import TestTier
import Testing

/// The command `export`, beside a server and alone.
@Suite struct `The command export` {
  /// Runs it for all rows until now.
  private static func export(
    _ shop: Shop, of kinds: [String] = ["all"], until: String? = nil, to folder: String = "out",
    with more: [String] = []
  ) async throws -> ProgramRun {
    let until = until ?? Dependencies.system.now().iso8601
    return try await counterfoil(
      ["export"] + kinds + ["--from", "2020-01-01", "--until", until, "--to", folder] + more, in: shop.folder)
  }

  /// Sells a hundred coins to a user.
  private static func sell(_ shop: Shop, to user: String) async throws {
    let order = try await shop.placeOrder(of: user)
    let bought = try await shop.buy(order: order, account: user)
    let answer = try await shop.ask(
      "POST", "/v1/payments/app-store",
      body: .members([("evidence", .string(bought.signedTransaction)), ("userId", .string(user))]))
    #expect(answer.json["payments"]?.array?.first?["verdict"]?.string == "fulfilled", "\(answer.json.text)")
  }

  private static func manifest(_ shop: Shop, _ folder: String = "out") throws -> JSONValue {
    try JSONReader.read(Files.read(shop.folder + "/\(folder)/manifest.json", bytesMax: 1 << 20))
  }

  /// The rows of each kind, by the manifest.
  private static func rows(_ manifest: JSONValue) -> [String: Int64] {
    (manifest["files"]?.array ?? []).reduce(into: [:]) { rows, file in
      rows[file["kind"]?.string ?? "", default: 0] += file["rows"]?.integer ?? 0
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `refuses what is unknown, unreadable or contradictory as wrong usage, and makes no folder`() async throws {
    try await withShop { shop in
      let span = ["--from", "2020-01-01", "--until", "2020-02-01"]
      let wrong: [(arguments: [String], says: String)] = [
        (["cats", "--to", "out"] + span, "cats cannot be exported."),
        (["orders"] + span, "--to names the folder"), (["orders", "--to", "out"], "--from is needed."),
        (["orders", "--to", "out", "--from", "yesterday", "--until", "2020-02-01"], "--from is a day such as"),
        (["orders", "--to", "out", "--from", "2020-02-01", "--until", "2020-02-01"], "must be later"),
        (["orders", "--to", "out", "--from", "2020-02-01", "--until", "2999-01-01"], "in the future"),
        (["orders", "--to", "out", "--format", "xml"] + span, "--format is one of csv, jsonl"),
        (["orders", "--to", "out", "--app", "other"] + span, "No app of that id"),
        (["orders", "--to", "out", "--environment", "moon"] + span, "--environment is one of"),
        (["orders", "--to", "out", "--keep-days", "0"] + span, "--keep-days must be"),
        (["orders", "--to", "out", "--files-only"] + span, "--files-only is for --verify"),
        (["orders", "--verify", "out"], "orders is for making an export"),
        (["--verify", "out", "--to", "x"], "--to is for making an export"),
        (["--verify", "out", "--expire", "out"], "exclude each other"),
        (["--expire", "out", "--files-only"], "--files-only is for --verify"),
      ]
      for call in wrong {
        let run = try await counterfoil(["export"] + call.arguments, in: shop.folder)
        #expect(run.code == 2 && run.errors.contains(call.says), "\(call.arguments): \(run.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: shop.folder + "/out"))
      let none = try await counterfoil("export", "--verify", "nowhere", in: shop.folder)
      #expect(none.code == 1 && none.errors.contains("(export_manifest_missing)"), "\(none.errors)")
      let taken = try await Self.export(shop, to: ".")
      #expect(taken.code == 1 && taken.errors.contains("(export_folder_taken)"), "\(taken.errors)")
      let unwritable = try await Self.export(shop, to: "counterfoil.toml/out")
      #expect(unwritable.code == 1 && unwritable.errors.contains("(file_unwritable)"), "\(unwritable.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `makes none from balances that are not the sum of their movements`() async throws {
    try await withShop { shop in
      try await shop.start()
      try await Self.sell(shop, to: "alice")
      #expect(try await shop.stop() == 0)
      _ = try runSQL("UPDATE balances SET amount = amount + 1", on: shop.database)
      let run = try await Self.export(shop, of: ["ledger"])
      #expect(run.code == 1 && run.errors.contains("(export_balance_differs)"), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: shop.folder + "/out/manifest.json"))
    }
  }

  @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"), .timeLimit(.minutes(5)))
  func `says that the disk is full, and works there once it has room`() async throws {
    try await withShop { shop in
      try await shop.start()
      try await Self.sell(shop, to: "alice")
      let disk = try SmallDisk(megabytes: 2)
      let until = Dependencies.system.now().iso8601
      try disk.fill(true)
      let full = try await Self.export(shop, until: until, to: disk.folder + "/out")
      #expect(full.code == 1 && full.errors.contains("(file_unwritable)"), "\(full.errors)")
      #expect(full.errors.contains("free space"), "\(full.errors)")
      try disk.fill(false)
      let again = try await Self.export(shop, until: until, to: disk.folder + "/out")
      #expect(again.code == 0, "\(again.errors)")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `beside a running server has the rows of its database, and tells a byte that was changed`() async throws {
    try await withShop { shop in
      try await shop.start()
      for user in ["alice", "bob", "carol"] { try await Self.sell(shop, to: user) }
      let until = Dependencies.system.now().iso8601
      let run = try await Self.export(shop, until: until, with: ["--json"])
      #expect(run.code == 0, "\(run.errors)")
      let manifest = try Self.manifest(shop)
      #expect(run.output == manifest.text + "\n")
      for table in ["orders", "payments", "deliveries", "postings"] {
        let count = try String(runSQL("SELECT count(*) FROM \(table)", on: shop.database).dropLast())
        #expect(Self.rows(manifest)[table == "postings" ? "ledger" : table].map { "\($0)" } == count, "\(table)")
      }
      let again = try await Self.export(shop, until: until)
      #expect(again.code == 0 && again.output.contains("there already"), "\(again.errors)")
      #expect(try Self.manifest(shop) == manifest)
      let verified = try await counterfoil("export", "--verify", "out", in: shop.folder)
      #expect(verified.code == 0, "\(verified.errors)")

      let file = shop.folder + "/out/payments-0001.csv"
      var bytes = try Files.read(file, bytesMax: 1 << 20)
      bytes[bytes.count / 2] ^= 1
      try Files.replace(file, with: bytes)
      for arguments in [["export", "--verify", "out"], ["export", "--verify", "out", "--files-only"]] {
        let damaged = try await counterfoil(arguments, in: shop.folder)
        #expect(damaged.code == 1 && damaged.errors.contains("(export_damaged)"), "\(damaged.errors)")
        #expect(damaged.errors.contains("payments-0001.csv"), "\(damaged.errors)")
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `that is killed leaves no manifest, and run again makes the same files`() async throws {
    try await withShop { shop in
      try await shop.start()
      for user in ["alice", "bob"] { try await Self.sell(shop, to: user) }
      #expect(try await shop.stop() == 0)
      let until = Dependencies.system.now().iso8601
      #expect(try await Self.export(shop, until: until, to: "whole").code == 0)
      let whole = try Self.manifest(shop, "whole")["files"]
      for moment in 0..<Tier.among(test: 8, check: 30, night: 200) {
        let folder = "killed-\(moment)"
        let process = try ProgramProcess(
          ["export", "all", "--from", "2020-01-01", "--until", until, "--to", folder], in: shop.folder)
        try await Dependencies.system.sleep(.milliseconds(Int64(moment * 5 % 120)))
        process.kill()
        _ = try await process.end()
        let again = try await Self.export(shop, until: until, to: folder)
        #expect(again.code == 0, "\(again.errors)")
        #expect(try Self.manifest(shop, folder)["files"] == whole)
        let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/" + folder)
        #expect(names.count == (whole?.array?.count ?? 0) + 1, "\(names)")
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `is removed once its time is over or a user was erased, and files of others stay`() async throws {
    try await withShop { shop in
      let made = try await counterfoil(
        "keys", "create", "--kind", "secret", "--may-erase", "--label", "x", "--json", in: shop.folder)
      let key = try #require(try JSONReader.read(made.output.utf8)["key"]?.string)
      try await shop.start()
      try await Self.sell(shop, to: "alice-9f3")
      for delivery in try await shop.ask("GET", "/v1/deliveries").json["deliveries"]?.array ?? [] {
        let id = try #require(delivery["id"]?.string)
        #expect(try await shop.ask("POST", "/v1/deliveries/\(id)/ack").status < 300)
      }
      for folder in ["all/one", "all/two"] { #expect(try await Self.export(shop, to: folder).code == 0) }
      try Files.replace(shop.folder + "/all/two/notes.txt", with: [1])
      let nothing = try await counterfoil("export", "--expire", "all", in: shop.folder)
      #expect(nothing.code == 0 && nothing.output.isEmpty, "\(nothing.output)\(nothing.errors)")

      let erased = try await shop.call("POST", "/v1/users/alice-9f3/erase", body: nil, credential: key)
      #expect(erased.status == 201, "\(erased.json.text)")
      let late = try await counterfoil("export", "--verify", "all/one", in: shop.folder)
      #expect(late.code == 1 && late.errors.contains("(export_before_erasure)"), "\(late.errors)")
      #expect(try await counterfoil("export", "--verify", "all/one", "--files-only", in: shop.folder).code == 0)
      #expect(try await Self.export(shop, to: "all/three").code == 0)
      let run = try await counterfoil("export", "--expire", "all", in: shop.folder)
      #expect(run.code == 0 && run.output.split(separator: "\n").count == 2, "\(run.output)\(run.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/all").sorted() == ["three", "two"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/all/two") == ["notes.txt"])
      let words = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/all/three").map {
        String(decoding: try Files.read(shop.folder + "/all/three/" + $0, bytesMax: 1 << 20), as: UTF8.self)
      }
      #expect(!words.contains { $0.contains("alice-9f3") })
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `exports from PostgreSQL as from a file`() async throws {
    try await withPostgreSQLShop { shop, _, _ in
      try await shop.start()
      for user in ["alice", "bob"] { try await Self.sell(shop, to: user) }
      let run = try await Self.export(shop, with: ["--format", "jsonl"])
      #expect(run.code == 0, "\(run.errors)")
      let rows = Self.rows(try Self.manifest(shop))
      for kind in ["orders", "payments", "ledger", "deliveries"] { #expect(rows[kind] == 2, "\(kind)") }
      let verified = try await counterfoil("export", "--verify", "out", in: shop.folder)
      #expect(verified.code == 0, "\(verified.errors)")
    }
  }
}
