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
import PostgreSQLDatabase
import ServerConfiguration
import ShopFixtures
import SimulationKit
import Synchronization
import SystemPlatform
import TestDatabases
import TestPlatform
import Testing

/// Servers of the stores that keep each caller waiting, and remember which node asked them what.
private final class SilentStores: Sendable {
  private struct State {
    var askers: [String: Set<Int>] = [:]
    var isOver = false
  }

  private let state = Mutex(State())

  /// The places of the nodes that called an address with this part.
  func askers(of part: String) -> Set<Int> {
    state.withLock { state in
      state.askers.reduce(into: []) { askers, call in
        if call.key.contains(part) { askers.formUnion(call.value) }
      }
    }
  }

  func end() { state.withLock { $0.isOver = true } }

  /// What a node reaches.
  func exchange(of place: Int) -> HTTPExchange {
    HTTPExchange { [self] request, _ throws(HTTPExchangeError) in
      _ = state.withLock { $0.askers[request.target, default: []].insert(place) }
      while !state.withLock({ $0.isOver }) {
        do { try await Dependencies.system.sleep(.milliseconds(20)) } catch { throw .cancelled }
      }
      throw .unreachable("The test is over.")
    }
  }
}

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `The standing work of a shop with several nodes` {
  /// Each work that one node does for all. `import` is the work of a command.
  private static let works = [
    "backup.gap", "complaints.shop", "events.shop.backend", "notifications.kept", "reconcile.appStore.shop",
    "reconcile.weChatPay.shop", "retention", "stopped", "totals",
  ]

  /// A shop at both stores, with keys for their servers, whose backend wants events.
  private func shopAtBothStores() async throws -> AppSettings {
    let dependencies = Dependencies(
      now: runningClock(), randomBytes: Dependencies.system.randomBytes, sleep: Dependencies.system.sleep)
    let apple = try await SimulatedAppStore.open(in: dependencies, notifying: .unreachable)
    let weChatPay = try await TestMerchant().openWeChatPay(in: dependencies, notifying: .unreachable)
    var endpoint = DeliveryEndpoint(
      name: "backend", url: "https://backend.example", environments: [.simulated],
      secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
    endpoint.types = [.purchaseCompleted]
    var policy = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
    policy.endpoints = [endpoint]
    let access = AppStoreAccess(
      identity: EngineFixture.identity, server: try apple.access(of: EngineFixture.identity.bundleId))
    return AppSettings(policy, appStore: access, weChatPay: try await TestMerchant().access(to: weChatPay))
  }

  /// Limits with which all loops begin at once.
  private var earlyLimits: EngineLimits {
    var limits = EngineLimits()
    limits.nodeBeat = .milliseconds(50)
    (limits.reconciliationDelay, limits.retentionDelay) = (.milliseconds(10), .milliseconds(10))
    return limits
  }

  private func worksWithoutLease(_ node: ShopNode) async throws -> [String] {
    try await node.database.read { reader in
      try Self.works.filter { try reader.setting("lease.\($0)") == nil }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `takes a lease for each work that would be done twice`() async throws {
    let shop = try await shopAtBothStores()
    try await withNodes(
      [.zero, .zero], limits: earlyLimits, serving: shop,
      change: { _, setup in
        setup.retention = RetentionPolicy(deliveries: .days(365))
        setup.countsHours = true
      }
    ) { nodes async throws in
      // Commits were lost: the stores are asked about that time.
      try await nodes[0].database.transact { transaction in
        let hourAgo = transaction.now - .hours(1)
        try transaction.set(DatabaseSetting.logLostSince, to: "\(hourAgo.milliseconds)")
      }.get()
      try await running(nodes) {
        _ = try await eventually(tries: 2000) { try await worksWithoutLease(nodes[0]).isEmpty }
        let missing = try await worksWithoutLease(nodes[0])
        #expect(missing == [], "no lease was ever taken for it")
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `asks the stores about what the database loses while the nodes run`() async throws {
    var limits = earlyLimits
    limits.backupGapPause = .milliseconds(50)
    try await withNodes([.zero, .zero], limits: limits) { nodes async throws in
      try await running(nodes) {
        // The first look of each node, which finds nothing.
        try await Dependencies.system.sleep(.milliseconds(500))
        let lost = try await nodes[0].database.transact { transaction in
          let moment = transaction.now - .minutes(10)
          try transaction.set(DatabaseSetting.logLostSince, to: "\(moment.milliseconds)")
          return moment
        }.get()
        let isAsked = try await eventually { try await nodes[1].engine.backupGap()?.askedAt != nil }
        #expect(isAsked, "nobody looked again after the start")
        #expect(try await nodes[1].engine.backupGap()?.from == Timestamp(milliseconds: lost.milliseconds))
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `asks the stores from one node only, while the others wait for their turn`() async throws {
    let stores = SilentStores()
    defer { stores.end() }
    var limits = earlyLimits
    // Each node tries again all the time.
    limits.reconciliationInterval = .milliseconds(50)
    let questions = ["/inApps/v1/notifications/history", "/v3/bill/", "/v3/merchant-service/complaints-v2"]
    let shop = try await shopAtBothStores()
    try await withNodes(
      [.zero, .zero], limits: limits, serving: shop,
      change: { place, setup in setup.outside = stores.exchange(of: place) }
    ) { nodes async throws in
      try await running(nodes) {
        let areAsked = try await eventually { questions.allSatisfy { !stores.askers(of: $0).isEmpty } }
        #expect(areAsked, "\(questions.map { stores.askers(of: $0) })")
        // Long enough for another node to come in, and to get its share of Apple's rates.
        try await Dependencies.system.sleep(.seconds(2))
        for question in questions { #expect(stores.askers(of: question).count == 1, "\(question)") }
        stores.end()
      }
    }
  }
}
