import AppStoreProtocol
import AppStoreSimulator
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentPrimitives
import ServerConfiguration
import SimulatorCore
import StrictJSON
import Synchronization

/// Four apps with a receiver each, a server as a separate process, a simulated App Store in this process.
struct ReceiversBench: Sendable {
  /// The open purchases of each bad receiver before a measurement beside them begins.
  private static let backlog = 40
  /// Phones that buy at the same time.
  private static let phones = 4
  /// How long the bench waits for a delivery before it counts as lost.
  private static let patience = TimeSpan.seconds(60)

  /// The apps, by the behaviour of their receivers.
  enum Manner: String, CaseIterable, Sendable {
    case sound
    /// Has no receiver: its backend pulls.
    case pulling
    case refusing
    case hanging
    case down

    static let bad: [Manner] = [.refusing, .hanging, .down]

    var bundleId: String { "com.example.\(rawValue)" }
    var storeProduct: StoreProductIdentifier { StoreProductIdentifier("com.example.\(rawValue).coins") }
  }

  private let platform: Platform
  private let simulator: SimulatedAppStore
  private let server: DemoServer
  private let listeners: [Listener]
  private let arrivals: Arrivals
  private let address: String
  private let secret: Secret
  private let exchange: HTTPExchange

  static func build(in folder: String, _ platform: Platform) async throws -> ReceiversBench {
    try DemoStage.empty(folder, platform)
    let arrivals = Arrivals(platform.monotonicNanoseconds)
    let exchange = try platform.exchange(.anywhere)
    let simulator = try await SimulatedAppStore.open(
      log: VolatileSimulatorLog().log, dependencies: platform.dependencies, exchange: exchange,
      settings: SimulatorSettings(environment: .production))
    var ports: [Manner: UInt16] = [:]
    var listeners: [Listener] = []
    for manner in [Manner.sound, .refusing, .hanging] {
      var settings = ListenSettings(address: "127.0.0.1", port: 0)
      settings.drainLimit = .zero
      let listener = try platform.listen(settings) { request, _ in
        await answer(request, manner, arrivals: arrivals, platform: platform)
      }
      ports[manner] = listener.port
      listeners.append(listener)
    }
    ports[.down] = try DemoStage.freePort(platform)
    let port = try DemoStage.freePort(platform)
    let secret = Array(Base64URL.encode(platform.dependencies.randomBytes(48)).utf8)
    try platform.files.replace(SimulatedProfile.root(in: folder), Array(simulator.authority.rootPEM.utf8))
    try platform.files.replace(SimulatedProfile.tokenSecret(in: folder), secret)
    try platform.files.replace(
      folder + "/webhook.secret", Array(("whsec_" + Base64.encode(platform.dependencies.randomBytes(32))).utf8))
    let path = folder + "/counterfoil.toml"
    try platform.files.replace(path, Array(configuration(port, ports).utf8))
    try await stock(simulator)
    return ReceiversBench(
      platform: platform, simulator: simulator, server: try DemoServer(configuration: path, platform),
      listeners: listeners,
      arrivals: arrivals, address: "http://127.0.0.1:\(port)", secret: Secret(secret), exchange: exchange)
  }

  private static func answer(
    _ request: HTTPRequest, _ manner: Manner, arrivals: Arrivals, platform: Platform
  ) async -> HTTPResponse {
    arrivals.note(request, manner)
    switch manner {
    case .sound, .pulling, .down: return HTTPResponse(status: 204)
    case .refusing: return HTTPResponse(status: 500)
    case .hanging:
      try? await platform.dependencies.sleep(patience)
      return HTTPResponse(status: 204)
    }
  }

  private static func stock(_ simulator: SimulatedAppStore) async throws {
    for (number, manner) in Manner.allCases.enumerated() {
      try await simulator.catalog.setApp(SimulatedApp(bundleId: manner.bundleId, appAppleId: Int64(1001 + number)))
      try await simulator.catalog.setProduct(
        SimulatedProduct(
          id: manner.storeProduct, kind: .consumable, price: StatedPrice(milliunits: 6000, currency: "CNY")),
        bundleId: manner.bundleId)
    }
  }

  private static func configuration(_ port: UInt16, _ ports: [Manner: UInt16]) -> String {
    let apps = Manner.allCases.map { manner in
      """

      [[app]]
      id = "\(manner.rawValue)"
      bundle_id = "\(manner.bundleId)"

      [[app.user_token_key]]
      kid = "\(manner.rawValue)-1"
      algorithm = "HS256"
      secret = { file = "user-token.secret" }

      \(ports[manner].map { endpoint(manner, $0) } ?? "")
      [[app.product]]
      id = "coins.100"
      kind = "consumable"
      app_store_product_ids = ["\(manner.storeProduct)"]
      units = { unit = "coin", amount = 100 }

      """
    }
    return """
      profile = "simulated"
      port = \(port)
      database = "counterfoil.db"
      trusted_roots = ["simulator-root.pem"]

      """ + apps.joined()
  }

  private static func endpoint(_ manner: Manner, _ port: UInt16) -> String {
    """
    [[app.endpoint]]
    name = "\(manner.rawValue)"
    url = "http://127.0.0.1:\(port)/deliveries"
    secrets = [{ file = "webhook.secret" }]
    may_be_inside = true

    """
  }

