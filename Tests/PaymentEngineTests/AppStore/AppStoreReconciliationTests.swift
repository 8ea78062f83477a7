import AppStoreIntegration
import AppStoreSimulator
import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import SimulatorCore
import Testing

@Suite struct `The comparison with Apple's own records` {
  private static func compare(_ fixture: AppStoreEngineFixture) throws -> AppStoreReport {
    try fixture.perform { try await $0.engine.reconcileAppStore($0.app) }
  }

  @Test func `is refused for an app without a key for Apple's servers`() throws {
    let fixture = try AppStoreEngineFixture(hasKey: false)
    try fixture.perform { fixture async throws in
      let error = await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await fixture.engine.reconcileAppStore(fixture.app)
      }
      #expect(error?.code == .storeNotConfigured)
    }
  }

  @Test func `grants a purchase once, although the phone died after the password and the notification was lost`() throws
  {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.loseNotifications, to: 1000)
      let order = try await fixture.order()
      return try await fixture.buy(token: order)
    }
    fixture.world.run(for: .minutes(5))
    try fixture.perform { fixture async throws in #expect(try await fixture.payment(id) == nil) }
    let report = try Self.compare(fixture)
    #expect(report.stoppedBy == nil)
    #expect(report.findings.map(\.kind) == [.missedNotification, .missedPayment])
    #expect(report.differences == [])
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(id)?.match?.rule == .exact)
      #expect(try await fixture.coins() == 100)
      #expect(try await fixture.violations() == [])
    }
    #expect(try Self.compare(fixture).findings == [])
    try fixture.perform { fixture async throws in #expect(try await fixture.coins() == 100) }
  }

  @Test(arguments: [TimeSpan.hours(25), .days(14)])
  func `finds a notification that Apple tried only after 157 hours and that never arrived`(pause: TimeSpan) throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.loseNotifications, to: 1000)
      try await fixture.apple.setBehaviour(.notificationDelayMilliseconds, to: 157 * 3_600_000)
      let order = try await fixture.order()
      return try await fixture.buy(token: order)
    }
    fixture.world.run(for: .hours(156))
    #expect(try Self.compare(fixture).notifications == 0, "the history tells it only after an attempt")
    fixture.world.run(for: pause)
    #expect(try Self.compare(fixture).findings.map(\.kind) == [.missedNotification, .missedPayment])
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(id)?.state == .fulfilled)
      #expect(try await fixture.coins() == 100)
    }
    #expect(try Self.compare(fixture).notifications == 0, "a look far back is made once a day")
  }

  @Test func `keeps a purchase without the order's id for its owner, who claims it later`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.loseNotifications, to: 1000)
      _ = try await fixture.order()
      return try await fixture.buy()
    }
    fixture.world.run(for: .minutes(5))
    _ = try Self.compare(fixture)
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(id)?.state == .unclaimed)
      #expect(try await fixture.coins() == 0)
      #expect(
        try await fixture.submit(fixture.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [
          .fulfilled
        ])
      #expect(try await fixture.coins() == 100)
    }
  }

  @Test func `takes back a refund without notification when its customer's history is read next`() throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.notifyNever, to: 1)
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      _ = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction)
      return id
    }
    fixture.world.run(for: .hours(2))
    try fixture.perform { fixture async throws in
      _ = try await fixture.apple.refunds.refund(id)
      #expect(try await fixture.coins() == 100)
    }
    fixture.world.run(for: .hours(23))
    let report = try Self.compare(fixture)
    #expect(report.customers == 1)
    #expect(report.findings.map(\.kind) == [.missedRefund])
    try fixture.perform { fixture async throws in
      #expect(try await fixture.coins() == 0)
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `reads a customer at once if their order got no payment, and finds one under another number`() throws {
    let fixture = try AppStoreEngineFixture()
    let second = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.notifyNever, to: 1)
      let first = try await fixture.order()
      let known = try await fixture.buy(token: first)
      _ = try await fixture.submit(fixture.apple.signedTransaction(known).signedTransaction)
      let order = try await fixture.order()
      return try await fixture.buy(token: order)
    }
    fixture.world.run(for: .minutes(15))
    let report = try Self.compare(fixture)
    #expect(report.quietOrders == 1)
    #expect(report.findings.map(\.kind) == [.missedPayment])
    try fixture.perform { fixture async throws in
      #expect(try await fixture.payment(second)?.match?.rule == .exact)
      #expect(try await fixture.coins() == 200)
    }
  }

  @Test func `stops if Apple is silent, reports that, and continues there: no page is lost`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    let count = 50
    try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.loseNotifications, to: 100_000)
      for _ in 0..<count {
        let order = try await fixture.order()
        _ = try await fixture.buy(token: order)
      }
    }
    fixture.world.run(for: .minutes(5))
    // Each page except the first gets no answer, for one comparison.
    try fixture.perform {
      try await $0.apple.apiSettings.plan(PlannedAPIFault(.loseRequest, of: .notificationHistory, skip: 1))
    }
    let cut = try Self.compare(fixture)
    #expect(cut.stoppedBy != nil)
    #expect(cut.findings.count(where: { $0.kind == .missedPayment }) == 20)
    fixture.world.run(for: .minutes(30))
    let rest = try Self.compare(fixture)
    #expect(rest.stoppedBy == nil)
    #expect(rest.findings.count(where: { $0.kind == .missedPayment }) == count - 20)
    #expect(rest.notifications == count - 20 + count, "the rest of the failures, then all")
    try fixture.perform { fixture async throws in
      let all = await fixture.apple.transactions().map(\.id)
      for id in all { #expect(try await fixture.payment(id)?.state == .fulfilled) }
      #expect(try await fixture.violations() == [])
    }
  }

  @Test func `runs soon after each start, so that restarts every ten minutes do not delay it`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    for _ in 0..<3 {
      let id = try fixture.perform { fixture async throws in
        try await fixture.apple.setBehaviour(.loseNotifications, to: 1000)
        let order = try await fixture.order()
        return try await fixture.buy(token: order)
      }
      fixture.world.run(for: .minutes(9))
      try fixture.perform { fixture async throws in
        #expect(try await fixture.payment(id) == nil)
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await fixture.engine.run() }
          try? await fixture.process.dependencies().sleep(.minutes(1))
          group.cancelAll()
        }
        #expect(try await fixture.payment(id)?.state == .fulfilled)
      }
    }
  }

  @Test func `runs by itself every half hour`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    fixture.startBackgroundTasks()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.loseNotifications, to: 1000)
      let order = try await fixture.order()
      return try await fixture.buy(token: order)
    }
    fixture.world.run(for: .minutes(40))
    try fixture.perform { fixture async throws in #expect(try await fixture.payment(id)?.state == .fulfilled) }
  }

  @Test func `restarts a lost page once, and stops if it is lost again: it never loops`() throws {
    let fixture = try AppStoreEngineFixture()
    fixture.startNotifications()
    try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.loseNotifications, to: 100_000)
      for _ in 0..<30 { _ = try await fixture.buy(token: fixture.order()) }
    }
    fixture.world.run(for: .minutes(5))
    try fixture.perform { fixture async throws in
      // Every second page fails.
      for skip in 1...20 {
        try await fixture.apple.apiSettings.plan(
          PlannedAPIFault(.notFound, of: .notificationHistory, skip: Int64(skip)))
      }
    }
    let cut = try Self.compare(fixture)
    #expect(cut.stoppedBy != nil)
    // One page and the failed next one, twice; the gateway tries the sandbox for what production does not know.
    #expect(fixture.calls.count("/notifications/history") < 8)
  }

  @Test(arguments: [AppStoreAPIFault.unauthorized, .notFoundYet, .notFound])
  func `delays a customer only for an error about them: a refused key stops it and delays no customer`(
    fault: AppStoreAPIFault
  ) throws {
    let fixture = try AppStoreEngineFixture()
    let id = try fixture.perform { fixture async throws in
      try await fixture.apple.setBehaviour(.notifyNever, to: 1)
      let order = try await fixture.order()
      let id = try await fixture.buy(token: order)
      _ = try await fixture.submit(fixture.apple.signedTransaction(id).signedTransaction)
      _ = try await fixture.apple.refunds.refund(id)
      // The gateway tries the sandbox for what production does not know.
      try await fixture.apple.apiSettings.plan(PlannedAPIFault(fault, of: .history, count: fault == .notFound ? 2 : 1))
      return id
    }
    fixture.world.run(for: .days(2))
    let first = try Self.compare(fixture)
    #expect((first.stoppedBy != nil) == (fault == .unauthorized))
    #expect(first.findings == [])
    func coins() throws -> Int64 { try fixture.perform { try await $0.coins() } }
    #expect(try coins() == 100)
    if fault == .notFoundYet { fixture.world.run(for: .minutes(61)) }
    if fault == .notFound {
      fixture.world.run(for: .days(6))
      #expect(try Self.compare(fixture).findings == [])
      fixture.world.run(for: .days(2))
    }
    #expect(try Self.compare(fixture).findings.map(\.kind) == [.missedRefund])
    #expect(try coins() == 0)
    try fixture.perform { fixture async throws in #expect(try await fixture.payment(id)?.facts.revocation != nil) }
  }
}
