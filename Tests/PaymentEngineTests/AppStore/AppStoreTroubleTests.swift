import AppStoreIntegration
import AppStoreProtocol
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import SimulationKit
import Synchronization
import TestDoubles
import Testing

/// A day on which Apple's servers fail in every known way, with customers and a running reconciliation.
@Suite struct `A day of trouble at Apple` {
  @Test(arguments: [UInt64(1), 7])
  func `stays within the rate in any second, with one probe in ten seconds`(seed: UInt64) throws {
    let day = try TroubledDay(seed: seed)
    try day.pass()
    let visits = day.servers.visits
    #expect(visits.count > 5000, "\(visits.count)")
    let byLane = Dictionary(grouping: visits) { $0.host + ($0.path.contains("/refund/") ? " refund" : " info") }
    #expect(byLane.count == 4)
    for (lane, visits) in byLane.sorted(by: { $0.key < $1.key }) {
      let isSandbox = lane.contains("sandbox")
      let isRefund = lane.hasSuffix("refund")
      let rate = (isRefund ? 10 : 50) / (isSandbox ? 10 : 1)
      #expect(ScriptedAppleServers.most(of: visits, within: .seconds(1)) <= rate, "\(lane)")
      let faults = Faults(visits)
      #expect(faults.closest >= .seconds(10), "\(lane): two probes within \(faults.closest.milliseconds) ms")
      #expect(faults.asked == 0, "\(lane): \(faults.asked) calls before the time that Apple named")
      if !isSandbox { #expect(faults.openings > 0, "\(lane): the test needs failures") }
    }
    #expect(day.servers.world.escapedJobs == 0)
    // After the failures, the next call is answered.
    #expect(try day.servers.perform { try await $0.ask().outcome.answer } != nil)
  }
}

/// What the requests to one endpoint show from outside: when it counted as failing, and the requests meanwhile.
private struct Faults {
  private(set) var openings = 0
  /// The shortest span between two requests while the endpoint counted as failing.
  private(set) var closest = TimeSpan.days(1)
  /// Requests before the time that a 429 had named.
  private(set) var asked = 0

  private enum Event {
    case begin
    case end(status: Int)
  }

  init(_ visits: [ScriptedAppleServers.Visit]) {
    var events: [(at: Timestamp, rank: Int, event: Event)] = []
    for visit in visits {
      events.append((visit.begin, 1, .begin))
      if let end = visit.end { events.append((end, 0, .end(status: visit.status ?? 0))) }
    }
    events.sort { ($0.at, $0.rank) < ($1.at, $1.rank) }
    var failures = 0
    var lastProbe: Timestamp?
    var openedAt: Timestamp?
    var closed: Timestamp?
    for (at, _, event) in events {
      switch event {
      case .begin:
        // A request in the same millisecond as an answer may have begun before it.
        if let closed, at > closed, at < closed + TroubledDay.limitedFor { asked += 1 }
        guard let from = lastProbe ?? openedAt, at > from else { continue }
        closest = min(closest, at - from)
        lastProbe = at
      case .end(let status):
        switch status {
        case 200:
          failures = 0
          (openedAt, lastProbe) = (nil, nil)
        case 429: closed = at
        default:
          failures += 1
          if failures >= 8, openedAt == nil {
            openedAt = at
            openings += 1
          }
        }
      }
    }
  }
}

private struct TroubledDay {
  static let limitedFor = TimeSpan.seconds(40)
  let servers: ScriptedAppleServers

  /// The hour decides the kind of failure; between the failures all calls succeed.
  init(seed: UInt64) throws {
    let chance = Mutex(SeededChance(seed: seed, purpose: "trouble"))
    servers = try ScriptedAppleServers(seed: seed) { request, now in
      let good =
        request.target.contains("/refund/")
        ? ScriptedAppleServers.Turn.answer(200, "{\"signedTransactions\":[],\"hasMore\":false}") : .good
      let draw = chance.withLock { $0.number(below: 1000) }
      let hour = (now - SimulatedWorld.beginning).milliseconds / 3_600_000
      switch hour % 8 {
      case 1 where draw < 900: return .answer(500, "{\"errorCode\":5000000,\"errorMessage\":\"\"}")
      case 2 where draw < 950: return .answer(503, "<html>Service Unavailable</html>", after: .seconds(2))
      case 3 where draw < 800: return .silence
      case 4 where draw < 5:
        return .limited(until: now + .milliseconds(100) + TroubledDay.limitedFor)
      case 5:
        var slow = good
        slow.after = .milliseconds(Int64(1 + draw * 12))
        return slow
      case 6 where draw < 700: return draw < 350 ? .answer(206, "<html>") : .silence
      default: return good
      }
    }
  }

  /// Every few minutes some customers at once, and a reconciliation that calls all the time.
  func pass() throws {
    let servers = servers
    try servers.perform { servers in
      let dependencies = servers.process.dependencies()
      let end = SimulatedWorld.beginning + .hours(8) + .minutes(20)
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
          group.addTask {
            let environment: StoreEnvironment = worker == 3 ? .sandbox : .production
            while dependencies.now() < end {
              let crowd = Int(dependencies.randomNumber(below: 60))
              await withTaskGroup(of: Void.self) { crowded in
                for _ in 0..<crowd {
                  crowded.addTask {
                    _ = try? await servers.ask(in: environment, worker == 0 ? .livePurchase : .reconciliation)
                  }
                }
              }
              if let call = try? AppStoreServerCall.refundHistory(ofCustomerWith: "1") {
                for _ in 0..<12 {
                  _ = await servers.gateway.send(call, environment: environment, priority: .reconciliation)
                }
              }
              try? await dependencies.sleep(.seconds(Int64(dependencies.randomNumber(below: 600))))
            }
          }
        }
      }
    }
  }
}
