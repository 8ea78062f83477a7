import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What a database keeps for requests to Apple` {
  private func appStoreTask(
    _ transaction: String, _ purpose: AppStoreTask.Purpose = .ask, dueAt: Int64
  ) -> AppStoreTask {
    AppStoreTask(payment: paymentKey(transaction), purpose: purpose, createdAt: at(0), dueAt: at(dueAt))
  }

  @Test(arguments: DatabaseKind.allCases)
  func `exists once for a transaction and purpose, in the order of its due time, until it is done`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let rows = [appStoreTask("2", dueAt: 5), appStoreTask("1", dueAt: 5), appStoreTask("1", .finish, dueAt: 3)]
      try await database.commit { transaction throws in
        for row in rows { try transaction.put(row) }
      }
      var again = appStoreTask("2", dueAt: 9)
      again.tries = 3
      again.claim = "{}"
      again.shown = "[]"
      let later = again
      try await database.commit { try $0.put(later) }
      let reopened = try await underTest.reopen()
      try await reopened.read { reading throws in
        #expect(try reading.appStoreTasks(dueAt: at(5), limit: 9) == [rows[2], rows[1]])
        #expect(try reading.appStoreTasks(dueAt: at(9), limit: 9).last == later)
        #expect(try reading.appStoreTasks(dueAt: at(9), limit: 1) == [rows[2]])
        #expect(try reading.nextAppStoreTask() == at(3))
        #expect(try reading.appStoreTask(.setToken, about: paymentKey("1")) == nil)
      }
      try await reopened.commit { transaction throws in
        try transaction.remove(.finish, about: paymentKey("1"))
        try transaction.remove(.finish, about: paymentKey("nobody"))
      }
      try await reopened.read { reading throws in
        #expect(try reading.nextAppStoreTask() == at(5))
        #expect(try reading.appStoreTask(.ask, about: paymentKey("1")) == rows[1])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `keeps the text of a receipt once, and how far each history was read`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let digest = String(repeating: "a", count: 64)
      try await database.commit { transaction throws in
        try transaction.keepReceipt("first", digest: digest, at: at(1))
        try transaction.keepReceipt("second", digest: digest, at: at(2))
      }
      #expect(await database.errorCode { try $0.keepReceipt("x", digest: "a", at: at(1)) } == .inconsistent)
      var read = AppStoreHistory(customer: paymentKey("1"), dueAt: at(4))
      let unread = read
      try await database.commit { try $0.put(unread) }
      read.revision = "r1"
      read.readAt = at(4)
      read.dueAt = at(8)
      let known = read
      let other = AppStoreHistory(customer: paymentKey("1", sandbox), dueAt: at(2))
      try await database.commit { transaction throws in
        try transaction.put(known)
        try transaction.put(other)
      }
      let reopened = try await underTest.reopen()
      try await reopened.read { reading throws in
        #expect(try reading.receipt(digest: digest) == "first")
        #expect(try reading.receipt(digest: String(repeating: "b", count: 64)) == nil)
        #expect(try reading.appStoreHistory(of: paymentKey("1")) == known)
        #expect(try reading.appStoreHistories(dueAt: at(7), in: production, limit: 9) == [])
        #expect(try reading.appStoreHistories(dueAt: at(8), in: production, limit: 9) == [known])
        #expect(try reading.appStoreHistories(dueAt: at(8), in: sandbox, limit: 9) == [other])
      }
    }
  }
}
