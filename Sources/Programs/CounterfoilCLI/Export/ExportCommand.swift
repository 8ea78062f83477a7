import PaymentPrimitives
import PaymentServer
import StrictJSON

/// `counterfoil export`: writes what happened in some time to files, with a manifest.
enum ExportCommand {
  private static let kinds = ExportKind.allCases.map(\.rawValue).joined(separator: ", ")

  static let command = Command.of(
    "export",
    BilingualText(
      "write orders, payments, refunds, the ledger and more to files", "将订单、支付、退款、账本等导出为文件"),
    usage: """
      usage: counterfoil export WHAT... --from MOMENT --until MOMENT --to DIR [OPTIONS]
             counterfoil export --verify DIR [--files-only]
             counterfoil export --expire DIR

      Writes all rows of some time into a folder, and a manifest with the rows, sums, bytes and SHA-256 of each file.
      All are of one state of the database. It only reads the database, and works beside a running server. WHAT is
      `all`, or some of \(kinds).

      Without a manifest.json a folder has no complete export: run the same command again, which begins anew. With one,
      the same command verifies it. A folder that has something else is refused.

        --from MOMENT       such as 2026-03-01, a day of Beijing time, or 2026-03-01T00:00:00Z
        --until MOMENT      the same; that moment is not in it, and it is not in the future
        --to DIR            the folder of this export, which is made if there is none
        --format F          csv for spreadsheets (otherwise), or jsonl: one JSON object a line
        --app ID            only that app's (otherwise all apps')
        --environment E     otherwise each app's own
        --keep-days N       how long it is kept, 1 to 3650 (otherwise 7)
        --verify DIR        reads every file of an export again, and asks the database whether users were erased since
        --files-only        with --verify: does not ask the database
        --expire DIR        removes an export, or each in that folder, once its time is over or users were erased since
      \(ServerFlags.usage)
        --json              the manifest as one JSON object

      Exit codes: 0 done, 1 not written, damaged, or older than an erasure; 2 wrong usage or no readable database.

      """,
    valued: ["from", "until", "to", "format", "app", "environment", "keep-days", "verify", "expire"]
      + ServerFlags.valued,
    flags: ["files-only"], wordsMax: ExportKind.allCases.count
  ) { options, platform in
    switch (try options.one("verify"), try options.one("expire")) {
    case (nil, nil): return try await make(options, platform)
    case (let folder?, nil):
      try requireNoRequest(options)
      return try await verify(folder, by: options, platform)
    case (nil, let folder?):
      try requireNoRequest(options)
      guard !options.has("files-only") else { throw UsageError("--files-only is for --verify.") }
      return try await ExpireExports(folder: folder, platform: platform).run(options)
    case (_?, _?): throw UsageError("--verify and --expire exclude each other.")
    }
  }

  private static func requireNoRequest(_ options: Options) throws {
    for name in ["from", "until", "to", "format", "app", "environment", "keep-days"] {
      guard try options.one(name) == nil else { throw UsageError("--\(name) is for making an export.") }
    }
    guard options.words.isEmpty else { throw UsageError("\(options.words[0]) is for making an export.") }
  }

  // MARK: making

  private static func make(_ options: Options, _ platform: Platform) async throws -> Int32 {
    guard !options.has("files-only") else { throw UsageError("--files-only is for --verify.") }
    let wanted = try Wanted(options, until: platform.dependencies.now())
    let database = try await ReportedDatabase.reading(options, platform)
    let language = CommandLineProgram.language(platform)
    guard !database.lacksLog else { throw CommandFailure(lacksLog[language]) }
    let request = try wanted.request(of: database)
    try platform.files.makeFolder(wanted.folder)
    let export = TakeExport(
      request, into: ExportFolder(at: wanted.folder, platform), by: Version.text, kept: wanted.kept,
      now: platform.dependencies.now)
    let (manifest, isNew) = try await export.run(on: database.reader)
    if !isNew { try await manifest.requireErasures(of: database.reader) }
    platform.print(
      options.has("json") ? manifest.json.text + "\n" : text(manifest, in: wanted.folder, isNew: isNew)[language])
    return ExitCode.done
  }

  private static let lacksLog = BilingualText(
    "The log of this database is missing: what was written last would be missing in the export, too.",
    "该数据库缺少日志：导出也会缺少最后写入的内容。")

