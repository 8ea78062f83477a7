import AppStoreProtocol
import AppStoreSimulator
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import Synchronization
import WeChatPaySimulator

/// The parts of the demo: the simulated store and the backend in this process, the server as a separate process.
struct DemoStage: Sendable {
  let configuration: ServerConfiguration
  let simulator: SimulatorAssembly
  let weChatPay: WeChatPayAssembly
  let receiver: DemoReceiver
  let receiverListener: Listener
  let controlListener: Listener
  let server: DemoServer
  let address: String
  let tokenSecret: Secret
  let exchange: HTTPExchange

  static func build(_ plan: DemoPlan, _ platform: Platform) async throws -> DemoStage {
    try empty(plan.folder, platform)
    let quiet: Log = { _ in }
    let simulator = try await SimulatorAssembly.open(
      log: SimulatedProfile.simulatorLog(in: plan.folder), platform, report: quiet)
    let weChatPay = try await WeChatPayAssembly.open(in: plan.folder, platform, report: quiet)
    let webhook = platform.dependencies.randomBytes(32)
    let receiver = DemoReceiver(Secret(webhook), mischief: 5)
    let receiverListener = try platform.listen(ListenSettings(address: "127.0.0.1", port: 0)) { request, _ in
      receiver.respond(to: request)
    }
    let controlListener = try platform.listen(ListenSettings(address: "127.0.0.1", port: 0)) { request, _ in
      await simulator.respond(to: request, weChatPay)
    }
    let port = try freePort(platform)
    let address = "http://127.0.0.1:\(port)"
    try await weChatPay.sendNotifications(to: address)
    let merchant = WeChatPayAssembly.configuration(
      origin: "http://127.0.0.1:\(controlListener.port)",
      publicKeyIdentifier: await weChatPay.service.platformPublicKey().identifier)
    let path = try writeConfiguration(
      plan.folder, port, receiver: receiverListener.port, webhook: webhook, root: simulator.store.authority.rootPEM,
      merchant: merchant, platform: platform)
    let configuration = try ServerConfiguration.read(path, platform)
    try await SimulatedProfile.stock(
      simulator.store, notificationURL: address + "/notifications/app-store")
    guard let secret = try platform.files.read(SimulatedProfile.tokenSecret(in: plan.folder), 4096) else {
      throw CommandFailure("the secret that was just written is gone.")
    }
    return DemoStage(
      configuration: configuration, simulator: simulator, weChatPay: weChatPay, receiver: receiver,
      receiverListener: receiverListener, controlListener: controlListener,
      server: try DemoServer(configuration: path, platform), address: address,
      tokenSecret: Secret(secret), exchange: try platform.exchange(.anywhere))
  }

  /// Empties the folder, so that no data of an earlier run counts for this one.
  static func empty(_ folder: String, _ platform: Platform) throws {
    try platform.files.makeFolder(folder)
    let folders = ["phones", "wechat-pay"]
    for name in try platform.files.names(folder) where !folders.contains(name) {
      try platform.files.remove(folder + "/" + name)
    }
    let keys = WeChatPayAssembly.place(in: folder)
    for name in (try? platform.files.names(keys)) ?? [] { try platform.files.remove(keys + "/" + name) }
    try platform.files.makeFolder(folder + "/phones")
    for phone in 0..<100 {
      let path = folder + "/phones/\(phone)"
      for name in (try? platform.files.names(path)) ?? [] { try platform.files.remove(path + "/" + name) }
    }
  }

  /// A port that is free at this moment; the server keeps it over its restarts. It is below the range for outgoing
  /// connections. Otherwise the system could give the server's port to a phone that connects while the server is down.
  static func freePort(_ platform: Platform) throws -> UInt16 {
    let attemptsMax = 50
    for attempt in 1...attemptsMax {
      let port = UInt16(20_000 + platform.dependencies.randomNumber(below: 12_000))
      do {
        let probe = try platform.listen(ListenSettings(address: "127.0.0.1", port: port)) { _, _ in
          HTTPResponse(status: 404)
        }
        probe.stop()
        return port
      } catch { if attempt == attemptsMax { throw error } }
    }
    throw CommandFailure("no port of this machine is free.")
  }

