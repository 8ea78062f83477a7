import AppStoreIntegration
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import StrictJSON
import Synchronization

/// `counterfoil import` imports the earlier system's deliveries and purchase owners.
enum ImportCommand {
  static let command = Command.of(
    "import", BilingualText("import an earlier system's records", "导入旧系统的记录"),
    usage: """
      usage: counterfoil import --delivered FILE [--until MOMENT] [OPTIONS]
             counterfoil import --purchases FILE [OPTIONS]

      Imports an earlier system's records of App Store purchases; docs/moving-here.md explains when. Stop the server
      first; a dry run works beside it. Importing a file again changes nothing. To finish an interrupted import, run it
      again.

        --delivered FILE    transactions that the earlier system delivered: one id per line, or CSV
        --until MOMENT      the time up to which FILE lists every delivery, such as 2026-10-01T00:00:00Z (default: now);
                            later purchases are not judged by FILE
        --purchases FILE    CSV with transactionId and userId, optionally originalTransactionId, productId: the owner of
                            each transaction. It grants nothing by itself: Apple's signature must prove the purchase
        --ask-apple         with --purchases: the server then queries Apple about each missing one, ten per second
        --column NAME       the column of the transaction ids (default: transactionId)
        --app ID            which app, if the configuration has several
        --environment E     which environment (default: the app's own)
        --skip-bad          import the good rows; otherwise one bad row stops the whole import
        --dry-run           check everything, change nothing (an id that occurs twice in FILE counts twice as new)
      \(ServerFlags.usage)
        --json              one JSON object

      Exit codes: 0 imported, or a dry run without a fault; 1 bad rows or other owners were found; 2 wrong usage, an
      unreadable file, or a database that a running server holds. Over PostgreSQL 1 also while another import runs.

      """,
    valued: ["delivered", "until", "purchases", "column", "app", "environment"] + ServerFlags.valued,
    flags: ["skip-bad", "dry-run", "ask-apple"]
  ) { options, platform in
    let run = try await ImportRun(options, platform)
    let report = try await run.report()
    let language = CommandLineProgram.language(platform)
    platform.print(options.has("json") ? report.json(language).text + "\n" : report.text(language))
    return report.bad == 0 && report.conflicts == 0 ? ExitCode.done : ExitCode.failed
  }
}

/// One import: every row is checked before the first is written.
private struct ImportRun: Sendable {
  /// Rows per transaction: a commit takes a few milliseconds and little memory.
  private static let batch = 1000

  let kind: ImportedRows.Kind
  let path: String
  let column: String?
  let until: Timestamp
  let appEnvironment: AppEnvironment
  let app: AppPolicy
  let isDry: Bool
  let skipsBad: Bool
  let asksApple: Bool
  let configuration: ServerConfiguration
  let options: Options
  let platform: Platform

  init(_ options: Options, _ platform: Platform) async throws {
    self.options = options
    self.platform = platform
    let files = (try options.one("delivered"), try options.one("purchases"))
    switch files {
    case (let path?, nil): (kind, self.path) = (.delivered, path)
    case (nil, let path?): (kind, self.path) = (.purchases, path)
    default: throw UsageError("Name one file, with --delivered or with --purchases.")
    }
    column = try options.one("column")
    isDry = options.has("dry-run")
    skipsBad = options.has("skip-bad")
    let now = platform.dependencies.now()
    if let text = try options.one("until") {
      guard kind == .delivered, let moment = Timestamp(iso8601: text), moment <= now else {
        throw UsageError("--until belongs to --delivered, and is a past moment such as 2026-10-01T00:00:00Z.")
      }
      until = moment
    } else {
      until = now
    }
    configuration = try await ChosenConfiguration.of(options, platform)
    let named = try options.one("app")
    let apps = configuration.apps.filter { app in
      app.appStore != nil && (named.map { app.id == AppIdentifier($0) } ?? true)
    }
    guard let first = apps.first else { throw UsageError("No such app sells through the App Store.") }
    guard apps.count == 1 else { throw UsageError("Several apps sell through the App Store: name one with --app.") }
    app = first.policy
    asksApple = options.has("ask-apple")
    guard !asksApple || (kind == .purchases && first.appStore?.server != nil) else {
      throw UsageError("--ask-apple belongs to --purchases, and needs [app.app_store] in the configuration.")
    }
    let environment = try options.one("environment") ?? first.policy.home.rawValue
    guard let found = first.policy.userEnvironments.first(where: { $0.environment.rawValue == environment }) else {
      throw UsageError(
        "--environment is one of \(first.policy.userEnvironments.map(\.environment.rawValue).joined(separator: ", ")).")
    }
    appEnvironment = found
  }

  func report() async throws -> ImportReport {
    var report = ImportReport(kind, isDry: isDry)
    try check(&report)
    if isDry {
      try await preview(&report)
    } else if report.bad == 0 || skipsBad {
      try await load(&report)
      report.isImported = true
    }
    return report
  }

  // MARK: The file

  private func rows() throws -> ImportedRows {
    let language = CommandLineProgram.language(platform)
    do {
      guard let pieces = try platform.files.open(path) else {
        let text = BilingualText("there is no such file.", "文件不存在。")
        throw CommandFailure(text[language], code: ExitCode.usage)
      }
      return try ImportedRows(kind, column: column, pieces, language: language)
    } catch let failure as CommandFailure {
      throw CommandFailure("\(path): \(failure.message)", code: failure.code)
    } catch let error as any BilingualError {
      throw CommandFailure(error.words(language), code: ExitCode.usage)
    }
  }

