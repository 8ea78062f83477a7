import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import TestDoubles
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `An operator who sends a stuck refund to a bank account` {
  private static let reason = OperatorReason(name: "oscar", text: "the account is closed")

  /// A refund that could not reach its payer.
  private static func stuck(_ fixture: WeChatPayEngineFixture) throws -> String {
    fixture.startBackgroundTasks()
    let number = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      try await fixture.weChatPay.control.plan(PlannedFault(.abnormalRefund, of: .refund))
      return try await fixture.engine.refundOrder(
        .id(details.order.key.id), in: EngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: nil, idempotencyKey: "all", askedBy: "test"), for: fixture.app
      ).number
    }
    fixture.world.run(for: .minutes(10))
    return number
  }

  private static func card() throws -> RefundDestination {
    .payerCard(try #require(PayerCard(bank: "CMB_DEBIT", account: "6225880123456789", holder: "张三")))
  }

  private static func redirect(
    _ number: String, to destination: RefundDestination = .merchantAccount, _ fixture: WeChatPayEngineFixture
  ) async throws -> RefundRedirection {
    try await fixture.engine.redirectRefund(number, to: destination, for: fixture.app, reason: reason)
  }

  private static func code(
    _ body: () async throws -> RefundRedirection
  ) async -> EngineErrorCode? {
    do {
      _ = try await body()
      return nil
    } catch { return (error as? CodedError<EngineErrorCode>)?.code }
  }

  private static func truth(_ fixture: WeChatPayEngineFixture) async -> SimulatedRefund? {
    await fixture.weChatPay.refunds().first
  }

  @Test func `is refused an unknown refund, and a card that no form can carry`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      #expect(await Self.code { try await Self.redirect("NONE", fixture) } == .refundUnknown)
    }
    #expect(PayerCard(bank: "招商银行", account: "6225880123456789", holder: "张三") == nil)
    #expect(PayerCard(bank: "CMB_DEBIT", account: "6225 8801", holder: "张三") == nil)
    #expect(PayerCard(bank: "CMB_DEBIT", account: "6225880123456789", holder: "") == nil)
    #expect(PayerCard(bank: "CMB_DEBIT", account: String(repeating: "1", count: 33), holder: "张三") == nil)
  }

  @Test func `is told WeChat Pay's reason, and the refund stays stuck`() throws {
    let fixture = try WeChatPayEngineFixture()
    let number = try Self.stuck(fixture)
    try fixture.perform { fixture async throws in
      let unknown = try #require(PayerCard(bank: "NO_SUCH_BANK", account: "6225880123456789", holder: "张三"))
      #expect(
        await Self.code { try await Self.redirect(number, to: .payerCard(unknown), fixture) } == .refundNotRedirected)
      #expect(await Self.truth(fixture)?.status == .abnormal)
    }
  }

  @Test func `sends it to the payer's card once, and takes the grant back when the money is there`() throws {
    for platformKey in [TestMerchant.PlatformKeys.publicKey, .certificates] {
      let fixture = try WeChatPayEngineFixture(platformKey: platformKey)
      let number = try Self.stuck(fixture)
      try fixture.perform { fixture async throws in
        #expect(try await fixture.coins() == 100)
        let first = try await Self.redirect(number, to: try Self.card(), fixture)
        #expect(isSent(first) && first.refund.state == .underWay)
        // The simulator has decrypted the card.
        #expect(await Self.truth(fixture)?.receivedAccount == "招商银行借记卡6789")
        let again = try await Self.redirect(number, to: .merchantAccount, fixture)
        #expect(!isSent(again) && again.refund.number == number)
        #expect(await Self.truth(fixture)?.receivedAccount == "招商银行借记卡6789")
      }
      fixture.world.run(for: .hours(13))
      try fixture.perform { fixture async throws in
        #expect(try await fixture.coins() == 0)
        #expect(try await fixture.violations() == [])
      }
    }
  }

  @Test(arguments: [WeChatPayFault.loseAnswer, .loseRequest, .systemErrorAfterEffect, .unsigned])
  func `does not know what became of a lost answer, and learns it by the same request`(fault: WeChatPayFault) throws {
    let fixture = try WeChatPayEngineFixture()
    let number = try Self.stuck(fixture)
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(fault, of: .abnormalRefund, count: 2))
      #expect(await Self.code { try await Self.redirect(number, fixture) } == .weChatPayUnanswered)
      try await fixture.weChatPay.control.forgetFaults()
      let hadEffect = await Self.truth(fixture)?.status != .abnormal
      let again = try await Self.redirect(number, fixture)
      #expect(isSent(again) != hadEffect)
      #expect(again.refund.state == .underWay)
    }
    fixture.world.run(for: .hours(13))
    try fixture.perform { fixture async throws in #expect(try await fixture.coins() == 0) }
  }

  @Test func `sends nothing while WeChat Pay does not tell the state`() throws {
    let fixture = try WeChatPayEngineFixture()
    let number = try Self.stuck(fixture)
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .queryRefund, count: nil))
      #expect(await Self.code { try await Self.redirect(number, fixture) } == .weChatPayUnanswered)
      #expect(await Self.truth(fixture)?.status == .abnormal)
    }
  }

  @Test func `stands in the journal with the reason, before it is sent, and the card does not`() throws {
    let fixture = try WeChatPayEngineFixture()
    let number = try Self.stuck(fixture)
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.loseRequest, of: .abnormalRefund, count: nil))
      _ = await Self.code { try await Self.redirect(number, to: try Self.card(), fixture) }
      let refund = try #require(
        try await fixture.database.read { try $0.refund(number, in: EngineFixture.appEnvironment) })
      let order = try #require(refund.order)
      let journal = try await fixture.database.read {
        try $0.journal(of: PaymentModel.OrderKey(appEnvironment: EngineFixture.appEnvironment, id: order))
      }
      let entry = try #require(journal.first { $0.what == "payment.refundRedirected" })
      #expect(entry.details.contains("oscar") && entry.details.contains("payerCard"))
      let everything = journal.map(\.details).joined() + fixture.eventLog.lines.joined()
      #expect(!everything.contains("6225880123456789") && !everything.contains("张三"))
    }
  }
}

/// Whether a request was sent.
private func isSent(_ redirection: RefundRedirection) -> Bool {
  if case .sent = redirection { true } else { false }
}