  private static func writeConfiguration(
    _ folder: String, _ port: UInt16, receiver: UInt16, webhook: [UInt8], root: String,
    merchant: String, platform: Platform
  ) throws -> String {
    try platform.files.replace(SimulatedProfile.root(in: folder), Array(root.utf8))
    try platform.files.replace(
      SimulatedProfile.tokenSecret(in: folder),
      Array(Base64URL.encode(platform.dependencies.randomBytes(48)).utf8))
    try platform.files.replace(
      folder + "/webhook.secret", Array(("whsec_" + Base64.encode(webhook)).utf8))
    let products = SimulatedProfile.products.map(toml).joined()
    let text = """
      profile = "simulated"
      port = \(port)
      database = "counterfoil.db"
      trusted_roots = ["simulator-root.pem"]

      [[app]]
      id = "\(SimulatedProfile.app)"
      bundle_id = "\(SimulatedProfile.identity.bundleId)"

      [[app.user_token_key]]
      kid = "\(SimulatedProfile.tokenKey)"
      algorithm = "HS256"
      secret = { file = "user-token.secret" }

      [[app.endpoint]]
      name = "demo backend"
      url = "http://127.0.0.1:\(receiver)/deliveries"
      secrets = [{ file = "webhook.secret" }]
      may_be_inside = true

      """ + merchant + products
    let path = folder + "/counterfoil.toml"
    try platform.files.replace(path, Array(text.utf8))
    return path
  }

  private static func toml(_ product: Product) -> String {
    let grant: String =
      switch product.grant {
      case .units(let unit, let amount): "units = { unit = \"\(unit)\", amount = \(amount) }"
      case .entitlement(let name, let period):
        "entitlement = \"\(name)\"" + (period.map { "\nperiod = \"\($0.milliseconds / 86_400_000)d\"" } ?? "")
      }
    let ids = product.appStoreProducts.map { "\"\($0)\"" }.joined(separator: ", ")
    return """

      [[app.product]]
      id = "\(product.id)"
      kind = "\(product.kind.rawValue)"
      app_store_product_ids = [\(ids)]
      \(product.weChatPrice.map { "wechat_price_fen = \($0.minorUnits)" } ?? "")
      \(grant)

      """
  }

  func waitUntilReady(_ platform: Platform) async throws {
    try await Self.waitUntilReady(address, exchange, platform: platform)
  }

  /// Waits until the server at an address answers.
  static func waitUntilReady(
    _ address: String, _ exchange: HTTPExchange, platform: Platform
  ) async throws {
    for _ in 0..<200 {
      if let answer = try? await exchange.send(HTTPRequest("GET", address + "/readyz"), .seconds(2)),
        answer.status == 200
      {
        return
      }
      try await platform.dependencies.sleep(.milliseconds(100))
    }
    throw CommandFailure("the server did not become ready within twenty seconds; its log is on this terminal.")
  }
}

/// The server as a process that can be killed.
final class DemoServer: Sendable {
  private let platform: Platform
  private let configuration: String
  private let process: Mutex<ChildProcess>

  init(configuration: String, _ platform: Platform) throws {
    self.platform = platform
    self.configuration = configuration
    process = Mutex(try Self.start(configuration, platform))
  }

  private static func start(_ configuration: String, _ platform: Platform) throws -> ChildProcess {
    try platform.startSelf(["serve", "--config", configuration], ["COUNTERFOIL_LOG": "quiet"])
  }

  /// Runs `kill -9`, and at once starts a new server on the same database.
  func killAndRestart() throws {
    try process.withLock { process in
      process.kill()
      process = try Self.start(configuration, platform)
    }
  }

  func end() async { await process.withLock { $0 }.end() }
}