  private func check(_ report: inout ImportReport) throws {
    var rows = try rows()
    while let row = try rows.next() {
      report.rows += 1
      guard case .bad(let line, let problem) = row else { continue }
      report.bad += 1
      report.note(problem, line: line)
    }
  }

  /// The valid rows, in batches.
  private func forEachBatch(_ body: ([ImportedRows.Row]) async throws -> Void) async throws {
    var rows = try rows()
    var batch: [ImportedRows.Row] = []
    while let row = try rows.next() {
      if case .bad = row { continue }
      batch.append(row)
      if batch.count == Self.batch {
        try await body(batch)
        batch = []
      }
    }
    if !batch.isEmpty { try await body(batch) }
  }

  // MARK: Dry run

  private func preview(_ report: inout ImportReport) async throws {
    let database = try await ReportedDatabase.reading(options, platform)
    var seen = report
    let appEnvironment = appEnvironment
    try await forEachBatch { batch in
      let (delivered, purchases) = Self.parts(of: batch)
      let listed = try await database.reader.read { database in
        try delivered.count {
          try database.isEarlierDelivery(
            PaymentKey(
              app: appEnvironment.app, store: .appStore, environment: appEnvironment.environment, transaction: $0))
        }
      }
      seen.known += listed
      seen.new += delivered.count - listed
      let outcomes = try await database.reader.read { database in
        try purchases.map { try $0.purchase.outcome(in: appEnvironment, database) }
      }
      Self.count(outcomes, of: purchases, &seen)
    }
    report = seen
  }

  // MARK: Loading

  private func load(_ report: inout ImportReport) async throws {
    let assembly = try await ServerAssembly.open(configuration, holder: "counterfoil import", isQuiet: true, platform)
    let engine = assembly.engine
    let loaded = Mutex(report)
    let isDone: Bool
    do {
      // Where several processes may write, one of them imports for an app at a time.
      isDone = try await engine.doAlone("import/\(app.id.text)") {
        var report = loaded.withLock { $0 }
        switch kind {
        case .delivered: try await loadDelivered(engine, &report)
        case .purchases: try await loadPurchases(engine, &report)
        }
        let done = report
        loaded.withLock { $0 = done }
      }
    } catch {
      await assembly.database.close()
      throw error
    }
    await assembly.database.close()
    guard isDone else {
      let words = BilingualText(
        "Another import for this app is running. Wait for its end, then run this again.",
        "该应用的另一次导入正在进行。请等待其结束，然后重新运行。")
      throw CommandFailure(words[CommandLineProgram.language(platform)])
    }
    report = loaded.withLock { $0 }
  }

  private func loadDelivered(_ engine: PaymentEngine, _ report: inout ImportReport) async throws {
    var loaded = report
    let before = try await engine.beginEarlierDeliveries(in: appEnvironment)
    try await forEachBatch { batch in
      let (delivered, _) = Self.parts(of: batch)
      let new = try await engine.importEarlierDeliveries(delivered, in: appEnvironment)
      loaded.new += new
      loaded.known += delivered.count - new
    }
    // Keep a later date of an earlier import: its entries are still in the list.
    try await engine.endEarlierDeliveries(reach: before.map { max($0, until) } ?? until, in: appEnvironment)
    loaded.moved = try await engine.reconsiderHeldPayments(in: appEnvironment, for: app)
    report = loaded
  }

  private func loadPurchases(_ engine: PaymentEngine, _ report: inout ImportReport) async throws {
    var loaded = report
    try await forEachBatch { batch in
      let (_, purchases) = Self.parts(of: batch)
      let outcomes = try await engine.importOwners(purchases.map(\.purchase), in: appEnvironment)
      Self.count(outcomes, of: purchases, &loaded)
      // Known rows too: the next import completes an interrupted one.
      loaded.moved += try await engine.adoptImportedOwners(purchases.map(\.purchase), in: appEnvironment, for: app)
      if asksApple {
        let first = until + .milliseconds(EngineLimits().importedQuestionPause.milliseconds * Int64(loaded.asked))
        loaded.asked += try await engine.askAboutImported(purchases.map(\.purchase), in: appEnvironment, from: first)
      }
    }
    report = loaded
  }

  private typealias Purchases = [(line: Int, purchase: EarlierPurchase)]

  private static func parts(of batch: [ImportedRows.Row]) -> ([TransactionIdentifier], Purchases) {
    var delivered: [TransactionIdentifier] = []
    var purchases: Purchases = []
    for row in batch {
      switch row {
      case .delivered(_, let transaction): delivered.append(transaction)
      case .purchase(let line, let purchase): purchases.append((line, purchase))
      case .bad: break
      }
    }
    return (delivered, purchases)
  }

  private static func count(
    _ outcomes: [EarlierPurchase.Outcome], of purchases: Purchases, _ report: inout ImportReport
  ) {
    for (outcome, row) in zip(outcomes, purchases) {
      switch outcome {
      case .new: report.new += 1
      case .known: report.known += 1
      case .conflict:
        report.conflicts += 1
        report.note(
          BilingualText("another owner was named for this transaction before.", "此交易之前已归属于其他用户。"), line: row.line)
      }
    }
  }
}