  /// Measures alone, then beside the others.
  func run(purchases: Int) async throws -> ReceiversResult {
    let outcome = Mutex<Result<ReceiversResult, any Error>?>(nil)
    await withTaskGroup(of: Void.self) { group in
      for listener in listeners { group.addTask { await listener.run() } }
      let result: Result<ReceiversResult, any Error>
      do { result = .success(try await measure(purchases)) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      await server.end()
      for listener in listeners { listener.stop() }
      group.cancelAll()
    }
    guard let result = outcome.withLock({ $0 }) else { throw CommandFailure("nothing was measured.") }
    return try result.get()
  }

  private func measure(_ purchases: Int) async throws -> ReceiversResult {
    try await DemoStage.waitUntilReady(address, exchange, platform: platform)
    // The first purchases open connections and fill caches, so they are not measured.
    _ = try await buy(Self.backlog, .sound, phase: "warm")
    let others = Manner.bad.map { _ in Manner.pulling }
    let alone = try await buy(purchases, beside: others, "alone")
    let before = arrivals.others
    for manner in Manner.bad { _ = try await buy(Self.backlog, manner, phase: "backlog") }
    let beside = try await buy(purchases, beside: Manner.bad, "beside")
    let attempts = arrivals.others - before
    let all = alone.merging(beside) { first, _ in first }
    let end = platform.monotonicNanoseconds() + UInt64(Self.patience.milliseconds) * 1_000_000
    while arrivals.missing(all) > 0, platform.monotonicNanoseconds() < end {
      try await platform.dependencies.sleep(.milliseconds(20))
    }
    return ReceiversResult(
      alone: arrivals.spans(since: alone), beside: arrivals.spans(since: beside), othersAttempts: attempts,
      lost: arrivals.missing(all))
  }

  /// Buys for the working receiver, and the same number in total for the others. So the server has the same work of as
  /// many phones, whatever their receivers do.
  private func buy(_ count: Int, beside others: [Manner], _ phase: String) async throws -> [String: UInt64] {
    try await withThrowingTaskGroup(of: [String: UInt64].self) { group in
      for (number, manner) in others.enumerated() {
        group.addTask {
          _ = try await buy(count / others.count, manner, phase: "\(phase)-\(number)")
          return [:]
        }
      }
      group.addTask { try await buy(count, .sound, phase: phase) }
      return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }
  }

  /// Buys in an app, from several phones at a time.
  ///
  /// - Returns: when each transaction was submitted.
  private func buy(_ count: Int, _ manner: Manner, phase: String) async throws -> [String: UInt64] {
    try await withThrowingTaskGroup(of: [String: UInt64].self) { group in
      for phone in 0..<Self.phones {
        group.addTask {
          var handedIn: [String: UInt64] = [:]
          for number in stride(from: phone, to: count, by: Self.phones) {
            let (transaction, at) = try await purchase(manner, "\(phase)-\(number)")
            handedIn[transaction] = at
          }
          return handedIn
        }
      }
      return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }
  }

  private func purchase(_ manner: Manner, _ name: String) async throws -> (String, UInt64) {
    let account = AppleAccountIdentifier(name)
    try await simulator.catalog.setAccount(SimulatedAppleAccount(id: account, environment: .production))
    let token = TokenCommand.issue(
      for: name, of: AppIdentifier(manner.rawValue), kid: CredentialIdentifier(manner.rawValue + "-1"), secret,
      at: platform.dependencies.now(), for: .minutes(10))
    let order = try await post(
      "/v1/orders", .members([("productId", "coins.100"), ("store", "appStore")]), token: token)
    var wish = SimulatedPurchaseRequest(
      owner: AppOwner(account: account, bundleId: manner.bundleId), product: manner.storeProduct)
    wish.appAccountToken = order["id"]?.string.flatMap { AppStoreUUID($0) }
    let bought = try await simulator.purchases.purchase(wish)
    let at = platform.monotonicNanoseconds()
    let answer = try await post(
      "/v1/payments/app-store", .members([("evidence", .string(bought.signedTransaction))]), token: token)
    let verdict = answer["payments"]?.array?.first?["verdict"]?.string
    guard verdict == "fulfilled" else {
      throw CommandFailure("a payment was answered \(verdict ?? "without a verdict").")
    }
    return (bought.transaction.id.text, at)
  }

  private func post(_ path: String, _ body: JSONValue, token: String) async throws -> JSONValue {
    let request = HTTPRequest("POST", address + path, fields: ["Authorization": "Bearer " + token], json: body)
    let response = try await exchange.send(request, .seconds(30))
    guard (200..<300).contains(response.status) else {
      throw CommandFailure("POST \(path) was answered \(response.status).")
    }
    return try JSONReader.read(response.body)
  }
}

/// The deliveries and attempts that reached the receivers.
final class Arrivals: Sendable {
  private struct State {
    var sound: [String: UInt64] = [:]
    var others = 0
  }

  private let nanoseconds: @Sendable () -> UInt64
  private let state = Mutex(State())

  init(_ nanoseconds: @escaping @Sendable () -> UInt64) { self.nanoseconds = nanoseconds }

  /// Attempts that reached the bad receivers.
  var others: Int { state.withLock { $0.others } }

  func note(_ request: HTTPRequest, _ manner: ReceiversBench.Manner) {
    let at = nanoseconds()
    guard manner == .sound else { return state.withLock { $0.others += 1 } }
    guard let transaction = (try? JSONReader.read(request.body))?["transactionId"]?.string else { return }
    state.withLock { state in
      if state.sound[transaction] == nil { state.sound[transaction] = at }
    }
  }

  /// How many of these transactions were not delivered.
  func missing(_ handedIn: [String: UInt64]) -> Int {
    state.withLock { state in handedIn.keys.count { state.sound[$0] == nil } }
  }

  /// The delivery times of these transactions, sorted.
  func spans(since handedIn: [String: UInt64]) -> [UInt64] {
    state.withLock { state in
      handedIn.compactMap { transaction, at in state.sound[transaction].map { $0 > at ? $0 - at : 0 } }.sorted()
    }
  }
}
