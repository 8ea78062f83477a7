import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDatabases
import Testing

extension DatabaseTransaction {
  /// Takes due deliveries and leases them, as a worker does.
  fileprivate func leaseDeliveries(_ limit: Int) throws -> [DeliveryIdentifier] {
    try takeDeliveries(in: production, limit: limit).map { taken in
      var delivery = taken
      delivery.lease = Lease(until: now + .seconds(45), fence: (taken.lease?.fence ?? 0) + 1)
      try update(delivery)
      return delivery.id
    }
  }
}

@Suite struct `Due work that is taken` {
  private func insertDeliveries(_ count: Int, _ database: any PaymentDatabase, due: Timestamp) async throws {
    try await database.commit { transaction throws in
      for number in 0..<count {
        try transaction.insert(samplePayment("\(number)"))
        var delivery = sampleDelivery(DeliveryIdentifier("d\(number)"), of: paymentKey("\(number)"))
        delivery.nextAttemptAt = due
        try transaction.insert(delivery)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is taken by nobody before its time by the database's clock, and by nobody twice`(kind: DatabaseKind)
    async throws
  {
    try await withDatabase(kind) { database, underTest async throws in
      let now = underTest.clock.now
      try await insertDeliveries(2, database, due: now + .seconds(1))
      #expect(try await database.commit { try $0.leaseDeliveries(10) } == [])
      underTest.clock.advance(by: .seconds(1))
      #expect(try await database.commit { try $0.leaseDeliveries(10) } == ["d0", "d1"])
      #expect(try await database.commit { try $0.leaseDeliveries(10) } == [])
      underTest.clock.advance(by: .seconds(45))
      #expect(try await database.commit { try $0.leaseDeliveries(1) } == ["d0"])
      let fence = try await database.read { try $0.delivery("d0")?.lease?.fence }
      #expect(fence == 2)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is taken once, however many workers take at the same time`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      try await insertDeliveries(60, database, due: underTest.clock.now)
      let taken = try await withThrowingTaskGroup(of: [DeliveryIdentifier].self) { group in
        for _ in 0..<20 { group.addTask { try await database.commit { try $0.leaseDeliveries(5) } } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(Set(taken).count == taken.count)
      // Whoever came last may have found the rows of others only: what is left is taken now.
      let rest = try await database.commit { try $0.leaseDeliveries(60) }
      #expect(Set(taken + rest).count == 60)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is the same that a list of it shows`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let now = underTest.clock.now
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        var task = AppStoreTask(payment: paymentKey("1"), purpose: .ask, createdAt: now, dueAt: now)
        task.tries = 3
        try transaction.put(task)
        var order = sampleOrder(1)
        order.expiresAt = now
        try transaction.insert(order)
      }
      let (tasks, orders, refunds) = try await database.commit { transaction throws in
        (
          try transaction.takeAppStoreTasks(limit: 10), try transaction.takeOrdersToExpire(limit: 10),
          try transaction.takeRefunds(limit: 10)
        )
      }
      let listed = try await database.read { reader throws in
        (try reader.appStoreTasks(dueAt: now, limit: 10), try reader.ordersToExpire(at: now, limit: 10))
      }
      #expect(tasks == listed.0 && tasks.count == 1)
      #expect(orders == listed.1 && orders.count == 1)
      #expect(refunds.isEmpty)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `may be written beside rows that the taker reads, as in any transaction`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      try await insertDeliveries(3, database, due: underTest.clock.now)
      try await database.commit { try $0.set("count", to: "1") }
      let count = try await database.commit { transaction throws in
        let taken = try transaction.leaseDeliveries(2)
        let before = try transaction.setting("count").flatMap { Int($0) } ?? 0
        try transaction.set("count", to: "\(before + taken.count)")
        return try transaction.setting("count")
      }
      #expect(count == "3")
      #expect(try await database.read { try $0.setting("count") } == "3")
    }
  }
}
