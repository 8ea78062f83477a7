import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import Testing

/// Transactions that run over a snapshot, before the writer takes them.
@Suite struct `A planned transaction` {
  private let storage: SQLiteInMemoryStorage

  init() throws {
    storage = try SQLiteInMemoryStorage(
      profile: .simulated, installationSecret: Array(repeating: 0x0A, count: 32), checksPlans: true)
  }

  /// A handle; its first transactions wait until that many have run over the snapshot.
  private func database(gathering count: Int = 1) -> SQLiteInMemoryDatabase {
    let waiting = WaitingCount()
    return SQLiteInMemoryDatabase(storage, batchMax: 16, now: { Timestamp(milliseconds: 1) }) { point in
      if point == .beforeRun { await waiting.wait(for: count) }
    }
  }

  private static func increase(_ name: String, in database: SQLiteInMemoryDatabase) async -> CommitOutcome<Int> {
    await database.transact { transaction in
      let next = (try transaction.setting(name).flatMap { Int($0) } ?? 0) + 1
      try transaction.set(name, to: "\(next)")
      return next
    }
  }

  @Test func `runs again if another one of its batch changed what it had read, also what was not there`() async throws {
    let database = database(gathering: 3)
    async let first = Self.increase("counter", in: database)
    async let second = Self.increase("counter", in: database)
    async let third = Self.increase("counter", in: database)
    let values = try await [first.get(), second.get(), third.get()]
    #expect(values.sorted() == [1, 2, 3])
    #expect(storage.planCounts == PlanCounts(applied: 1, outdated: 2))
  }

  @Test func `runs again if an earlier batch changed what it had read`() async throws {
    let waiting = WaitingCount()
    let slow = SQLiteInMemoryDatabase(storage, batchMax: 16, now: { Timestamp(milliseconds: 1) }) { point in
      if point == .beforeRun { await waiting.wait(for: 2) }
    }
    async let late = Self.increase("counter", in: slow)
    #expect(try await Self.increase("counter", in: database()).get() == 1)
    await waiting.wait(for: 2)
    #expect(try await late.get() == 2)
  }

  @Test func `is applied as planned while nothing that it read changes`() async throws {
    let database = database(gathering: 2)
    async let one = Self.increase("one", in: database)
    async let other = Self.increase("other", in: database)
    #expect(try await [one.get(), other.get()] == [1, 1])
    #expect(storage.planCounts == PlanCounts(applied: 2))
  }

  @Test func `is never applied after a read without a key, and its closure runs on the writer`() async throws {
    let outcome = await database().transact { transaction in
      let count = try transaction.orders(after: nil, limit: 10).count
      try transaction.set("count", to: "\(count)")
      return count
    }
    #expect(try outcome.get() == 0)
    #expect(storage.planCounts == PlanCounts(withoutPlan: 1))
  }

  @Test func `sees what it wrote itself`() async throws {
    let outcome = await database().transact { transaction in
      try transaction.insert(samplePayment("1"))
      try transaction.insert(sampleOrder(1))
      var payment = try #require(try transaction.payment(paymentKey("1")))
      payment.state = .fulfilled
      try transaction.update(payment)
      return (try transaction.payment(paymentKey("1"))?.state, try transaction.order(orderKey(1)) != nil)
    }
    let (state, isThere) = try outcome.get()
    #expect(state == .fulfilled)
    #expect(isThere)
    #expect(storage.planCounts.applied == 1)
  }

  @Test func `that writes nothing is answered from its snapshot, with its value or its error`() async throws {
    struct Stop: Error {}
    #expect(try await database().transact { try $0.setting("name") }.get() == nil)
    let outcome: CommitOutcome<Void> = await database().transact { transaction in
      _ = try transaction.setting("name")
      throw Stop()
    }
    guard case .refused(is Stop) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(storage.planCounts.answeredFromSnapshot == 2)
  }

  @Test func `of a file is applied by the writer, and answered from a snapshot if it only reads`() async throws {
    try await withDatabase(.sqlite) { database, _ in
      let sqlite = try #require(database as? SQLiteDatabase)
      let before = await sqlite.planCounts
      try await database.commit { try $0.insert(samplePayment("1")) }
      #expect(try await database.transact { try $0.payment(paymentKey("1")) }.get() == samplePayment("1"))
      let counts = await sqlite.planCounts
      #expect(counts.applied == before.applied + 1)
      #expect(counts.answeredFromSnapshot == before.answeredFromSnapshot + 1)
    }
  }
}
