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
import ServerConfiguration
import SimulatorCore
import Synchronization

/// The fixture of a year: engine, database in memory, and the App Store with its calendar.
struct SubscriptionYearShop: Sendable {
  static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)
  static let bundleId = "com.example.club"
  static let monthly: StoreProductIdentifier = "com.example.club.monthly"
  static let larger: StoreProductIdentifier = "com.example.club.larger"

  let engine: PaymentEngine
  let app: AppPolicy
  let database: InMemoryDatabase
  let apple: SimulatedAppStore
  let dependencies: Dependencies
  let alarms = EngineAlarms()
  /// A backend that hears of everything by events alone.
  let books: EventBooks
  let buyers = SubscriptionYearBuyers()
  /// What the comparisons with the App Store's records corrected.
  let healed = HealedCount()

  init(in process: SimulatedProcess, _ world: SimulatedWorld, subscribers: Int, seed: UInt64) throws {
    let books = EventBooks(seed: seed)
    let dependencies = process.dependencies()
    let way = NotificationRoute(from: .appStore)
    let apple = try world.perform(in: process) {
      let apple = try await SimulatedAppStore.open(
        log: VolatileSimulatorLog().log, dependencies: dependencies, exchange: way.exchange,
        settings: SimulatorSettings(environment: .production))
      try await Self.stock(apple, subscribers: subscribers)
      return apple
    }
    var app = AppSettings(
      id: "shop", home: .simulated, identity: AppIdentity(bundleId: Self.bundleId, appAppleId: 1234),
      catalog: try Catalog([
        Product(
          id: "club", kind: .autoRenewable, grant: .entitlement("club", period: nil),
          appStoreProducts: [Self.monthly]),
        Product(
          id: "club.larger", kind: .autoRenewable, grant: .entitlement("club", period: nil),
          appStoreProducts: [Self.larger]),
      ]))
    app.appStore?.server = try apple.access(of: Self.bundleId)
    var endpoint = DeliveryEndpoint(
      name: "books", url: EventBooks.url, environments: [.simulated],
      secrets: [Secret(Array("a secret made for simulations, 32 b".utf8))])
    endpoint.types = Set(EventType.allCases)
    app.policy.endpoints = [endpoint]
    let servers = apple.serverAPI.network
    let network = HTTPExchange { request, limit throws(HTTPExchangeError) in
      try await (request.target == EventBooks.url ? books.exchange : servers).send(request, limit)
    }
    database = InMemoryDatabase(
      InMemoryStorage.simulated(),
      now: dependencies.now)
    engine = PaymentEngine.simulated(
      [app], database: database,
      verifier: try apple.verifier(),
      dependencies: dependencies, outside: network,
      log: { [alarms, healed] event in
        alarms.note(event)
        healed.note(event)
      })
    way.open(to: engine)
    self.app = app.servedPolicy
    self.apple = apple
    self.books = books
    self.dependencies = dependencies
  }

  /// Starts the App Store's own background work: its calendar, and the sending of notifications.
  func startStore(in process: SimulatedProcess) {
    process.spawn { [apple] in await SubscriptionCalendar(apple).run() }
    process.spawn { [apple] in await NotificationSender(apple).run() }
  }

  static func owner(_ number: Int) -> AppOwner {
    AppOwner(account: AppleAccountIdentifier("subscriber\(number)@example.com"), bundleId: bundleId)
  }

  /// The users of the app on an Apple account. A fourth of the accounts have two.
  static func users(_ number: Int) -> [UserIdentifier] {
    let first = "subscriber\(number)"
    return (number % 4 == 1 ? [first, first + ".partner"] : [first]).map { UserIdentifier($0) }
  }

  static func users(of owner: AppOwner) -> [UserIdentifier] {
    Int(owner.account.text.prefix { $0 != "@" }.dropFirst("subscriber".count)).map { users($0) } ?? []
  }

  static func account(_ number: Int, canPay: Bool = true) -> SimulatedAppleAccount {
    var account = SimulatedAppleAccount(id: owner(number).account, environment: .production)
    account.canPay = canPay
    return account
  }

  private static func stock(_ apple: SimulatedAppStore, subscribers: Int) async throws {
    var app = SimulatedApp(
      bundleId: bundleId, appAppleId: 1234, notificationURL: "https://pay.example.com/notifications/app-store")
    app.gracePeriodDays = 16
    try await apple.catalog.setApp(app)
    let prices = [
      (monthly, 2, StatedPrice(milliunits: 6000, currency: "CNY")),
      (larger, 1, StatedPrice(milliunits: 180_000, currency: "JPY")),
    ]
    for (id, level, price) in prices {
      var product = SimulatedProduct(
        id: id, kind: .autoRenewable(group: "21752814", period: .month), price: price)
      product.level = level
      try await apple.catalog.setProduct(product, bundleId: bundleId)
    }
    for number in 0..<subscribers { try await apple.catalog.setAccount(account(number)) }
  }
}

/// The sum of the corrections that the comparisons reported.
final class HealedCount: Sendable {
  private let sum = Atomic<Int>(0)

  var value: Int { sum.load(ordering: .relaxed) }

  func note(_ event: LogEvent) {
    guard event.name == "reconciliation.done",
      let healed = event.fields.first(where: { $0.0 == "healed" }).flatMap({ Int($0.1) })
    else { return }
    sum.add(healed, ordering: .relaxed)
  }
}
