import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A notification that no server accepts` {
  private static let delays: [TimeSpan] = [.hours(1), .hours(12), .hours(24), .hours(48), .hours(72)]

  @Test func `is sent again 1, 12, 24, 48 and 72 hours after the attempt before, then never (AS-NOTE-3)`() async throws
  {
    let shop = try await SimulatedShop()
    await shop.server.answer([], otherwise: .status(500))
    try await shop.buy(SimulatedShop.coins)
    #expect(await shop.sender.sendDue() == 1)
    for (index, delay) in Self.delays.enumerated() {
      shop.time.advance(by: TimeSpan(milliseconds: delay.milliseconds - 1))
      #expect(await shop.sender.sendDue() == 0)
      shop.time.advance(by: .milliseconds(1))
      #expect(await shop.sender.sendDue() == 1, "attempt \(index + 2)")
    }
    shop.time.advance(by: .days(365))
    #expect(await shop.sender.sendDue() == 0)
    let notification = try #require(await shop.store.notifications().first)
    #expect(notification.state == .givenUp && notification.attempts.count == 6)
    #expect(Set(notification.attempts.map(\.result)) == [.unsuccessfulResponseCode])
    // Each attempt was the same, to the last byte.
    let payloads = await shop.server.payloads
    #expect(payloads.count == 6 && Set(payloads).count == 1)
  }

  @Test func `is sent only once from the sandbox, unless a setting changes that (AS-NOTE-3)`() async throws {
    let shop = try await SimulatedShop(.sandbox)
    await shop.server.answer([], otherwise: .status(500))
    try await shop.buy(SimulatedShop.coins)
    await shop.sender.sendDue()
    #expect(await shop.store.notifications().map(\.state) == [.givenUp])
    try await shop.store.setBehaviour(.retryInSandbox, to: 1)
    try await shop.buy(SimulatedShop.coins)
    await shop.sender.sendDue()
    shop.time.advance(by: .hours(1))
    #expect(await shop.sender.sendDue() == 1)
  }

  @Test func `is not sent again after a 400, unless a setting changes that (AS-NOTE-4)`() async throws {
    let shop = try await SimulatedShop()
    await shop.server.answer([], otherwise: .status(400))
    try await shop.buy(SimulatedShop.coins)
    await shop.sender.sendDue()
    #expect(await shop.store.notifications().map(\.state) == [.givenUp])
    try await shop.store.setBehaviour(.retryAfter400, to: 1)
    try await shop.buy(SimulatedShop.coins)
    await shop.sender.sendDue()
    #expect(await shop.store.notifications().last?.state == .waiting(until: shop.time.now + .hours(1)))
  }

  @Test(arguments: [
    (StandInServer.Answer.status(199), SimulatedNotification.Attempt.Result.unsuccessfulResponseCode),
    (.status(207), .unsuccessfulResponseCode), (.status(302), .unsuccessfulResponseCode),
    (.status(404), .unsuccessfulResponseCode), (.status(503), .unsuccessfulResponseCode),
    (.failure(.unreachable("")), .socketIssue), (.failure(.outcomeUnknown("")), .timedOut),
    (.failure(.unreadableAnswer("")), .invalidResponse), (.failure(.refusedTarget("")), .other),
    (.failure(.cancelled), .noResponse),
  ])
  func `is recorded with its result, and sent again (AS-NOTE-1)`(
    answer: StandInServer.Answer, result: SimulatedNotification.Attempt.Result
  ) async throws {
    let shop = try await SimulatedShop()
    await shop.server.answer([answer])
    try await shop.buy(SimulatedShop.coins)
    await shop.sender.sendDue()
    let notification = try #require(await shop.store.notifications().first)
    #expect(notification.attempts.map(\.result) == [result])
    #expect(notification.state == .waiting(until: shop.time.now + .hours(1)))
    #expect(await shop.server.timeLimits == [.seconds(5)])
  }

  @Test func `continues after a restart in the middle (AS-LOG-1, AS-NOTE-3)`() async throws {
    var shop = try await SimulatedShop()
    await shop.server.answer([], otherwise: .failure(.unreachable("")))
    try await shop.buy(SimulatedShop.coins)
    await shop.sender.sendDue()
    for (index, delay) in Self.delays.enumerated() {
      shop = try await shop.restarted()
      shop.time.advance(by: TimeSpan(milliseconds: delay.milliseconds - 1))
      #expect(await shop.sender.sendDue() == 0)
      shop = try await shop.restarted()
      shop.time.advance(by: .milliseconds(1))
      if index == 4 { await shop.server.answer([.status(206)]) }
      #expect(await shop.sender.sendDue() == 1)
    }
    let notification = try #require(await shop.restarted().store.notifications().first)
    #expect(notification.state == .delivered && notification.attempts.count == 6)
    #expect(Set(await shop.server.payloads).count == 1)
  }

  @Test func `comes again when its attempt could not be noted: it is sent at least once (AS-NOTE-10)`() async throws {
    let lines = VolatileSimulatorLog()
    let broken = SimulatorLog(
      append: { line in
        if String(decoding: line, as: UTF8.self).contains(#""attempted""#) { throw LogFailure() }
        try await lines.log.append(line)
      }, readAll: lines.log.readAll)
    let shop = try await SimulatedShop(lines: lines, log: broken)
    try await shop.buy(SimulatedShop.coins)
    #expect(await shop.sender.sendDue() == 1)
    // Nothing can be recorded any more, so nothing is sent again and again.
    #expect(await shop.sender.sendDue() == 0)
    let later = try await shop.restarted()
    #expect(await later.sender.sendDue() == 1)
    #expect(Set(await shop.server.payloads).count == 1)
    #expect(await later.store.notifications().map(\.state) == [.delivered])
  }

  struct LogFailure: Error {}
}

@Suite struct `A notification` {
  @Test func `of each event is verified by a server, with all its content (AS-NOTE-5)`() async throws {
    let shop = try await SimulatedShop()
    let coins = try await shop.buy(SimulatedShop.coins).transaction.id
    try await shop.buy(SimulatedShop.theme)
    try await shop.buy(SimulatedShop.season)
    try await shop.buy(SimulatedShop.month)
    _ = try await shop.store.refunds.refund(coins, percentage: 40_000)
    _ = try await shop.store.notificationCommands.requestTest(bundleId: SimulatedShop.app.bundleId)
    await shop.sender.sendDue()
    let told = try await shop.received()
    let titles = [
      "ONE_TIME_CHARGE", "ONE_TIME_CHARGE", "ONE_TIME_CHARGE", "SUBSCRIBED INITIAL_BUY", "REFUND", "TEST",
    ]
    #expect(told.map(\.title).sorted() == titles.sorted())
    #expect(Set(told.compactMap(\.uuid)).count == 6)
    for verdict in told {
      let payload = try #require(verdict.notification.verified?.payload)
      let data = try #require(payload.data)
      #expect(payload.version == "2.0" && payload.signedDate == shop.time.now)
      #expect(data.bundleId == SimulatedShop.app.bundleId && data.appAppleId == SimulatedShop.app.appAppleId)
      #expect(data.environment == .known(.production))
      let isTest = verdict.title == "TEST"
      #expect((verdict.transaction == nil) == isTest && (data.bundleVersion == nil) == isTest)
      #expect((verdict.renewalInfo != nil) == verdict.title.hasPrefix("SUBSCRIBED"))
      // It proves no device (A15: a claim needs one).
      #expect(verdict.transaction?.verified?.payload.deviceVerification == nil)
    }
    let refund = told.first { $0.title == "REFUND" }?.transaction?.verified?.payload
    #expect(refund?.revocationType == .known(.refundProrated) && refund?.revocationPercentage == 40_000)
  }

  @Test func `goes to the app's address as JSON, and an accepted one is not sent again (AS-NOTE-1)`() async throws {
    for status in [200, 201, 204, 206] {
      let shop = try await SimulatedShop(.sandbox)
      await shop.server.answer([.status(status)])
      try await shop.buy(SimulatedShop.coins)
      await shop.sender.sendDue()
      let request = try #require(await shop.server.requests.first)
      #expect(request.method == "POST" && request.target == SimulatedShop.app.notificationURL)
      #expect(request.fields["Content-Type"] == "application/json")
      let body = try JSONReader.read(request.body)
      #expect(body.object?.map(\.name) == ["signedPayload"])
      let notification = try #require(await shop.store.notifications().first)
      #expect(notification.state == .delivered)
      #expect(try await shop.store.signedPayload(of: notification.facts.uuid) == body["signedPayload"]?.string)
      shop.time.advance(by: .days(30))
      #expect(await shop.sender.sendDue() == 0)
      // In the sandbox it contains no Apple id of the app.
      #expect(try await shop.received().first?.notification.verified?.payload.data?.appAppleId == nil)
    }
  }

  @Test func `contains in every attempt the state at its event (AS-NOTE-2)`() async throws {
    let shop = try await SimulatedShop()
    await shop.server.answer([.status(500)])
    let id = try await shop.buy(SimulatedShop.coins).transaction.id
    await shop.sender.sendDue()
    shop.time.advance(by: .minutes(30))
    _ = try await shop.store.refunds.refund(id)
    var app = SimulatedShop.app
    app.build = "2"
    try await shop.store.catalog.setApp(app)
    shop.time.advance(by: .minutes(30))
    await shop.sender.sendDue()
    let payloads = await shop.server.payloads
    #expect(payloads.count == 3)
    let charges = try await shop.received().filter { $0.title == "ONE_TIME_CHARGE" }
    #expect(charges.count == 2 && Set(charges.map(\.uuid)).count == 1)
    #expect(payloads.filter { $0 == payloads[0] }.count == 2)
    #expect(charges.allSatisfy { $0.transaction?.verified?.payload.revocationDate == nil })
    #expect(charges.allSatisfy { $0.notification.verified?.payload.data?.bundleVersion == "1" })
  }

  @Test func `is not sent without an address; a TEST is then refused (AS-NOTE-11)`() async throws {
    let shop = try await SimulatedShop()
    var app = SimulatedShop.app
    app.notificationURL = nil
    try await shop.store.catalog.setApp(app)
    try await shop.buy(SimulatedShop.coins)
    #expect(await shop.sender.sendDue() == 0)
    #expect(await shop.store.notifications().map(\.state) == [.neverSent])
    await #expect(throws: CodedError(SimulatorErrorCode.notificationAddressMissing)) {
      try await shop.store.notificationCommands.requestTest(bundleId: app.bundleId)
    }
    await #expect(throws: CodedError(SimulatorErrorCode.appUnknown)) {
      try await shop.store.notificationCommands.requestTest(bundleId: "com.example.other")
    }
  }

  @Test func `waits as long as the setting demands (AS-NOTE-6)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.notificationDelayMilliseconds, to: 604_800_000)
    try await shop.buy(SimulatedShop.coins)
    shop.time.advance(by: .milliseconds(604_799_999))
    #expect(await shop.sender.sendDue() == 0)
    shop.time.advance(by: .milliseconds(1))
    #expect(await shop.sender.sendDue() == 1)
    #expect(try await shop.received().first?.notification.verified?.payload.signedDate == SimulatedShop.noon)
  }

  @Test func `arrives several times at once on demand, with the same content (AS-NOTE-7)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.duplicateNotifications, to: 5)
    try await shop.buy(SimulatedShop.coins)
    await shop.sender.sendDue()
    let payloads = await shop.server.payloads
    #expect(payloads.count == 6 && Set(payloads).count == 1)
    #expect(await shop.store.notifications().first?.attempts.count == 1)
  }

  @Test func `is not sent at all on demand (AS-NOTE-9)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.notifyNever, to: 1)
    try await shop.store.setBehaviour(.notifyBeforeAnswer, to: 1)
    try await shop.buy(SimulatedShop.coins)
    shop.time.advance(by: .days(30))
    #expect(await shop.sender.sendDue() == 0)
    #expect(await shop.store.notifications().map(\.state) == [.neverSent])
    #expect(await shop.store.charges().count == 1)
  }

  @Test func `is lost permanently on demand, and its history shows that (AS-FAULT-6)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.loseNotifications, to: 1)
    try await shop.buy(SimulatedShop.coins)
    try await shop.buy(SimulatedShop.coins)
    for _ in 0..<20 {
      await shop.sender.sendDue()
      shop.time.advance(by: .hours(12))
    }
    let (lost, other) = (await shop.store.notifications()[0], await shop.store.notifications()[1])
    #expect(lost.state == .givenUp && lost.attempts.map(\.result) == Array(repeating: .noResponse, count: 6))
    #expect(other.state == .delivered && other.attempts.count == 1)
    #expect(try await shop.received().compactMap(\.uuid) == [other.facts.uuid.text])
    #expect(await shop.store.behaviours()[.loseNotifications] == 0)
  }

  @Test func `loses single attempts on demand and is sent again (AS-FAULT-7)`() async throws {
    let shop = try await SimulatedShop()
    try await shop.store.setBehaviour(.loseAttempts, to: 2)
    for _ in 0..<5 { try await shop.buy(SimulatedShop.coins) }
    #expect(await shop.sender.sendDue() == 5)
    #expect(await shop.server.requests.count == 3)
    #expect(await shop.store.behaviours()[.loseAttempts] == 0)
    shop.time.advance(by: .hours(1))
    #expect(await shop.sender.sendDue() == 2)
    #expect(Set(try await shop.received().compactMap(\.uuid)).count == 5)
  }
}
