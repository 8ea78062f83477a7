import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ShopFixtures
import StrictJSON
import Testing

@Suite struct `An export` {
  private static let noon = EngineFixture.noon
  private static let hour = (noon - .hours(1))..<(noon + .hours(1))

  private static func request(
    _ kinds: Set<ExportKind> = Set(ExportKind.allCases), _ format: ExportFormat = .csv,
    in span: Range<Timestamp> = Self.hour,
    ofAllApps: Bool = true
  ) -> ExportRequest {
    ExportRequest(
      kinds: kinds, format: format, span: span, appEnvironments: [EngineFixture.appEnvironment],
      hasWholeAuditLog: ofAllApps)
  }

  private static func take(
    _ request: ExportRequest = Self.request(), of shop: EngineFixture, into folder: MemoryFolder,
    _ change: (inout ExportLimits) -> Void = { _ in }
  ) async throws -> (manifest: ExportManifest, isNew: Bool) {
    var limits = ExportLimits()
    change(&limits)
    let export = TakeExport(
      request, into: folder.folder, by: "1.0", kept: .days(7), limits: limits, now: shop.now)
    return try await export.run(on: shop.database)
  }

  /// Users who bought a hundred coins each.
  private static func shop(selling count: Int = 1, to user: UserIdentifier = "alice") async throws -> EngineFixture {
    let shop = try EngineFixture()
    for number in 0..<count { try await buy("\(1001 + number)", of: user, shop) }
    return shop
  }

  @discardableResult
  private static func buy(
    _ id: String, of user: UserIdentifier, _ shop: EngineFixture,
    _ change: (inout [String: JSONValue]) -> Void = { _ in }
  ) async throws -> OrderIdentifier {
    let order = try await shop.order(of: user)
    _ = try await shop.submit(
      shop.transaction(id, token: order) {
        ($0["price"], $0["currency"]) = (.integer(6000), "CNY")
        change(&$0)
      }, by: user)
    return order
  }

  // MARK: refusals

