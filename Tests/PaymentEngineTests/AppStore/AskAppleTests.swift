import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

@Suite struct `A request to Apple` {
  @Test func `about a bare number grants the order named by Apple's transaction, and shows a stranger nothing (A6)`()
    throws
  {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let order = try await fixture.order(of: "bob")
      let id = try await fixture.buy(as: AppStoreEngineFixture.bob, token: order)
      let error = await #expect(throws: CodedError<EngineErrorCode>.self) { try await fixture.ask(id, by: "alice") }
      #expect(error?.code == .transactionUnknown)
      #expect(try await fixture.coins(of: "bob") == 100)
      #expect(try await fixture.ask(id, by: "bob")?.verdict == .fulfilled)
    }
  }

  @Test func `about a bare number without a token grants it to no user (A7)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let id = try await fixture.buy()
      _ = try? await fixture.ask(id, by: "alice")
      #expect(try await fixture.payment(id)?.state == .unclaimed)
      #expect(try await fixture.coins(of: "alice") == 0)
    }
  }

  @Test func `is delayed for a user who tries many numbers, so that others are answered`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      for number in 0..<30 {
        _ = try? await fixture.ask(TransactionIdentifier("70000000000\(100 + number)"), by: "alice")
      }
      // One call each in production and in the sandbox, for twenty numbers.
      #expect(fixture.calls.count("/inApps/v1/transactions/") == 40)
      let order = try await fixture.order(of: "bob")
      let id = try await fixture.buy(as: AppStoreEngineFixture.bob, token: order)
      #expect(try await fixture.ask(id, by: "bob")?.verdict == .fulfilled)
    }
  }

  @Test func `comes before the grant if evidence is over a day old: it may have been refunded since (A9)`() throws {
    let fixture = try AppStoreEngineFixture()
    let (kept, refunded) = try fixture.perform { fixture async throws in
      let orders = [try await fixture.order(), try await fixture.order()]
      let ids = [try await fixture.buy(token: orders[0]), try await fixture.buy(token: orders[1])]
      return (
        try await fixture.apple.signedTransaction(ids[0]).signedTransaction,
        try await fixture.apple.signedTransaction(ids[1]).signedTransaction
      )
    }
    fixture.world.run(for: .hours(30))
    try fixture.perform { fixture async throws in
      let number = try #require(await fixture.apple.transactions().last?.id)
      _ = try await fixture.apple.refunds.refund(number)
      #expect(try await fixture.submit(refunded).map(\.verdict) == [.revoked])
      #expect(try await fixture.submit(kept).map(\.verdict) == [.fulfilled])
      #expect(try await fixture.coins() == 100)
      #expect(fixture.calls.count("GET") == 2)
      // The payment is known now: no further request follows.
      _ = try await fixture.submit(kept)
      #expect(fixture.calls.count("GET") == 2)
    }
  }

  @Test func `finds at a simulator's single address the purchases of both environments`() throws {
    let fixture = try AppStoreEngineFixture(access: { access in
      guard let host = AppStoreServerHost("http://simulator") else { return }
      access.server?.hosts = AppStoreServerHosts(production: host.part(.production), sandbox: host.part(.sandbox))
    })
    try fixture.perform { fixture async throws in
      let tester = AppOwner(account: "tester@example.com", bundleId: AppStoreEngineFixture.alice.bundleId)
      try await fixture.apple.catalog.setAccount(SimulatedAppleAccount(id: tester.account, environment: .sandbox))
      for owner in [tester, AppStoreEngineFixture.alice] {
        let order = try await fixture.order()
        let id = try await fixture.buy(as: owner, token: order)
        #expect(try await fixture.ask(id)?.verdict == .fulfilled)
      }
      #expect(try await fixture.coins() == 200)
    }
  }

  @Test func `is not needed for evidence that was signed just now`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      #expect(
        try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction).map(\.verdict) == [.fulfilled])
      #expect(fixture.calls.all.isEmpty)
    }
  }

  @Test func `is followed by the finish of a consumable after ten minutes, unless the client reports it`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startBackgroundTasks()
    let (left, reported) = try fixture.perform { fixture async throws in
      let orders = [try await fixture.order(), try await fixture.order()]
      let ids = [try await fixture.buy(token: orders[0]), try await fixture.buy(token: orders[1])]
      for id in ids { _ = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction) }
      _ = try await fixture.engine.reportFinished([ids[1]], of: "alice", for: fixture.app)
      return (ids[0], ids[1])
    }
    fixture.world.run(for: .minutes(9))
    #expect(fixture.calls.count("/finish") == 0)
    fixture.world.run(for: .minutes(3))
    try fixture.perform { fixture async throws in
      #expect(fixture.calls.count("/finish") == 1)
      #expect(try await fixture.journal(left).contains("payment.finishedHere"))
      #expect(try await !fixture.journal(reported).contains("payment.finishedHere"))
      #expect(
        try await fixture.apple.unfinishedTransactions(of: AppStoreEngineFixture.alice).map(\.transaction.id) == [
          reported
        ]
      )
      #expect(try await fixture.appStoreTasks().isEmpty)
    }
  }

  /// A subscription's token is that of the current period when it is set. In worlds 136 and 817, a later period that
  /// another user had ordered got this token, and so did its renewals, with or without notification.
  @Test(arguments: [true, false])
  func `is followed by no token for a subscription, which another user may have continued since`(isTold: Bool) throws {
    let fixture = try AppStoreEngineFixture()
    let (first, bobs) = try fixture.perform { fixture async throws in
      let order = try await fixture.order("monthly")
      let first = try await fixture.buy("com.example.monthly")
      _ = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order])
      _ = try await fixture.apple.refunds.refund(first)
      let bobs = try await fixture.order("monthly", of: "bob")
      let second = try await fixture.buy("com.example.monthly", token: bobs)
      if isTold { _ = try await fixture.submit(fixture.apple.signedTransaction(second).signedTransaction, by: "bob") }
      return (first, bobs)
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(first)?.match?.rule == .presented)
      #expect(await fixture.apple.transactions().last?.appAccountToken?.text == bobs.appAccountToken)
      #expect(fixture.calls.count("/appAccountToken") == 0)
    }
  }

  @Test func `is followed by the token of the order that a presented payment paid, never by that of a guess`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startBackgroundTasks()
    let (presented, inferred) = try fixture.perform { fixture async throws in
      let first = try await fixture.order()
      let presented = try await fixture.buy()
      _ = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [first])
      _ = try await fixture.order()
      let inferred = try await fixture.buy()
      _ = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice))
      return (presented, inferred)
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(presented)?.match?.rule == .presented)
      #expect(try await fixture.payment(inferred)?.match?.rule == .inferred)
      #expect(try await fixture.journal(presented).contains("payment.tokenSet"))
      #expect(fixture.calls.count("/appAccountToken") == 1)
    }
  }

  @Test func `about a bare number goes to the sandbox too, also for an app of production`() throws {
    let fixture = try AppStoreEngineFixture { $0.home = .production }
    try fixture.perform { fixture async throws in
      _ = try? await fixture.ask("700000000000100")
      #expect(fixture.calls.count("/inApps/v1/transactions/") == 2)
      #expect(fixture.calls.count("sandbox") == 1)
    }
  }

  @Test func `that is due later, from an earlier configuration, runs at its time without a key`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false)
    try fixture.perform { fixture async throws in
      let now = fixture.now()
      let appStoreTask = AppStoreTask(
        payment: EngineFixture.key("700000000000100"), purpose: .ask, createdAt: now, dueAt: now + .hours(1))
      _ = await fixture.database.transact { try $0.put(appStoreTask) }
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(50))
    try fixture.perform { fixture async throws in #expect(try await fixture.appStoreTasks().count == 1) }
    fixture.world.run(for: .minutes(20))
    try fixture.perform { fixture async throws in #expect(try await fixture.appStoreTasks().isEmpty) }
  }

  @Test func `about a payment held without environment grants it in the right one, and both numbers are one`() throws {
    let fixture = try AppStoreEngineFixture()
    let update = try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      let nowhere = PaymentKey(app: "shop", store: .appStore, environment: .undetermined, transaction: id)
      var facts = VerifiedPayment(
        key: nowhere, originalTransaction: id, storeProduct: "com.example.coins100", kind: .consumable, quantity: 1,
        purchaseDate: fixture.now(), signedDate: fixture.now())
      facts.token = order
      let update = PaymentUpdate(facts: facts, evidence: "signed without its environment", origin: .client)
      #expect(try await fixture.engine.fulfil(update, for: fixture.app).payment.state == .held(.environmentUnknown))
      return update
    }
    fixture.world.run(for: .seconds(1))
    try fixture.perform { fixture async throws in
      let (now, nowhere) = (fixture.now(), update.facts.key)
      _ = await fixture.database.transact {
        try $0.put(AppStoreTask(payment: nowhere, purpose: .ask, createdAt: now, dueAt: now))
      }
      #expect(try await fixture.engine.operatorQueue(in: nowhere.appEnvironment, limit: 10).count == 1)
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.engine.operatorQueue(in: update.facts.key.appEnvironment, limit: 10).isEmpty)
      let again = try await fixture.engine.fulfil(update, for: fixture.app)
      #expect(again.payment.key == EngineFixture.key(update.facts.key.transaction))
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }
}
