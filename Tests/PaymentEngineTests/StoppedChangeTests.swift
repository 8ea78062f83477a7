import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPaySimulator

extension EngineFixture {
  /// Changes rows in the database without the engine.
  func tamper(_ change: @escaping @Sendable (any DatabaseTransaction) throws -> Void) async throws {
    try await database.transact { try change($0) }.get()
  }

  /// Sets the user of a payment's grant; the next change of that grant breaks a rule unless it is the owner.
  func giveGrant(of id: String, to user: UserIdentifier) async throws {
    try await tamper { transaction in
      guard var grant = try transaction.grant(Self.key(id)) else { return }
      grant.user = user
      try transaction.update(grant)
    }
  }

  /// Fills a balance so that another hundred coins do not fit.
  func fill(_ user: UserIdentifier = "alice") async throws {
    try await tamper { transaction in
      try transaction.insert(
        Booking(
          appEnvironment: Self.appEnvironment, key: "far too many", user: user, unit: "coin", kind: .debtWrittenOff,
          amount: .max - 50,
          requestDigest: "d", at: transaction.now))
    }
  }

  /// The operator's rows of stopped changes.
  func stopped() async throws -> [StoppedChange] {
    try await engine.stoppedChanges(in: [Self.appEnvironment], limit: 100)
  }

  func isFrozen(_ order: OrderIdentifier) async throws -> Bool {
    try await engine.readOrder(.id(order), in: [Self.appEnvironment], of: nil).order.frozenBecause != nil
  }
}

