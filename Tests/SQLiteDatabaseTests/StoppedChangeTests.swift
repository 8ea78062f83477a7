import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What a database keeps of stopped changes` {
  private func stopped(
    _ transaction: String, _ statement: String, first: Int64, next: Int64
  ) -> StoppedChange {
    StoppedChange(
      payment: paymentKey(transaction), statement: statement, kind: .brokenRule, found: "found", content: "{}",
      evidence: "a.b.c", origin: .notification, at: at(first), nextAttemptAt: at(next))
  }

  @Test(arguments: DatabaseKind.allCases)
  func `exists once per id and statement, and keeps its first data`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      var row = stopped("1", "s", first: 5, next: 9)
      row.invariant = .grantHasPayment
      row.orders = [OrderIdentifier(high: 1, low: 2), OrderIdentifier(high: 3, low: 4)]
      row.presentations = ["{}", "line\nend"]
      let first = row
      try await database.commit { try $0.put(first) }
      var again = StoppedChange(
        payment: paymentKey("1"), statement: "s", kind: .noPlan, found: "other", content: "[]", evidence: "x",
        origin: .client, at: at(7), nextAttemptAt: at(20))
      again.attempts = 3
      let later = again
      try await database.commit { try $0.put(later) }
      let reopened = try await underTest.reopen()
      try await reopened.read { reading throws in
        let kept = try #require(try reading.stoppedChanges(of: paymentKey("1")).first)
        #expect(kept.evidence == "a.b.c" && kept.origin == .notification && kept.content == "[]")
        #expect(kept.firstSeenAt == at(5) && kept.lastSeenAt == at(7) && kept.nextAttemptAt == at(20))
        #expect(kept.kind == .noPlan && kept.found == "other" && kept.attempts == 3 && kept.orders == [])
        #expect(try reading.stoppedChanges(of: paymentKey("2")) == [])
      }
      try await reopened.commit { transaction throws in
        try transaction.remove(later)
        try transaction.remove(later)
      }
      try await reopened.read { reading throws in
        #expect(try reading.nextStoppedChange() == nil)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is found by its time, its app environment and its orders`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      var row = stopped("2", "a", first: 1, next: 8)
      row.orders = [OrderIdentifier(high: 1, low: 2)]
      let rows = [row, stopped("1", "b", first: 2, next: 4), stopped("1", "a", first: 2, next: 4)]
      try await database.commit { transaction throws in
        for row in rows { try transaction.put(row) }
      }
      try await database.read { reading throws in
        #expect(try reading.stoppedChanges(dueAt: at(4), limit: 9) == [rows[2], rows[1]])
        #expect(try reading.stoppedChanges(dueAt: at(8), limit: 2) == [rows[2], rows[1]])
        let appEnvironment = paymentKey("1").appEnvironment
        #expect(try reading.stoppedChanges(in: appEnvironment, limit: 9) == [rows[0], rows[2], rows[1]])
        #expect(try reading.nextStoppedChange() == at(4))
        let order = OrderKey(appEnvironment: appEnvironment, id: OrderIdentifier(high: 1, low: 2))
        #expect(try reading.stoppedChanges(naming: order) == [rows[0]])
        let other = OrderKey(appEnvironment: appEnvironment, id: OrderIdentifier(high: 1, low: 3))
        #expect(try reading.stoppedChanges(naming: other) == [])
        let counts = try reading.countOfStoppedChanges(in: appEnvironment)
        #expect(counts.map(\.kind) == [.brokenRule] && counts.map(\.count) == [3])
      }
    }
  }
}
