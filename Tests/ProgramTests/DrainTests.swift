import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import SystemPlatform
import TestDatabases
import TestPlatform
import TestTier
import Testing

/// A balancer that sends calls to the nodes whose `/readyz` last answered 200.
private final class Balancer: Sendable {
  private struct State {
    var ready: [UInt16]
    var served = 0
    var refused: [String] = []
    var hasStopped = false
  }

  private let shop: Shop
  private let state: Mutex<State>

  init(_ shop: Shop, over ports: [UInt16]) {
    self.shop = shop
    state = Mutex(State(ready: ports))
  }

  var served: Int { state.withLock { $0.served } }
  var refused: [String] { state.withLock { $0.refused } }
  private var hasStopped: Bool { state.withLock { $0.hasStopped } }

  /// Lets every call that has begun end.
  func stop() { state.withLock { $0.hasStopped = true } }

  /// Looks at one node until it is stopped.
  func probe(_ port: UInt16) async {
    while !hasStopped {
      let answer = try? await shop.exchange.send(
        HTTPRequest("GET", "http://127.0.0.1:\(port)/readyz"), .seconds(2))
      state.withLock { state in
        state.ready.removeAll { $0 == port }
        if answer?.status == 200 { state.ready.append(port) }
      }
      try? await Dependencies.system.sleep(.milliseconds(300))
    }
  }

  /// Makes orders, one after another, until it is stopped.
  func order(as user: String) async {
    var number = 0
    while !hasStopped {
      number += 1
      guard let port = state.withLock({ $0.ready.isEmpty ? nil : $0.ready[number % $0.ready.count] }) else { continue }
      let body = JSONValue.members([
        ("productId", "coins.100"), ("store", "appStore"), ("userId", .string("\(user)-\(number)")),
      ])
      var request = HTTPRequest(
        "POST", "http://127.0.0.1:\(port)/v1/orders",
        fields: ["Authorization": "Bearer " + (shop.keys["game"] ?? ""), "Content-Type": "application/json"])
      request.body = body.bytes
      do {
        let answer = try await shop.exchange.send(request, .seconds(30))
        state.withLock { state in
          state.served += 1
          if answer.status != 201 { state.refused.append("\(answer.status)") }
        }
      } catch { state.withLock { $0.refused.append("\(error)") } }
    }
  }
}

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `One of two servers over PostgreSQL` {
  private static let runs = Tier.among(test: false, check: true, night: true)

  @Test(.timeLimit(.minutes(5)), .enabled(if: runs, "It takes half a minute; `make check` runs it."))
  func `ends at SIGTERM while calls go on, and none is refused; the events tell each order`() async throws {
    try await withPostgreSQLShop { shop, _, _ in
      let nodes = try ShopNodes(shop, count: 2)
      try await nodes.startAll()
      let listed = try await counterfoil("nodes", in: shop.folder)
      let lines = listed.output.split(separator: "\n")
      #expect(listed.code == 0 && lines.count == 2, "\(listed.output)")
      #expect(lines.allSatisfy { $0.contains("  active  ") }, "\(listed.output)")
      let balancer = Balancer(shop, over: nodes.ports)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for port in nodes.ports { group.addTask { await balancer.probe(port) } }
        for worker in 0..<4 { group.addTask { await balancer.order(as: "user-\(worker)") } }
        _ = try await eventually { balancer.served > 40 }
        let leaving = try #require(nodes.process(0))
        leaving.signal(SIGTERM)
        var states: Set<String> = []
        while leaving.status == nil {
          let shown = try await counterfoil("nodes", "--json", in: shop.folder)
          let records = try JSONReader.read(shown.output.utf8)["nodes"]?.array ?? []
          states.formUnion(records.compactMap { $0["state"]?.string })
        }
        #expect(leaving.status == 0 && states.contains("draining"), "\(states)")
        let before = balancer.served
        _ = try await eventually { balancer.served > before + 40 }
        balancer.stop()
        try await group.waitForAll()
      }
      #expect(balancer.refused == [])
      shop.route(over: [nodes.ports[1]])
      let key = try await counterfoil(
        "keys", "create", "--kind", "operator", "--label", "tail", "--json", in: shop.folder)
      let text = try JSONReader.read(key.output.utf8)["key"]?.string ?? ""
      let tail = try await counterfoil(
        "events", "tail", "--since", "2020-01-01T00:00:00Z", "--until-quiet", "--json", "--server",
        "http://127.0.0.1:\(nodes.ports[1])", in: shop.folder, environment: ["COUNTERFOIL_OPERATOR_KEY": text])
      let made = tail.output.split(separator: "\n").count { $0.contains(#""type":"order.created""#) }
      #expect(tail.code == 0 && made == balancer.served, "\(made) of \(balancer.served) \(tail.errors) \(key.errors)")
      _ = try await nodes.stopAll()
      nodes.close()
    }
  }
}
