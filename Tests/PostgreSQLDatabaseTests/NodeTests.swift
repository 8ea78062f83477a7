import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import SystemPlatform
import TestDatabases
import TestSubprocess
import Testing

@Suite(.enabled(if: PostgreSQLServer.isPresent, Comment(rawValue: PostgreSQLServer.absent)))
struct `The nodes over one PostgreSQL` {
  /// Runs a test with two nodes, whose transactions go by the test's clock.
  private func withTwoNodes(
    _ body: (_ nodes: [PostgreSQLDatabase], TestClock, PostgreSQLServer, PostgreSQLSettings) async throws -> Void
  ) async throws {
    let clock = TestClock()
    let server = try await SharedPostgreSQL.shared.server()
    let settings = postgreSQLSettings(server, schema: await SharedPostgreSQL.shared.newSchema())
    let nodes = [try await openPostgreSQL(settings, clock: clock), try await openPostgreSQL(settings, clock: clock)]
    do { try await body(nodes, clock, server, settings) } catch {
      for node in nodes { await node.close() }
      throw error
    }
    for node in nodes { await node.close() }
    try server.run("DROP SCHEMA \(settings.schema) CASCADE")
  }

  private func insertDeliveries(_ count: Int, _ server: PostgreSQLServer, _ settings: PostgreSQLSettings) throws {
    try server.run(
      """
      SET search_path = \(settings.schema);
      INSERT INTO payment_keys (app, store, environment, transaction_id)
      SELECT 'shop', 'appStore', 'production', n::text FROM generate_series(1, \(count)) AS n;
      INSERT INTO payments (id, app, environment, original, store_product, kind, quantity, purchase_date, signed_date,
        ownership, is_renewal, is_upgraded, state, owner, first_seen_at, last_sequence)
      SELECT id, 'shop', 'production', id, 'coins', 'consumable', 1, 0, 0, 'purchased', 0, 0, 'fulfilled', 'alice', 0, 1
      FROM payment_keys;
      INSERT INTO deliveries (delivery_id, payment, app, environment, kind, sequence, body, created_at, state, attempts,
        next_attempt_at)
      SELECT 'dlv_' || id, id, 'shop', 'production', 'created', 1, '{}', 0, 'pending', 0, 0 FROM payment_keys;
      """)
  }

  private static let realm = AppEnvironment(app: "shop", environment: .production)

  private func lease(_ limit: Int, on node: PostgreSQLDatabase) async throws -> [Delivery] {
    try await node.transact { transaction in
      try transaction.takeDeliveries(in: Self.realm, limit: limit).map { taken in
        var delivery = taken
        delivery.lease = Lease(until: transaction.now + .seconds(45), fence: (taken.lease?.fence ?? 0) + 1)
        try transaction.update(delivery)
        return delivery
      }
    }.get()
  }

