import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import Foundation
import HTTPClient
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import Synchronization
import SystemPlatform
import TestPlatform

/// One app in a shop's configuration.
struct ShopApp: Sendable {
  var id: String
  /// The port for its deliveries; nil if the backend pulls them.
  var webhook: UInt16?

  var bundleId: String { "com.example.\(id)" }
  var storeProduct: StoreProductIdentifier { StoreProductIdentifier("com.example.\(id).coins") }
}

/// A shop on a real machine: configuration and database in a folder, and the server as a process. A simulated App Store
/// in this process sells its products and sends notifications, and a client calls the server.
final class Shop: Sendable {
  let folder: String
  let port: UInt16
  let apps: [ShopApp]
  let store: SimulatedAppStore
  let exchange: HTTPExchange
  /// The secrets that sign user tokens and deliveries, as in their files.
  let tokenSecret: [UInt8]
  let webhookSecret: [UInt8]
  /// The secret key of each app.
  let keys: [String: String]
  private let server = Mutex<ProgramProcess?>(nil)
  /// The ports of several nodes, each called in its turn; empty if there is one server.
  private let nodes = Mutex<[UInt16]>([])
  private let kept = Mutex<ClientHistory?>(nil)

  var address: String {
    let next = nodes.withLock { nodes -> UInt16 in
      guard !nodes.isEmpty else { return port }
      nodes.append(nodes.removeFirst())
      return nodes[0]
    }
    return "http://127.0.0.1:\(next)"
  }

  var configuration: String { folder + "/counterfoil.toml" }
  var database: String { folder + "/counterfoil.db" }
  var process: ProgramProcess? { server.withLock { $0 } }

  private init(
    folder: String, port: UInt16, apps: [ShopApp], store: SimulatedAppStore, exchange: HTTPExchange,
    tokenSecret: [UInt8], webhookSecret: [UInt8], keys: [String: String]
  ) {
    self.folder = folder
    self.port = port
    self.apps = apps
    self.store = store
    self.exchange = exchange
    self.tokenSecret = tokenSecret
    self.webhookSecret = webhookSecret
    self.keys = keys
  }

  /// A shop in a folder, with its keys. The server does not run yet.
  ///
  /// - Parameter database: the table of a database on PostgreSQL, or nil for a SQLite file.
  static func open(in folder: String, apps: [ShopApp], database: String? = nil) async throws -> Shop {
    let port = try freePort()
    let exchange = try HTTPClient().exchange(HTTPClientOptions(route: .anywhere))
    let store = try await SimulatedAppStore.open(
      log: VolatileSimulatorLog().log, dependencies: .system, exchange: exchange,
      settings: SimulatorSettings(environment: .production))
    let tokenSecret = Array(Base64URL.encode(Dependencies.system.randomBytes(48)).utf8)
    let webhook = Dependencies.system.randomBytes(32)
    try Files.replace(folder + "/user-token.secret", with: tokenSecret)
    try Files.replace(folder + "/webhook.secret", with: Array(("whsec_" + Base64.encode(webhook)).utf8))
    try Files.replace(folder + "/simulator-root.pem", with: Array(store.authority.rootPEM.utf8))
    let text = ShopConfiguration(port: port, apps: apps, database: database).text
    try Files.replace(folder + "/counterfoil.toml", with: Array(text.utf8))
    var keys: [String: String] = [:]
    for (number, app) in apps.enumerated() {
      try await store.catalog.setApp(
        SimulatedApp(
          bundleId: app.bundleId, appAppleId: Int64(1001 + number),
          notificationURL: "http://127.0.0.1:\(port)/notifications/app-store"))
      try await store.catalog.setProduct(
        SimulatedProduct(
          id: app.storeProduct, kind: .consumable, price: StatedPrice(milliunits: 6000, currency: "CNY")),
        bundleId: app.bundleId)
      let made = try await counterfoil(
        "keys", "create", "--kind", "secret", "--label", "tests", "--app", app.id, "--json", in: folder)
      guard made.code == 0, let key = try JSONReader.read(made.output.utf8)["key"]?.string else {
        throw ShopError("no key was made: \(made.errors)")
      }
      keys[app.id] = key
    }
    return Shop(
      folder: folder, port: port, apps: apps, store: store, exchange: exchange, tokenSecret: tokenSecret,
      webhookSecret: webhook, keys: keys)
  }

  // MARK: server

  /// Starts the server and waits until it is ready.
  func start(environment: [String: String] = [:]) async throws {
    let process = try ProgramProcess(["serve"], in: folder, environment: environment)
    server.withLock { $0 = process }
    let isReady = try await eventually {
      if let code = process.status { throw ShopError("the server ended with \(code): \(process.errors)") }
      let answer = try? await exchange.send(HTTPRequest("GET", address + "/readyz"), .seconds(2))
      return answer?.status == 200
    }
    guard isReady else { throw ShopError("the server did not become ready: \(process.errors)") }
  }

  /// Stops the server as a service manager does, and returns its exit code.
  func stop() async throws -> Int32? {
    guard let process else { return nil }
    process.signal(SIGTERM)
    return try await process.end()
  }

