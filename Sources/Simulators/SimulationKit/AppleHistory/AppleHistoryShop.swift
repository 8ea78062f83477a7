import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import SimulatorCore
import Synchronization

/// The environment of a history: a database in memory that survives its servers, and an App Store whose process is
/// never killed.
final class AppleHistoryShop: Sendable {
  static let appEnvironment = AppEnvironment(app: "shop", environment: .simulated)
  private static let bundleId = "com.example.shop"

  static let products: [Product] = [
    Product(
      id: "coins.100", kind: .consumable, grant: .units("coin", perPiece: 100),
      appStoreProducts: ["com.example.coins100"]),
    Product(
      id: "coins.7", kind: .consumable, grant: .units("coin", perPiece: 7), appStoreProducts: ["com.example.coins7"]),
  ]

  static func user(_ customer: Int) -> UserIdentifier { UserIdentifier("user\(customer)") }

  static func owner(_ customer: Int) -> AppOwner {
    AppOwner(account: AppleAccountIdentifier("account\(customer)"), bundleId: bundleId)
  }

  let world: SimulatedWorld
  let dependencies: Dependencies
  let appStore: SimulatedAppStore
  let app: AppPolicy
  private let settings: AppSettings
  let meter = AppleCallMeter()
  let alarms = EngineAlarms()
  private let apple: SimulatedProcess
  private let database = InMemoryStorage.simulated()
  private let lastProcess = Mutex(2)

  /// Half an hour, the default of every server.
  var comparisonInterval: TimeSpan { EngineLimits().reconciliationDelay }

  init(_ world: SimulatedWorld, _ people: SimulatedProcess) throws {
    self.world = world
    dependencies = people.dependencies()
    let apple = SimulatedProcess("App Store", number: 2, in: world)
    self.apple = apple
    let deaf = HTTPExchange { _, _ throws(HTTPExchangeError) in throw .unreachable("No server exists.") }
    let appStore = try world.perform(in: apple) {
      // This App Store is never opened again, so it needs no log.
      try await SimulatedAppStore.open(
        log: SimulatorLog(append: { _ in }, readAll: { [] }), dependencies: apple.dependencies(), exchange: deaf,
        settings: SimulatorSettings(environment: .production))
    }
    self.appStore = appStore
    try world.perform(in: apple) {
      try await appStore.catalog.setApp(
        SimulatedApp(
          bundleId: Self.bundleId, appAppleId: 1_000_000_001,
          notificationURL: "https://pay.example/notifications/app-store"))
      for product in Self.products {
        for storeProduct in product.appStoreProducts {
          try await appStore.catalog.setProduct(
            SimulatedProduct(
              id: storeProduct, kind: .consumable, price: StatedPrice(milliunits: 6000, currency: "CNY")),
            bundleId: Self.bundleId)
        }
      }
    }
    apple.spawn { await NotificationSender(appStore).run() }
    var app = AppSettings(
      id: "shop", home: .simulated, identity: AppIdentity(bundleId: Self.bundleId, appAppleId: 1_000_000_001),
      catalog: try Catalog(Self.products))
    app.appStore?.server = try appStore.access(of: Self.bundleId, at: AppStoreServerHost("http://apple.example"))
    settings = app
    self.app = app.servedPolicy
  }

  func register(_ customer: Int) async throws {
    try await appStore.catalog.setAccount(
      SimulatedAppleAccount(id: Self.owner(customer).account, environment: .production))
  }

  // MARK: servers

  func database(_ dependencies: Dependencies) -> InMemoryDatabase {
    InMemoryDatabase(database, now: dependencies.now) { point in
      // A kill may come between a commit and the report of its result.
      if point == .afterCommit { await Task.yield() }
    }
  }

  private func engine(in process: SimulatedProcess) throws -> PaymentEngine {
    let dependencies = process.dependencies()
    return PaymentEngine.simulated(
      [settings], database: database(dependencies),
      verifier: try appStore.verifier(),
      dependencies: dependencies, outside: exchange, log: { [alarms] event in alarms.note(event) })
  }

  private func process(_ name: String) -> SimulatedProcess {
    let number = lastProcess.withLock { last in
      last += 1
      return last
    }
    return SimulatedProcess(name, number: number, in: world)
  }

  /// An engine that answers calls, and runs no background work.
  func frontEngine() throws -> PaymentEngine { try engine(in: process("front")) }

  /// Starts a server process over the existing database.
  func start() throws -> SimulatedProcess {
    let process = process("server")
    let engine = try engine(in: process)
    process.spawn { await engine.run() }
    return process
  }

  /// The connection to Apple: without delay, so that only Apple's limits slow a server down. The work runs in Apple's
  /// process, even if the caller is killed.
  private var exchange: HTTPExchange {
    HTTPExchange { [self] request, limit throws(HTTPExchangeError) in
      let letter = NetworkMessage<Result<HTTPResponse, HTTPExchangeError>>()
      apple.spawn { [self] in
        try? await apple.dependencies().sleep(.milliseconds(3))
        meter.note(request.method, request.target, at: world.now)
        let answer: Result<HTTPResponse, HTTPExchangeError>
        do throws(HTTPExchangeError) {
          answer = .success(try await appStore.serverAPI.network.send(request, limit))
        } catch {
          answer = .failure(error)
        }
        if case .success(let response) = answer, response.status == 429 { meter.noteTooOften() }
        letter.answer(answer)
      }
      guard let answer = await letter.wait() else { throw .cancelled }
      return try answer.get()
    }
  }

  /// Plans Apple's faults during one comparison; it reports too many calls only if that is true.
  func planFaults(_ number: Int, seed: UInt64) async throws {
    var chance = SeededChance(seed: seed, purpose: "faults \(number)")
    try await appStore.apiSettings.forgetFaults()
    for fault in AppStoreAPIFault.allCases where fault != .rateLimited && fault != .notFound && fault != .unauthorized {
      let skip = Int64(chance.number(below: 400))
      try await appStore.apiSettings.plan(PlannedAPIFault(fault, skip: skip, count: Int64(1 + chance.number(below: 3))))
    }
  }

  /// Whether no customer is left to read, and nothing is left to report.
  func isAllRead() async throws -> Bool {
    let whenever = world.now + .days(3650)
    return try await database(dependencies).read { database in
      guard try database.nextAppStoreTask() == nil else { return false }
      let all = try database.appStoreHistories(dueAt: whenever, in: Self.appEnvironment, limit: .max)
      return all.allSatisfy { $0.readAt != nil }
    }
  }
}
