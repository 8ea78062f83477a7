import AppStoreIntegration
import AppStoreProtocol
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import SimulationKit
import Synchronization
import TestDoubles
import Testing

@Suite struct `The gateway to Apple's servers` {
  @Test func `makes no call about purchases that Apple has no data for`() throws {
    let servers = try ScriptedAppleServers { _, _ in .good }
    for environment in [StoreEnvironment.xcode, .localTesting] {
      let outcome = try servers.perform { try await $0.ask(in: environment).outcome }
      guard case .unknown(.unaskable(environment)) = outcome else {
        Issue.record("\(environment) cannot be asked about")
        continue
      }
    }
    #expect(servers.visits.isEmpty)
  }

  @Test func `calls the sandbox, and no other host, for what production does not know`() throws {
    let unknown: Set<Int64> = [4_040_010, 4_040_005]
    for number in [4_040_010, 4_040_005, 4_040_001, 4_000_006, 5_000_000] as [Int64] {
      let servers = try ScriptedAppleServers { request, _ in
        request.target.hasPrefix("https://api.storekit.apple.com") ? .error(number) : .good
      }
      let reply = try servers.perform { try await $0.ask(in: nil) }
      #expect((reply.outcome.answer != nil) == unknown.contains(number), "\(number)")
      #expect(reply.environment == (unknown.contains(number) ? .sandbox : .production))
      #expect(servers.visits.count == (unknown.contains(number) ? 2 : 1))
    }
    let nowhere = try ScriptedAppleServers { _, _ in .error(4_040_010) }
    let reply = try nowhere.perform { try await $0.ask(in: .undetermined) }
    #expect(reply.outcome.error?.code == .transactionNotFound)
    #expect(reply.environment == .sandbox)
    let hosts = nowhere.visits.map(\.host)
    #expect(hosts == ["api.storekit.apple.com", "api.storekit-sandbox.apple.com"])
  }

  @Test func `calls only the environment of the purchase, if that is known`() throws {
    for (environment, host) in [
      (StoreEnvironment.production, "api.storekit.apple.com"), (.sandbox, "api.storekit-sandbox.apple.com"),
    ] {
      let servers = try ScriptedAppleServers { _, _ in .error(4_040_010) }
      #expect(try servers.perform { try await $0.ask(in: environment).outcome.error?.code } == .transactionNotFound)
      #expect(servers.visits.map(\.host) == [host])
    }
  }

  @Test func `accepts 401 of production as "never released" only if the configuration allows it`() throws {
    for isReleased in [true, false] {
      let servers = try ScriptedAppleServers(isReleased: isReleased) { request, _ in
        request.target.hasPrefix("https://api.storekit.apple.com") ? .answer(401) : .good
      }
      let reply = try servers.perform { try await $0.ask(in: nil) }
      #expect((reply.outcome.answer == nil) == isReleased)
      #expect((reply.outcome.error?.code == .notAuthorized) == isReleased)
      #expect(servers.visits.count == (isReleased ? 1 : 2))
    }
  }

