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

@Suite struct `A row of WeChat Pay's bill` {
  private static func paid(_ fixture: WeChatPayEngineFixture, _ user: UserIdentifier) async throws -> OrderDetails {
    let details = try await fixture.order("coins.100", of: user)
    try await fixture.visit(details, openid: "o-\(user.text)")
    _ = try await fixture.engine.checkWeChatPay(
      .id(details.order.key.id), in: EngineFixture.appEnvironment, of: user, for: fixture.app)
    return details
  }

  private static func compare(_ fixture: WeChatPayEngineFixture, _ day: String) throws -> ReconciliationReport? {
    let outcome = try fixture.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .compared(let report) = outcome else { return nil }
    return report
  }

  private static func doneAt(_ fixture: WeChatPayEngineFixture, _ day: String) throws -> Timestamp? {
    try fixture.perform { fixture in
      try await fixture.database.read {
        try $0.reconciliation(of: day, at: .weChatPay, in: EngineFixture.appEnvironment)?.doneAt
      }
    }
  }

  @Test func `that is doubled, or names another order's payment, is reported`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = BeijingTime.day(fixture.now())
    let stories = try fixture.perform { fixture async throws in
      [try await Self.paid(fixture, "alice"), try await Self.paid(fixture, "bob")]
    }
    fixture.world.run(for: .hours(36))
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.doubledRow, of: .tradeBill)) }
    let doubled = try #require(try Self.compare(fixture, day))
    #expect(doubled.differences.map(\.kind) == [.doubledLine])
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.swappedRows, of: .tradeBill)) }
    let swapped = try #require(try Self.compare(fixture, day))
    #expect(swapped.differences.map(\.kind) == [.orderDiffers, .orderDiffers])
    #expect(Set(swapped.differences.compactMap(\.order)) == Set(stories.map(\.order.key.id)))
  }

  @Test func `of a held payment is reported with the reason, and not as a difference`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = BeijingTime.day(fixture.now())
    try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.otherMerchant, of: .paymentNotification, count: nil))
      let details = try await fixture.order()
      try await fixture.visit(details)
      let id = details.order.key.id
      // The order is frozen: its payment is held.
      _ = await fixture.database.transact { transaction in
        guard var order = try transaction.order(OrderKey(appEnvironment: EngineFixture.appEnvironment, id: id))
        else { return }
        order.frozenBecause = "by a test"
        try transaction.update(order)
      }
    }
    fixture.world.run(for: .hours(36))
    let report = try #require(try Self.compare(fixture, day))
    #expect(report.findings.map(\.kind) == [.notGranted])
    #expect(report.findings.first?.details == "orderFrozen")
    #expect(report.differences == [])
    try fixture.perform { fixture async throws in #expect(try await fixture.coins() == 0) }
  }

  @Test func `that is missing for a refund of ours is reported`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    // Far from midnight, when the row may be in the neighbouring bill.
    fixture.world.run(for: .minutes(30))
    let day = BeijingTime.day(fixture.now())
    let number = try fixture.perform { fixture async throws in
      let details = try await Self.paid(fixture, "alice")
      return try await fixture.engine.refundOrder(
        .id(details.order.key.id), in: EngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: nil, idempotencyKey: "all", askedBy: "test"), for: fixture.app
      ).number
    }
    fixture.world.run(for: .hours(36))
    // The first two rows are removed: the payment's, and the refund's.
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.missingRow, of: .tradeBill)) }
    let without = try #require(try Self.compare(fixture, day))
    #expect(without.differences.map(\.kind) == [.paymentNotInBill])
    try fixture.perform { try await $0.weChatPay.control.plan(PlannedFault(.missingRefunds, of: .tradeBill)) }
    let report = try #require(try Self.compare(fixture, day))
    #expect(report.differences.map(\.kind) == [.refundNotInBill])
    #expect(report.differences.first?.refund == number)
  }

  @Test func `of a refund with the number of another order's refund is reported, and takes nothing back`() throws {
    let fixture = try WeChatPayEngineFixture()
    let day = BeijingTime.day(fixture.now())
    try fixture.perform { fixture async throws in
      let mine = try await Self.paid(fixture, "alice")
      let other = try await Self.paid(fixture, "bob")
      let payment = try #require(try await fixture.state(of: mine).payment)
      let price = Money(minorUnits: 600, currency: .cny)
      var known = Refund(
        appEnvironment: EngineFixture.appEnvironment, number: "SAMENUMBER1", order: mine.order.key.id,
        payment: payment,
        amount: price,
        total: price, reason: nil, body: nil, createdAt: fixture.now())
      known.state = .underWay
      let refund = known
      _ = await fixture.database.transact { try $0.insert(refund) }
      try await fixture.refundElsewhere(other, number: "SAMENUMBER1")
    }
    fixture.world.run(for: .hours(36))
    let report = try #require(try Self.compare(fixture, day))
    #expect(report.differences.map(\.kind) == [.orderDiffers])
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins(of: "alice") == 100)
      #expect(try await fixture.coins(of: "bob") == 100)
    }
  }

  @Test func `is expected until ten o'clock: an earlier missing bill proves nothing about the day`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { try await $0.weChatPay.setBehaviour(.billsAtOnce, to: 1) }
    let day = BeijingTime.day(fixture.now())
    // No row at all: WeChat Pay answers that there is no such bill, as it also does before the bill is made.
    #expect(try Self.compare(fixture, day) == nil)
    #expect(try Self.doneAt(fixture, day) == nil)
    fixture.world.run(for: .hours(36))
    #expect(try Self.compare(fixture, day)?.findings == [])
    #expect(try Self.doneAt(fixture, day) != nil)
  }

  @Test func `is compared once by the schedule, and again until each missed payment is confirmed`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let day = BeijingTime.day(fixture.now())
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.setBehaviour(.notifyNever, to: 1)
      // Queries about the order fail until the day after the next.
      let details = try await fixture.order()
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .query, count: nil))
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .close, count: nil))
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .hours(40))
    #expect(try Self.doneAt(fixture, day) == nil)
    try fixture.perform { try await $0.weChatPay.control.forgetFaults() }
    fixture.world.run(for: .hours(2))
    let done = try #require(try Self.doneAt(fixture, day))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.state(of: details).payment != nil)
      #expect(try await fixture.coins() == 100)
    }
    fixture.world.run(for: .hours(30))
    #expect(try Self.doneAt(fixture, day) == done)
  }
}
