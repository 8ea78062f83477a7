import AppStoreIntegration
import CounterfoilAPI
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import ServerConfiguration
import ShopFixtures
import SystemPlatform
import TestDatabases
import TestTier
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `A shop with several nodes` {
  @Test func `grants once what many present at the same time on three nodes`() async throws {
    try await withNodes { nodes async throws in
      let order = try await nodes[0].shop.order()
      let evidence = nodes[0].shop.transaction("1", token: order)
      let answers = try await withThrowingTaskGroup(of: PaymentAnswer.self) { group in
        for number in 0..<200 { group.addTask { try await nodes[number % 3].shop.submit(evidence) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count == 200)
      #expect(answers.allSatisfy { $0.verdict == .fulfilled })
      #expect(answers.count { $0.firstSeen } == 1)
      #expect(try await nodes[1].shop.coins() == 100)
      #expect(try await nodes[2].shop.violations() == [])
    }
  }

  @Test func `never lets debits that race over three nodes take more than there is`() async throws {
    let count = Tier.among(test: 300, check: 10_000, night: 10_000)
    try await withNodes { nodes async throws in
      let order = try await nodes[0].shop.order()
      _ = try await nodes[0].shop.submit(nodes[0].shop.transaction("1", token: order))
      let taken = Counter()
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<30 {
          group.addTask {
            for number in stride(from: worker, to: count, by: 30) {
              let request = DebitRequest(user: "alice", unit: "coin", amount: 1, key: "\(number)", digest: "\(number)")
              do {
                _ = try await nodes[number % 3].engine.debitBalance(request, in: EngineFixture.appEnvironment)
                taken.add()
              } catch {
                guard (error as? CodedError<EngineErrorCode>)?.code == .insufficientBalance else {
                  Issue.record("\(error)")
                  continue
                }
              }
            }
          }
        }
      }
      #expect(taken.count == 100)
      #expect(try await nodes[1].shop.coins() == 0)
      #expect(try await nodes[2].shop.violations() == [])
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `shows a reader who follows the events each one, while all nodes write`() async throws {
    try await withNodes { nodes async throws in
      let count = 120
      let seen = try await withThrowingTaskGroup(of: [String].self) { group in
        for (index, node) in nodes.enumerated() {
          for worker in 0..<8 {
            group.addTask {
              for number in stride(from: index * 8 + worker, to: count, by: 24) {
                let order = try await node.shop.order(of: UserIdentifier("user \(number)"))
                _ = try await node.shop.submit(
                  node.shop.transaction("\(number)", token: order), by: UserIdentifier("user \(number)"))
              }
              return []
            }
          }
        }
        group.addTask {
          var (seen, next): ([String], EventIdentifier?) = ([], nil)
          while seen.count < count * 3 {
            let page = try await nodes[0].engine.listEvents(
              in: EngineFixture.appEnvironment, from: next.map { .after($0) } ?? .beginning, limit: 7,
              waiting: .seconds(5))
            // Nothing in five seconds: what is missing was passed over.
            if page.events.isEmpty { break }
            seen += page.events.map { EventIdentifier(of: $0).text }
            next = page.next
          }
          return seen
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let all = try await nodes[1].database.read {
        try $0.journal(
          JournalQuery(appEnvironment: EngineFixture.appEnvironment, after: 0, upTo: .max, limit: count * 4))
      }
      #expect(all.entries.count == count * 3)
      #expect(seen == all.entries.map { EventIdentifier(of: $0).text })
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `tells a grant on one node to a reader who waits on another`() async throws {
    var limits = EngineLimits()
    // Only a message of the other node can end the wait.
    limits.waitRecheck = .hours(1)
    try await withNodes([.zero, .zero], limits: limits) { nodes async throws in
      try await running(nodes) {
        for number in 1...5 {
          let order = try await nodes[0].shop.order()
          async let waiting = nodes[1].engine.readOrder(
            .id(order), in: nodes[1].shop.app.userEnvironments, of: "alice", waiting: .minutes(1), until: .paid)
          _ = try await nodes[0].shop.submit(nodes[0].shop.transaction("\(number)", token: order))
          #expect(try await waiting.payment != nil)
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `tells it to one who hears no messages, too, by looking again`() async throws {
    var limits = EngineLimits()
    limits.waitRecheck = .hours(1)
    try await withNodes([.zero, .zero], limits: limits, isDeaf: true) { nodes async throws in
      try await running(nodes) {
        let order = try await nodes[0].shop.order()
        async let waiting = nodes[1].engine.readOrder(
          .id(order), in: nodes[1].shop.app.userEnvironments, of: "alice", waiting: .minutes(1), until: .paid)
        _ = try await nodes[0].shop.submit(nodes[0].shop.transaction("1", token: order))
        #expect(try await waiting.payment != nil)
        #expect(nodes[1].engine.nodeWarnings == ["nodesNotHeard"])
      }
    }
  }

  @Test func `warns of a clock that is half a minute off, and serves on`() async throws {
    try await withNodes([.zero, .seconds(-31), .seconds(31)]) { nodes async throws in
      #expect(nodes.map { $0.engine.nodeWarnings } == [[], ["clockDiffers"], ["clockDiffers"]])
      try await nodes[1].engine.checkReadiness()
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `reports what all would report alike from one node only`() async throws {
    var limits = EngineLimits()
    limits.nodeBeat = .milliseconds(50)
    try await withNodes([.zero, .zero, .zero], limits: limits) { nodes async throws in
      let order = try await nodes[2].shop.order()
      _ = try await nodes[2].shop.submit(nodes[2].shop.transaction("1", token: order))
      func pending() async -> [Int64] {
        var values: [Int64] = []
        for node in nodes {
          await node.engine.measureBacklog()
          let labels = [("app", "shop"), ("environment", "simulated")]
          values.append(Int64(node.engine.metrics.value(.deliveriesPending, labels)))
        }
        return values
      }
      try await running(nodes) {
        while await pending() != [1, 0, 0] { try await Dependencies.system.sleep(.milliseconds(20)) }
        // The first one leaves: the next one reports it.
        await nodes[0].engine.drain()
        while await pending() != [0, 1, 0] { try await Dependencies.system.sleep(.milliseconds(20)) }
      }
    }
  }

  @Test func `are not ready and take no more work once they drain, and still answer`() async throws {
    try await withNodes([.zero, .zero]) { nodes async throws in
      try await nodes[0].engine.checkReadiness()
      await nodes[0].engine.drain()
      do {
        try await nodes[0].engine.checkReadiness()
        Issue.record("A draining node is ready.")
      } catch let error as CodedError<EngineErrorCode> {
        #expect(error.code == .nodeDraining)
      }
      #expect(try await nodes[0].engine.doAlone("test") {} == false)
      #expect(try await nodes[1].engine.doAlone("test") {} == true)
      #expect(try await nodes[1].database.nodes().map(\.state) == [.draining, .active])
      _ = try await nodes[0].shop.order()
    }
  }

  @Test func `takes what is signed now, also on a node whose clock is five minutes slow or fast`() async throws {
    try await withNodes([.zero, .minutes(-5), .minutes(5)]) { nodes async throws in
      for (number, node) in nodes.enumerated() {
        let order = try await node.shop.order()
        let answer = try await node.shop.submit(nodes[0].shop.transaction("\(number)", token: order))
        #expect(answer.verdict == .fulfilled)
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `expires orders by the database's clock, whatever the clock of the node says`() async throws {
    var limits = EngineLimits()
    limits.expiryInterval = .milliseconds(50)
    try await withNodes([.hours(-1), .hours(1)], limits: limits) { nodes async throws in
      for node in nodes {
        let order = try await node.shop.order()
        let made = try await node.engine.readOrder(.id(order), in: node.shop.app.userEnvironments, of: nil).order
        let now = try await node.database.transact { $0.now }.get()
        #expect(abs((now - made.createdAt).milliseconds) < 60_000)
      }
      // One is due, one is due in half an hour.
      let (due, later) = (try await nodes[0].shop.order(), try await nodes[0].shop.order())
      try await nodes[0].database.transact { transaction throws in
        let now = transaction.now
        for (id, expiry) in [(due, now), (later, now + .minutes(30))] {
          let key = OrderKey(appEnvironment: EngineFixture.appEnvironment, id: id)
          guard var order = try transaction.order(key) else { continue }
          order.expiresAt = expiry
          try transaction.update(order)
        }
      }.get()
      try await running(nodes) {
        while try await nodes[0].shop.state(of: due) == .awaitingPayment {
          try await Dependencies.system.sleep(.milliseconds(20))
        }
        guard case .closed(.expired, _) = try await nodes[0].shop.state(of: due) else {
          Issue.record("It was closed for another reason.")
          return
        }
        #expect(try await nodes[0].shop.state(of: later) == .awaitingPayment)
      }
    }
  }
}

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `The lease of a standing work` {
  private func setting(_ node: ShopNode) async throws -> String? {
    try await node.database.read { try $0.setting("work") }
  }

  @Test func `lets one node do it at a time`() async throws {
    try await withNodes([.zero, .zero]) { nodes async throws in
      let isDone = try await nodes[0].engine.doAlone("test") { () async throws in
        #expect(try await nodes[1].engine.doAlone("test") { Issue.record("Two do it.") } == false)
        #expect(try await nodes[1].engine.doAlone("other") {} == true)
      }
      #expect(isDone)
      #expect(try await nodes[1].engine.doAlone("test") {} == true)
    }
  }

  @Test func `is given back when the work fails`() async throws {
    try await withNodes([.zero, .zero]) { nodes async throws in
      struct Failure: Error {}
      await #expect(throws: Failure.self) { try await nodes[0].engine.doAlone("test") { throw Failure() } }
      #expect(try await nodes[1].engine.doAlone("test") {} == true)
    }
  }

  @Test func `writes nothing once another node has it, also not what was begun before`() async throws {
    let clock = TestClock()
    try await withNodes([.zero, .zero], clock: { clock.now }) { nodes async throws in
      let isDone = try await nodes[0].engine.doAlone("test") { () async throws in
        try await nodes[0].engine.transact { try $0.set("work", to: "first") }
        clock.advance(by: .seconds(31))
        let isTaken = try await nodes[1].engine.doAlone("test") {
          try await nodes[1].engine.transact { try $0.set("work", to: "second") }
        }
        #expect(isTaken)
        try await nodes[0].engine.transact { try $0.set("work", to: "late") }
        Issue.record("What it writes without a lease is written.")
      }
      #expect(!isDone)
      #expect(try await setting(nodes[1]) == "second")
    }
  }

  @Test func `is needed by nobody whose process holds the database alone`() async throws {
    let shop = try EngineFixture()
    #expect(try await shop.engine.doAlone("test") {} == true)
    #expect(try await shop.database.read { try $0.setting("lease.test") } == nil)
  }
}