  @Test func `take no delivery twice, and leave none`() async throws {
    try await withTwoNodes { nodes, _, server, settings async throws in
      try insertDeliveries(300, server, settings)
      let taken = try await withThrowingTaskGroup(of: [Delivery].self) { group in
        for node in nodes {
          group.addTask {
            var all: [Delivery] = []
            while true {
              let some = try await lease(7, on: node)
              all += some
              // Empty: all that is left is in the other's hands at this moment.
              if some.isEmpty { return all }
            }
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let rest = try await lease(300, on: nodes[0])
      #expect(Set(taken.map(\.id)).count == taken.count)
      #expect(Set((taken + rest).map(\.id)).count == 300)
      #expect((taken + rest).allSatisfy { $0.lease?.fence == 1 })
    }
  }

  @Test func `pass over what another transaction holds, and do not wait for it`() async throws {
    try await withTwoNodes { nodes, _, server, settings async throws in
      try insertDeliveries(2, server, settings)
      let name = "holder of \(settings.schema)"
      let holder = try server.begin(
        "SELECT id FROM \(settings.schema).deliveries WHERE delivery_id = 'dlv_1' FOR UPDATE", named: name)
      defer { holder.kill() }
      let isHeld = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event = 'PgSleep'"
      while try server.run(isHeld) != "1" {}
      #expect(try await lease(2, on: nodes[0]).map(\.id) == ["dlv_2"])
      try server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
      _ = holder.end()
      #expect(try await lease(2, on: nodes[0]).map(\.id) == ["dlv_1"])
    }
  }

  @Test func `start without ending what others hold`() async throws {
    try await withTwoNodes { nodes, clock, server, settings async throws in
      try insertDeliveries(1, server, settings)
      let held = try await lease(1, on: nodes[0])
      let third = try await openPostgreSQL(settings, clock: clock)
      _ = try await third.coordination?.beat()
      #expect(try await lease(1, on: third).isEmpty)
      let kept = try await third.read { try $0.delivery("dlv_1")?.lease }
      #expect(kept == held[0].lease)
      await third.close()
    }
  }

  @Test func `end what a node holds that is heard no more, and nothing else`() async throws {
    try await withTwoNodes { nodes, clock, server, settings async throws in
      try insertDeliveries(2, server, settings)
      _ = try await lease(1, on: nodes[0])
      _ = try await lease(1, on: nodes[1])
      clock.advance(by: .seconds(31))
      let records = try await #require(nodes[1].coordination).beat()
      #expect(records.map(\.state) == [.gone, .active])
      // The lease of the living one lasts for 45 seconds.
      #expect(try await lease(2, on: nodes[1]).map(\.id) == ["dlv_1"])
    }
  }

  @Test func `count a node that is heard again, and let its commits go on`() async throws {
    try await withTwoNodes { nodes, clock, _, _ async throws in
      clock.advance(by: .seconds(31))
      _ = try await nodes[1].coordination?.beat()
      try await nodes[0].transact { try $0.set("after", to: "the pause") }.get()
      #expect(try await nodes[0].coordination?.beat().map(\.state) == [.active, .active])
    }
  }

  @Test func `leave nothing of a node that ends`() async throws {
    try await withTwoNodes { nodes, clock, server, settings async throws in
      let third = try await openPostgreSQL(settings, clock: clock, writers: 3)
      #expect(try server.run("SELECT count(*) FROM \(settings.schema).commit_rows") == "5")
      await third.close()
      #expect(try server.run("SELECT count(*) FROM \(settings.schema).commit_rows") == "2")
      #expect(try await nodes[0].nodes().count == 2)
    }
  }

  @Test func `forget a node that is gone for a day, with its commit rows`() async throws {
    try await withTwoNodes { nodes, clock, server, settings async throws in
      clock.advance(by: .hours(25))
      let records = try await nodes[1].coordination?.beat()
      #expect(records?.map(\.number) == [try #require(nodes[1].coordination).node])
      #expect(try server.run("SELECT count(*) FROM \(settings.schema).commit_rows") == "1")
    }
  }

  @Test func `ask a store about one order once in a pause`() async throws {
    try await withTwoNodes { nodes, clock, server, settings async throws in
      let id = "0190a1b2-0000-7000-8000-000000000001"
      try server.run(
        """
        SET search_path = \(settings.schema);
        SET session_replication_role = replica;
        INSERT INTO wechat_pay_orders (app, environment, order_id, merchant, store_app, trade_type, amount, currency,
          prepay_body, state, questions)
        VALUES ('shop', 'production', '\(id)', 'm', 'a', 'APP', 1, 'CNY', '{}', 'prepared', 0);
        """)
      let order = OrderKey(appEnvironment: Self.realm, id: try #require(OrderIdentifier(id)))
      func ask(_ node: Int) async throws -> Bool? {
        try await nodes[node].coordination?.mayAsk(about: order, pause: .seconds(2))
      }
      #expect(try await ask(0) == true)
      #expect(try await ask(1) == false)
      #expect(try await ask(0) == false)
      clock.advance(by: .seconds(2))
      let both = try await [ask(1), ask(0)]
      #expect(both == [true, false])
    }
  }

  @Test func `hear each other, and not themselves`() async throws {
    try await withTwoNodes { nodes, _, _, _ async throws in
      let (first, second) = (try #require(nodes[0].coordination), try #require(nodes[1].coordination))
      // Whoever does not listen yet hears nothing, and says so.
      #expect(try await second.hear(within: .zero) == nil)
      #expect(try await first.hear(within: .zero) == nil)
      try await first.tell(["one", "two\nthree"])
      #expect(try await second.hear(within: .seconds(20)) == ["one", "two\nthree"])
      #expect(try await first.hear(within: .milliseconds(50)) == [])
    }
  }

  @Test func `say after a lost line that something may be missing`() async throws {
    try await withTwoNodes { nodes, _, server, settings async throws in
      let second = try #require(nodes[1].coordination)
      _ = try await second.hear(within: .zero)
      let listens = "query LIKE 'LISTEN \(settings.schema)_changes%'"
      try server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(listens)")
      var isNoted = false
      // The farewell of the server, the end of the line, the new line.
      for _ in 0..<3 where !isNoted {
        do { isNoted = try await second.hear(within: .seconds(20)) == nil } catch {}
      }
      #expect(isNoted)
      #expect(try await second.hear(within: .zero) == [])
    }
  }

  @Test func `know how far their own clock is from the database's`() async throws {
    try await withPostgreSQL { _, _, settings in
      var settings = settings
      settings.clock = nil
      var dependencies = Dependencies.system
      let real = dependencies.now
      dependencies.now = { real() - TimeSpan.hours(1) }
      let node = try await PostgreSQLDatabase.open(
        settings, dependencies: dependencies, writers: [ThreadExecutor()], readers: [ThreadExecutor()],
        listener: ThreadExecutor())
      let offset = try #require(node.coordination).clockOffset
      #expect(abs(offset.milliseconds - 3_600_000) < 60_000)
      let now = try await node.transact { $0.now }.get()
      #expect(abs((now - (dependencies.now() + offset)).milliseconds) < 60_000)
      await node.close()
    }
  }
}
