import WeChatPayIntegration
import PaymentEngine
import PaymentModel
import PaymentDatabase
import PaymentPrimitives
import SimulationKit
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

/// The right outcome, whichever arrives first: callback, notification, query or bill.
@Suite struct `A payment at WeChat Pay` {
  @Test func `is never granted because the app reports it`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let story = try await town.order()
      try await town.visit(story, .leave)
      let checked = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      #expect(checked.order.state == .awaitingPayment)
      #expect(try await town.coins() == 0)
    }
  }

  @Test(arguments: [
    WeChatPayFault.alteredAmount, .otherOrder, .wrongSignature, .unsigned, .probe, .unknownKey, .staleTimestamp,
    .cutAnswer,
    .htmlAfterEffect, .systemErrorAfterEffect,
  ])
  func `is not granted by a false answer (A12)`(fault: WeChatPayFault) throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let other = try await town.order(of: "bob")
      try await town.visit(other, openid: "o-bob")
      let story = try await town.order()
      try await town.visit(story)
      try await town.weChatPay.plan(PlannedFault(fault, of: .query, count: nil))
      let checked = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      #expect(checked.order.state == .awaitingPayment)
      #expect(try await town.coins() == 0)
      if fault == .alteredAmount {
        #expect(checked.order.lastVerdict?.reason == "amountDiffers")
      }
    }
  }

  @Test func `is granted although the query answers NOTPAY for 30 s after it`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      try await town.weChatPay.setKnob(.queryLagSeconds, to: 30)
      let story = try await town.order()
      try await town.visit(story)
      return story
    }
    try town.perform { town async throws in
      let checked = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      #expect(checked.order.state == .awaitingPayment)
    }
    town.world.run(for: .minutes(2))
    try town.perform { town async throws in
      #expect(try await town.coins() == 100)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `is granted by the schedule alone, without callback and without notification`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      try await town.weChatPay.setKnob(.notifyNever, to: 1)
      return try await town.order()
    }
    town.world.run(for: .minutes(4))
    _ = try town.perform { try await $0.visit(story, .payAndLeave) }
    town.world.run(for: .minutes(2))
    try town.perform { town async throws in
      #expect(try await town.coins() == 100)
      #expect(try await town.row(story)?.nextQuestionAt == nil)
    }
  }

  @Test func `is granted by the notification alone, and before the answer to prepay is known (S16)`() throws {
    let town = try WeChatPayEngineFixture()
    town.startNotifications()
    let story = try town.perform { town async throws in
      try await town.weChatPay.plan(PlannedFault(.payBeforeAnswer, of: .prepay))
      return try await town.order()
    }
    town.world.run(for: .seconds(2))
    try town.perform { town async throws in
      #expect(try await town.state(of: story).payment != nil)
      #expect(try await town.coins() == 100)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `is granted once, although fifteen notifications and every query report it (S17)`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    town.startNotifications()
    let story = try town.perform { town async throws in
      try await town.weChatPay.setKnob(.duplicateNotifications, to: 15)
      let story = try await town.order()
      try await town.visit(story)
      return story
    }
    town.world.run(for: .minutes(10))
    try town.perform { town async throws in
      _ = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      #expect(try await town.coins() == 100)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `is closed at WeChat Pay first when its time ends, then here`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { try await $0.order() }
    town.world.run(for: .minutes(122))
    try town.perform { town async throws in
      #expect(await town.truth(of: story) == .closed)
      guard case .closed(.expired, _) = try await town.state(of: story) else {
        Issue.record("\(try await town.state(of: story))")
        return
      }
      #expect(try await town.row(story)?.state == .closed)
    }
  }

  @Test func `wins the race against closing, by expiry and by the user`() throws {
    for closesByHand in [true, false] {
      let town = try WeChatPayEngineFixture { $0.orderLifetime = .minutes(10) }
      town.startStandingWork()
      town.startNotifications()
      let story = try town.perform { town async throws in
        let story = try await town.order()
        try await town.visit(story, .payLater(.minutes(11), winsOverClose: true))
        return story
      }
      if closesByHand {
        _ = try town.perform {
          try await $0.engine.closeOrder(
            .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
        }
      }
      town.world.run(for: .minutes(40))
      try town.perform { town async throws in
        #expect(await town.truth(of: story) == .success)
        #expect(try await town.state(of: story).payment != nil)
        #expect(try await town.coins() == 100)
        #expect(try await town.violations() == [])
      }
    }
  }

  @Test func `is closed by the user only if WeChat Pay confirms it`() throws {
    let town = try WeChatPayEngineFixture()
    town.startStandingWork()
    let story = try town.perform { town async throws in
      let story = try await town.order()
      try await town.weChatPay.plan(PlannedFault(.unreachable, of: .close, count: 4))
      try await town.weChatPay.plan(PlannedFault(.unreachable, of: .query, count: 4))
      let closing = try await town.engine.closeOrder(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", because: .customerGaveUp)
      #expect(closing.order.state == .awaitingPayment)
      return story
    }
    town.world.run(for: .minutes(3))
    try town.perform { town async throws in
      guard case .closed(.customerGaveUp, _) = try await town.state(of: story) else {
        Issue.record("\(try await town.state(of: story))")
        return
      }
      #expect(await town.truth(of: story) == .closed)
    }
  }

  @Test func `that was never opened at WeChat Pay ends when its time ends`() throws {
    let town = try WeChatPayEngineFixture { $0.orderLifetime = .minutes(10) }
    town.startStandingWork()
    let story = try town.perform { town async throws in
      try await town.weChatPay.plan(PlannedFault(.loseRequest, of: .prepay, count: nil))
      try await town.weChatPay.setKnob(.closeUnknownNotFound, to: 1)
      return try await town.order()
    }
    town.world.run(for: .minutes(30))
    try town.perform { town async throws in
      guard case .closed(.expired, _) = try await town.state(of: story) else {
        Issue.record("\(try await town.state(of: story))")
        return
      }
    }
  }

  @Test func `adds to the same entitlement as one at the App Store`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let story = try await town.order("premium")
      try await town.visit(story)
      _ = try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
      let rights = try await town.engine.readEntitlements(of: "alice", in: WeChatPayEngineFixture.appEnvironment)
      #expect(rights.map(\.entitlement) == ["premium"])
    }
  }

  @Test func `shares one query among all who wait for it, and sends at most one in two seconds`() throws {
    let town = try WeChatPayEngineFixture()
    try town.perform { town async throws in
      let story = try await town.order()
      await town.weChatPay.forgetExchanges()
      let name = OrderName.id(story.order.key.id)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            _ = try await town.engine.readOrder(
              name, in: [WeChatPayEngineFixture.appEnvironment], of: "alice", waiting: .seconds(4), until: .paid)
          }
        }
        try await group.waitForAll()
      }
      #expect(await town.weChatPay.exchanges().count == 1)
    }
  }
}

@Suite struct `A granted payment at WeChat Pay` {
  @Test(arguments: [WeChatPayFault.alteredAmount, .otherMerchant])
  func `stays as it is if a later statement contradicts it, and the log reports it`(fault: WeChatPayFault) throws {
    let town = try WeChatPayEngineFixture()
    let story = try town.perform { town async throws in
      try await town.weChatPay.plan(PlannedFault(fault, of: .paymentNotification, count: nil))
      let story = try await town.order()
      try await town.visit(story)
      return try await town.engine.checkWeChatPay(
        .id(story.order.key.id), in: WeChatPayEngineFixture.appEnvironment, of: "alice", for: town.app)
    }
    town.startNotifications()
    town.world.run(for: .seconds(30))
    try town.perform { town async throws in
      #expect(try await town.coins() == 100)
      let payment = try #require(try await town.state(of: story).payment)
      let (kept, order) = try await town.store.read { (try $0.payment(payment), try $0.order(story.order.key)) }
      #expect(kept?.facts.price?.milliunits == 6000 && kept?.facts.merchant == "1900000001")
      #expect(order?.frozenBecause == nil)
      #expect(town.logged.all.contains { $0.name == "payment.contradicted" })
      #expect(try await town.violations() == [])
    }
  }
}
