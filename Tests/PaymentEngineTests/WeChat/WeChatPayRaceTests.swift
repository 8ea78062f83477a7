import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import TestDoubles
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// The right outcome, whichever arrives first: callback, notification, query or bill.
@Suite struct `A payment at WeChat Pay` {
  @Test func `is never granted because the app reports it`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.visit(details, .leave)
      let checked = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(checked.order.state == .awaitingPayment)
      #expect(try await fixture.coins() == 0)
    }
  }

  @Test(arguments: [
    WeChatPayFault.alteredAmount, .otherOrder, .wrongSignature, .unsigned, .probe, .unknownKey, .staleTimestamp,
    .cutAnswer,
    .htmlAfterEffect, .systemErrorAfterEffect,
  ])
  func `is not granted by a false answer (A12)`(fault: WeChatPayFault) throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let other = try await fixture.order(of: "bob")
      try await fixture.visit(other, openid: "o-bob")
      let details = try await fixture.order()
      try await fixture.visit(details)
      try await fixture.weChatPay.control.plan(PlannedFault(fault, of: .query, count: nil))
      let checked = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(checked.order.state == .awaitingPayment)
      #expect(try await fixture.coins() == 0)
      if fault == .alteredAmount {
        #expect(checked.order.lastVerdict?.reason == "amountDiffers")
      }
    }
  }

  @Test func `is granted although the query answers NOTPAY for 30 s after it`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.setBehaviour(.queryLagSeconds, to: 30)
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    try fixture.perform { fixture async throws in
      let checked = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(checked.order.state == .awaitingPayment)
    }
    fixture.world.run(for: .minutes(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is granted by the schedule alone, without callback and without notification`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.setBehaviour(.notifyNever, to: 1)
      return try await fixture.order()
    }
    fixture.world.run(for: .minutes(4))
    _ = try fixture.perform { try await $0.visit(details, .payAndLeave) }
    fixture.world.run(for: .minutes(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.row(details)?.nextQuestionAt == nil)
    }
  }

  @Test func `is granted by the notification alone, and before the answer to prepay is known (S16)`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.payBeforeAnswer, of: .prepay))
      return try await fixture.order()
    }
    fixture.world.run(for: .seconds(2))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.state(of: details).payment != nil)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is granted once, although fifteen notifications and every query report it (S17)`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    fixture.startNotifications()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.setBehaviour(.duplicateNotifications, to: 15)
      let details = try await fixture.order()
      try await fixture.visit(details)
      return details
    }
    fixture.world.run(for: .minutes(10))
    try fixture.perform { fixture async throws in
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `is closed at WeChat Pay first when its time ends, then here`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { try await $0.order() }
    fixture.world.run(for: .minutes(122))
    try fixture.perform { fixture async throws in
      #expect(await fixture.truth(of: details) == .closed)
      guard case .closed(.expired, _) = try await fixture.state(of: details) else {
        Issue.record("\(try await fixture.state(of: details))")
        return
      }
      #expect(try await fixture.row(details)?.state == .closed)
    }
  }

  @Test func `wins the race against closing, by expiry and by the user`() throws {
    for closesByHand in [true, false] {
      let fixture = try WeChatPayEngineFixture { $0.orderLifetime = .minutes(10) }
      fixture.startBackgroundTasks()
      fixture.startNotifications()
      let details = try fixture.perform { fixture async throws in
        let details = try await fixture.order()
        try await fixture.visit(details, .payLater(.minutes(11), winsOverClose: true))
        return details
      }
      if closesByHand {
        _ = try fixture.perform {
          try await $0.engine.closeOrder(
            .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
        }
      }
      fixture.world.run(for: .minutes(40))
      try fixture.perform { fixture async throws in
        #expect(await fixture.truth(of: details) == .success)
        #expect(try await fixture.state(of: details).payment != nil)
        #expect(try await fixture.coins() == 100)
        #expect(try await fixture.violations() == [])
      }
    }
  }

  @Test func `is closed by the user only if WeChat Pay confirms it`() throws {
    let fixture = try WeChatPayEngineFixture()
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .close, count: 4))
      try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .query, count: 4))
      let closing = try await fixture.engine.closeOrder(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
      #expect(closing.order.state == .awaitingPayment)
      return details
    }
    fixture.world.run(for: .minutes(3))
    try fixture.perform { fixture async throws in
      guard case .closed(.customerGaveUp, _) = try await fixture.state(of: details) else {
        Issue.record("\(try await fixture.state(of: details))")
        return
      }
      #expect(await fixture.truth(of: details) == .closed)
    }
  }

  @Test func `that was never opened at WeChat Pay ends when its time ends`() throws {
    let fixture = try WeChatPayEngineFixture { $0.orderLifetime = .minutes(10) }
    fixture.startBackgroundTasks()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(.loseRequest, of: .prepay, count: nil))
      try await fixture.weChatPay.setBehaviour(.closeUnknownNotFound, to: 1)
      return try await fixture.order()
    }
    fixture.world.run(for: .minutes(30))
    try fixture.perform { fixture async throws in
      guard case .closed(.expired, _) = try await fixture.state(of: details) else {
        Issue.record("\(try await fixture.state(of: details))")
        return
      }
    }
  }

  @Test func `adds to the same entitlement as one at the App Store`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order("premium")
      try await fixture.visit(details)
      _ = try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
      let entitlements = try await fixture.engine.readEntitlements(
        of: "alice", in: EngineFixture.appEnvironment)
      #expect(entitlements.map(\.entitlement) == ["premium"])
    }
  }

  @Test func `shares one query among all who wait for it, and sends at most one in two seconds`() throws {
    let fixture = try WeChatPayEngineFixture()
    try fixture.perform { fixture async throws in
      let details = try await fixture.order()
      await fixture.weChatPay.forgetExchanges()
      let name = OrderName.id(details.order.key.id)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            _ = try await fixture.engine.readOrder(
              name, in: [EngineFixture.appEnvironment], of: "alice", waiting: .seconds(4), until: .paid)
          }
        }
        try await group.waitForAll()
      }
      #expect(await fixture.weChatPay.exchanges().count == 1)
    }
  }
}

@Suite struct `A granted payment at WeChat Pay` {
  @Test(arguments: [WeChatPayFault.alteredAmount, .otherMerchant])
  func `stays as it is if a later statement contradicts it, and the log reports it`(fault: WeChatPayFault) throws {
    let fixture = try WeChatPayEngineFixture()
    let details = try fixture.perform { fixture async throws in
      try await fixture.weChatPay.control.plan(PlannedFault(fault, of: .paymentNotification, count: nil))
      let details = try await fixture.order()
      try await fixture.visit(details)
      return try await fixture.engine.checkWeChatPay(
        .id(details.order.key.id), in: EngineFixture.appEnvironment, of: "alice", for: fixture.app)
    }
    fixture.startNotifications()
    fixture.world.run(for: .seconds(30))
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 100)
      let payment = try #require(try await fixture.state(of: details).payment)
      let (kept, order) = try await fixture.database.read { (try $0.payment(payment), try $0.order(details.order.key)) }
      #expect(kept?.facts.price?.milliunits == 6000 && kept?.facts.merchant == "1900000001")
      #expect(order?.frozenBecause == nil)
      #expect(fixture.eventLog.events.contains { $0.name == "payment.contradicted" })
      #expect(try await fixture.violations() == [])
    }
  }
}
