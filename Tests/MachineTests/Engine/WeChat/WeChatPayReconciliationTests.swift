import WeChatPayIntegration
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import SimulationKit
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The comparison with WeChat Pay's bill` {
  /// The day of all orders made at the start of a fixture.
  private static func day(_ town: WeChatPayEngineFixture) -> String { BeijingTime.day(town.now()) }

  private static func compare(_ town: WeChatPayEngineFixture, _ day: String) throws -> ReconciliationReport {
    let outcome = try town.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .compared(let report) = outcome else {
      Issue.record("\(outcome)")
      throw CancellationError()
    }
    return report
  }

  private static func toTheNextDay(_ town: WeChatPayEngineFixture) { town.world.run(for: .hours(36)) }

  @Test func `grants payments that only the bill reports, once`() throws {
    let town = try WeChatPayEngineFixture()
    let day = Self.day(town)
    let stories = try town.perform { town async throws -> [OrderStory] in
      var stories: [OrderStory] = []
      for number in 0..<5 {
        let story = try await town.order("coins.100", of: UserIdentifier("user\(number)"))
        try await town.visit(story, openid: "o-\(number)")
        stories.append(story)
      }
      // One payment is known already.
      _ = try await town.engine.checkWeChatPay(
        .id(stories[0].order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "user0", for: town.app)
      return stories
    }
    Self.toTheNextDay(town)
    let report = try Self.compare(town, day)
    #expect(report.payments == .init(count: 5, amount: 3000))
    #expect(report.findings.map(\.kind) == Array(repeating: .missedPayment, count: 4))
    #expect(report.findings.allSatisfy { $0.isHealed })
    #expect(report.differences == [])
    try town.perform { town async throws in
      for (number, story) in stories.enumerated() {
        #expect(try await town.state(of: story).payment != nil)
        #expect(try await town.coins(of: UserIdentifier("user\(number)")) == 100)
      }
      #expect(try await town.violations() == [])
    }
    // A repeat finds nothing to repair.
    #expect(try Self.compare(town, day).findings == [])
  }

  @Test func `grants a payment that arrived after the order was closed in both systems`() throws {
    let town = try WeChatPayEngineFixture { $0.orderLifetime = .minutes(10) }
    let day = Self.day(town)
    town.startStandingWork()
    let story = try town.perform { town async throws in
      try await town.weChatPay.setKnob(.notifyNever, to: 1)
      let story = try await town.order()
      try await town.visit(story, .payLater(.minutes(30), winsOverClose: true))
      return story
    }
    // The schedule compares by itself.
    town.world.run(for: .hours(40))
    try town.perform { town async throws in
      #expect(try await town.state(of: story).payment != nil)
      #expect(try await town.coins() == 100)
      let record = try await town.store.read {
        try $0.reconciliation(of: day, at: .weChatPay, in: WeChatPayEngineFixture.appEnvironment)
      }
      #expect(record?.doneAt != nil)
    }
  }

  @Test func `reports a payment missing in the bill, a held one, and a row of another amount`() throws {
    let town = try WeChatPayEngineFixture()
    let day = Self.day(town)
    let story = try town.perform { town async throws in
      let story = try await town.order()
      try await town.visit(story)
      _ = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      return story
    }
    Self.toTheNextDay(town)
    try town.perform { try await $0.weChatPay.plan(PlannedFault(.missingRow, of: .tradeBill, count: 1)) }
    let missing = try Self.compare(town, day)
    #expect(missing.differences.map(\.kind) == [.paymentNotInBill])
    #expect(missing.differences.first?.order == story.order.key.id)
    try town.perform { try await $0.weChatPay.plan(PlannedFault(.alteredAmount, of: .tradeBill, count: 1)) }
    let altered = try Self.compare(town, day)
    #expect(altered.differences.map(\.kind) == [.amountDiffers])
    #expect(altered.differences.first?.ourAmount == 600)
    #expect(altered.differences.first?.billAmount == 601)
    try town.perform { try await $0.weChatPay.plan(PlannedFault(.additionalRow, of: .tradeBill, count: 1)) }
    #expect(try Self.compare(town, day).differences.count + Self.compare(town, day).foreignLines <= 1)
  }

  @Test(arguments: [WeChatPayFault.wrongHash, .cutFile, .unreachable, .systemError, .unsigned])
  func `accepts no bill that it cannot check, and tries again`(fault: WeChatPayFault) throws {
    let town = try WeChatPayEngineFixture()
    let day = Self.day(town)
    try town.perform { town async throws in
      let story = try await town.order()
      try await town.visit(story)
    }
    Self.toTheNextDay(town)
    let operation: WeChatPayOperation =
      [.unreachable, .systemError, .unsigned].contains(fault)
      ? .tradeBill : fault == .wrongHash ? .tradeBill : .downloadBill
    try town.perform { try await $0.weChatPay.plan(PlannedFault(fault, of: operation, count: 2)) }
    let outcome = try town.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .later = outcome else {
      Issue.record("\(outcome)")
      return
    }
    town.startStandingWork()
    town.world.run(for: .hours(2))
    try town.perform { town async throws in #expect(try await town.coins() == 100) }
  }

  @Test func `takes back a refund made at WeChat Pay itself without a notification`() throws {
    let town = try WeChatPayEngineFixture()
    let day = Self.day(town)
    try town.perform { town async throws in
      let story = try await town.order()
      try await town.visit(story)
      _ = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      try await town.refundElsewhere(story, number: "ELSEWHERE1")
      #expect(try await town.coins() == 100)
    }
    Self.toTheNextDay(town)
    let report = try Self.compare(town, day)
    #expect(report.refunds == .init(count: 1, amount: 600))
    #expect(report.findings.map(\.kind) == [.missedRefund])
    #expect(report.differences == [])
    try town.perform { town async throws in
      #expect(try await town.coins() == 0)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `is refused for an invalid day`() throws {
    let town = try WeChatPayEngineFixture()
    for day in ["", "yesterday", "2026-13-01", "2026-1-1", "2026-02-01T"] {
      try town.perform { town async throws in
        let code = await #expect(throws: CodedError<EngineErrorCode>.self) {
          try await town.engine.reconcileWeChatPay(day, for: town.app)
        }?.code
        #expect(code == .dayUnknown, "\(day)")
      }
    }
  }

  @Test func `of a day without any row finds no difference, once the bill must exist`() throws {
    let town = try WeChatPayEngineFixture()
    let day = Self.day(town)
    Self.toTheNextDay(town)
    let report = try Self.compare(town, day)
    #expect(report.findings == [] && report.payments.count == 0)
  }
}