  /// Kills the server if it still runs.
  func close() { server.withLock { $0 = nil } }

  /// Where calls and charges are noted, if anybody wants them.
  var history: ClientHistory? { kept.withLock { $0 } }

  /// Notes each call and charge from now on.
  func note(in history: ClientHistory) { kept.withLock { $0 = history } }

  /// Lets each call go to the next of these ports.
  func route(over ports: [UInt16]) { nodes.withLock { $0 = ports } }

  // MARK: calls

  /// A call with the secret key of an app.
  func ask(
    _ method: String, _ path: String, body: JSONValue? = nil, app: String? = nil,
    idempotencyKey: String? = nil
  ) async throws -> (status: Int, json: JSONValue) {
    let key = keys[app ?? apps[0].id] ?? ""
    return try await call(method, path, body: body, credential: key, idempotencyKey: idempotencyKey)
  }

  /// A call with any credential.
  func call(
    _ method: String, _ path: String, body: JSONValue?, credential: String, idempotencyKey: String? = nil
  ) async throws -> (status: Int, json: JSONValue) {
    var request = HTTPRequest(method, address + path, fields: ["Authorization": "Bearer " + credential])
    request.fields.set("Idempotency-Key", idempotencyKey)
    if let body {
      request.body = body.bytes
      request.fields.set("Content-Type", "application/json")
    }
    let send = { [exchange, request] () async throws -> (status: Int, json: JSONValue) in
      let response = try await exchange.send(request, .seconds(30))
      return (response.status, response.body.isEmpty ? JSONValue.null : try JSONReader.read(response.body))
    }
    guard let history else { return try await send() }
    return try await history.call(method, path, body: body, key: idempotencyKey, send)
  }

  /// A user token of an app, as its backend issues it.
  func token(for user: String, app: String? = nil) -> String {
    let app = app ?? apps[0].id
    // Made a while ago: a server whose clock is five minutes slow accepts it, too.
    let now = Dependencies.system.now()
    let header = JSONValue.members([("alg", "HS256"), ("typ", "JWT"), ("kid", .string(app + "-1"))])
    let claims = JSONValue.members([
      ("sub", .string(user)), ("aud", .string(app)), ("iat", .integer((now - .minutes(6)).seconds)),
      ("exp", .integer((now + .hours(1)).seconds)),
    ])
    let signed = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
    return signed + "." + Base64URL.encode(HMACSHA256.code(for: signed.utf8, key: Secret(tokenSecret)))
  }

  /// Buys at the simulated App Store, with the token of an order if one is given.
  func buy(order: String?, account: String, app: ShopApp? = nil) async throws -> SimulatedPurchase {
    let app = app ?? apps[0]
    let account = AppleAccountIdentifier(account)
    try await store.catalog.setAccount(SimulatedAppleAccount(id: account, environment: .production))
    var request = SimulatedPurchaseRequest(
      owner: AppOwner(account: account, bundleId: app.bundleId), product: app.storeProduct)
    request.appAccountToken = order.flatMap { AppStoreUUID($0) }
    guard let history else { return try await store.purchases.purchase(request) }
    return try await history.charge(order: order) { [store, request] in try await store.purchases.purchase(request) }
  }
}

/// A shop could not be set up, or failed in a step that every test needs.
struct ShopError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The text of a shop's configuration.
private struct ShopConfiguration {
  let port: UInt16
  let apps: [ShopApp]
  let database: String?

  var text: String {
    """
    profile = "simulated"
    port = \(port)
    trusted_roots = ["simulator-root.pem"]
    \(database ?? #"database = "counterfoil.db""#)

    """ + apps.map(text(of:)).joined()
  }

  private func text(of app: ShopApp) -> String {
    let endpoint = app.webhook.map {
      """

      [[app.endpoint]]
      name = "\(app.id)"
      url = "http://127.0.0.1:\($0)/deliveries/\(app.id)"
      secrets = [{ file = "webhook.secret" }]
      may_be_inside = true

      """
    }
    return """

      [[app]]
      id = "\(app.id)"
      bundle_id = "\(app.bundleId)"

      [[app.user_token_key]]
      kid = "\(app.id)-1"
      algorithm = "HS256"
      secret = { file = "user-token.secret" }
      \(endpoint ?? "")
      [[app.product]]
      id = "coins.100"
      kind = "consumable"
      app_store_product_ids = ["\(app.storeProduct)"]
      units = { unit = "coin", amount = 100 }

      """
  }
}

/// Runs a shop and its App Store's notifications during a test. Afterwards it kills the server if it still runs.
func withShop<Result: Sendable>(
  apps: [ShopApp] = [ShopApp(id: "game")], database: String? = nil,
  _ body: @escaping @Sendable (Shop) async throws -> Result
) async throws -> Result {
  try await withFolder { folder in
    let shop = try await Shop.open(in: folder, apps: apps, database: database)
    defer { shop.close() }
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        await NotificationSender(shop.store).run()
        return nil
      }
      group.addTask { try await body(shop) }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      throw ShopError("the test ended without a result")
    }
  }
}
