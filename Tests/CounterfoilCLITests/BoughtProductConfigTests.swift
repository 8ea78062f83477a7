import CounterfoilCLI
import Foundation
import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import Synchronization
import Testing

/// A folder with a database in which coins were granted to alice, and the program with any configuration.
private final class BoughtDesk: Sendable {
  private static let now = Timestamp(milliseconds: 1_790_000_000_000)
  private static let dependencies = Dependencies(
    now: { now }, randomBytes: { Array(repeating: 7, count: $0) },
    sleep: { _ in
      // A sleep here waits only for its cancellation.
      let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
      for await _ in stream {}
      withExtendedLifetime(continuation) {}
      throw CancellationError()
    })

  private let directory: URL
  private let shown = Mutex("")

  private var database: String { directory.appendingPathComponent("bought.db").path }

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("counterfoil-bought-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Stores what a server would have stored: a granted consumable.
  func buy() async throws {
    let store = try await SQLiteDatabase.open(
      SQLiteSettings(path: database, profile: .production, holder: "the tests"), dependencies: Self.dependencies,
      writer: ThreadExecutor(), readers: [ThreadExecutor()])
    try await store.transact { transaction in
      let key = PaymentKey(app: "shop", store: .appStore, environment: .production, transaction: "1001")
      let facts = VerifiedPayment(
        key: key, originalTransaction: "1001", storeProduct: "com.example.coins100", kind: .consumable, quantity: 1,
        purchaseDate: Self.now, signedDate: Self.now)
      try transaction.insert(Payment(facts: facts, firstSeenAt: Self.now))
      let promise = GrantPromise(product: "coins.100", kind: .consumable, rule: .units("coin", perPiece: 100))
      try transaction.insert(
        Grant(
          payment: key, user: "alice", content: .units("coin", amount: 100), promise: promise, grantedAt: Self.now))
    }.get()
    await store.close()
  }

  func run(
    _ command: String, app: String = "", product: String = BoughtDesk.coins, others: String = "",
    language: String = "en_US"
  ) async -> (code: Int32, shown: String) {
    let toml = """
      profile = "production"
      database = "\(database)"
      [[app]]
      id = "\(app.isEmpty ? "shop" : app)"
      bundle_id = "com.example.shop"
      app_apple_id = 1234
      deliver_from = 2026-01-01T00:00:00Z
      \(others)
      \(product)
      """
    struct Closed: Error {}
    let show: @Sendable (String) -> Void = { [self] text in shown.withLock { $0 += text } }
    let platform = Platform(
      dependencies: Self.dependencies, monotonicNanoseconds: { 0 }, processorNanoseconds: { 0 },
      files: FileSystem(
        read: { path, _ in path == "c.toml" ? Array(toml.utf8) : nil },
        replace: { _, _ in }, remove: { _ in }, makeFolder: { _ in throw Closed() },
        names: { _ in throw Closed() }, openLog: { _ in throw Closed() }),
      environment: { $0 == "LANG" ? language + ".UTF-8" : nil }, print: show, isTerminal: false, printError: show,
      listen: { _, _ in Listener(address: "127.0.0.1", port: 1, run: {}, stop: {}) },
      exchange: { _ in
        HTTPExchange { _, _ throws(HTTPExchangeError) in throw .unreachable("No server exists.") }
      },
      shutdown: { AsyncStream { $0.finish() } }, startSelf: { _, _ in throw Closed() }, programName: "counterfoil")
    shown.withLock { $0 = "" }
    let code = await CommandLineProgram.counterfoil.run(
      arguments: command.split(separator: " ").map(String.init) + ["--config", "c.toml"], platform: platform)
    return (code, shown.withLock { $0 })
  }

  static let coins = product("coins.100", "com.example.coins100")

  static func product(
    _ id: String, _ storeProduct: String, kind: String = "consumable", gives: Int = 100, more: String = ""
  ) -> String {
    """
    [[app.product]]
    id = "\(id)"
    kind = "\(kind)"
    app_store_product_ids = ["\(storeProduct)"]
    units = { unit = "coin", amount = \(gives) }
    \(more)

    """
  }
}

@Suite struct `A configuration of a shop that has sold` {
  private func bought() async throws -> BoughtDesk {
    let desk = try BoughtDesk()
    try await desk.buy()
    return desk
  }

  @Test func `is refused if it drops a product, in both languages, with a remedy`() async throws {
    let desk = try await bought()
    let other = BoughtDesk.product("gems", "com.example.gems")
    let (code, shown) = await desk.run("config check", product: other)
    #expect(code == 2 && shown.contains("The product coins.100 of shop was granted and is missing"))
    #expect(shown.contains("sold = false"))
    let chinese = await desk.run("config check", product: other, language: "zh_CN")
    #expect(chinese.code == 2 && chinese.shown.contains("应用 shop 的商品 coins.100 已有入账"))
  }

  @Test func `is refused if it changes the kind of a product`() async throws {
    let (code, shown) = try await bought().run(
      "config check", product: BoughtDesk.product("coins.100", "com.example.coins100", kind: "nonConsumable"))
    #expect(code == 2 && shown.contains("was granted as consumable and is nonConsumable now"))
  }

  @Test func `is refused if it drops the app`() async throws {
    let (code, shown) = try await bought().run("config check", app: "another")
    #expect(code == 2 && shown.contains("The app shop has purchases and is not configured"))
  }

  @Test func `is accepted with other prices, names and App Store ids, or with a retired product or app`() async throws {
    let desk = try await bought()
    #expect(await desk.run("config check").code == 0)
    let renamed = BoughtDesk.product("coins.100", "com.example.hundred", gives: 120)
    #expect(await desk.run("config check", product: renamed).code == 0)
    let retired = await desk.run(
      "config check", product: BoughtDesk.product("coins.100", "com.example.coins100", more: "sold = false"))
    #expect(retired.code == 0 && retired.shown.contains("1 of them no longer sold"))
    let closed = await desk.run("config check", others: "retired = true")
    #expect(closed.code == 0 && closed.shown.contains("retired: sells nothing"))
  }

  @Test func `may drop anything without purchases; without a database it reports that nothing is compared`()
    async throws
  {
    let (code, shown) = try await BoughtDesk().run(
      "config check", product: BoughtDesk.product("gems", "com.example.gems"))
    #expect(code == 0 && shown.contains("not compared with the purchases in the database"))
    let retiredWithout = try await BoughtDesk().run("config check", product: "", others: "retired = true")
    #expect(retiredWithout.code == 0)
    let soldWithout = try await BoughtDesk().run("config check", product: "")
    #expect(soldWithout.code == 2)
  }

  @Test(arguments: [
    (BoughtDesk.product("gems", "com.example.gems"), "configuration.productMissing"),
    (
      BoughtDesk.product("coins.100", "com.example.coins100", kind: "nonConsumable"), "configuration.kindChanged"
    ),
  ])
  func `still lets the server start, with a warning`(product: String, event: String) async throws {
    let desk = try await bought()
    let (code, shown) = await desk.run("serve", product: product)
    #expect(code == 0)
    #expect(shown.contains(event) && shown.contains("coins.100"))
    #expect(await desk.run("serve").shown.contains("configuration.") == false)
  }
}
