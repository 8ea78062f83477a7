import AppStoreIntegration
import AppStoreSimulator
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import CounterfoilAPI
import SimulationKit
import Testing

@Suite struct `The comparison with Apple's own records` {
  private static func compare(_ town: AppStoreEngineFixture) throws -> AppStoreReport {
    try town.perform { try await $0.engine.reconcileAppStore($0.app) }
  }

  @Test func `is refused for an app without a key for Apple's servers`() throws {
    let town = try AppStoreEngineFixture(hasKey: false)
    try town.perform { town async throws in
      let refusal = await #expect(throws: CodedError<EngineErrorCode>.self) {
        try await town.engine.reconcileAppStore(town.app)
      }
      #expect(refusal?.code == .storeNotConfigured)
    }
  }

  @Test func `grants a purchase once, although the phone died after the password and the notification was lost`() throws
  {
    let town = try AppStoreEngineFixture()
    town.startNotifications()
    let id = try town.perform { town async throws in
      try await town.apple.setKnob(.loseNotifications, to: 1000)
      let order = try await town.order()
      return try await town.buy(token: order)
    }
    town.world.run(for: .minutes(5))
    try town.perform { town async throws in #expect(try await town.payment(id) == nil) }
    let report = try Self.compare(town)
    #expect(report.stoppedBy == nil)
    #expect(report.findings.map(\.kind) == [.missedNotification, .missedPayment])
    #expect(report.differences == [])
    try town.perform { town async throws in
      #expect(try await town.payment(id)?.match?.rule == .exact)
      #expect(try await town.coins() == 100)
      #expect(try await town.violations() == [])
    }
    #expect(try Self.compare(town).findings == [])
    try town.perform { town async throws in #expect(try await town.coins() == 100) }
  }

  @Test func `keeps a purchase without the order's id for its owner, who claims it later`() throws {
    let town = try AppStoreEngineFixture()
    town.startNotifications()
    let id = try town.perform { town async throws in
      try await town.apple.setKnob(.loseNotifications, to: 1000)
      _ = try await town.order()
      return try await town.buy()
    }
    town.world.run(for: .minutes(5))
    _ = try Self.compare(town)
    try town.perform { town async throws in
      #expect(try await town.payment(id)?.state == .unclaimed)
      #expect(try await town.coins() == 0)
      #expect(
        try await town.submit(town.apple.appReceipt(of: AppStoreEngineFixture.alice)).map(\.verdict) == [.fulfilled])
      #expect(try await town.coins() == 100)
    }
  }

  @Test func `takes back a refund without notification when its customer's history is read next`() throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { town async throws in
      try await town.apple.setKnob(.notifyNever, to: 1)
      let order = try await town.order()
      let id = try await town.buy(token: order)
      _ = try await town.submit(town.apple.signedTransaction(id).signedTransaction)
      return id
    }
    town.world.run(for: .hours(2))
    try town.perform { town async throws in
      _ = try await town.apple.refund(id)
      #expect(try await town.coins() == 100)
    }
    town.world.run(for: .hours(23))
    let report = try Self.compare(town)
    #expect(report.customers == 1)
    #expect(report.findings.map(\.kind) == [.missedRefund])
    try town.perform { town async throws in
      #expect(try await town.coins() == 0)
      #expect(try await town.violations() == [])
    }
  }

  @Test func `reads a customer at once if their order got no payment, and finds one under another number`() throws {
    let town = try AppStoreEngineFixture()
    let second = try town.perform { town async throws in
      try await town.apple.setKnob(.notifyNever, to: 1)
      let first = try await town.order()
      let known = try await town.buy(token: first)
      _ = try await town.submit(town.apple.signedTransaction(known).signedTransaction)
      let order = try await town.order()
      return try await town.buy(token: order)
    }
    town.world.run(for: .minutes(15))
    let report = try Self.compare(town)
    #expect(report.quietOrders == 1)
    #expect(report.findings.map(\.kind) == [.missedPayment])
    try town.perform { town async throws in
      #expect(try await town.payment(second)?.match?.rule == .exact)
      #expect(try await town.coins() == 200)
    }
  }

  @Test func `stops if Apple is silent, reports that, and continues there: no page is lost`() throws {
    let town = try AppStoreEngineFixture()
    town.startNotifications()
    let count = 50
    try town.perform { town async throws in
      try await town.apple.setKnob(.loseNotifications, to: 100_000)
      for _ in 0..<count {
        let order = try await town.order()
        _ = try await town.buy(token: order)
      }
    }
    town.world.run(for: .minutes(5))
    // Each page except the first gets no answer, for one comparison.
    try town.perform { try await $0.apple.plan(PlannedAPIFault(.loseRequest, of: .notificationHistory, skip: 1)) }
    let cut = try Self.compare(town)
    #expect(cut.stoppedBy != nil)
    #expect(cut.findings.count(where: { $0.kind == .missedPayment }) == 20)
    let rest = try Self.compare(town)
    #expect(rest.stoppedBy == nil)
    #expect(rest.findings.count(where: { $0.kind == .missedPayment }) == count - 20)
    try town.perform { town async throws in
      let all = await town.apple.transactions().map(\.id)
      for id in all { #expect(try await town.payment(id)?.state == .fulfilled) }
      #expect(try await town.violations() == [])
    }
  }

  @Test func `runs soon after each start, so that restarts every ten minutes do not delay it`() throws {
    let town = try AppStoreEngineFixture()
    town.startNotifications()
    for _ in 0..<3 {
      let id = try town.perform { town async throws in
        try await town.apple.setKnob(.loseNotifications, to: 1000)
        let order = try await town.order()
        return try await town.buy(token: order)
      }
      town.world.run(for: .minutes(9))
      try town.perform { town async throws in
        #expect(try await town.payment(id) == nil)
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await town.engine.run() }
          try? await town.process.dependencies().sleep(.minutes(1))
          group.cancelAll()
        }
        #expect(try await town.payment(id)?.state == .fulfilled)
      }
    }
  }

  @Test func `runs by itself every half hour`() throws {
    let town = try AppStoreEngineFixture()
    town.startNotifications()
    town.startStandingWork()
    let id = try town.perform { town async throws in
      try await town.apple.setKnob(.loseNotifications, to: 1000)
      let order = try await town.order()
      return try await town.buy(token: order)
    }
    town.world.run(for: .minutes(40))
    try town.perform { town async throws in #expect(try await town.payment(id)?.state == .fulfilled) }
  }

  @Test func `restarts a lost page once, and stops if it is lost again: it never loops`() throws {
    let town = try AppStoreEngineFixture()
    town.startNotifications()
    try town.perform { town async throws in
      try await town.apple.setKnob(.loseNotifications, to: 100_000)
      for _ in 0..<30 { _ = try await town.buy(token: town.order()) }
    }
    town.world.run(for: .minutes(5))
    try town.perform { town async throws in
      // Every second page fails.
      for skip in 1...20 {
        try await town.apple.plan(PlannedAPIFault(.notFound, of: .notificationHistory, skip: Int64(skip)))
      }
    }
    let cut = try Self.compare(town)
    #expect(cut.stoppedBy != nil)
    // One page and the failed next one, twice; the gateway tries the sandbox for what production does not know.
    #expect(town.calls.count("/notifications/history") < 8)
  }

  @Test(arguments: [AppStoreAPIFault.unauthorized, .notFoundYet, .notFound])
  func `delays a customer only for an error about them: a refused key stops it and delays no customer`(
    fault: AppStoreAPIFault
  ) throws {
    let town = try AppStoreEngineFixture()
    let id = try town.perform { town async throws in
      try await town.apple.setKnob(.notifyNever, to: 1)
      let order = try await town.order()
      let id = try await town.buy(token: order)
      _ = try await town.submit(town.apple.signedTransaction(id).signedTransaction)
      _ = try await town.apple.refund(id)
      // The gateway tries the sandbox for what production does not know.
      try await town.apple.plan(PlannedAPIFault(fault, of: .history, count: fault == .notFound ? 2 : 1))
      return id
    }
    town.world.run(for: .days(2))
    let first = try Self.compare(town)
    #expect((first.stoppedBy != nil) == (fault == .unauthorized))
    #expect(first.findings == [])
    func coins() throws -> Int64 { try town.perform { try await $0.coins() } }
    #expect(try coins() == 100)
    if fault == .notFoundYet { town.world.run(for: .minutes(61)) }
    if fault == .notFound {
      town.world.run(for: .days(6))
      #expect(try Self.compare(town).findings == [])
      town.world.run(for: .days(2))
    }
    #expect(try Self.compare(town).findings.map(\.kind) == [.missedRefund])
    #expect(try coins() == 0)
    try town.perform { town async throws in #expect(try await town.payment(id)?.facts.revocation != nil) }
  }
}
