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

@Suite struct `A customer's complaint at WeChat Pay` {
  private static let oscar = OperatorReason(name: "oscar", text: "ticket 7")

  /// A paid order, and a complaint about it.
  private static func complaint(
    _ fixture: WeChatPayEngineFixture, refund: Int64? = nil, pictures: Int = 0
  ) async throws -> (order: OrderDetails, id: String) {
    let order = try await fixture.order()
    try await fixture.visit(order)
    _ = try await fixture.engine.askStoreNow(about: order.order.key)
    let key = WeChatPaySimulator.OrderKey(mchid: TestMerchant.mchid, outTradeNo: order.order.key.id.outTradeNo)
    let id = try await fixture.weChatPay.control.complain(
      about: key, "没有到账", refund: refund, pictures: pictures, at: "http://wechat.one")
    return (order, id)
  }

  private static func row(_ id: String, _ fixture: WeChatPayEngineFixture) async throws -> Complaint? {
    try await fixture.database.read { try $0.complaint(id, in: EngineFixture.appEnvironment) }
  }

  /// An answer by an operator who has read the whole talk.
  private static func answer(
    _ text: String, to id: String, _ fixture: WeChatPayEngineFixture
  ) async throws -> ComplaintAct {
    .answer(text, talk: try await fixture.engine.tellComplaint(id, of: fixture.app).talk)
  }

  private static func answers(to id: String, _ fixture: WeChatPayEngineFixture) async -> Int {
    await fixture.weChatPay.complaint(id)?.steps.count { $0.kind == "MERCHANT_RESPONSE" } ?? 0
  }

  private static func code(_ body: () async throws -> Void) async -> EngineErrorCode? {
    do {
      try await body()
      return nil
    } catch { return (error as? CodedError<EngineErrorCode>)?.code }
  }

