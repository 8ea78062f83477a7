import AppStoreIntegration
import CounterfoilAPI
import Cryptography
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import ServerConfiguration
import ShopFixtures
import StrictJSON
import Synchronization
import TestDatabases
import TestDoubles
import Testing

@Suite struct `An erased user in the bytes of a SQLite file` {
  private static let user: UserIdentifier = "alice-7Q9zX"
  /// What only this user's rows contain.
  private static let personal = [
    "alice-7Q9zX", "born-1990-02-29", "note-for-7Q9", "app-number-7Q9", "gave-7Q9", "guest-7Q9zX",
  ]
  private static let place = EngineFixture.appEnvironment

  /// Lines of the log.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ event: LogEvent) { lines.withLock { $0.append("\(event)") } }
  }

  /// Buys and spends as the user, and presents what another user bought.
  private static func use(_ shop: EngineFixture) async throws {
    var request = OrderRequest(user: user, product: "coins.100", quantity: 1, store: .appStore)
    request.reference = "app-number-7Q9"
    request.metadata = #"{"note":"born-1990-02-29"}"#
    request.scene = "profile of \(user)"
    let order = try await shop.engine.createOrder(request, for: shop.app, by: .user(user)).order.order.key.id
    _ = try await shop.submit(shop.transaction("1001", token: order), by: user)
    var debit = DebitRequest(user: user, unit: "coin", amount: 30, key: "sword", digest: "d")
    debit.reason = "gave-7Q9 to \(user)"
    debit.metadata = #"{"note":"note-for-7Q9"}"#
    _ = try await shop.engine.debitBalance(debit, in: EngineFixture.appEnvironment)
    _ = try await shop.buyCoins("1002", of: "bob")
    _ = try await shop.submit(shop.transaction("1002"), by: user)
    _ = try await shop.submit(shop.transaction("1003"), by: user)
    for id in ["1001", "1002", "1003"] {
      for delivery in try await shop.engine.read({ try $0.deliveries(of: EngineFixture.key(id)) }) {
        _ = try await shop.engine.acknowledge(delivery.id, in: "shop")
      }
    }
    // Nobody's, and an operator wrote whose it may be.
    _ = try await shop.submit(shop.transaction("1004"), by: nil)
    _ = try await shop.engine.setAside(
      EngineFixture.key("1004"), by: "Lin", reason: "\(user) says that it is theirs")
    try await nameInTexts(shop, order)
    try await OperatorsOfErasedUser.act(on: user, mergingIn: "guest-7Q9zX", shop)
  }

  /// Texts for people that name the user anywhere in them, in rows of the user and of others.
  private static func nameInTexts(_ shop: EngineFixture, _ order: OrderIdentifier) async throws {
    try await shop.engine.transact { transaction in
      for id in ["1001", "1002"] {
        let key = EngineFixture.key(id)
        for var delivery in try transaction.deliveries(of: key) {
          delivery.lastProblem = "no account \(user) here"
          try transaction.update(delivery)
          var attempt = DeliveryAttempt(
            delivery.id, of: key, number: 1, at: transaction.now, endpoint: "main", milliseconds: 7)
          attempt.problem = "no account \(user) here"
          attempt.answer = Array("unknown: \(user)".utf8)
          try transaction.insert(attempt)
        }
        try transaction.put(
          StoppedChange(
            payment: key, statement: "statement", kind: .noPlan, found: "no plan for user \(user), it seems",
            content: "", evidence: "e", origin: .client, at: transaction.now, nextAttemptAt: transaction.now))
        try transaction.insert(
          JournalEntry(
            .invariantBroken, in: place, at: transaction.now, order: nil, payment: key,
            details: #"{"found":"the grant of \#(user) is broken"}"#))
      }
      if var frozen = try transaction.order(OrderKey(appEnvironment: place, id: order)) {
        frozen.frozenBecause = "the order of \(user)"
        try transaction.update(frozen)
      }
      let fen = Money(minorUnits: 600, currency: .cny)
      var refund = Refund(
        appEnvironment: place, number: "r1", order: order, payment: EngineFixture.key("1001"), amount: fen, total: fen,
        reason: "asked by \(user)", body: #"{"reason":"asked by \#(user)"}"#, createdAt: transaction.now)
      (refund.state, refund.nextQuestionAt) = (.failed("CLOSED"), nil)
      try transaction.insert(refund)
      for name: OperatorName in ["lin", "kim"] {
        try transaction.put(OperatorAccount(name: name, createdAt: transaction.now))
      }
      var approval = Approval(
        id: "a1", app: "shop", environment: .simulated, action: "user.merge", objectKind: "user", object: "\(user)",
        arguments: #"{"user":"\#(user)"}"#, digest: "d", reason: "asked for by \(user)", askedBy: "lin",
        askedAt: transaction.now)
      try transaction.insert(approval)
      (approval.decidedBy, approval.decidedAt) = ("kim", transaction.now)
      try transaction.update(approval)
    }
  }

  private static func found(in path: String) throws -> [String] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    return personal.filter { bytes.range(of: Data($0.utf8)) != nil }
  }

  @Test func `is in none of them after VACUUM, nor in a backup made before it, nor in the log`() async throws {
    try await withDirectory { directory in
      let path = directory.appendingPathComponent("shop.sqlite").path
      let copy = directory.appendingPathComponent("copy.sqlite").path
      let (clock, lines) = (TestClock(), Lines())
      clock.set(EngineFixture.noon)
      let database = try await openSQLite(at: path, clock: clock)
      var setup = EngineFixture.Setup()
      (setup.database, setup.dependencies) = (database, testDependenciesWithOwnBytes(clock))
      setup.log = { lines.add($0) }
      var app = AppPolicy(id: "shop", home: .simulated, catalog: try Catalog(EngineFixture.products))
      (app.referenceFromApp, app.events) = (true, true)
      app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 1000)]
      app.endpoints = [
        DeliveryEndpoint(
          name: "backend", url: "https://backend.example", environments: [.simulated],
          secrets: [Secret(Array("a secret made for tests, 32 bytes".utf8))])
      ]
      let shop = try EngineFixture(
        serving: [AppSettings(app, appStore: AppStoreAccess(identity: EngineFixture.identity))], setup)
      try await Self.use(shop)
      #expect(try Self.found(in: path + "-wal").count == Self.personal.count)
      _ = try await shop.engine.eraseUser(Self.user, of: shop.app)
      #expect(try await shop.engine.auditInvariants(atRest: false).violations == [])
      let log = try await shop.engine.read { try AuditLogVerification(of: $0) }
      #expect(log.broken == nil && log.redactions.count == 9)
      await database.close()
      try await DatabaseCopier(on: ThreadExecutor(), now: { EngineFixture.noon }).copy(
        path, profile: .simulated, into: copy, logBytesMax: .max)
      let copied = try Self.found(in: copy)
      #expect(copied == [])
      _ = try runSQL("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);", on: path)
      let kept = try Self.found(in: path)
      #expect(kept == [])
      #expect(lines.all.filter { line in Self.personal.contains { line.contains($0) } } == [])
    }
  }
}
