import AppStoreSimulator
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

private let alice = AppStoreEngineFixture.alice

@Suite struct `A submitted receipt` {
  @Test func `that is forged is refused, and nothing is recorded (A2)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      _ = try await fixture.buy()
      let receipt = try await fixture.apple.appReceipt(of: alice)
      let middle = receipt.index(receipt.startIndex, offsetBy: receipt.count / 2)
      let forged =
        receipt[..<middle] + (receipt[middle] == "A" ? "B" : "A") + receipt[receipt.index(after: middle)...]
      var isRefused = false
      do { isRefused = try await fixture.submit(String(forged)).allSatisfy { $0.verdict == .refused } } catch let
        error
        as CodedError<EngineErrorCode>
      {
        isRefused = error.code == .evidenceUnreadable
      }
      #expect(isRefused)
      #expect(try await fixture.appStoreTasks().isEmpty)
      #expect(try await fixture.coins() == 0)
    }
  }

  @Test func `is completed by Apple: the token decides the owner, not the user who presents it (A7)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let order = try await fixture.order(of: "bob")
      let id = try await fixture.buy(as: AppStoreEngineFixture.bob, token: order)
      let answers = try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.bob), by: "alice")
      #expect(answers.map(\.verdict) == [.fulfilledForAnother])
      #expect(answers.first?.order == nil)
      #expect(try await fixture.coins(of: "bob") == 100)
      #expect(try await fixture.coins(of: "alice") == 0)
      #expect(try await fixture.payment(id)?.match?.rule == .exact)
      #expect(try await fixture.appStoreTasks().map(\.purpose) == [.finish])
    }
  }

  @Test func `shows several purchases, and each is granted by its own id, whichever was the last (1B.12, X8)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      var ids: [TransactionIdentifier] = []
      for _ in 0..<3 {
        let order = try await fixture.order()
        ids.append(try await fixture.buy(token: order))
      }
      let answers = try await fixture.submit(fixture.apple.appReceipt(of: alice))
      #expect(Set(answers.map(\.transaction)) == Set(ids))
      #expect(answers.allSatisfy { $0.verdict == .fulfilled && $0.finish })
      #expect(try await fixture.coins() == 300)
      // A repeat grants nothing, and does not call Apple again.
      let asked = fixture.calls.all.count
      #expect(try await fixture.submit(fixture.apple.appReceipt(of: alice)).count == 3)
      #expect(try await fixture.coins() == 300)
      #expect(fixture.calls.all.count == asked)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `without the named purchase reports it as missing or finished (1B.10)`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      try await fixture.apple.purchases.finish(id, of: alice)
      let receipt = try await fixture.apple.appReceipt(of: alice)
      // Apple still knows it, so it is granted by the order that it names.
      #expect(try await fixture.submit(receipt, naming: id).map(\.verdict) == [.fulfilled])
      let nobody = try await fixture.submit(receipt, naming: "999999999999999")
      #expect(nobody.map(\.verdict) == [.refused])
      #expect(nobody.map(\.reason) == ["notInReceipt"])
      #expect(nobody.allSatisfy { !$0.finish })
    }
  }

  @Test
  func `while Apple is silent is pending, at every retry, and granted once Apple answers (1B.15)`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, count: nil))
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      let answers = try await fixture.submit(fixture.apple.appReceipt(of: alice))
      #expect(answers.map(\.verdict) == [.pending])
      #expect(answers.allSatisfy { !$0.finish && $0.retryAfter != nil })
      #expect(try await fixture.payment(id) == nil)
      return id
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      let asked = try await fixture.submit(fixture.apple.appReceipt(of: alice))
      #expect(asked.map(\.verdict) == [.pending] && asked.allSatisfy { !$0.finish })
      try await fixture.apple.apiSettings.forgetFaults()
    }
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      // It was not submitted again: it was verified meanwhile, and a request with its bare number shows the verdict.
      let asked = try await fixture.ask(id)
      #expect(asked?.verdict == .fulfilled && asked?.finish == true)
      #expect(try await fixture.payment(id)?.match?.rule == .exact)
      #expect(try await fixture.coins() == 100)
    }
  }

  /// An order, and a receipt that must not pay it.
  struct Stranger: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var ordered: ProductIdentifier = "coins.100"
    var quantity = 1
    var isBoughtBefore = false
    /// Whether it must pay the order, as it does if nothing differs.
    var pays = false

    static let all = [
      Stranger(testDescription: "nothing differs", pays: true),
      Stranger(testDescription: "another product was ordered", ordered: "season"),
      Stranger(testDescription: "more pieces were ordered", quantity: 2),
      Stranger(testDescription: "it was bought before the order was made", isBoughtBefore: true),
    ]
  }

  /// Without a token, only these facts decide which order a receipt pays. Another app's receipt is refused.
  @Test(arguments: Stranger.all)
  func `pays an order only if product, quantity and time are the order's (1B.10)`(_ stranger: Stranger) throws {
    let fixture = try AppStoreEngineFixture()
    @Sendable func order(_ fixture: AppStoreEngineFixture) async throws -> OrderIdentifier {
      let request = OrderRequest(
        user: "alice", product: stranger.ordered, quantity: stranger.quantity, store: .appStore)
      return try await fixture.engine.createOrder(request, for: fixture.app, by: .user("alice")).order.order.key.id
    }
    let id = try fixture.perform { fixture async throws in
      let ordered = stranger.isBoughtBefore ? nil : try await order(fixture)
      return (try await fixture.buy(), ordered)
    }
    if stranger.isBoughtBefore { fixture.world.run(for: .days(2)) }
    try fixture.perform { fixture async throws in
      let ordered = if let ordered = id.1 { ordered } else { try await order(fixture) }
      let receipt = try await fixture.apple.appReceipt(of: alice)
      let answers = try await fixture.submit(receipt, orders: [ordered])
      let payment = try await fixture.payment(id.0)
      #expect((payment?.order == ordered) == stranger.pays, "\(answers)")
      let key = OrderKey(appEnvironment: EngineFixture.appEnvironment, id: ordered)
      let isPaid = try await fixture.database.read { try $0.order(key) }?.state.payment != nil
      #expect(isPaid == stranger.pays)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is granted without its token after a day of silence, flagged, for the user who presented it`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.htmlError, count: nil))
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: alice), orders: [order]).map(\.verdict)
          == [.pending])
      return id
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(30))
    try fixture.perform { fixture async throws in
      let payment = try #require(try await fixture.payment(id))
      #expect(payment.match?.rule == .presented)
      #expect(payment.match?.flags.contains(.tokenUnseen) == true)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.appStoreTasks().isEmpty)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `that Apple does not know for a day is held, not granted`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.notFound, count: nil))
      let id = try await fixture.buy()
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: alice)).map(\.verdict) == [.pending]
      )
      return id
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(30))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(id)?.state == .held(.unknownToApple))
      #expect(try await fixture.coins() == 0)
    }
  }

  @Test func `without a key for Apple's servers is matched at once, flagged as without its token`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false)
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      let answers = try await fixture.submit(fixture.apple.appReceipt(of: alice), orders: [order])
      #expect(answers.map(\.verdict) == [.fulfilled])
      #expect(try await fixture.payment(id)?.match?.flags.contains(.tokenUnseen) == true)
      #expect(fixture.calls.all.isEmpty)
      #expect(try await fixture.appStoreTasks().isEmpty)
    }
  }

  @Test func `of a refunded purchase takes back the earlier grant, and grants nothing again`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      let order = try await fixture.order("premium")
      let id = try await fixture.buy("com.example.premium", token: order)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: alice)).map(\.verdict) == [.fulfilled])
      return id
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(id)
      for _ in 0..<2 {
        #expect(
          try await fixture.submit(fixture.apple.appReceipt(of: alice)).map(\.verdict) == [.revoked])
      }
      let entitlements = try await fixture.engine.readEntitlements(
        of: "alice", in: EngineFixture.appEnvironment)
      #expect(entitlements.allSatisfy { $0.state != .active })
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `of iOS 6, without a provable signer, is granted only by the order that Apple names`() throws {
    let fixture = try AppStoreEngineFixture()
    try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let named = try await fixture.buy(token: order)
      #expect(try await fixture.submit(fixture.apple.transactionReceipt(of: named)).map(\.verdict) == [.fulfilled])
      let unnamed = try await fixture.buy()
      let answer = try? await fixture.submit(fixture.apple.transactionReceipt(of: unnamed)).first
      #expect(answer?.verdict != .fulfilled)
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `of a refunded purchase asks Apple for the refunded amount, and takes back what Apple signs`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: alice)).map(\.verdict) == [.fulfilled])
      return id
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(id)
      // Until Apple has answered, the grant stays.
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(.loseRequest))
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: alice)).map(\.verdict) == [.fulfilled])
      #expect(try await fixture.coins() == 100)
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .minutes(5))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      // The receipt states neither a token nor a reason.
      let facts = try await fixture.payment(id)?.facts
      #expect(facts?.token != nil && facts?.revocation?.reason != nil)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `of a refunded purchase takes it back without Apple if Apple cannot be asked`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false)
    let id = try fixture.perform { fixture async throws in
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: alice), orders: [order]).map(\.verdict)
          == [.fulfilled])
      return id
    }
    fixture.world.run(for: .minutes(1))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(id)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: alice)).map(\.verdict) == [.revoked]
      )
      #expect(try await fixture.coins() == 0)
    }
  }
}
