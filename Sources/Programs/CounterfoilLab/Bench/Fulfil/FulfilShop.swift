import AppStoreProtocol
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import PostgreSQLDatabase
import SQLiteDatabase
import ServerConfiguration
import SigningAuthorities
import Synchronization
import WeChatPayIntegration
import WeChatPayProtocol

/// The fixture that `bench fulfil` measures: one app that sells coins on both stores, with its own keys.
struct FulfilShop: Sendable {
  static let app: AppIdentifier = "bench"
  static let appEnvironment = AppEnvironment(app: app, environment: .simulated)
  static let bundleId = "com.example.bench"
  static let storeProduct = "com.example.bench.coins100"
  static let coins: Int64 = 100
  static let fen: Int64 = 600
  static let mchid = "1900000001"
  static let appid = "wx0000000000000001"
  static let tokenKey: CredentialIdentifier = "bench-1"
  /// How many connections read the database.
  static let readersCount = 2

  let settings: AppSettings
  let policy: AppPolicy
  let verifier: SignedDataVerifier
  let chain: SigningChain
  let platformSigner: PlatformSigner
  let keys: PlatformKeyRing
  let apiV3Key: APIv3Key
  let tokenSecret: Secret
  let clock: BenchClock
  let dependencies: Dependencies
  private let pause: (@Sendable () -> Void)?

  init(_ platform: Platform) throws {
    let now = platform.dependencies.now()
    let clock = BenchClock(now)
    var dependencies = platform.dependencies
    dependencies.now = { clock.now }
    self.clock = clock
    self.dependencies = dependencies
    pause = platform.pause
    chain = Self.chain(at: now)
    verifier = try SignedDataVerifier(
      SignedDataConfiguration(profile: .development, anchors: Array(chain.certificates.suffix(1))))
    let merchantKey = RSAPrivateKey(randomBytes: dependencies.randomBytes(48))
    let platformKey = RSAPrivateKey(randomBytes: dependencies.randomBytes(48))
    let identifier = "PUB_KEY_ID_0119000000012026112000000000000001"
    var keys = PlatformKeyRing(merchantKey: merchantKey.publicKey)
    try keys.add(publicKey: platformKey.publicKey, identifier: identifier)
    self.keys = keys
    platformSigner = PlatformSigner(identifier: .publicKey(identifier), privateKey: platformKey)
    apiV3Key = try APIv3Key(Secret("an APIv3 key made for tests 32 b".utf8))
    tokenSecret = Secret(Array(Base64URL.encode(dependencies.randomBytes(48)).utf8))
    var weChatPay = WeChatPayAccess(
      merchant: try MerchantCredentials(
        mchid: Self.mchid, certificateSerial: "5157F09EFDC096DE15EBE81A47057A7200000001", privateKey: merchantKey,
        apiV3Key: apiV3Key),
      platformKeys: keys, appids: [.app: Self.appid], notifyOrigin: "https://pay.example.com")
    weChatPay.hosts = [WeChatPayHost("http://wechat.bench")].compactMap(\.self)
    var settings = AppSettings(
      id: Self.app, home: .simulated, identity: AppIdentity(bundleId: Self.bundleId, appAppleId: 1),
      catalog: try Catalog([
        Product(
          id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: Self.coins),
          appStoreProducts: [StoreProductIdentifier(Self.storeProduct)],
          weChatPrice: Money(minorUnits: Self.fen, currency: .cny)),
        Product(
          id: "club", kind: .autoRenewable, grant: .entitlement("club", period: nil),
          appStoreProducts: ["com.example.bench.club"]),
      ]))
    settings.weChatPay = weChatPay
    settings.policy.referenceFromApp = true
    self.settings = settings
    policy = settings.servedPolicy
  }

  /// The chain that signs as the App Store; the same in each process for one moment.
  static func chain(at now: Timestamp) -> SigningChain {
    BenchSubject.chain("Bench", seed: 1, (now - .days(100), now + .days(100)))
  }

  /// A server over a database, assembled as in `counterfoil serve`, except for the rate limits: one address sends all
  /// requests.
  ///
  /// - Parameter waitingReadsMax: how many calls may wait for their order at the same time.
  func open(
    _ path: String, waitingReadsMax: Int = WaitSlots.inAll, _ change: (inout SQLiteSettings) -> Void = { _ in }
  ) async throws -> OpenShop {
    var settings = SQLiteSettings(path: path, profile: .simulated, holder: "counterfoil-lab bench")
    settings.pause = pause
    change(&settings)
    let database = try await SQLiteDatabase.open(
      settings, dependencies: dependencies, writer: ThreadExecutor(),
      readers: (0..<Self.readersCount).map { _ in
        ThreadExecutor()
      })
    return try await assemble(database, waitingReadsMax: waitingReadsMax)
  }

  /// The same over a database that is open.
  func assemble(_ database: any BenchDatabase, waitingReadsMax: Int = WaitSlots.inAll) async throws -> OpenShop {
    let engine = PaymentEngine(
      [self.settings], database: database, verifier: verifier, dependencies: dependencies,
      exchanges: Exchanges(outside: prepayDesk, anywhere: prepayDesk),
      secret: try await InstallationSecret.of(database),
      log: { _ in })
    var server = ServerSettings(
      userTokenKeys: [Self.tokenKey: try UserTokenKey(app: Self.app, method: .hs256(tokenSecret))],
      isSimulated: true, version: Version.text)
    server.rates.peer = RateSettings.Rate(perSecond: 1_000_000, burst: 1_000_000)
    server.rates.notifications = server.rates.peer
    server.waitingReadsMax = waitingReadsMax
    return OpenShop(
      database: database, engine: engine,
      server: PaymentServer(engine: engine, settings: server, dependencies: dependencies, log: { _ in }))
  }

  /// The part of WeChat Pay that this fixture needs: it opens every order.
  private var prepayDesk: HTTPExchange {
    HTTPExchange { [platformSigner, dependencies] _, _ throws(HTTPExchangeError) in
      let nonce = Nonce.text(randomBytes: dependencies.randomBytes(32))
      let body = Array(#"{"prepay_id":"wx20\#(nonce)"}"#.utf8)
      var fields = platformSigner.fields(signing: body, at: dependencies.now(), nonce: nonce)
      fields.set("Content-Type", "application/json")
      return HTTPResponse(status: 200, fields: fields, body: body)
    }
  }
}

/// A database that a bench closes.
protocol BenchDatabase: PaymentDatabase {
  func close() async
}

extension SQLiteDatabase: BenchDatabase {}
extension PostgreSQLDatabase: BenchDatabase {}

/// A fixture over one database.
struct OpenShop: Sendable {
  let database: any BenchDatabase
  let engine: PaymentEngine
  let server: PaymentServer
}

/// The clock of the fixture. It advances only by calls, so signed data stays fresh for every round.
final class BenchClock: Sendable {
  private let milliseconds: Atomic<Int64>

  init(_ start: Timestamp) { milliseconds = Atomic(start.milliseconds) }

  var now: Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .relaxed)) }

  func advance() { milliseconds.add(1, ordering: .relaxed) }
}
