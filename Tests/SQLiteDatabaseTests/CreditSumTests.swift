import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDatabases
import Testing

@Suite struct `What a database sums of credits` {
  private func booking(
    _ key: String, _ kind: Booking.Kind = .credit, amount: Int64 = 10, unit: UnitName = "coin", at moment: Timestamp,
    of user: UserIdentifier = "alice", in appEnvironment: AppEnvironment = production
  ) -> Booking {
    Booking(
      appEnvironment: appEnvironment, key: key, user: user, unit: unit, kind: kind, amount: amount, requestDigest: "d",
      at: moment)
  }

  @Test(arguments: DatabaseKind.allCases)
  func `has no debit, no write-off, no merge, nothing of another time or place`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      for other in Booking.Kind.allCases where other != .credit {
        let row = booking(other.rawValue, other, at: at(5))
        try await database.commit { try $0.insert(row) }
      }
      let rows = [
        booking("early", at: at(4)), booking("late", at: at(9)), booking("sandbox", at: at(5), in: sandbox),
        booking("other", at: at(5), in: otherApp),
      ]
      for row in rows { try await database.commit { try $0.insert(row) } }
      #expect(try await database.read { try $0.sumsOfCredits(givenIn: at(5)..<at(9), in: production) } == [])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is by unit, of all users, and stays at the greatest number where it would exceed 64 bits`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let rows = [
        booking("a", at: at(5)), booking("b", amount: 7, at: at(8), of: "bob"),
        booking("c", amount: 3, unit: "Gem", at: at(6)), booking("d", amount: .max, unit: "star", at: at(6)),
        booking("e", amount: .max, unit: "star", at: at(6), of: "bob"),
      ]
      for row in rows { try await database.commit { try $0.insert(row) } }
      let reopened = try await underTest.reopen()
      let sums = try await reopened.read { try $0.sumsOfCredits(givenIn: at(5)..<at(9), in: production) }
      #expect(
        sums == [
          CreditSum("Gem", count: 1, amount: 3), CreditSum("coin", count: 2, amount: 17),
          CreditSum("star", count: 2, amount: .max),
        ])
    }
  }
}
