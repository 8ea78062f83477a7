import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import SQLiteDatabase
import SigningAuthorities

/// Starts a server again and again, with a new database and with a filled one in turn.
struct StartBench: Sendable {
  private static let askedEvery = TimeSpan.milliseconds(2)
  private static let asksMax = 10_000
  private static let settle = TimeSpan.seconds(1)

  private let options: BenchStartCommand.Settings
  private let shop: FulfilShop
  private let platform: Platform

  init(_ options: BenchStartCommand.Settings, _ platform: Platform) throws {
    self.options = options
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  private var newDatabase: String { options.folder + "/start-new.db" }
  private var filledDatabase: String { options.folder + "/start-filled.db" }
  private var secrets: [String] { ["start-root.pem", "start.secret", "start.toml"].map { options.folder + "/" + $0 } }

  private struct Start {
    let milliseconds: Double
    let megabytes: Double?
  }

  func run(into report: BenchReport) async throws {
    try platform.files.makeFolder(options.folder)
    try removeOwnFiles()
    try await fill()
    try platform.files.replace(
      secrets[0], Array(PEM.text(label: "CERTIFICATE", bytes: shop.chain.certificates[2].der).utf8))
    try platform.files.replace(secrets[1], Array(Base64URL.encode(platform.dependencies.randomBytes(48)).utf8))
    var (new, filled): ([Start], [Start]) = ([], [])
    for _ in 0..<options.starts {
      try platform.removeDatabase(at: newDatabase)
      new.append(try await start("start-new.db"))
      filled.append(try await start("start-filled.db"))
    }
    try removeOwnFiles()
    report.note(
      "\(options.starts) starts each, in turn, with a new database and with one of \(options.orders) paid orders.")
    report.row(
      .start, "ms from the start to ready, with the filled database", ratios: Ratios(filled.map(\.milliseconds)))
    report.detail("ms from the start to ready, with a new database", Ratios(new.map(\.milliseconds)))
    let memory = filled.compactMap(\.megabytes)
    guard !memory.isEmpty else { return report.note("This system does not tell how much memory a process holds.") }
    report.row(.memory, "MB of memory when idle, with the filled database", ratios: Ratios(memory))
    report.detail("MB of memory when idle, with a new database", Ratios(new.compactMap(\.megabytes)))
  }

  private func removeOwnFiles() throws {
    for database in [newDatabase, filledDatabase] {
      try platform.removeDatabase(at: database)
    }
    for path in secrets { try platform.files.remove(path) }
  }

  private func fill() async throws {
    let open = try await shop.open(filledDatabase)
    do {
      let paid = try await PaidPurchases.make(options.orders, at: .appStore, shop, open: open)
      for update in paid.update { _ = try await open.engine.fulfil(update, for: shop.policy) }
    } catch {
      await open.database.close()
      throw error
    }
    await open.database.close()
  }

  private func start(_ database: String) async throws -> Start {
    let port = try DemoStage.freePort(platform)
    try platform.files.replace(secrets[2], Array(configuration(port, database).utf8))
    let exchange = try platform.exchange(.anywhere)
    let ready = HTTPRequest("GET", "http://127.0.0.1:\(port)/readyz")
    let begin = platform.monotonicNanoseconds()
    let process = try platform.startSelf(["serve", "--config", secrets[2]], ["COUNTERFOIL_LOG": "quiet"])
    for _ in 0..<Self.asksMax where !process.hasEnded() {
      if let answer = try? await exchange.send(ready, .seconds(2)), answer.status == 200 {
        let span = Double(platform.monotonicNanoseconds() - begin) / 1e6
        try await platform.dependencies.sleep(Self.settle)
        let held = process.residentBytes().map { Double($0) / 1024 / 1024 }
        await process.end()
        return Start(milliseconds: span, megabytes: held)
      }
      try await platform.dependencies.sleep(Self.askedEvery)
    }
    process.kill()
    throw CommandFailure("the server did not become ready.")
  }

  private func configuration(_ port: UInt16, _ database: String) -> String {
    """
    profile = "simulated"
    port = \(port)
    database = "\(database)"
    trusted_roots = ["start-root.pem"]

    [[app]]
    id = "\(FulfilShop.app)"
    bundle_id = "\(FulfilShop.bundleId)"

    [[app.user_token_key]]
    kid = "\(FulfilShop.tokenKey)"
    algorithm = "HS256"
    secret = { file = "start.secret" }

    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    app_store_product_ids = ["\(FulfilShop.storeProduct)"]
    units = { unit = "coin", amount = \(FulfilShop.coins) }

    """
  }
}