@Suite struct `A stopped change` {
  @Test func `of a refund is in the queue as a typed row, and takes effect once the row is correct`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.buyCoins("1001")
    try await shop.giveGrant(of: "1001", to: "mallory")
    shop.clock.advance(by: .hours(2))
    try await shop.refund("1001", of: order)
    let row = try #require(try await shop.stopped().first)
    #expect(
      row.payment == EngineFixture.key("1001") && row.kind == .brokenRule && row.invariant == .grantGoesToItsOwner)
    #expect(row.orders == [order] && row.presenters == ["alice"] && row.evidence.split(separator: ".").count == 3)
    #expect(row.attempts == 0 && row.nextAttemptAt == shop.now() + .hours(1))
    #expect(try await shop.isFrozen(order))
    // While the row is wrong, an attempt changes nothing and is counted.
    #expect(try await shop.engine.retryStoppedChanges() == .init(tried: 1, done: 0))
    #expect(try await shop.stopped().map(\.attempts) == [1])
    #expect(try await shop.coins() == 100)

    try await shop.giveGrant(of: "1001", to: "alice")
    #expect(try await shop.engine.retryStoppedChanges() == .init(tried: 1, done: 1))
    #expect(try await shop.stopped() == [])
    #expect(try await shop.coins() == 0)
    #expect(try await !shop.isFrozen(order))
    #expect(try await shop.told(of: "1001") == ["created alice", "reversed alice"])
    #expect(try await shop.violations() == [])
    // It is done: the store's next update changes nothing.
    try await shop.refund("1001", of: order)
    #expect(try await shop.told(of: "1001").count == 2)
  }

  @Test func `of a purchase keeps its claim, is granted once, and is not granted again`() async throws {
    let shop = try EngineFixture()
    try await shop.fill()
    let order = try await shop.order()
    // There is no token: only the claim, with the order that the phone presents, names the owner.
    let evidence = shop.transaction("1001")
    let answer = try await shop.submit(evidence, orders: [order])
    #expect(answer.verdict == .held && answer.reason == "orderFrozen")
    _ = try await shop.submit(evidence, orders: [order])
    let row = try #require(try await shop.stopped().first)
    #expect(try await shop.stopped().count == 1)
    #expect(row.kind == .balanceOutOfRange && row.presentations.count == 1)
    _ = try await shop.debit(.max - 50, "used up")
    for _ in 0..<2 { _ = try await shop.engine.retryStoppedChanges() }
    #expect(try await shop.coins() == 100)
    #expect(try await shop.state(of: order).payment == EngineFixture.key("1001"))
    #expect(try await shop.told(of: "1001") == ["created alice"])
    #expect(try await shop.violations() == [])
  }

  @Test func `is stored with the claims of at most twenty presenters, each once`() async throws {
    let shop = try EngineFixture()
    try await shop.fill()
    let order = try await shop.order()
    let evidence = shop.transaction("1001", token: order)
    for number in 0..<25 {
      _ = try await shop.submit(evidence, by: UserIdentifier("user-\(number)"))
    }
    #expect(try await shop.stopped().map(\.presentations.count) == [20])
    let kept = try await shop.database.read { try $0.evidence(of: EngineFixture.key("1001")) }
    #expect(kept.count == 1)
  }

  @Test func `of a repeated id never makes a payment of it`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.order("premium")
    let first = shop.transaction("1", of: "com.example.premium", token: order, type: "Non-Consumable")
    _ = try await shop.submit(first)
    try await shop.giveGrant(of: "1", to: "mallory")
    shop.clock.advance(by: .hours(1))
    let now = shop.now().milliseconds
    let again = shop.transaction("2", of: "com.example.premium", type: "Non-Consumable") {
      $0["originalTransactionId"] = "1"
      $0["revocationDate"] = .integer(now)
    }
    _ = try await shop.engine.receiveAppStoreNotification(shop.notification("n2", "REFUND", about: again), for: nil)
    #expect(try await shop.known("2") == nil)
    #expect(try await shop.stopped().map(\.payment) == [EngineFixture.key("2")])
    try await shop.giveGrant(of: "1", to: "alice")
    _ = try await shop.engine.retryStoppedChanges()
    #expect(try await shop.stopped() == [])
    #expect(try await shop.known("1")?.state == .reversed(amount: 1))
    #expect(try await shop.violations() == [])
  }

  @Test func `releases the payments that waited for its frozen order`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.buyCoins("1001")
    try await shop.giveGrant(of: "1001", to: "mallory")
    shop.clock.advance(by: .hours(1))
    try await shop.refund("1001", of: order)
    // A second payment names the frozen order.
    let answer = try await shop.submit(shop.transaction("1002", token: order))
    #expect(answer.reason == "orderFrozen")
    #expect(Set(try await shop.stopped().map(\.kind)) == [.brokenRule, .orderFrozen])
    try await shop.giveGrant(of: "1001", to: "alice")
    #expect(try await shop.engine.retryStoppedChanges() == .init(tried: 2, done: 2))
    #expect(try await shop.known("1002")?.state == .fulfilled)
    #expect(try await shop.coins() == 100)
    #expect(try await shop.violations() == [])
  }

  @Test func `that took effect leaves the order frozen for another that still waits`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.buyCoins("1001")
    try await shop.giveGrant(of: "1001", to: "mallory")
    shop.clock.advance(by: .hours(2))
    try await shop.refund("1001", of: order, percentage: 50_000)
    let due = shop.now() + .hours(1)
    shop.clock.advance(by: .minutes(30))
    try await shop.refund("1001", of: order)
    #expect(try await shop.stopped().count == 2)
    try await shop.giveGrant(of: "1001", to: "alice")
    #expect(try await shop.engine.retryStoppedChanges(dueBy: due) == .init(tried: 1, done: 1))
    #expect(try await shop.isFrozen(order))
    #expect(try await shop.engine.retryStoppedChanges() == .init(tried: 1, done: 1))
    #expect(try await !shop.isFrozen(order))
    #expect(try await shop.coins() == 0)
    #expect(try await shop.violations() == [])
  }

  @Test func `is tried as soon as the server starts, even long before its hour`() throws {
    let simulator = SimulatorFixture(seed: 11)
    let shop = try EngineFixture(in: simulator.process)
    let order = try simulator.perform { () async throws in
      let order = try await shop.buyCoins("1001")
      try await shop.giveGrant(of: "1001", to: "mallory")
      return order
    }
    simulator.world.run(for: .hours(2))
    try simulator.perform { () async throws in
      try await shop.refund("1001", of: order)
      try await shop.giveGrant(of: "1001", to: "alice")
      let stopped = try await shop.stopped()
      #expect(stopped.count == 1 && stopped.allSatisfy { $0.nextAttemptAt > shop.now() + .minutes(59) })
    }
    simulator.process.spawn { await shop.engine.run() }
    simulator.world.run(for: .seconds(5))
    try simulator.perform { () async throws in
      let (stopped, coins) = (try await shop.stopped(), try await shop.coins())
      #expect(stopped == [] && coins == 0)
      let violations = try await shop.violations()
      #expect(violations == [])
    }
  }

  @Test func `is counted, and named in the audit's report`() async throws {
    let shop = try EngineFixture()
    let order = try await shop.buyCoins("1001")
    try await shop.giveGrant(of: "1001", to: "mallory")
    shop.clock.advance(by: .hours(1))
    try await shop.refund("1001", of: order)
    await shop.engine.measureBacklog()
    #expect(shop.engine.metrics.value(.changesStoppedTotal, [("kind", "brokenRule")]) == 1)
    #expect(
      shop.engine.metrics.text().contains(
        #"counterfoil_stopped_changes{app="shop",environment="simulated",kind="brokenRule"} 1"#))
    #expect(try await shop.engine.auditInvariants(atRest: false).stopped == 1)
  }
}