  @Test func `is neither answered nor ended where it is unknown, over, or its refund is on its way`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      func code(_ id: String, _ act: ComplaintAct) async -> EngineErrorCode? {
        await Self.code { try await fixture.engine.handleComplaint(id, act, for: fixture.app, reason: Self.oscar) }
      }
      #expect(await code("2002", .answer("hello", talk: "x")) == .complaintUnknown)
      let (_, id) = try await Self.complaint(fixture, refund: 600)
      try await fixture.engine.learnComplaints(of: fixture.app)
      for text in ["", String(repeating: "x", count: 201), "😀"] {
        #expect(await code(id, try await Self.answer(text, to: id, fixture)) == .complaintNotChanged, "\(text)")
      }
      #expect(await code(id, .approveRefund) == .complaintNotChanged)
      // WeChat Pay itself wants an answer first.
      #expect(await code(id, .complete) == .complaintNotChanged)
      let payment = try #require(try await fixture.engine.tellComplaint(id, of: fixture.app).payments.first)
      _ = try await fixture.engine.refundPayment(
        payment.key, RefundRequest(amount: nil, reason: nil, idempotencyKey: "a", askedBy: "oscar"))
      #expect(await code(id, try await Self.answer("已退款", to: id, fixture)) == nil)
      #expect(await code(id, .complete) == .complaintNotChanged)
      try await fixture.weChatPay.control.withdrawComplaint(id)
      try await fixture.engine.learnComplaints(of: fixture.app)
      #expect(await code(id, try await Self.answer("hello", to: id, fixture)) == .complaintNotChanged)
    }
  }

  @Test func `is learned by its notification, with its order and user, and waits for an operator`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startNotifications()
    let (order, id) = try fixture.perform { try await Self.complaint($0) }
    fixture.world.run(for: .seconds(30))
    try fixture.perform { fixture async throws in
      let row = try #require(try await Self.row(id, fixture))
      #expect(row.order == order.order.key.id && row.user == "alice" && row.state == "PENDING")
      #expect(row.due == row.openedAt + .hours(24))
      let items = try await fixture.engine.needsAttention(
        of: fixture.app, in: [EngineFixture.appEnvironment], kinds: [.complaint], limit: 9)
      #expect(items.map(\.subject) == [id] && items.first?.order == order.order.key.id)
      let journal = try await fixture.engine.tellOrder(.id(order.order.key.id), in: fixture.app.userEnvironments)
        .journal.entries
      #expect(journal.contains { $0.what == "complaint.opened" })
    }
  }

  @Test func `is learned within ten minutes if its notification is lost, and is over when it is withdrawn`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let (_, id) = try fixture.perform { try await Self.complaint($0) }
    fixture.world.run(for: .minutes(241))
    try fixture.perform { fixture async throws in
      #expect(try await Self.row(id, fixture)?.isOpen == true)
      try await fixture.weChatPay.control.withdrawComplaint(id)
    }
    fixture.world.run(for: .minutes(241))
    try fixture.perform { fixture async throws in #expect(try await Self.row(id, fixture)?.isOpen == false) }
  }

  @Test func `is answered and ended, and due again when the customer complains again`() throws {
    let fixture = try WeChatPayEngineFixture()
    let (_, id) = try fixture.perform { fixture async throws in
      let made = try await Self.complaint(fixture, pictures: 1)
      try await fixture.engine.learnComplaints(of: fixture.app)
      return made
    }
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      for act in [try await Self.answer("马上处理", to: id, fixture), .refuseRefund("已到账"), .complete] {
        try await fixture.engine.handleComplaint(id, act, for: fixture.app, reason: Self.oscar)
        let row = try #require(try await Self.row(id, fixture))
        #expect(row.answerDue == nil && row.isOpen == (act != .complete))
      }
      let story = try await fixture.engine.tellComplaint(id, of: fixture.app)
      #expect(story.history.map(\.kind).contains("MERCHANT_RESPONSE"))
      #expect(await fixture.weChatPay.complaint(id)?.refundDecision == "REJECT")
      #expect(try await fixture.engine.complaintPicture(0, of: id, for: fixture.app)?.type == "image/png")
      #expect(try await fixture.engine.complaintPicture(1, of: id, for: fixture.app) == nil)
      try await fixture.weChatPay.control.complainAgain(id, "还是没有")
      try await fixture.engine.learnComplaints(of: fixture.app)
      let row = try #require(try await Self.row(id, fixture))
      #expect(row.isOpen && row.answeredAt == nil && row.begunAt > row.openedAt && row.times == 2)
    }
  }

  @Test func `whose answer is lost is not known to be answered, and the customer reads it once`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (_, id) = try await Self.complaint(fixture)
      try await fixture.engine.learnComplaints(of: fixture.app)
      try await fixture.weChatPay.control.plan(PlannedFault(.loseAnswer, of: .answerComplaint, count: nil))
      let code = await Self.code {
        try await fixture.engine.handleComplaint(
          id, Self.answer("你好", to: id, fixture), for: fixture.app, reason: Self.oscar)
      }
      #expect(code == .complaintOutcomeUnknown)
      let story = try await fixture.engine.tellComplaint(id, of: fixture.app)
      #expect(story.history.count { $0.kind == "MERCHANT_RESPONSE" } == 1)
    }
  }

  @Test func `is answered once where two operators answer at one place of the talk, or at the same moment`() throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      let fixture = try WeChatPayEngineFixture(seed: seed)
      try fixture.perform { fixture async throws in
        let (_, id) = try await Self.complaint(fixture)
        try await fixture.engine.learnComplaints(of: fixture.app)
        let act = try await Self.answer("马上处理", to: id, fixture)
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<2 {
            group.addTask {
              try? await fixture.engine.handleComplaint(id, act, for: fixture.app, reason: Self.oscar)
            }
          }
        }
        #expect(await Self.answers(to: id, fixture) == 1, "seed \(seed)")
        let late = await Self.code {
          try await fixture.engine.handleComplaint(id, act, for: fixture.app, reason: Self.oscar)
        }
        #expect(late == .complaintNotChanged)
        let next = try await Self.answer("已处理", to: id, fixture)
        try await fixture.engine.handleComplaint(id, next, for: fixture.app, reason: Self.oscar)
        #expect(await Self.answers(to: id, fixture) == 2)
      }
    }
  }

  @Test func `is not answered again for fifteen minutes while nobody knows whether the first answer arrived`() throws {
    let fixture = try WeChatPayEngineFixture()
    let (id, act) = try fixture.perform { fixture async throws in
      let (_, id) = try await Self.complaint(fixture)
      try await fixture.engine.learnComplaints(of: fixture.app)
      // The answer arrives. Neither its reply nor the talk comes back.
      let control = fixture.weChatPay.control
      try await control.plan(PlannedFault(.loseAnswer, of: .answerComplaint, count: nil))
      try await control.plan(PlannedFault(.loseAnswer, of: .complaintHistory, count: nil))
      return (id, try await Self.answer("你好", to: id, fixture))
    }
    func answer() throws -> EngineErrorCode? {
      try fixture.perform { fixture async throws in
        await Self.code { try await fixture.engine.handleComplaint(id, act, for: fixture.app, reason: Self.oscar) }
      }
    }
    #expect(try answer() == .complaintOutcomeUnknown)
    #expect(try answer() == .complaintNotChanged)
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in try await fixture.weChatPay.control.forgetFaults() }
    // The talk comes back now, and names the answer.
    #expect(try answer() == .complaintNotChanged)
    try fixture.perform { fixture async throws in
      #expect(await Self.answers(to: id, fixture) == 1)
      #expect(try await Self.answer("", to: id, fixture) != .answer("", talk: act.talk ?? ""))
    }
  }

  @Test func `may be answered again at once if the answer certainly did not reach WeChat Pay`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let (_, id) = try await Self.complaint(fixture)
      try await fixture.engine.learnComplaints(of: fixture.app)
      let act = try await Self.answer("马上处理", to: id, fixture)
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .answerComplaint, count: 1))
      let lost = await Self.code {
        try await fixture.engine.handleComplaint(id, act, for: fixture.app, reason: Self.oscar)
      }
      #expect(lost == .complaintOutcomeUnknown)
      try await fixture.engine.handleComplaint(id, act, for: fixture.app, reason: Self.oscar)
      #expect(await Self.answers(to: id, fixture) == 1)
    }
  }

  @Test func `with a state that nobody knows is open, and shown with that word`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.unknownWord, of: .complaint, count: nil))
      let (_, id) = try await Self.complaint(fixture)
      try await fixture.engine.learnComplaints(of: fixture.app)
      let row = try #require(try await Self.row(id, fixture))
      #expect(row.isOpen && row.state == "NEW_IN_2030")
    }
  }
}

extension ComplaintAct {
  fileprivate var talk: String? {
    guard case .answer(_, let talk) = self else { return nil }
    return talk
  }
}
