import Console
import CounterfoilCLI
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration

/// Measures the console's pages over a grown database: from the request to the bytes of the page.
struct ConsoleBench: Sendable {
  private static let origin = "http://localhost"
  /// Deliveries that still wait: as many as a backend has that is away for a moment.
  private static let waiting = 100
  private static let batch = 1000

  let settings: BenchSearchCommand.Settings
  private let grown: GrownBench
  private let platform: Platform

  init(_ settings: BenchSearchCommand.Settings, _ platform: Platform) throws {
    self.settings = settings
    self.platform = platform
    grown = try GrownBench(
      BenchGrownCommand.Settings(
        orders: settings.orders, beside: 0, subscriptions: 0, measured: settings.measured, rounds: 1,
        folder: settings.folder), platform)
  }

  /// A page, how long it took, and how long it may take.
  struct Timing: Sendable {
    let page: String
    let sorted: [Double]
    let goalMilliseconds: Double
    /// The size of the largest one, in bytes.
    let bytes: Int

    func share(_ percent: Int) -> Double { sorted[min(sorted.count - 1, sorted.count * percent / 100)] }
    var isFast: Bool { share(95) < goalMilliseconds }
  }

  func run() async throws -> [Timing] {
    try platform.files.makeFolder(settings.folder)
    let path = settings.folder + "/console.db"
    let isFilled = settings.keepsDatabase && platform.folders.size(path) != nil
    if !isFilled { try grown.remove(path) }
    let open = try await grown.shop.open(path)
    if !isFilled {
      try await grown.fill(open.engine, orders: 0..<settings.orders)
      try await acknowledge(open.engine)
      try await notify(open.engine)
    }
    let timings = try await measure(open.engine)
    await open.database.close()
    if !settings.keepsDatabase { try grown.remove(path) }
    return timings
  }

  // MARK: what stands in the database besides orders

  /// The backend has acknowledged what was made, but for the newest.
  private func acknowledge(_ engine: PaymentEngine) async throws {
    let here = FulfilShop.appEnvironment
    var query = DeliveryQuery(appEnvironment: here, selection: .all, limit: Self.batch)
    var left = settings.orders - Self.waiting
    while left > 0 {
      let asked = query
      let page = try await engine.read { try $0.deliveries(asked) }.prefix(left)
      guard let last = page.last else { return }
      try await engine.transact { transaction in
        for var delivery in page {
          delivery.state = .acknowledged(at: transaction.now)
          try transaction.update(delivery)
        }
      }
      query.after = last.id
      left -= page.count
    }
  }

  /// One notification for ten orders, some without an effect.
  private func notify(_ engine: PaymentEngine) async throws {
    for first in stride(from: 0, to: settings.orders / 10, by: Self.batch) {
      try await engine.transact { transaction in
        for number in first..<(first + Self.batch) {
          try transaction.insert(
            ReceivedNotification(
              appEnvironment: FulfilShop.appEnvironment, id: "notification-\(number)", type: "ONE_TIME_CHARGE",
              subtype: nil, signedDate: transaction.now, transaction: GrownBench.transaction(number),
              signedPayload: String(repeating: "a", count: 6000), receivedAt: transaction.now,
              effect: number % 1000 == 7 ? .kept : .applied))
        }
      }
    }
  }

  // MARK: measuring