  @Test func `is refused in a folder that has anything else, and changes nothing there`() async throws {
    let shop = try await Self.shop()
    let complete = MemoryFolder()
    _ = try await Self.take(of: shop, into: complete)
    let cases: [[String: [UInt8]]] = [
      ["notes.txt": [1]], ["manifest.json": [1]], ["orders-0001.csv": [1]],
      ["unfinished.json": complete.files["manifest.json"] ?? [], "notes.txt": [1]],
    ]
    for files in cases {
      let folder = MemoryFolder()
      folder.files = files
      await #expect(throws: CodedError<ExportErrorCode>(.folderTaken), "\(files.keys)") {
        try await Self.take(of: shop, into: folder)
      }
      #expect(folder.files == files)
    }
    let others = [
      Self.request([.orders]), Self.request(Set(ExportKind.allCases), .jsonl), Self.request(ofAllApps: false),
      Self.request(in: Self.noon..<(Self.noon + .hours(1))),
    ]
    let files = complete.files
    for other in others {
      await #expect(throws: CodedError<ExportErrorCode>(.folderTaken)) {
        try await Self.take(other, of: shop, into: complete)
      }
    }
    #expect(complete.files == files)
  }

  @Test func `of another request that was killed is not overwritten`() async throws {
    let shop = try await Self.shop()
    let folder = MemoryFolder()
    folder.kill(after: 2)
    await #expect(throws: MemoryFolder.Killed.self) { try await Self.take(of: shop, into: folder) }
    folder.kill(after: nil)
    let files = folder.files
    await #expect(throws: CodedError<ExportErrorCode>(.folderTaken)) {
      try await Self.take(Self.request([.orders]), of: shop, into: folder)
    }
    #expect(folder.files == files)
  }

  @Test func `tells every file that is missing, was changed by a byte, or was added`() async throws {
    let shop = try await Self.shop()
    let folder = MemoryFolder()
    let manifest = try await Self.take(of: shop, into: folder).manifest
    let files = folder.files
    try folder.folder.verify(manifest)
    var broken: [[String: [UInt8]]] = [files.merging(["orders-0002.csv": []]) { $1 }]
    for file in manifest.files {
      broken.append(files.filter { $0.key != file.name })
      var bytes = try #require(files[file.name])
      bytes[bytes.count - 1] ^= 1
      broken.append(files.merging([file.name: bytes]) { $1 })
      broken.append(files.merging([file.name: Array(bytes.dropLast())]) { $1 })
    }
    for files in broken {
      folder.files = files
      #expect(throws: CodedError<ExportErrorCode>(.damaged)) { try folder.folder.verify(manifest) }
      await #expect(throws: CodedError<ExportErrorCode>(.damaged)) { try await Self.take(of: shop, into: folder) }
      #expect(folder.files == files, "A damaged export is kept as it is.")
    }
    #expect(broken.count == 1 + 3 * ExportKind.allCases.count)
  }

  @Test func `is older than an erasure that was done since, and a new one no longer has the user`() async throws {
    let shop = try await Self.shop(to: "alice-9f3")
    for delivery in try await shop.database.read({ try $0.deliveries(of: EngineFixture.key("1001")) }) {
      _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
    }
    let (before, after) = (MemoryFolder(), MemoryFolder())
    let manifest = try await Self.take(of: shop, into: before).manifest
    try await manifest.requireErasures(of: shop.database)
    #expect(before.files.values.contains { String(decoding: $0, as: UTF8.self).contains("alice-9f3") })
    let alias = try await shop.engine.eraseUser("alice-9f3", of: shop.app, isForced: true).erasure.alias
    await #expect(throws: CodedError<ExportErrorCode>(.beforeErasure)) {
      try await manifest.requireErasures(of: shop.database)
    }
    let later = try await Self.take(of: shop, into: after).manifest
    try await later.requireErasures(of: shop.database)
    #expect(!after.files.values.contains { String(decoding: $0, as: UTF8.self).contains("alice-9f3") })
    #expect(after.text("orders-0001.csv").contains(alias.text))
    #expect(try before.folder.removeAll().isEmpty && before.files.isEmpty)
  }

  // MARK: rows

  @Test func `has every row of the database once, in parts whose manifest is true`() async throws {
    let shop = try await Self.shop(selling: 7)
    _ = try await shop.engine.debitBalance(
      DebitRequest(user: "alice", unit: "coin", amount: 30, key: "d", digest: "d"), in: EngineFixture.appEnvironment)
    let folder = MemoryFolder()
    let manifest = try await Self.take(of: shop, into: folder) { ($0.rowsMax, $0.page) = (3, 2) }.manifest
    for (kind, count) in [("orders", 7), ("payments", 7), ("refunds", 0), ("ledger", 8), ("deliveries", 7)] {
      let files = manifest.files.filter { $0.kind == kind }
      #expect(files.count == max(1, (count + 2) / 3), "\(kind)")
      #expect(files.reduce(0) { $0 + $1.rows } == Int64(count), "\(kind)")
      #expect(Set(files.flatMap { folder.rows($0.name) }).count == count, "\(kind)")
      for file in files {
        let bytes = try #require(folder.files[file.name])
        #expect(file.sha256 == SHA256.hash(bytes).hexadecimal && file.bytes == Int64(bytes.count))
        #expect(folder.rows(file.name).count == Int(file.rows))
      }
    }
    let sums = { (kind: String, unit: String) -> Int64 in
      manifest.files.filter { $0.kind == kind }.reduce(0) { $0 + ($1.sums[unit] ?? 0) }
    }
    #expect(sums("payments", "CNY") == 42_000 && sums("ledger", "coin") == 670)
    #expect(folder.files.keys.allSatisfy { ExportFolder.isPart($0) || $0 == "manifest.json" })
    #expect(ExportManifest(try #require(folder.files["manifest.json"])) == manifest)
  }

  @Test func `begins with its first moment and ends before its last one`() async throws {
    let shop = try await Self.shop()
    for (from, until, count) in [(0, 1, 1), (-1, 0, 0), (1, 2, 0)] {
      let span = (Self.noon + .milliseconds(Int64(from)))..<(Self.noon + .milliseconds(Int64(until)))
      let folder = MemoryFolder()
      _ = try await Self.take(Self.request(in: span), of: shop, into: folder)
      for name in ["orders", "ledger", "deliveries"] {
        #expect(folder.rows(name + "-0001.csv").count == count, "\(name) \(from)")
      }
    }
  }

  @Test func `that is killed at any change has no manifest, and the next one is the same to the byte`() async throws {
    let shop = try await Self.shop(selling: 3)
    let whole = MemoryFolder()
    _ = try await Self.take(of: shop, into: whole) { $0.rowsMax = 2 }
    var changes = 0
    while true {
      let folder = MemoryFolder()
      folder.kill(after: changes)
      do {
        _ = try await Self.take(of: shop, into: folder) { $0.rowsMax = 2 }
        break
      } catch is MemoryFolder.Killed {
        // The last change removes the note that it is unfinished.
        #expect(folder.files["manifest.json"] == nil || folder.files["manifest.json"] == whole.files["manifest.json"])
      }
      folder.kill(after: nil)
      let again = try await Self.take(of: shop, into: folder) { $0.rowsMax = 2 }
      #expect(folder.files == whole.files && again.manifest.files.count == whole.files.count - 1, "\(changes)")
      #expect(try await !Self.take(of: shop, into: folder) { $0.rowsMax = 2 }.isNew)
      changes += 1
    }
    #expect(changes > whole.files.count)
  }

  @Test func `never lets a spreadsheet compute a text from outside, and as JSON has the text itself`() async throws {
    let shop = try EngineFixture()
    for (place, user) in ["=1+1", "+1", "-1+cmd|' /C calc'!B", "@SUM(1)", "a\"b,c"].enumerated() {
      try await Self.buy("\(1001 + place)", of: UserIdentifier(user), shop)
    }
    let (csv, json) = (MemoryFolder(), MemoryFolder())
    _ = try await Self.take(Self.request([.payments]), of: shop, into: csv)
    _ = try await Self.take(Self.request([.payments], .jsonl), of: shop, into: json)
    let lines = csv.rows("payments-0001.csv")
    for shown in [",'=1+1,", ",'+1,", ",'-1+cmd|' /C calc'!B,", ",'@SUM(1),", ",\"a\"\"b,c\","] {
      #expect(lines.contains { $0.contains(shown) }, "\(shown)")
    }
    let users = try json.text("payments-0001.jsonl").split(separator: "\n").map {
      try JSONReader.read($0.utf8)["user"]?.string
    }
    #expect(Set(users) == ["=1+1", "+1", "-1+cmd|' /C calc'!B", "@SUM(1)", "a\"b,c"])
  }

  @Test func `has the refund that Apple states, at the time that Apple states`() async throws {
    let shop = try await Self.shop()
    let order = try await Self.buy("2001", of: "bob", shop)
    _ = try await shop.submit(
      shop.transaction("2001", token: order) {
        ($0["price"], $0["currency"]) = (.integer(6000), "CNY")
        $0["revocationDate"] = .integer(Self.noon.milliseconds)
        $0["revocationReason"] = .integer(1)
        $0["signedDate"] = .integer(Self.noon.milliseconds + 1)
      }, by: "bob")
    let folder = MemoryFolder()
    let manifest = try await Self.take(Self.request([.refunds, .payments]), of: shop, into: folder).manifest
    let rows = folder.rows("refunds-0001.csv")
    #expect(rows.count == 1 && rows[0].contains(",2001,") && rows[0].contains(",600,6.00,600,CNY,"), "\(rows)")
    #expect(manifest.files.first { $0.kind == "refunds" }?.sums == ["CNY": 600])
    #expect(folder.rows("payments-0001.csv").contains { $0.contains(",reversed,") && $0.contains(",600,2026-03-01T") })
  }

  @Test func `has as many cells as columns in every row`() async throws {
    let shop = try await Self.shop(selling: 2)
    var action = ActionDescription("user.note", by: .account, "lin", key: "a")
    (action.app, action.reason) = ("shop", "asked")
    _ = try await shop.engine.perform(action) {}
    let folder = MemoryFolder()
    _ = try await Self.take(of: shop, into: folder)
    for kind in ExportKind.allCases where kind != .refunds {
      let rows = folder.rows("\(kind.rawValue)-0001.csv")
      #expect(!rows.isEmpty, "\(kind)")
      for row in rows { #expect(row.count { $0 == "," } == kind.columns.count - 1, "\(kind): \(row)") }
    }
  }

  @Test func `of one app has no entries of the audit log that concern no app or another one`() async throws {
    let shop = try await Self.shop()
    for (place, app) in ["shop", "other", nil].enumerated() {
      var action = ActionDescription("user.note", by: .account, "lin", key: "\(place)")
      action.app = app.map { AppIdentifier($0) }
      _ = try await shop.engine.perform(action) {}
    }
    let (one, all) = (MemoryFolder(), MemoryFolder())
    _ = try await Self.take(Self.request([.auditLog], ofAllApps: false), of: shop, into: one)
    _ = try await Self.take(Self.request([.auditLog]), of: shop, into: all)
    #expect(one.rows("audit-log-0001.csv").count == 1 && all.rows("audit-log-0001.csv").count == 3)
  }

  @Test func `takes days of Beijing time and moments, and nothing else`() {
    #expect(ExportRequest.moment("2026-03-01") == Timestamp(iso8601: "2026-02-28T16:00:00Z"))
    #expect(ExportRequest.moment("2026-03-01T00:00:00Z") == Timestamp(iso8601: "2026-03-01T00:00:00Z"))
    for text in ["", "2026-3-1", "2026-02-30", "01/03/2026", "yesterday"] { #expect(ExportRequest.moment(text) == nil) }
  }
}