  private static func text(_ manifest: ExportManifest, in folder: String, isNew: Bool) -> BilingualText {
    let files = manifest.files.map { "  \($0.name)  \($0.rows)  \($0.sha256)\n" }.joined()
    let (count, rows) = (manifest.files.count, manifest.rows)
    let (taken, kept) = (manifest.takenAt.iso8601, manifest.keptUntil.iso8601)
    let head =
      isNew
      ? BilingualText("\(folder): written and read again", "\(folder)：已写入并重新读取校验")
      : BilingualText("\(folder): there already, and as it was written", "\(folder)：已存在，且与写入时一致")
    return BilingualText(
      "\(head.english). Files \(count), rows \(rows), as of \(taken), kept until \(kept).\n" + files,
      "\(head.chinese)。文件 \(count) 个，共 \(rows) 行，数据截至 \(taken)，保留至 \(kept)。\n" + files)
  }

  // MARK: verifying

  private static func verify(_ path: String, by options: Options, _ platform: Platform) async throws -> Int32 {
    let folder = ExportFolder(at: path, platform)
    guard let manifest = try folder.manifest() else {
      throw CodedError<ExportErrorCode>(
        .manifestMissing, "It has no \(ExportManifest.file) that can be read: \(path).")
    }
    try folder.verify(manifest)
    if !options.has("files-only") {
      let database = try await ReportedDatabase.reading(options, platform)
      try await manifest.requireErasures(of: database.reader)
    }
    let words = text(manifest, in: path, isNew: false)
    platform.print(
      options.has("json") ? manifest.json.text + "\n" : words[CommandLineProgram.language(platform)])
    return ExitCode.done
  }
}

/// What the arguments of an export ask for.
private struct Wanted {
  let kinds: Set<ExportKind>
  let format: ExportFormat
  let span: Range<Timestamp>
  let folder: String
  let kept: TimeSpan
  let app: String?
  let environment: StoreEnvironment?

  init(_ options: Options, until now: Timestamp) throws {
    let known = ExportKind.allCases.map(\.rawValue).joined(separator: ", ")
    guard !options.words.isEmpty else { throw UsageError("Name what is exported: all, \(known).") }
    var kinds: Set<ExportKind> = []
    for word in options.words == ["all"] ? ExportKind.allCases.map(\.rawValue) : options.words {
      guard let kind = ExportKind(rawValue: word) else {
        throw UsageError("\(word) cannot be exported. One of these can: all, \(known).")
      }
      kinds.insert(kind)
    }
    self.kinds = kinds
    func moment(_ name: String) throws -> Timestamp {
      guard let text = try options.one(name) else { throw UsageError("--\(name) is needed.") }
      guard let moment = ExportRequest.moment(text) else {
        throw UsageError("--\(name) is a day such as 2026-03-01, or a moment such as 2026-03-01T00:00:00Z.")
      }
      return moment
    }
    let (from, until) = (try moment("from"), try moment("until"))
    guard from < until else { throw UsageError("--until must be later than --from.") }
    guard until <= now else { throw UsageError("--until is in the future: rows of that time may still come.") }
    span = from..<until
    guard let folder = try options.one("to"), !folder.isEmpty else {
      throw UsageError("--to names the folder of the export.")
    }
    self.folder = folder
    let word = try options.one("format") ?? ExportFormat.csv.rawValue
    guard let format = ExportFormat(rawValue: word) else {
      throw UsageError("--format is one of \(ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    self.format = format
    kept = .days(try options.number("keep-days", in: 1...3650) ?? 7)
    app = try options.one("app")
    environment = try options.one("environment").map { word -> StoreEnvironment in
      guard let environment = StoreEnvironment(rawValue: word) else {
        let all = StoreEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--environment is one of \(all).")
      }
      return environment
    }
  }

  func request(of database: ReportedDatabase) throws -> ExportRequest {
    let apps = database.apps.filter { app == nil || $0.id.text == app }
    guard !apps.isEmpty else { throw UsageError("No app of that id is configured.") }
    let places = apps.compactMap { app in
      environment.map { AppEnvironment(app: app.id, environment: $0) } ?? app.appEnvironments.last
    }
    return ExportRequest(
      kinds: kinds, format: format, span: span, appEnvironments: places, hasWholeAuditLog: app == nil)
  }
}
