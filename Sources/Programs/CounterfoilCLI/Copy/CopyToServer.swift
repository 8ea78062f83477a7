import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import ServerConfiguration
import StrictJSON

/// Copies a database file into a schema of a PostgreSQL server, verifies the copy, and lets the schema take over.
struct CopyToServer {
  let file: String
  let server: DatabaseServerSettings
  let profile: DatabaseProfile
  let platform: Platform

  /// The place of the copy, as the file names it afterwards.
  private var place: String { "\(server.url) (\(server.schema))" }

  /// - Throws: `CommandFailure` or `CodedError<DatabaseErrorCode>`; the file then serves as before, unless everything
  ///   is there already.
  func report() async throws -> CopyReport {
    guard platform.folders.size(file) != nil else {
      throw CommandFailure(
        BilingualText("there is no file \(file).", "文件 \(file) 不存在。")[language], code: ExitCode.usage)
    }
    let settings = OpenDatabase.settings(of: server, profile, platform)
    try DurabilityCheck.require(
      try await PostgreSQLDatabase.facts(settings, on: ThreadExecutor()), for: server.durability, profile)
    // It holds the file: no server writes to it meanwhile.
    var held = SQLiteSettings(path: file, profile: profile, holder: "counterfoil copy")
    held.opensMoved = true
    let source = try await SQLiteDatabase.open(
      held, dependencies: platform.dependencies, writer: ThreadExecutor(), readers: [ThreadExecutor()])
    do {
      let target = try PostgreSQLCopyTarget(settings, on: ThreadExecutor())
      let report = try await copied(from: source, to: target, settings)
      await target.close()
      await source.close()
      return report
    } catch {
      await source.close()
      throw error
    }
  }

  private var language: Language { CommandLineProgram.language(platform) }

  private func copied(
    from source: SQLiteDatabase, to target: PostgreSQLCopyTarget, _ settings: PostgreSQLSettings
  ) async throws -> CopyReport {
    let moved = try await source.read { try $0.setting(DatabaseSetting.movedTo) } ?? ""
    guard moved.isEmpty || moved == place else {
      throw CodedError<DatabaseErrorCode>(.moved, "They are at \(moved).")
    }
    guard try await !target.isTaken() else {
      if !moved.isEmpty { return CopyReport(place: place, tables: []) }
      throw CommandFailure(
        BilingualText(
          "the schema \(server.schema) has tables already. Nothing was copied: name another schema with --schema.",
          "schema \(server.schema) 中已有数据表，未复制任何内容。请用 --schema 指定另一个 schema。")[language])
    }
    while try await source.continueMigration() {}
    let tables = try await target.prepare(at: platform.dependencies.now())
    let rows = try SQLiteTables(path: file, profile: profile, on: ThreadExecutor())
    var report = CopyReport(place: place, tables: [])
    do {
      try await requireSameTables(rows, tables)
      for table in tables { report.tables.append(try await copy(table, from: rows, to: target)) }
      await rows.close()
    } catch {
      await rows.close()
      throw error
    }
    try await audit(settings)
    // From here on only the copy may serve, so the mark comes first.
    try await source.transact { [place] in try $0.set(DatabaseSetting.movedTo, to: place) }.get()
    try await target.finish(tables)
    return report
  }

  /// A table that only one side knows would be lost without a word.
  private func requireSameTables(_ rows: SQLiteTables, _ tables: [PostgreSQLCopyTarget.Table]) async throws {
    let known = Dictionary(tables.map { ($0.name, $0.columns.map(\.name).sorted()) }) { first, _ in first }
    let names = try await rows.names()
    for name in names {
      let columns = try await rows.columns(of: name)
      guard known[name] == columns.sorted() else {
        throw CodedError<DatabaseErrorCode>(.inconsistent, "The table \(name) differs between both databases.")
      }
    }
    guard let missing = known.keys.sorted().first(where: { !names.contains($0) }) else { return }
    throw CodedError<DatabaseErrorCode>(.inconsistent, "The file has no table \(missing).")
  }

  private func copy(
    _ table: PostgreSQLCopyTarget.Table, from rows: SQLiteTables, to target: PostgreSQLCopyTarget
  ) async throws -> CopyReport.Table {
    let columns = table.columns.map(\.name)
    let before = try await target.digest(of: table)
    if before.rows > 0, try await digest(of: table.name, columns, rows) == before {
      return CopyReport.Table(name: table.name, digest: before, wasThere: true)
    }
    if before.rows > 0 { try await target.empty(table) }
    let statement = CopyStatement(for: table)
    var digest = TableDigest()
    try await rows.begin(table.name, columns: columns)
    while true {
      let page = try await rows.next()
      if page.isEmpty { break }
      for row in page { digest.add(SHA256.hash(TableDigest.bytes(of: row))) }
      try await target.insert(page, into: table, statement)
    }
    let after = try await target.digest(of: table)
    guard after == digest else {
      throw CodedError<DatabaseErrorCode>(
        .inconsistent,
        "The table \(table.name) has \(digest.rows) rows here and \(after.rows) there, or other contents.")
    }
    return CopyReport.Table(name: table.name, digest: digest, wasThere: false)
  }

  private func digest(of table: String, _ columns: [String], _ rows: SQLiteTables) async throws -> TableDigest {
    var digest = TableDigest()
    try await rows.begin(table, columns: columns)
    while true {
      let page = try await rows.next()
      if page.isEmpty { return digest }
      for row in page { digest.add(SHA256.hash(TableDigest.bytes(of: row))) }
    }
  }

  private func audit(_ settings: PostgreSQLSettings) async throws {
    var settings = settings
    settings.schema = PostgreSQLCopyTarget.loading(settings.schema)
    let reader = try await PostgreSQLReader.open(settings, on: ThreadExecutor())
    let report: AuditReport
    do { report = try await PaymentAudit(atRest: false).run(on: reader) } catch {
      await reader.close()
      throw error
    }
    await reader.close()
    guard report.violations.isEmpty else {
      throw CommandFailure(
        BilingualText(
          "rules of money are broken in these rows, so the file keeps serving:\n",
          "这些数据不符合资金规则，因此仍由原文件提供服务：\n")[language] + report.text(language))
    }
  }
}
