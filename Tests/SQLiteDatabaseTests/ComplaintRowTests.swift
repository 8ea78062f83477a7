import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What a database keeps of complaints` {
  private let game = AppEnvironment(app: "game", environment: .production)

  private func complaint(
    _ id: String, opened second: Int64, begun: Int64? = nil, done: Int64? = nil, of user: UserIdentifier? = nil
  ) -> Complaint {
    var complaint = Complaint(
      appEnvironment: game, id: id, openedAt: at(second), state: done == nil ? "PENDING" : "PROCESSED",
      facts: "{\"text\":\"没有到账\"}", signedDate: at(second))
    (complaint.begunAt, complaint.doneAt, complaint.user) = (at(begun ?? second), done.map { at($0) }, user)
    complaint.order = user.map { _ in OrderIdentifier(high: 7, low: UInt64(second)) }
    return complaint
  }

  @Test(arguments: DatabaseKind.allCases)
  func `refuses another moment of opening for the same number`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { try $0.put(complaint("c1", opened: 1)) }
      if case .committed = await database.transact({ try $0.put(complaint("c1", opened: 2)) }) {
        Issue.record("It was replaced.")
      }
      #expect(try await database.read { try $0.complaint("c1", in: game) } == complaint("c1", opened: 1))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is each complaint, those that are open by their deadline, and those of a user`(kind: DatabaseKind) async throws
  {
    try await withDatabase(kind) { database, underTest async throws in
      let rows = [
        complaint("c1", opened: 1, begun: 9), complaint("c2", opened: 2, of: "alice"),
        complaint("c3", opened: 3, done: 5, of: "alice"), complaint("c4", opened: 3),
      ]
      for row in rows { try await database.commit { try $0.put(row) } }
      var answered = rows[1]
      (answered.answeredAt, answered.state, answered.times, answered.awaitsReply) = (at(6), "a new word", 2, true)
      answered.history = "[1]"
      try await database.commit { [answered] in try $0.put(answered) }
      let again = try await underTest.reopen()
      try await again.read { [answered] reader throws in
        #expect(try reader.complaint("c2", in: game) == answered)
        #expect(try reader.openComplaints(in: game, limit: 9).map(\.id) == ["c2", "c4", "c1"])
        #expect(try reader.openComplaints(in: game, limit: 1).map(\.id) == ["c2"])
        #expect(try reader.complaints(in: game, before: nil, limit: 9).map(\.id) == ["c4", "c3", "c2", "c1"])
        #expect(try reader.complaints(in: game, before: (at(3), "c4"), limit: 2).map(\.id) == ["c3", "c2"])
        #expect(try reader.complaints(of: "alice", in: game, limit: 9).map(\.id) == ["c3", "c2"])
        let other = AppEnvironment(app: "other", environment: .production)
        #expect(try reader.complaints(in: other, before: nil, limit: 9).isEmpty)
        #expect(try reader.openComplaints(in: other, limit: 9).isEmpty && reader.complaint("c1", in: other) == nil)
      }
    }
  }
}
