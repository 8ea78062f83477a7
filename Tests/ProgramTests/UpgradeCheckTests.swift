import PaymentPrimitives
import SQLiteDatabase
import StrictJSON
import SystemPlatform
import TestDatabases
import Testing

@Suite struct `counterfoil upgrade --check` {
  private static func check(_ shop: Shop) async throws -> (code: Int32?, json: JSONValue, run: ProgramRun) {
    let run = try await counterfoil(
      "upgrade", "--check", "--config", shop.configuration, "--json", in: shop.folder)
    return (run.code, (try? JSONReader.read(run.output.utf8)) ?? .null, run)
  }

  /// A file as an earlier version left it.
  private static func make(step: Int, of shop: Shop) throws {
    for end in ["", "-wal", "-shm"] { try Files.remove(shop.database + end) }
    let statements = SQLiteSchema.migrations.prefix { $0.number <= step }.flatMap(\.statements)
    _ = try runSQL(
      statements.map { $0 + ";\n" }.joined()
        + "PRAGMA application_id = \(SQLiteSchema.applicationIdentifier); PRAGMA user_version = \(step);",
      on: shop.database)
  }

  @Test func `refuses a database of a newer version, and changes nothing`() async throws {
    try await withShop { shop in
      try Self.make(step: SQLiteSchema.version, of: shop)
      _ = try runSQL("PRAGMA user_version = \(SQLiteSchema.version + 1);", on: shop.database)
      let (code, json, run) = try await Self.check(shop)
      #expect(code == 1 || code == 2, "\(run.errors)")
      #expect(json["ready"] != .bool(true))
    }
  }

  @Test func `names the steps of the first start, the size, and whether there is room`() async throws {
    try await withShop { shop in
      try Self.make(step: SQLiteSchema.version - 1, of: shop)
      let (code, json, run) = try await Self.check(shop)
      #expect(code == 0 && json["ready"] == .bool(true), "\(run.errors)")
      #expect(json["steps"]?.array?.compactMap { $0["number"]?.integer } == [Int64(SQLiteSchema.version)])
      #expect(json["bytes"]?.integer ?? 0 > 4096 && json["freeBytes"]?.integer ?? 0 > 0)
      let version = try runSQL("PRAGMA user_version;", on: shop.database)
      #expect(version.contains("\(SQLiteSchema.version - 1)"), "nothing is changed")
    }
  }
}
