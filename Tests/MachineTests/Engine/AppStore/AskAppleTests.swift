import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import CounterfoilAPI
import SimulationKit
import Testing

@Suite struct `A request to Apple` {
  @Test func `about a bare number grants the order named by Apple's transaction, and shows a stranger nothing (A6)`()
    throws
  {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let order = try await town.order(of: "bob")
      let id = try await town.buy(as: AppStoreEngineFixture.bob, token: order)
      let refusal = await #expect(throws: CodedError<EngineErrorCode>.self) { try await town.ask(id, by: "alice") }
      #expect(refusal?.code == .transactionUnknown)
      #expect(try await town.coins(of: "bob") == 100)
      #expect(try await town.ask(id, by: "bob")?.verdict == .fulfilled)
    }
  }

  @Test func `about a bare number without a token grants it to no user (A7)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let id = try await town.buy()
      _ = try? await town.ask(id, by: "alice")
      #expect(try await town.payment(id)?.state == .unclaimed)
      #expect(try await town.coins(of: "alice") == 0)
    }
  }

  @Test func `is delayed for a user who tries many numbers, so that others are answered`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      for number in 0..<30 {
        _ = try? await town.ask(TransactionIdentifier("70000000000\(100 + number)"), by: "alice")
      }
      // One call each in production and in the sandbox, for twenty numbers.
      #expect(town.calls.count("/inApps/v1/transactions/") == 40)
      let order = try await town.order(of: "bob")
      let id = try await town.buy(as: AppStoreEngineFixture.bob, token: order)
      #expect(try await town.ask(id, by: "bob")?.verdict == .fulfilled)
    }
  }

  @Test func `comes before the grant if evidence is over a day old: it may have been refunded since (A9)`() throws {
    let town = try AppStoreEngineFixture()
    let (kept, refunded) = try town.perform { town async throws in
      let orders = [try await town.order(), try await town.order()]
      let ids = [try await town.buy(token: orders[0]), try await town.buy(token: orders[1])]
      return (
        try await town.apple.signedTransaction(ids[0]).signedTransaction,
        try await town.apple.signedTransaction(ids[1]).signedTransaction
      )
    }
    town.world.run(for: .hours(30))
    try town.perform { town async throws in
      let number = try #require(await town.apple.transactions().last?.id)
      _ = try await town.apple.refund(number)
      #expect(try await town.submit(refunded).map(\.verdict) == [.revoked])
      #expect(try await town.submit(kept).map(\.verdict) == [.fulfilled])
      #expect(try await town.coins() == 100)
      #expect(town.calls.count("GET") == 2)
      // The payment is known now: no further request follows.
      _ = try await town.submit(kept)
      #expect(town.calls.count("GET") == 2)
    }
  }

  @Test func `finds at a simulator's single address the purchases of both environments`() throws {
    let town = try AppStoreEngineFixture(access: { access in
      guard let host = AppStoreServerHost("http://simulator") else { return }
      access.server?.hosts = AppStoreServerHosts(production: host.part(.production), sandbox: host.part(.sandbox))
    })
    try town.perform { town async throws in
      let tester = AppOwner(account: "tester@example.com", bundleId: AppStoreEngineFixture.alice.bundleId)
      try await town.apple.setAccount(SimulatedAppleAccount(id: tester.account, environment: .sandbox))
      for owner in [tester, AppStoreEngineFixture.alice] {
        let order = try await town.order()
        let id = try await town.buy(as: owner, token: order)
        #expect(try await town.ask(id)?.verdict == .fulfilled)
      }
      #expect(try await town.coins() == 200)
    }
  }

  @Test func `is not needed for evidence that was signed just now`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let order = try await town.order()
      let id = try await town.buy(token: order)
      #expect(try await town.submit(town.apple.signedTransaction(id).signedTransaction).map(\.verdict) == [.fulfilled])
      #expect(town.calls.all.isEmpty)
    }
  }

  @Test func `is followed by the finish of a consumable after ten minutes, unless the client reports it`() throws {
    let town = try AppStoreEngineFixture()
    town.startStandingWork()
    let (left, reported) = try town.perform { town async throws in
      let orders = [try await town.order(), try await town.order()]
      let ids = [try await town.buy(token: orders[0]), try await town.buy(token: orders[1])]
      for id in ids { _ = try await town.submit(town.apple.signedTransaction(id).signedTransaction) }
      _ = try await town.engine.reportFinished([ids[1]], of: "alice", for: town.app)
      return (ids[0], ids[1])
    }
    town.world.run(for: .minutes(9))
    #expect(town.calls.count("/finish") == 0)
    town.world.run(for: .minutes(3))
    try town.perform { town async throws in
      #expect(town.calls.count("/finish") == 1)
      #expect(try await town.journal(left).contains("payment.finishedHere"))
      #expect(try await !town.journal(reported).contains("payment.finishedHere"))
      #expect(
        try await town.apple.unfinishedTransactions(of: AppStoreEngineFixture.alice).map(\.transaction.id) == [reported]
      )
      #expect(try await town.appStoreTasks().isEmpty)
    }
  }

  /// A subscription's token is that of the current period when it is set. In worlds 136 and 817, a later period that
  /// another user had ordered got this token, and so did its renewals, with or without notification.
  @Test(arguments: [true, false])
  func `is followed by no token for a subscription, which another user may have continued since`(isTold: Bool) throws {
    let town = try AppStoreEngineFixture()
    let (first, bobs) = try town.perform { town async throws in
      let order = try await town.order("monthly")
      let first = try await town.buy("com.example.monthly")
      _ = try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order])
      _ = try await town.apple.refund(first)
      let bobs = try await town.order("monthly", of: "bob")
      let second = try await town.buy("com.example.monthly", token: bobs)
      if isTold { _ = try await town.submit(town.apple.signedTransaction(second).signedTransaction, by: "bob") }
      return (first, bobs)
    }
    town.startStandingWork()
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      #expect(try await town.payment(first)?.match?.rule == .presented)
      #expect(await town.apple.transactions().last?.appAccountToken?.text == bobs.appAccountToken)
      #expect(town.calls.count("/appAccountToken") == 0)
    }
  }

  @Test func `is followed by the token of the order that a presented payment paid, never by that of a guess`() throws {
    let town = try AppStoreEngineFixture()
    town.startStandingWork()
    let (presented, inferred) = try town.perform { town async throws in
      let first = try await town.order()
      let presented = try await town.buy()
      _ = try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [first])
      _ = try await town.order()
      let inferred = try await town.buy()
      _ = try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice))
      return (presented, inferred)
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      #expect(try await town.payment(presented)?.match?.rule == .presented)
      #expect(try await town.payment(inferred)?.match?.rule == .inferred)
      #expect(try await town.journal(presented).contains("payment.tokenSet"))
      #expect(town.calls.count("/appAccountToken") == 1)
    }
  }

  @Test func `about a bare number goes to the sandbox too, also for an app of production`() throws {
    let town = try AppStoreEngineFixture { $0.home = .production }
    try town.perform { town async throws in
      _ = try? await town.ask("700000000000100")
      #expect(town.calls.count("/inApps/v1/transactions/") == 2)
      #expect(town.calls.count("sandbox") == 1)
    }
  }

  @Test func `that is due later, from an earlier configuration, runs at its time without a key`() throws {
    let town = try AppStoreEngineFixture(hasKey: false)
    try town.perform { town async throws in
      let now = town.now()
      let appStoreTask = AppStoreTask(
        payment: AppStoreEngineFixture.key("700000000000100"), purpose: .ask, createdAt: now, dueAt: now + .hours(1))
      _ = await town.store.transact { try $0.put(appStoreTask) }
    }
    town.startStandingWork()
    town.world.run(for: .minutes(50))
    try town.perform { town async throws in #expect(try await town.appStoreTasks().count == 1) }
    town.world.run(for: .minutes(20))
    try town.perform { town async throws in #expect(try await town.appStoreTasks().isEmpty) }
  }

  @Test func `about a payment held without environment grants it in the right one, and both numbers are one`() throws {
    let town = try AppStoreEngineFixture()
    let update = try town.perform { town async throws in
      let order = try await town.order()
      let id = try await town.buy(token: order)
      let nowhere = PaymentKey(app: "shop", store: .appStore, environment: .undetermined, transaction: id)
      var facts = VerifiedPayment(
        key: nowhere, originalTransaction: id, storeProduct: "com.example.coins100", kind: .consumable, quantity: 1,
        purchaseDate: town.now(), signedDate: town.now())
      facts.token = order
      let update = PaymentUpdate(facts: facts, evidence: "signed without its environment", origin: .client)
      #expect(try await town.engine.fulfil(update, for: town.app).payment.state == .held(.environmentUnknown))
      return update
    }
    town.world.run(for: .seconds(1))
    try town.perform { town async throws in
      let (now, nowhere) = (town.now(), update.facts.key)
      _ = await town.store.transact {
        try $0.put(AppStoreTask(payment: nowhere, purpose: .ask, createdAt: now, dueAt: now))
      }
      #expect(try await town.engine.operatorQueue(in: nowhere.appEnvironment, limit: 10).count == 1)
    }
    town.startStandingWork()
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      #expect(try await town.coins() == 100)
      #expect(try await town.engine.operatorQueue(in: update.facts.key.appEnvironment, limit: 10).isEmpty)
      let again = try await town.engine.fulfil(update, for: town.app)
      #expect(again.payment.key == AppStoreEngineFixture.key(update.facts.key.transaction))
      #expect(try await town.coins() == 100)
      #expect(try await town.violations() == [])
    }
  }
}