  private func measure(_ engine: PaymentEngine) async throws -> [Timing] {
    let console = Console(
      engine: engine,
      settings: ConsoleSettings(
        origin: Self.origin, isSimulated: true, version: "bench",
        approvals: ApprovalRules(refundMinorUnits: 20_000)), requests: RecentRequests(),
      dependencies: engine.dependencies, log: { _ in })
    let cookie = try await signIn(to: console, engine)
    var timings: [Timing] = []
    for page in try await pages(engine) {
      var (milliseconds, bytes) = ([Double](), 0)
      for turn in 0..<settings.measured {
        let request = HTTPRequest("GET", "/console" + page.path(turn), fields: ["Cookie": cookie])
        let start = platform.monotonicNanoseconds()
        let answer = await console.respond(to: request, from: "127.0.0.1")
        milliseconds.append(Double(platform.monotonicNanoseconds() - start) / 1e6)
        guard answer.status == 200 || page.leadsOn && answer.status == 303 else {
          throw CommandFailure("\(request.target) is answered \(answer.status).")
        }
        bytes = max(bytes, answer.body.count)
      }
      timings.append(
        Timing(page: page.name, sorted: milliseconds.sorted(), goalMilliseconds: page.goal, bytes: bytes))
    }
    return timings
  }

  private func signIn(to console: Console, _ engine: PaymentEngine) async throws -> String {
    let account: OperatorName = "bench"
    _ = try await engine.setRole(.admin, of: account, in: OperatorAccount.everyApp, by: "bench")
    guard let code = try await engine.makeSignInLink(for: account, by: "bench") else {
      throw CommandFailure("No link was made.")
    }
    let request = HTTPRequest(
      "POST", "/console/enter",
      fields: ["Origin": Self.origin, "Content-Type": "application/x-www-form-urlencoded"],
      body: Array("code=\(code)".utf8))
    let answer = await console.respond(to: request, from: "127.0.0.1")
    guard let cookie = answer.fields.values("Set-Cookie").first(where: { $0.hasPrefix("__Host-counterfoil=") }) else {
      throw CommandFailure("The console does not sign in: \(answer.status).")
    }
    return String(cookie.prefix { $0 != ";" })
  }

  /// One kind of page; a path for each turn.
  private struct Page: Sendable {
    let name: String
    var goal = 100.0
    /// Whether it leads on to another page.
    var leadsOn = false
    let path: @Sendable (Int) -> String
  }

  private func pages(_ engine: PaymentEngine) async throws -> [Page] {
    let keys = (0..<settings.measured).map { turn in
      PaymentKey(
        app: FulfilShop.app, store: .appStore, environment: .simulated,
        transaction: GrownBench.transaction(turn * 7919 % settings.orders))
    }
    let samples = try await engine.read { reader in
      try keys.compactMap { key in
        try reader.payment(key).map { (payment: $0, delivery: try reader.deliveries(of: key).first?.id.text ?? "") }
      }
    }
    guard samples.count == settings.measured else { throw CommandFailure("A payment of the database is missing.") }
    let base = "/app/\(FulfilShop.app)"
    func fixed(_ path: String) -> Page { Page(name: path.isEmpty ? "overview" : path) { _ in base + path } }
    let lists = [
      "", "/needs-attention", "/orders", "/orders?state=closed", "/payments", "/payments?state=held", "/users",
      "/refunds", "/subscriptions", "/extensions", "/reconciliation", "/bills", "/reports", "/consumption-requests",
      "/complaints", "/endpoints", "/notifications", "/notifications?state=kept", "/products", "/health",
      "/deliveries", "/deliveries?state=pending", "/approvals",
    ].map(fixed)
    let whole = ["/audit-log", "/accounts", "/me"].map { path in Page(name: path) { _ in path } }
    return lists + whole + [
      Page(name: "search by transaction", goal: 20, leadsOn: true) {
        base + "/search?q=\(samples[$0].payment.key.transaction)"
      },
      Page(name: "search for nothing", goal: 20) { base + "/search?q=\(900_000_000_000 + $0)" },
      Page(name: "timeline of an order", goal: 20) {
        base + "/orders/\(samples[$0].payment.order?.description ?? "")?environment=simulated"
      },
      Page(name: "payment") { base + "/payments/appStore/simulated/\(samples[$0].payment.key.transaction)" },
      Page(name: "user") { base + "/users/\(samples[$0].payment.owner?.text ?? "")?environment=simulated" },
      Page(name: "delivery") { base + "/deliveries/\(samples[$0].delivery)" },
    ]
  }
}