  @Test func `stays within Apple's rate in any second, and gives all other callers a time to retry`() throws {
    let servers = try ScriptedAppleServers { _, _ in .good }
    let outcomes = try servers.askAtOnce(Array(repeating: .livePurchase, count: 400))
    #expect(ScriptedAppleServers.most(of: servers.visits, within: .seconds(1)) == 50)
    // Fifty at once and fifty in each of the five seconds that a customer waits.
    #expect(outcomes.count { $0.answer != nil } == 300)
    for outcome in outcomes where outcome.answer == nil {
      guard case .unknown(.busy(let until)) = outcome else {
        Issue.record("it must be busy")
        continue
      }
      #expect(until > SimulatedWorld.beginning + .seconds(5))
    }
    #expect(
      servers.metrics.value(
        .appStoreCallsTotal,
        [("app", "shop"), ("api", "transaction_info"), ("environment", "Production"), ("outcome", "busy")]) == 100)
  }

  @Test func `does not call before it has a part of the rate, nor after that has ended`() throws {
    let servers = try ScriptedAppleServers { _, _ in .good }
    let outcome = try servers.perform { servers in
      await servers.gateway.keep(to: .none)
      return try await servers.ask().outcome
    }
    guard case .unknown(.busy) = outcome else {
      Issue.record("it must be busy: \(outcome)")
      return
    }
    #expect(servers.visits.isEmpty && servers.world.now == SimulatedWorld.beginning + .seconds(5))
    let end = servers.world.now + .seconds(2)
    let answers = try servers.perform { servers in
      await servers.gateway.keep(to: .part(of: 2, until: end))
      let first = try await servers.ask().outcome
      try await servers.process.dependencies().sleep(.seconds(2))
      // The part comes again while the call waits.
      async let second = servers.ask().outcome
      try await servers.process.dependencies().sleep(.seconds(3))
      await servers.gateway.keep(to: .part(of: 2, until: end + .seconds(9)))
      return [first, try await second]
    }
    #expect(answers.allSatisfy { $0.answer != nil } && servers.visits.count == 2)
    #expect(servers.visits[0].begin < end && servers.visits[1].begin >= end + .seconds(3))
  }

  @Test(arguments: [(2, 25), (3, 16), (60, 1)])
  func `keeps to its part of the rate, beside that many nodes`(count: Int, most: Int) throws {
    let servers = try ScriptedAppleServers { _, _ in .good }
    try servers.perform { servers in
      await servers.gateway.keep(to: .part(of: count, until: servers.world.now + .minutes(1)))
    }
    _ = try servers.askAtOnce(Array(repeating: .livePurchase, count: 200))
    #expect(ScriptedAppleServers.most(of: servers.visits, within: .seconds(1)) == most)
    // Fewer nodes than calls a second have a whole call each; sixty have one in two seconds.
    if count > 50 { #expect(ScriptedAppleServers.most(of: servers.visits, within: .seconds(2)) == 1) }
  }

  @Test func `calls the sandbox at a tenth of the rate`() throws {
    let servers = try ScriptedAppleServers { _, _ in .good }
    let outcomes = try servers.askAtOnce(Array(repeating: .livePurchase, count: 40), in: .sandbox)
    #expect(ScriptedAppleServers.most(of: servers.visits, within: .seconds(1)) == 5)
    #expect(outcomes.count { $0.answer != nil } == 30)
    #expect(AppStoreServerEndpoint.testNotification.rate(in: .sandbox) == CallRate(calls: 1, span: .seconds(10)))
    #expect(AppStoreServerEndpoint.orderLookup.rate(in: .sandbox) == CallRate(calls: 1, span: .seconds(1)))
    #expect(AppStoreServerEndpoint.appAccountToken.rate(in: .production) == CallRate(calls: 20, span: .seconds(1)))
  }

  @Test func `lets live purchases pass all others, and gives reconciliation half of the rate`() throws {
    let servers = try ScriptedAppleServers { _, _ in .good }
    let crowd =
      Array(repeating: StoreCallPriority.reconciliation, count: 500)
      + Array(repeating: .background, count: 100)
    let late = try servers.perform { servers -> [TimeSpan] in
      try await withThrowingTaskGroup(of: TimeSpan?.self) { group in
        for priority in crowd {
          group.addTask {
            _ = try await servers.ask(in: .production, priority)
            return nil
          }
        }
        for second in 0..<5 {
          group.addTask {
            let dependencies = servers.process.dependencies()
            try await dependencies.sleep(.milliseconds(Int64(second) * 1000 + 500))
            let begin = dependencies.now()
            _ = try await servers.ask(in: .production, .livePurchase)
            return dependencies.now() - begin
          }
        }
        var waits: [TimeSpan] = []
        for try await wait in group { if let wait { waits.append(wait) } }
        return waits
      }
    }
    #expect(late == Array(repeating: .milliseconds(100), count: 5), "no buyer waits for a reconciliation")
    let inFirst = servers.visits.count { $0.begin < SimulatedWorld.beginning + .milliseconds(500) }
    #expect(inFirst == 25, "half of fifty")
    #expect(ScriptedAppleServers.most(of: servers.visits, within: .seconds(1)) <= 26)
    #expect(servers.visits.count == 605, "all of them succeed within minutes")
  }

  @Test func `removes callers that give up while they wait`() throws {
    let servers = try ScriptedAppleServers { _, _ in .good }
    let outcomes = try servers.perform { servers -> [ScriptedAppleServers.Outcome] in
      await withThrowingTaskGroup(of: ScriptedAppleServers.Outcome.self) { group in
        for _ in 0..<120 { group.addTask { try await servers.ask().outcome } }
        group.addTask {
          try await servers.process.dependencies().sleep(.milliseconds(300))
          throw CancellationError()
        }
        var outcomes: [ScriptedAppleServers.Outcome] = []
        do {
          while let outcome = try await group.next() { outcomes.append(outcome) }
        } catch { group.cancelAll() }
        while let outcome = try? await group.next() { outcomes.append(outcome) }
        return outcomes
      }
    }
    #expect(outcomes.count { $0.answer != nil } == 50)
    #expect(servers.visits.count == 50)
    #expect(try servers.perform { try await $0.ask().outcome.answer } != nil)
  }

  @Test func `waits fifteen seconds for a slow Apple, and knows nothing then; the next question is asked (Java 24)`()
    throws
  {
    let isSlow = Mutex(true)
    let servers = try ScriptedAppleServers { _, _ in
      isSlow.withLock(\.self)
        ? ScriptedAppleServers.Turn(after: .hours(1), result: .failure(.outcomeUnknown("no answer in time"))) : .good
    }
    let outcome = try servers.perform { try await $0.ask().outcome }
    guard case .unknown(.noAnswer) = outcome else {
      Issue.record("it is unknown, and neither bought nor refused: \(outcome)")
      return
    }
    let visit = try #require(servers.visits.first)
    #expect(visit.end == visit.begin + .seconds(15))
    isSlow.withLock { $0 = false }
    #expect(try servers.perform { try await $0.ask().outcome.answer } != nil)
  }

  @Test func `pauses until the time that Apple names, at most for an hour`() throws {
    let beginning = SimulatedWorld.beginning
    for (named, ends) in [
      (TimeSpan.seconds(90), TimeSpan.seconds(90)), (.days(30), .hours(1)), (-.hours(1), .seconds(1)),
    ] {
      let servers = try ScriptedAppleServers { _, now in
        now < beginning + .milliseconds(50) ? .limited(until: beginning + named) : .good
      }
      let first = try servers.perform { try await $0.ask().outcome }
      guard case .unknown(.undecided(let error)) = first else {
        Issue.record("429 is unknown")
        return
      }
      #expect(error.code == .frequencyLimited)
      let begin = servers.world.now
      let second = try servers.perform { try await $0.ask(in: .production, .reconciliation).outcome }
      let expected = named > .zero ? beginning + ends : begin + ends
      if ends <= .minutes(2) {
        #expect(second.answer != nil)
      } else if case .unknown(.busy(let until)) = second {
        #expect(until == begin + ends)
        continue
      }
      #expect(servers.visits.last?.begin == expected, "asked at \(servers.visits.last?.begin.iso8601 ?? "")")
    }
  }

  @Test func `pauses calls to a failing endpoint, except for a probe every ten seconds, and to no other endpoint`()
    throws
  {
    let isDown = Mutex(true)
    let servers = try ScriptedAppleServers { request, _ in
      request.target.contains("/history/") || !isDown.withLock(\.self) ? .good : .answer(500, "<html>")
    }
    for _ in 0..<8 { _ = try servers.perform { try await $0.ask().outcome } }
    let opened = servers.world.now
    let refused = try servers.askAtOnce(Array(repeating: .livePurchase, count: 20))
    for outcome in refused {
      guard case .unknown(.busy(let until)) = outcome else {
        Issue.record("it must be paused")
        continue
      }
      #expect(until == opened + .seconds(10))
    }
    #expect(servers.visits.count == 8)
    _ = try servers.perform { servers in
      await servers.gateway.send(
        try .transactionHistory(ofCustomerWith: "1"), environment: .production, priority: .livePurchase)
    }
    #expect(servers.visits.count == 9, "another endpoint is not affected")
    servers.world.run(for: .seconds(10))
    _ = try servers.askAtOnce(Array(repeating: .livePurchase, count: 20))
    #expect(servers.visits.count == 10, "one probe")
    isDown.withLock { $0 = false }
    servers.world.run(for: .seconds(11))
    #expect(try servers.perform { try await $0.ask().outcome.answer } != nil)
    #expect(try servers.askAtOnce(Array(repeating: .livePurchase, count: 20)).allSatisfy { $0.answer != nil })
    #expect(servers.logged.events.count { $0.name == "appStore.leftAlone" } == 1)
  }

  @Test func `limits the number of running calls, and keeps half of them for waiting users`() throws {
    let servers = try ScriptedAppleServers { _, _ in .silence }
    let outcomes = try servers.askAtOnce(
      Array(repeating: .reconciliation, count: 60) + Array(repeating: .livePurchase, count: 150))
    #expect(servers.visits.count == 64)
    #expect(outcomes[..<60].count { if case .unknown(.noAnswer) = $0 { true } else { false } } <= 32)
  }

  @Test func `writes only codes to log and metrics`() throws {
    let servers = try ScriptedAppleServers { _, _ in .error(4_040_010) }
    _ = try servers.perform { try await $0.ask("2000000098765432", in: nil) }
    let told =
      servers.logged.events.map { "\($0.name) \($0.fields)" }.joined(separator: "\n") + servers.metrics.text()
    #expect(told.contains("app_store_transaction_not_found"))
    for secret in ["2000000098765432", "Bearer", "eyJ", "57246542"] { #expect(!told.contains(secret), "\(secret)") }
  }
}
