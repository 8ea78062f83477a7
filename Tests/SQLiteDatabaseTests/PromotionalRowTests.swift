import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What a database keeps of promotional entitlements` {
  private let game = AppEnvironment(app: "game", environment: .production)

  private func given(
    _ key: String, to user: UserIdentifier = "alice", _ name: EntitlementName = "club", at second: Int64 = 1,
    until end: Int64
  ) -> PromotionalEntitlement {
    PromotionalEntitlement(
      appEnvironment: game, key: key, user: user, entitlement: name, givenAt: at(second), until: at(end),
      reason: "没有到账", givenBy: "cfs_a", requestDigest: "d")
  }

  private func isRefused(
    _ database: any PaymentDatabase, _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Void
  ) async -> Bool {
    if case .committed = await database.transact(body) { return false }
    return true
  }

  @Test(arguments: DatabaseKind.allCases)
  func `refuses an end before its beginning, and any change but of its user and early end`(kind: DatabaseKind)
    async throws
  {
    try await withDatabase(kind) { database, _ async throws in
      let first = given("p1", until: 9)
      try await database.commit { try $0.insert(first) }
      #expect(await isRefused(database) { try $0.insert(given("p2", at: 5, until: 5)) })
      for other in [given("p1", until: 10), given("p1", "gold", until: 9), given("p9", until: 9)] {
        #expect(await isRefused(database) { try $0.update(other) })
      }
      var ended = first
      ended.end = PromotionalEntitlement.End(at: at(4), reason: "mistake", by: "lin")
      let kept = ended
      try await database.commit { try $0.update(kept) }
      // Taken back stays taken back, with its first reason.
      var changed = ended
      changed.end = PromotionalEntitlement.End(at: at(5), reason: "other", by: "lin")
      let refused = [first, changed]
      for other in refused { #expect(await isRefused(database) { try $0.update(other) }) }
      #expect(try await database.read { try $0.promotionalEntitlement("p1", in: game) } == kept)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is each by its key, those of a user by their end, and how many were given in a time`(kind: DatabaseKind)
    async throws
  {
    try await withDatabase(kind) { database, underTest async throws in
      let rows = [
        given("p1", until: 9), given("p2", at: 2, until: 12), given("p3", to: "bob", at: 3, until: 10),
        given("p4", "gold", at: 3, until: 9), given("p5", at: 4, until: 20),
      ]
      for row in rows { try await database.commit { try $0.insert(row) } }
      var moved = rows[2]
      moved.user = "alice"
      moved.end = PromotionalEntitlement.End(at: at(4), reason: "mistake", by: "lin")
      let update = moved
      try await database.commit { try $0.update(update) }
      let again = try await underTest.reopen()
      try await again.read { reader in
        #expect(try reader.promotionalEntitlement("p3", in: game) == update)
        #expect(try reader.promotionalEntitlement("p9", in: game) == nil)
        let own = try reader.promotionalEntitlements(of: "alice", in: game, limit: 9).map(\.key)
        #expect(own == ["p5", "p2", "p3", "p4", "p1"])
        #expect(try reader.promotionalEntitlements(of: "alice", in: game, limit: 2).map(\.key) == ["p5", "p2"])
        #expect(try reader.promotionalEntitlements(of: "bob", in: game, limit: 9).isEmpty)
        #expect(
          try reader.countOfPromotionalEntitlements(givenIn: at(2)..<at(4), in: game) == [
            PromotionalCount("club", given: 2, revoked: 1), PromotionalCount("gold", given: 1, revoked: 0),
          ])
      }
    }
  }
}
