import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import SimulationKit
import StrictJSON
import Synchronization

/// The products for sale, and secrets that are made for tests.
enum TestShop {
  static let id: AppIdentifier = "shop"
  static let bundleId = "com.example.shop"
  static let appEnvironment = AppEnvironment(app: id, environment: .simulated)
  static let tokenKey: CredentialIdentifier = "test-1"
  static let tokenSecret = Secret(Array("user tokens of adapters, made for tests".utf8))
  static let address = "https://pay.example.com"

  static let products: [PaymentModel.Product] = [
    Product(
      id: "coins6", kind: .consumable, grant: .units("coin", perPiece: 6), appStoreProducts: ["com.example.coins6"]),
    Product(
      id: "coins12", kind: .consumable, grant: .units("coin", perPiece: 12), appStoreProducts: ["com.example.coins12"]),
    Product(
      id: "premium", kind: .nonConsumable, grant: .entitlement("premium", period: nil),
      appStoreProducts: ["com.example.premium"]),
    Product(
      id: "vip", kind: .autoRenewable, grant: .entitlement("vip", period: nil), appStoreProducts: ["com.example.vip"]),
    Product(
      id: "vipBasic", kind: .autoRenewable, grant: .entitlement("vipBasic", period: nil),
      appStoreProducts: ["com.example.vip.basic"]),
    Product(
      id: "vipYear", kind: .autoRenewable, grant: .entitlement("vip", period: nil),
      appStoreProducts: ["com.example.vip.year"]),
    Product(
      id: "vipTwin", kind: .autoRenewable, grant: .entitlement("vipTwin", period: nil),
      appStoreProducts: ["com.example.vip.twin"]),
    // Known to us and not to Apple (1A.20).
    Product(
      id: "ghost", kind: .consumable, grant: .units("coin", perPiece: 1), appStoreProducts: ["com.example.ghost"]),
  ]

  static func token(for user: UserIdentifier, at now: Timestamp) -> String {
    let header = JSONValue.members([("alg", "HS256"), ("typ", "JWT"), ("kid", .string(tokenKey.text))])
    let claims = JSONValue.members([
      ("sub", .string(user.text)), ("aud", .string(id.text)), ("iat", .integer(now.seconds)),
      ("exp", .integer((now + .minutes(30)).seconds)),
    ])
    let signed = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
    return signed + "." + Base64URL.encode(HMACSHA256.code(for: signed.utf8, key: tokenSecret))
  }

  /// Settings with a key that signs offers, and without any call to Apple.
  static func appStore(by key: SimulatedTestAPIKey) throws -> AppStoreServerAccess {
    var settings = AppStoreServerAccess(
      credentials: try AppStoreServerCredentials(
        issuerId: key.key.issuerId.text, keyId: key.key.keyId, bundleId: bundleId, privateKey: key.testPrivateKey))
    settings.userOffers = ["loyal"]
    settings.finishesTransactions = false
    settings.setsAppAccountToken = false
    settings.confirmsOldSignatures = false
    return settings
  }

  static func stock(_ store: SimulatedAppStore, notifies: Bool) async throws(CodedError<SimulatorErrorCode>) {
    try await store.catalog.setApp(
      SimulatedApp(
        bundleId: bundleId, appAppleId: 1_000_000_001,
        notificationURL: notifies ? address + "/notifications/app-store" : nil))
    // In the group of subscriptions `vip.basic` is the lesser level.
    for (id, kind) in [
      ("com.example.coins6", SimulatedProduct.Kind.consumable), ("com.example.coins12", .consumable),
      ("com.example.premium", .nonConsumable), ("com.example.vip", .autoRenewable(group: "20000001", period: .month)),
      ("com.example.vip.basic", .autoRenewable(group: "20000001", period: .month)),
      ("com.example.vip.twin", .autoRenewable(group: "20000001", period: .month)),
      ("com.example.vip.year", .autoRenewable(group: "20000001", period: .year)),
    ] {
      var product = SimulatedProduct(
        id: StoreProductIdentifier(id), kind: kind, price: StatedPrice(milliunits: 6000, currency: "CNY"))
      if id == "com.example.vip.basic" { product.level = 2 }
      if id == "com.example.vip" {
        product.offers = [SimulatedOffer(.promotionalOffer, "loyal", payment: .payAsYouGo, period: .month, price: 3000)]
      }
      try await store.catalog.setProduct(product, bundleId: bundleId)
    }
  }
}

/// The real server over an in-memory database, in a process of its own.
struct TestServer: Sendable {
  let process: SimulatedProcess
  let database: InMemoryDatabase
  let engine: PaymentEngine
  private let server: PaymentServer

  /// - Parameters:
  ///   - key: the key that signs offers, if any.
  ///   - isStrict: whether the server demands the device's proof for each claim.
  init(
    _ world: SimulatedWorld, trusting root: X509Certificate, offersBy key: SimulatedTestAPIKey?, isStrict: Bool
  ) throws {
    process = SimulatedProcess("server", number: 2, in: world)
    let dependencies = process.dependencies()
    let storage = InMemoryStorage.simulated()
    database = InMemoryDatabase(storage, now: { world.now })
    var app = AppSettings(
      id: TestShop.id, home: .simulated,
      identity: AppIdentity(bundleId: TestShop.bundleId, appAppleId: 1_000_000_001),
      catalog: try Catalog(TestShop.products))
    app.policy.claims.isStrict = isStrict
    app.appStore?.server = try key.map { try TestShop.appStore(by: $0) }
    var limits = EngineLimits()
    // Tests run for weeks in which nothing happens: longer intervals change only the number of steps.
    limits.expiryInterval = .hours(6)
    limits.deliveryIdle = .hours(6)
    limits.watchInterval = .hours(6)
    engine = PaymentEngine.simulated(
      [app], database: database,
      verifier: try SignedDataVerifier(SignedDataConfiguration(profile: .development, anchors: [root])),
      dependencies: dependencies, limits: limits)
    server = PaymentServer(
      engine: engine,
      settings: ServerSettings(
        userTokenKeys: [TestShop.tokenKey: try UserTokenKey(app: app.id, method: .hs256(TestShop.tokenSecret))],
        isSimulated: true, version: "test"),
      dependencies: dependencies, log: { _ in })
  }

  /// The connection for a client that receives a test's verdicts for some transactions.
  func exchange(_ verdicts: [TransactionIdentifier: Verdict]) -> HTTPExchange {
    let real = exchange
    return HTTPExchange { request, limit throws(HTTPExchangeError) in
      let body = request.target.hasSuffix("/v1/payments/app-store") ? try? JSONReader.read(request.body) : nil
      guard let id = body?["transactionId"]?.string.map({ TransactionIdentifier($0) }), let verdict = verdicts[id]
      else { return try await real.send(request, limit) }
      let answer = PaymentAnswer(transaction: id, verdict: verdict)
      return HTTPResponse(status: 200, json: SubmitAppStorePayment.Response(payments: [answer]).json)
    }
  }

  /// The connection from other processes: the server completes each request, even if the caller is killed meanwhile.
  var exchange: HTTPExchange {
    HTTPExchange { [process, server] request, _ throws(HTTPExchangeError) in
      var arriving = request
      arriving.target = String(request.target.dropFirst(TestShop.address.count))
      let sent = arriving
      let (answers, answer) = AsyncStream.makeStream(of: HTTPResponse.self)
      process.spawn {
        answer.yield(await server.respond(to: sent, from: "192.0.2.1"))
        answer.finish()
      }
      for await answer in answers { return answer }
      throw .cancelled
    }
  }
}
