import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A notification that is passed on` {
  private static func forward(
    _ id: String, _ appEnvironment: AppEnvironment = production, at moment: Int64 = 0
  ) -> NotificationForward {
    NotificationForward(
      appEnvironment: appEnvironment, notification: id, body: #"{"signedPayload":"\#(id)"}"#, createdAt: at(moment))
  }

  private static func keep(_ forward: NotificationForward, _ transaction: any DatabaseTransaction) throws {
    try transaction.insert(
      ReceivedNotification(
        appEnvironment: forward.appEnvironment, id: forward.notification, type: "TEST", subtype: nil, signedDate: at(0),
        transaction: nil, signedPayload: "a.b.c", receivedAt: at(0), effect: .applied))
    try transaction.insert(forward)
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is refused without the notification, and with another body than before`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      #expect(await database.errorCode { try $0.insert(Self.forward("n1")) } == .inconsistent)
      #expect(await database.errorCode { try $0.update(Self.forward("n1")) } == .inconsistent)
      try await database.commit { try Self.keep(Self.forward("n1"), $0) }
      let other = NotificationForward(appEnvironment: production, notification: "n1", body: "{}", createdAt: at(0))
      #expect(await database.errorCode { try $0.update(other) } == .inconsistent)
      #expect(await database.errorCode { try $0.update(Self.forward("n1", at: 1)) } == .inconsistent)
      #expect(try await database.read { try $0.forward(of: "n1", in: production) } == Self.forward("n1"))
      #expect(try await database.read { try $0.forward(of: "n1", in: sandbox) } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is due by its time and the end of its lease, within its app only`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for forward in [
          Self.forward("b", at: 5), Self.forward("a", at: 5), Self.forward("c", sandbox, at: 1),
          Self.forward("z", otherApp),
        ] {
          try Self.keep(forward, transaction)
        }
      }
      func due(_ moment: Int64, _ limit: Int = 9) async throws -> [String] {
        try await database.read { try $0.dueForwards(at: at(moment), of: "game", limit: limit).map(\.notification) }
      }
      #expect(try await due(0) == [])
      #expect(try await due(1) == ["c"])
      #expect(try await due(5) == ["c", "a", "b"])
      #expect(try await due(5, 2) == ["c", "a"])
      #expect(try await database.read { try $0.nextForwardTime(of: "game") } == at(1))
      try await database.commit { transaction throws in
        var leased = Self.forward("c", sandbox, at: 1)
        leased.lease = Lease(until: at(8), fence: 1)
        try transaction.update(leased)
      }
      #expect(try await due(7) == ["a", "b"])
      #expect(try await due(8) == ["a", "b", "c"])
      #expect(try await database.read { try $0.nextForwardTime(of: "game") } == at(5))
      #expect(try await database.read { try $0.nextForwardTime(of: "nobody") } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `deletes its body when it is acknowledged, keeps it when it is parked, and stays after a restart`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      try await database.commit { transaction throws in
        for id in ["a", "b", "c"] { try Self.keep(Self.forward(id), transaction) }
        var parked = Self.forward("a")
        parked.lastProblem = "HTTP status 500"
        parked.attempts = 68
        parked.park(at: at(9))
        try transaction.update(parked)
        var done = Self.forward("b")
        done.acknowledge(at: at(3))
        try transaction.update(done)
      }
      let again = try await underTest.reopen()
      let open = try await again.read { try $0.openForwards(of: "game", limit: 9) }
      #expect(open.map(\.notification) == ["a", "c"])
      #expect(open.first?.state == .parked(at: at(9)) && open.first?.body != nil && open.first?.attempts == 68)
      #expect(open.first?.lastProblem == "HTTP status 500")
      let done = try await again.read { try $0.forward(of: "b", in: production) }
      #expect(done?.body == nil && done?.state == .acknowledged(at: at(3)))
      #expect(
        try await again.read { try $0.forwardBacklog(of: "game") }
          == DeliveryBacklog(pending: 1, parked: 1, oldestPending: at(0)))
      #expect(
        try await again.read { try $0.dueForwards(at: at(99), of: "game", limit: 9) }.map(\.notification) == ["c"])
    }
  }
}
