import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import CounterfoilAPI
import SimulationKit
import Testing

@Suite struct `A submitted receipt` {
  @Test func `that is forged is refused, and nothing is recorded (A2)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      _ = try await town.buy()
      let receipt = try await town.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let middle = receipt.index(receipt.startIndex, offsetBy: receipt.count / 2)
      let forged =
        receipt[..<middle] + (receipt[middle] == "A" ? "B" : "A") + receipt[receipt.index(after: middle)...]
      var isRefused = false
      do { isRefused = try await town.submit(String(forged)).allSatisfy { $0.verdict == .refused } } catch let refusal
        as CodedError<EngineErrorCode>
      {
        isRefused = refusal.code == .evidenceUnreadable
      }
      #expect(isRefused)
      #expect(try await town.appStoreTasks().isEmpty)
      #expect(try await town.coins() == 0)
    }
  }

  @Test func `is completed by Apple: the token decides the owner, not the user who presents it (A7)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let order = try await town.order(of: "bob")
      let id = try await town.buy(as: AppStoreEngineFixture.bob, token: order)
      let answers = try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.bob), by: "alice")
      #expect(answers.map(\.verdict) == [.fulfilledForAnother])
      #expect(answers.first?.order == nil)
      #expect(try await town.coins(of: "bob") == 100)
      #expect(try await town.coins(of: "alice") == 0)
      #expect(try await town.payment(id)?.match?.rule == .exact)
      #expect(try await town.appStoreTasks().map(\.purpose) == [.finish])
    }
  }

  @Test func `shows several purchases, and each is granted by its own id, whichever was the last (1B.12, X8)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      var ids: [TransactionIdentifier] = []
      for _ in 0..<3 {
        let order = try await town.order()
        ids.append(try await town.buy(token: order))
      }
      let answers = try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(Set(answers.map(\.transaction)) == Set(ids))
      #expect(answers.allSatisfy { $0.verdict == .fulfilled && $0.finish })
      #expect(try await town.coins() == 300)
      // A repeat grants nothing, and does not call Apple again.
      let asked = town.calls.all.count
      #expect(try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice)).count == 3)
      #expect(try await town.coins() == 300)
      #expect(town.calls.all.count == asked)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `without the named purchase reports it as missing or finished (1B.10)`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let order = try await town.order()
      let id = try await town.buy(token: order)
      try await town.apple.finish(id, of: AppStoreEngineFixture.alice)
      let receipt = try await town.apple.appReceipt(of: AppStoreEngineFixture.alice)
      // Apple still knows it, so it is granted by the order that it names.
      #expect(try await town.submit(receipt, naming: id).map(\.verdict) == [.fulfilled])
      let nobody = try await town.submit(receipt, naming: "999999999999999")
      #expect(nobody.map(\.verdict) == [.refused])
      #expect(nobody.map(\.reason) == ["notInReceipt"])
      #expect(nobody.allSatisfy { !$0.finish })
    }
  }

  @Test
  func `while Apple is silent is pending, at every retry, and granted once Apple answers (1B.15)`() throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { town async throws in
      try await town.apple.plan(PlannedAPIFault(.loseRequest, count: nil))
      let order = try await town.order()
      let id = try await town.buy(token: order)
      let answers = try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(answers.map(\.verdict) == [.pending])
      #expect(answers.allSatisfy { !$0.finish && $0.retryAfter != nil })
      #expect(try await town.payment(id) == nil)
      return id
    }
    town.startStandingWork()
    town.world.run(for: .hours(2))
    try town.perform { town async throws in
      #expect(try await town.coins() == 0)
      let asked = try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice))
      #expect(asked.map(\.verdict) == [.pending] && asked.allSatisfy { !$0.finish })
      try await town.apple.forgetAPIFaults()
    }
    town.world.run(for: .hours(2))
    try town.perform { town async throws in
      // It was not submitted again: it was verified meanwhile, and a request with its bare number shows the verdict.
      let asked = try await town.ask(id)
      #expect(asked?.verdict == .fulfilled && asked?.finish == true)
      #expect(try await town.payment(id)?.match?.rule == .exact)
      #expect(try await town.coins() == 100)
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
    let town = try AppStoreEngineFixture()
    @Sendable func order(_ town: AppStoreEngineFixture) async throws -> OrderIdentifier {
      let request = OrderRequest(
        user: "alice", product: stranger.ordered, quantity: stranger.quantity, store: .appStore)
      return try await town.engine.createOrder(request, for: town.app, by: .user("alice")).order.order.key.id
    }
    let id = try town.perform { town async throws in
      let ordered = stranger.isBoughtBefore ? nil : try await order(town)
      return (try await town.buy(), ordered)
    }
    if stranger.isBoughtBefore { town.world.run(for: .days(2)) }
    try town.perform { town async throws in
      let ordered = if let ordered = id.1 { ordered } else { try await order(town) }
      let receipt = try await town.apple.appReceipt(of: AppStoreEngineFixture.alice)
      let answers = try await town.submit(receipt, orders: [ordered])
      let payment = try await town.payment(id.0)
      #expect((payment?.order == ordered) == stranger.pays, "\(answers)")
      let key = OrderKey(appEnvironment: AppStoreEngineFixture.appEnvironment, id: ordered)
      let isPaid = try await town.store.read { try $0.order(key) }?.state.payment != nil
      #expect(isPaid == stranger.pays)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `is granted without its token after a day of silence, flagged, for the user who presented it`() throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { town async throws in
      try await town.apple.plan(PlannedAPIFault(.htmlError, count: nil))
      let order = try await town.order()
      let id = try await town.buy(token: order)
      #expect(
        try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order]).map(\.verdict)
          == [.pending])
      return id
    }
    town.startStandingWork()
    town.world.run(for: .hours(30))
    try town.perform { town async throws in
      let payment = try #require(try await town.payment(id))
      #expect(payment.match?.rule == .presented)
      #expect(payment.match?.flags.contains(.tokenUnseen) == true)
      #expect(try await town.coins() == 100)
      #expect(try await town.appStoreTasks().isEmpty)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `that Apple does not know for a day is held, not granted`() throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { town async throws in
      try await town.apple.plan(PlannedAPIFault(.notFound, count: nil))
      let id = try await town.buy()
      #expect(
        try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [.pending])
      return id
    }
    town.startStandingWork()
    town.world.run(for: .hours(30))
    try town.perform { town async throws in
      #expect(try await town.payment(id)?.state == .held(.unknownToApple))
      #expect(try await town.coins() == 0)
    }
  }

  @Test func `without a key for Apple's servers is matched at once, flagged as without its token`() throws {
    let town = try AppStoreEngineFixture(hasKey: false)
    try town.perform { town async throws in
      let order = try await town.order()
      let id = try await town.buy(token: order)
      let answers = try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order])
      #expect(answers.map(\.verdict) == [.fulfilled])
      #expect(try await town.payment(id)?.match?.flags.contains(.tokenUnseen) == true)
      #expect(town.calls.all.isEmpty)
      #expect(try await town.appStoreTasks().isEmpty)
    }
  }

  @Test func `of a refunded purchase takes back the earlier grant, and grants nothing again`() throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { town async throws in
      let order = try await town.order("premium")
      let id = try await town.buy("com.example.premium", token: order)
      #expect(
        try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [.fulfilled])
      return id
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      _ = try await town.apple.refund(id)
      for _ in 0..<2 {
        #expect(
          try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [.revoked])
      }
      let rights = try await town.engine.readEntitlements(of: "alice", in: AppStoreEngineFixture.appEnvironment)
      #expect(rights.allSatisfy { $0.state != .active })
      #expect(try await town.violations() == [])
    }
  }

  @Test func `of iOS 6, without a provable signer, is granted only by the order that Apple names`() throws {
    let town = try AppStoreEngineFixture()
    try town.perform { town async throws in
      let order = try await town.order()
      let named = try await town.buy(token: order)
      #expect(try await town.submit(town.apple.transactionReceipt(of: named)).map(\.verdict) == [.fulfilled])
      let unnamed = try await town.buy()
      let answer = try? await town.submit(town.apple.transactionReceipt(of: unnamed)).first
      #expect(answer?.verdict != .fulfilled)
      #expect(try await town.coins() == 100)
    }
  }

  @Test func `of a refunded purchase asks Apple for the refunded amount, and takes back what Apple signs`() throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { town async throws in
      let order = try await town.order()
      let id = try await town.buy(token: order)
      #expect(
        try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [.fulfilled])
      return id
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      _ = try await town.apple.refund(id)
      // Until Apple has answered, the grant stays.
      try await town.apple.plan(PlannedAPIFault(.loseRequest))
      #expect(
        try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [.fulfilled])
      #expect(try await town.coins() == 100)
    }
    town.startStandingWork()
    town.world.run(for: .minutes(5))
    try town.perform { town async throws in
      #expect(try await town.coins() == 0)
      // The receipt states neither a token nor a reason.
      let facts = try await town.payment(id)?.facts
      #expect(facts?.token != nil && facts?.revocation?.reason != nil)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `of a refunded purchase takes it back without Apple if Apple cannot be asked`() throws {
    let town = try AppStoreEngineFixture(hasKey: false)
    let id = try town.perform { town async throws in
      let order = try await town.order()
      let id = try await town.buy(token: order)
      #expect(
        try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice), orders: [order]).map(\.verdict)
          == [
            .fulfilled
          ])
      return id
    }
    town.world.run(for: .minutes(1))
    try town.perform { town async throws in
      _ = try await town.apple.refund(id)
      #expect(
        try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [.revoked])
      #expect(try await town.coins() == 0)
    }
  }
}