@Suite struct `A stopped change at WeChat Pay` {
  private static func fill(_ fixture: WeChatPayEngineFixture) async throws {
    try await fixture.database.transact { transaction in
      try transaction.insert(
        Booking(
          appEnvironment: EngineFixture.appEnvironment, key: "far too many", user: "alice", unit: "coin",
          kind: .debtWrittenOff,
          amount: .max - 50, requestDigest: "d", at: transaction.now))
    }.get()
  }

  private static func useUp(_ fixture: WeChatPayEngineFixture) async throws {
    _ = try await fixture.engine.debitBalance(
      DebitRequest(user: "alice", unit: "coin", amount: .max - 50, key: "used", digest: "d"),
      in: EngineFixture.appEnvironment)
  }

  private static func stopped(_ fixture: WeChatPayEngineFixture) async throws -> [StoppedChange] {
    try await fixture.engine.stoppedChanges(in: [EngineFixture.appEnvironment], limit: 10)
  }

  @Test func `is tried by a background task within the hour, without an operator`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      try await Self.fill(fixture)
      let details = try await fixture.order()
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(try await Self.stopped(fixture).map(\.kind) == [.balanceOutOfRange])
      try await Self.useUp(fixture)
      #expect(try await fixture.coins() == 0)
      return details
    }
    fixture.world.run(for: .minutes(125))
    try fixture.perform { fixture async throws in
      #expect(try await Self.stopped(fixture) == [])
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.state(of: details).payment != nil)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `of a refund made at WeChat Pay itself takes effect without another notification`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .seconds(5))
    let key = try fixture.perform { fixture async throws in
      let key = try #require(try await fixture.state(of: details).payment)
      try await fixture.database.transact { transaction in
        guard var grant = try transaction.grant(key) else { return }
        grant.user = "mallory"
        try transaction.update(grant)
      }.get()
      try await fixture.refundElsewhere(details, number: "R-elsewhere", notifying: fixture.app)
      return key
    }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      #expect(try await Self.stopped(fixture).map(\.kind) == [.brokenRule])
      let notification = try #require(await fixture.weChatPay.notifications().last)
      #expect(notification.attempts.last?.status == 204)
      try await fixture.database.transact { transaction in
        guard var grant = try transaction.grant(key) else { return }
        grant.user = "alice"
        try transaction.update(grant)
      }.get()
      _ = try await fixture.engine.retryStoppedChanges()
      #expect(try await Self.stopped(fixture) == [])
      #expect(try await fixture.coins() == 0)
      let refund = try await fixture.database.read { try $0.refund("R-elsewhere", in: fixture.app.homeEnvironment) }
      #expect(refund?.state.isDone == true)
      #expect(try await fixture.violations() == [])
    }
  }
}

extension StoppedRetryReport {
  init(tried: Int, done: Int) {
    self.init()
    self.tried = tried
    self.done = done
  }
}
