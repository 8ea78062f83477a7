import WeChatPayIntegration
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import SimulationKit
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `A row of WeChat Pay's bill` {
  private static func paid(_ town: WeChatPayEngineFixture, _ user: UserIdentifier) async throws -> OrderStory {
    let story = try await town.order("coins.100", of: user)
    try await town.visit(story, openid: "o-\(user.text)")
    _ = try await town.engine.checkWeChatPay(
      .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: user, for: town.app)
    return story
  }

  private static func compare(_ town: WeChatPayEngineFixture, _ day: String) throws -> ReconciliationReport? {
    let outcome = try town.perform { try await $0.engine.reconcileWeChatPay(day, for: $0.app) }
    guard case .compared(let report) = outcome else { return nil }
    return report
  }

  private static func doneAt(_ town: WeChatPayEngineFixture, _ day: String) throws -> Timestamp? {
    try town.perform { town in
      try await town.store.read {
        try $0.reconciliation(of: day, at: .weChatPay, in: WeChatPayEngineFixture.appEnvironment)?.doneAt
      }
    }
  }

  @Test func `that is doubled, or names another order's payment, is reported`() throws {
    let town = try WeChatPayEngineFixture()
    let day = BeijingTime.day(town.now())
    let stories = try town.perform { town async throws in
      [try await Self.paid(town, "alice"), try await Self.paid(town, "bob")]
    }
    town.world.run(for: .hours(36))
    try town.perform { try await $0.weChatPay.plan(PlannedFault(.doubledRow, of: .tradeBill)) }
    let doubled = try #require(try Self.compare(town, day))
    #expect(doubled.differences.map(\.kind) == [.doubledLine])
    try town.perform { try await $0.weChatPay.plan(PlannedFault(.swappedRows, of: .tradeBill)) }
    let swapped = try #require(try Self.compare(town, day))
    #expect(swapped.differences.map(\.kind) == [.orderDiffers, .orderDiffers])
    #expect(Set(swapped.differences.compactMap(\.order)) == Set(stories.map(\.order.key.id)))
  }

  @Test func `of a held payment is reported with the reason, and not as a difference`() throws {
    let town = try WeChatPayEngineFixture()
    let day = BeijingTime.day(town.now())
    try town.perform { town async throws in
      try await town.weChatPay.plan(PlannedFault(.otherMerchant, of: .paymentNotification, count: nil))
      let story = try await town.order()
      try await town.visit(story)
      let id = story.order.key.id
      // The order is frozen: its payment is held.
      _ = await town.store.transact { transaction in
        guard var order = try transaction.order(OrderKey(appEnvironment: WeChatPayEngineFixture.appEnvironment, id: id))
        else { return }
        order.frozenBecause = "by a test"
        try transaction.update(order)
      }
    }
    town.world.run(for: .hours(36))
    let report = try #require(try Self.compare(town, day))
    #expect(report.findings.map(\.kind) == [.notGranted])
    #expect(report.findings.first?.details == "orderFrozen")
    #expect(report.differences == [])
    try town.perform { town async throws in #expect(try await town.coins() == 0) }
  }

  @Test func `that is missing for a refund of ours is reported`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    // Far from midnight, when the row may be in the neighbouring bill.
    town.world.run(for: .minutes(30))
    let day = BeijingTime.day(town.now())
    let number = try town.perform { town async throws in
      let story = try await Self.paid(town, "alice")
      return try await town.engine.refundOrder(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment,
        RefundRequest(amount: nil, reason: nil, idempotencyKey: "all", askedBy: "test"), for: town.app
      ).number
    }
    town.world.run(for: .hours(36))
    // The first two rows are removed: the payment's, and the refund's.
    try town.perform { try await $0.weChatPay.plan(PlannedFault(.missingRow, of: .tradeBill)) }
    let without = try #require(try Self.compare(town, day))
    #expect(without.differences.map(\.kind) == [.paymentNotInBill])
    try town.perform { try await $0.weChatPay.plan(PlannedFault(.missingRefunds, of: .tradeBill)) }
    let report = try #require(try Self.compare(town, day))
    #expect(report.differences.map(\.kind) == [.refundNotInBill])
    #expect(report.differences.first?.refund == number)
  }

  @Test func `of a refund with the number of another order's refund is reported, and takes nothing back`() throws {
    let town = try WeChatPayEngineFixture()
    let day = BeijingTime.day(town.now())
    try town.perform { town async throws in
      let mine = try await Self.paid(town, "alice")
      let other = try await Self.paid(town, "bob")
      let payment = try #require(try await town.state(of: mine).payment)
      let price = Money(minorUnits: 600, currency: .cny)
      var known = Refund(
        appEnvironment: WeChatPayEngineFixture.appEnvironment, number: "SAMENUMBER1", order: mine.order.key.id,
        payment: payment,
        amount: price,
        total: price, reason: nil, body: nil, createdAt: town.now())
      known.state = .underWay
      let refund = known
      _ = await town.store.transact { try $0.insert(refund) }
      try await town.refundElsewhere(other, number: "SAMENUMBER1")
    }
    town.world.run(for: .hours(36))
    let report = try #require(try Self.compare(town, day))
    #expect(report.differences.map(\.kind) == [.orderDiffers])
    try town.perform { town async throws in
      #expect(try await town.coins(of: "alice") == 100)
      #expect(try await town.coins(of: "bob") == 100)
    }
  }

  @Test func `is expected until ten o'clock: an earlier missing bill proves nothing about the day`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { try await $0.weChatPay.setKnob(.billsAtOnce, to: 1) }
    let day = BeijingTime.day(town.now())
    // No row at all: WeChat Pay answers that there is no such bill, as it also does before the bill is made.
    #expect(try Self.compare(town, day) == nil)
    #expect(try Self.doneAt(town, day) == nil)
    town.world.run(for: .hours(36))
    #expect(try Self.compare(town, day)?.findings == [])
    #expect(try Self.doneAt(town, day) != nil)
  }

  @Test func `is compared once by the schedule, and again until each missed payment is confirmed`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let day = BeijingTime.day(town.now())
    let story = try town.perform { town async throws in
      try await town.weChatPay.setKnob(.notifyNever, to: 1)
      // Queries about the order fail until the day after the next.
      let story = try await town.order()
      try await town.weChatPay.plan(PlannedFault(.unreachable, of: .query, count: nil))
      try await town.weChatPay.plan(PlannedFault(.unreachable, of: .close, count: nil))
      try await town.visit(story)
      return story
    }
    town.world.run(for: .hours(40))
    #expect(try Self.doneAt(town, day) == nil)
    try town.perform { try await $0.weChatPay.forgetFaults() }
    town.world.run(for: .hours(2))
    let done = try #require(try Self.doneAt(town, day))
    try town.perform { town async throws in
      #expect(try await town.state(of: story).payment != nil)
      #expect(try await town.coins() == 100)
    }
    town.world.run(for: .hours(30))
    #expect(try Self.doneAt(town, day) == done)
  }
}
