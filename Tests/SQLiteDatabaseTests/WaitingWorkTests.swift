import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDatabases
import Testing

@Suite struct `Work that was planned while the clock was ahead` {
  /// Some hours after the times of the other sample rows.
  private static let hour: Int64 = 3_600_000

  private func appStoreTask(_ transaction: String, createdAt: Int64, dueAt: Int64) -> AppStoreTask {
    AppStoreTask(
      payment: paymentKey(transaction), purpose: .ask, createdAt: at(createdAt), dueAt: at(dueAt))
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is due now, with its leases ended, and no other row changes`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let now = underTest.clock.now.milliseconds
      let key = paymentKey("1")
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        var ahead = sampleDelivery("d1", of: key)
        ahead.nextAttemptAt = at(now + 5 * Self.hour)
        ahead.lease = Lease(until: at(now + 6 * Self.hour), fence: 3)
        try transaction.insert(ahead)
        var parked = sampleDelivery("d2", of: key, sequence: 2)
        parked.nextAttemptAt = at(now + 5 * Self.hour)
        parked.state = .parked(at: at(now))
        try transaction.insert(parked)
      }
      let changed = try await database.transact { transaction in
        #expect(!transaction.hasWritten)
        let none = try transaction.bringForward(.deliveries(sandbox), limit: 9)
        let nothing = try transaction.bringForward(.deliveries(key.appEnvironment), limit: 0)
        return [
          none, nothing, try transaction.bringForward(.deliveries(key.appEnvironment), limit: 9),
          try transaction.bringForward(.deliveries(key.appEnvironment), limit: 9),
        ]
      }.get()
      #expect(changed == [0, 0, 1, 0])
      try await database.read { reading throws in
        let deliveries = try reading.deliveries(of: key)
        #expect(deliveries.map { $0.nextAttemptAt <= underTest.clock.now } == [true, false])
        #expect(deliveries[0].lease?.fence == 3)
        #expect(deliveries[0].lease.map { $0.until <= underTest.clock.now } == true)
        #expect(try reading.dueDeliveries(at: underTest.clock.now, in: key.appEnvironment, limit: 9).count == 1)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is distinguished from correct waiting work if the rows show it`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let now = underTest.clock.now.milliseconds
      let rows = [
        appStoreTask("1", createdAt: now - 1, dueAt: now + 600_000),
        appStoreTask("2", createdAt: now + 1, dueAt: now + 2),
        appStoreTask("3", createdAt: 0, dueAt: now + 700_000), appStoreTask("4", createdAt: 0, dueAt: now - 5),
      ]
      var (early, late, unread) = (
        AppStoreHistory(customer: paymentKey("1"), dueAt: at(now + Self.hour)),
        AppStoreHistory(customer: paymentKey("2"), dueAt: at(now + Self.hour)),
        AppStoreHistory(customer: paymentKey("3"), dueAt: at(now + 24 * 8 * Self.hour))
      )
      early.readAt = at(now - Self.hour)
      late.readAt = at(now + Self.hour)
      unread.readAt = nil
      let histories = [early, late, unread]
      try await database.commit { transaction throws in
        for row in rows { try transaction.put(row) }
        for history in histories { try transaction.put(history) }
      }
      let counts = try await database.transact { transaction in
        [
          try transaction.bringForward(.appStoreTasks, limit: 9),
          try transaction.bringForward(.histories(production), limit: 9),
          try transaction.bringForward(.orderQuestions, limit: 9),
          try transaction.bringForward(.refundQuestions, limit: 9),
          try transaction.bringForward(.forwards("game"), limit: 9),
          try transaction.bringForward(.subscriptions(production), limit: 9),
        ]
      }.get()
      #expect(counts == [2, 2, 0, 0, 0, 0])
      try await database.read { reading throws in
        let due = try reading.appStoreTasks(dueAt: underTest.clock.now, limit: 9)
        #expect(due.map(\.payment.transaction).sorted() == ["2", "3", "4"])
        let read = try reading.appStoreHistories(dueAt: underTest.clock.now, in: production, limit: 9)
        #expect(read.map(\.customer.transaction).sorted() == ["2", "3"])
      }
    }
  }
}
