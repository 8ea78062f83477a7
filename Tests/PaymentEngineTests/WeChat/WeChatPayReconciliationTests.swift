import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The comparison with WeChat Pay's bill` {
  /// The day of all orders made at the start of a fixture.
  private static func day(_ fixture: WeChatPayEngineFixture) -> String { BeijingTime.day(fixture.now()) }

  private static func compare(_ fixture: WeChatPayEngineFixture, _ day: String) throws -> ReconciliationReport {
    let outcome = try fixture.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .compared(let report) = outcome else {
      Issue.record("\(outcome)")
      throw CancellationError()
    }
    return report
  }

  private static func toTheNextDay(_ fixture: WeChatPayEngineFixture) { fixture.world.run(for: .hours(36)) }

  @Test func `grants payments that only the bill reports, once`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = Self.day(fixture)
    let stories = try fixture.perform { fixture async throws -> [OrderDetails] in
      var stories: [OrderDetails] = []
      for number in 0..<5 {
        let details = try await fixture.order("coins.100", of: UserIdentifier("user\(number)"))
        try await fixture.visit(details, openid: "o-\(number)")
        stories.append(details)
      }
      // One payment is known already.
      _ = try await fixture.engine.checkWeChatPay(
        .id(stories[0].order.key.id), in: EngineFixture.appEnvironment, of: "user0", for: fixture.app)
      return stories
    }
    Self.toTheNextDay(fixture)
    let report = try Self.compare(fixture, day)
    #expect(report.payments == .init(count: 5, amount: 3000))
    #expect(report.findings.map(\.kind) == Array(repeating: .missedPayment, count: 4))
    #expect(report.findings.allSatisfy { $0.isHealed })
    #expect(report.differences == [])
    try fixture.perform { fixture async throws in
      for (number, details) in stories.enumerated() {
        #expect(try await fixture.state(of: details).payment != nil)
        #expect(try await fixture.coins(of: UserIdentifier("user\(number)")) == 100)
      }
      #expect(try await fixture.violations() == [])
    }
    // A repeat finds nothing to repair.
    #expect(try Self.compare(fixture, day).findings == [])
  }

  @Test func `grants a payment that arrived after the order was closed in both systems`() throws {
    let fixture = try WeChatPayEngineFixture { $0.orderLifetime = .minutes(10) }
    let day = Self.day(fixture)
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.setBehaviour(.notifyNever, to: 1)
      let details = try await fixture.order()
      try await fixture.visit(details, .payLater(.minutes(30), winsOverClose: true))
      return details
    }
    // The schedule compares by itself.
    fixture.world.run(for: .hours(40))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.state(of: details).payment != nil)
      #expect(try await fixture.coins() == 100)
      let record = try await fixture.database.read {
        try $0.reconciliation(of: day, at: .weChatPay, in: EngineFixture.appEnvironment)
      }
      #expect(record?.doneAt != nil)
    }
  }

  @Test func `reports a payment missing in the bill, a held one, and a row of another amount`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = Self.day(fixture)
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      return details
    }
    Self.toTheNextDay(fixture)
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.missingRow, of: .tradeBill, count: 1)) }
    let missing = try Self.compare(fixture, day)
    #expect(missing.differences.map(\.kind) == [.paymentNotInBill])
    #expect(missing.differences.first?.order == details.order.key.id)
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.alteredAmount, of: .tradeBill, count: 1)) }
    let altered = try Self.compare(fixture, day)
    #expect(altered.differences.map(\.kind) == [.amountDiffers])
    #expect(altered.differences.first?.ourAmount == 600)
    #expect(altered.differences.first?.billAmount == 601)
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.additionalRow, of: .tradeBill, count: 1)) }
    #expect(try Self.compare(fixture, day).differences.count + Self.compare(fixture, day).foreignLines <= 1)
  }

  @Test(arguments: [WeChatPayFault.wrongHash, .cutFile, .unreachable, .systemError, .unsigned])
  func `accepts no bill that it cannot check, and tries again`(fault: WeChatPayFault) throws {
    let fixture = try WeChatPayEngineFixture()
    let day = Self.day(fixture)
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
    }
    Self.toTheNextDay(fixture)
    let operation: WeChatPayOperation =
      [.unreachable, .systemError, .unsigned].contains(fault)
      ? .tradeBill : fault == .wrongHash ? .tradeBill : .downloadBill
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(fault, of: operation, count: 2)) }
    let outcome = try fixture.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .later = outcome else {
      Issue.record("\(outcome)")
      return
    }
    fixture.startBackgroundTasks()
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in #expect(try await fixture.coins() == 100) }
  }

  @Test func `takes back a refund made at WeChat Pay itself without a notification`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = Self.day(fixture)
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      try await fixture.refundElsewhere(details, number: "ELSEWHERE1")
      #expect(try await fixture.coins() == 100)
    }
    Self.toTheNextDay(fixture)
    let report = try Self.compare(fixture, day)
    #expect(report.refunds == .init(count: 1, amount: 600))
    #expect(report.findings.map(\.kind) == [.missedRefund])
    #expect(report.differences == [])
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is refused for an invalid day`() throws {
    let fixture = try WeChatPayEngineFixture()
    for day in ["", "yesterday", "2026-13-01", "2026-1-1", "2026-02-01T"] {
      try fixture.perform { fixture async throws in
        let code = await #expect(throws: CodedError<EngineErrorCode>.self) {
          try await fixture.engine.reconcileWeChatPay(day, for: fixture.app)
        }?.code
        #expect(code == .dayUnknown, "\(day)")
      }
    }
  }

  @Test func `of a day without any row finds no difference, once the bill must exist`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = Self.day(fixture)
    Self.toTheNextDay(fixture)
    let report = try Self.compare(fixture, day)
    #expect(report.findings == [] && report.payments.count == 0)
  }
}
