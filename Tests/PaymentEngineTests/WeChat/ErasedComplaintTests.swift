import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `WeChat Pay and a user who was erased` {
  private static let place = EngineFixture.appEnvironment

  /// All that the database keeps of a complaint: its row, and the journal of its order.
  private static func kept(_ id: String, _ fixture: WeChatPayEngineFixture) async throws -> String {
    let row = try #require(try await fixture.database.read { try $0.complaint(id, in: place) })
    let order = try #require(row.order)
    let journal = try await fixture.engine.tellOrder(.id(order), in: fixture.app.userEnvironments).journal.entries
    return ([row.facts, row.history] + journal.map(\.details)).joined(separator: "\n")
  }

  /// A user whose complaint is over, and who is erased afterwards.
  private static func erasedAfterComplaint(
    _ fixture: WeChatPayEngineFixture
  ) async throws -> (order: OrderDetails, complaint: String) {
    let order = try await fixture.order()
    try await fixture.visit(order)
    _ = try await fixture.engine.askStoreNow(about: order.order.key)
    let key = WeChatPaySimulator.OrderKey(mchid: TestMerchant.mchid, outTradeNo: order.order.key.id.outTradeNo)
    let id = try await fixture.weChatPay.control.complain(about: key, "the first words", at: "http://wechat.one")
    try await fixture.engine.learnComplaints(of: fixture.app)
    let refused = await #expect(throws: CodedError<EngineErrorCode>.self) {
      try await fixture.engine.eraseUser("alice", of: fixture.app)
    }
    #expect(refused?.code == .erasureNotPossible)
    try await fixture.weChatPay.control.withdrawComplaint(id)
    try await fixture.engine.learnComplaints(of: fixture.app)
    #expect(try await kept(id, fixture).contains("the first words"))
    let waiting = try await fixture.database.read {
      try $0.deliveries(DeliveryQuery(appEnvironment: place, selection: .pending, limit: 10))
    }
    for delivery in waiting { _ = try await fixture.engine.acknowledge(delivery.id, in: "shop") }
    _ = try await fixture.engine.eraseUser("alice", of: fixture.app)
    return (order, id)
  }

  @Test func `does not bring back the words of a complaint that is over`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (_, id) = try await Self.erasedAfterComplaint(fixture)
      #expect(try await !Self.kept(id, fixture).contains("the first words"))
      try await fixture.engine.learnComplaints(of: fixture.app)
      #expect(try await !Self.kept(id, fixture).contains("the first words"))
      let row = try #require(try await fixture.database.read { try $0.complaint(id, in: Self.place) })
      #expect(row.user?.text.hasPrefix("erased_") == true && !row.isOpen)
    }
  }

  @Test func `shows the words of a complaint that is open again until it is over, and keeps none of them`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (_, id) = try await Self.erasedAfterComplaint(fixture)
      try await fixture.weChatPay.control.complainAgain(id, "the second words")
      try await fixture.engine.learnComplaints(of: fixture.app)
      let story = try await fixture.engine.tellComplaint(id, of: fixture.app)
      #expect(story.complaint.isOpen && story.history.contains { $0.text == "the second words" })
      try await fixture.weChatPay.control.withdrawComplaint(id)
      try await fixture.engine.learnComplaints(of: fixture.app)
      let kept = try await Self.kept(id, fixture)
      #expect(!kept.contains("the first words") && !kept.contains("the second words"))
    }
  }

  @Test func `is not sent the order again that a restored backup has open, whose payer was erased`() throws {
    let fixture = try WeChatPayEngineFixture()
    let order = try fixture.perform { fixture async throws in
      let order = try await fixture.order {
        ($0.tradeType, $0.payerAddress) = ("H5", "203.0.113.79")
      }
      #expect(try await fixture.row(order)?.prepayBody.contains("203.0.113.79") == true)
      // As the list of erasures does after a restore: nobody is asked what is open.
      try await fixture.engine.transact { transaction in
        try transaction.insert(
          UserErasure(app: "shop", alias: "erased_0123456789abcdef", user: "alice", begunAt: transaction.now))
      }
      try await fixture.engine.resumeErasures()
      return order
    }
    // The page of a browser is valid for five minutes: then a new one would be asked for.
    fixture.world.run(for: .minutes(5))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.row(order)?.prepayBody == WeChatPayOrder.erasedBody)
      let again = try await fixture.engine.prepareWeChatPay(
        .id(order.order.key.id), in: Self.place, of: nil, for: fixture.app)
      #expect(again.handOff == nil && again.order.user == "erased_0123456789abcdef")
      #expect(try await fixture.row(order)?.state == .prepared)
    }
  }
}
