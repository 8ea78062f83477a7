import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The journal of a database, as a feed` {
  private static func entry(_ number: Int, in appEnvironment: AppEnvironment = production) -> JournalEntry {
    JournalEntry(
      .orderCreated, in: appEnvironment, at: at(Int64(number)), order: nil, payment: nil,
      details: #"{"number":\(number)}"#)
  }

  private static func page(
    _ database: any PaymentDatabase, after number: Int64 = 0, upTo end: Int64 = .max, limit: Int = 99
  ) async throws -> JournalPage {
    try await database.read {
      try $0.journal(JournalQuery(appEnvironment: production, after: number, upTo: end, limit: limit))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `has nothing of another app or environment, and passes over it`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      #expect(try await Self.page(database) == JournalPage(entries: [], last: nil))
      try await database.commit { transaction throws in
        try transaction.insert(Self.entry(1))
        try transaction.insert(Self.entry(2, in: sandbox))
        try transaction.insert(Self.entry(3, in: otherApp))
      }
      let page = try await Self.page(database)
      #expect(page.entries.map(\.entry) == [Self.entry(1)])
      #expect(page.last?.entry == Self.entry(3, in: otherApp))
      let rest = try await Self.page(database, after: try #require(page.last).number)
      #expect(rest == JournalPage(entries: [], last: nil))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is read page by page, each entry once and in its order, and none past the end that is asked for`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      for number in 1...7 { try await database.commit { try $0.insert(Self.entry(number)) } }
      var (seen, number): ([JournalEntry], Int64) = ([], 0)
      while let last = try await Self.page(database, after: number, limit: 3).last {
        seen += try await Self.page(database, after: number, limit: 3).entries.map(\.entry)
        number = last.number
      }
      #expect(seen == (1...7).map { Self.entry($0) })
      let third = try await Self.page(database, limit: 3).entries[2].number
      #expect(try await Self.page(database, upTo: third).entries.count == 3)
      #expect(try await Self.page(database, after: third, upTo: third) == JournalPage(entries: [], last: nil))
      #expect(try await Self.page(database, limit: 0).entries == [])
      #expect(try await database.read { try $0.firstJournalEntry(from: third)?.entry } == Self.entry(3))
      #expect(try await database.read { try $0.firstJournalEntry(from: 0)?.entry } == Self.entry(1))
      #expect(try await database.read { try $0.firstJournalEntry(from: .max) } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `looks through so many entries at once, and tells where it stopped`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let count = JournalQuery.scanMax + 2
      try await database.commit { transaction throws in
        for number in 1..<count { try transaction.insert(Self.entry(number, in: sandbox)) }
        try transaction.insert(Self.entry(count))
      }
      let page = try await Self.page(database)
      #expect(page.entries.isEmpty)
      let last = try #require(page.last)
      #expect(last.entry == Self.entry(JournalQuery.scanMax, in: sandbox))
      #expect(try await Self.page(database, after: last.number).entries.map(\.entry) == [Self.entry(count)])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `tells the user and the number of the order`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let order = sampleOrder(1) { $0.reference = Reference("M-1", from: .app) }
      try await database.commit { transaction throws in
        try transaction.insert(order)
        try transaction.insert(
          JournalEntry(.orderCreated, in: production, at: at(1), order: order.key.id, payment: nil))
        try transaction.insert(JournalEntry(.orderCreated, in: sandbox, at: at(1), order: order.key.id, payment: nil))
      }
      let first = try #require(try await database.read { try $0.firstJournalEntry(from: 0) })
      #expect(first.user == order.user && first.reference == Reference("M-1", from: .app))
      // The sandbox has no order of that id.
      let second = try await database.read { try $0.firstJournalEntry(from: first.number + 1) }
      #expect(second?.user == nil && second?.reference == nil && second != nil)
    }
  }
}

@Suite struct `What is settled of a feed` {
  private static func look(
    _ journal: Int64, _ writers: Set<String> = [], deliveries: Int64 = 0, server: String = "s"
  ) -> FeedLook {
    FeedLook(ends: FeedEnds(journal: journal, deliveries: deliveries), writers: writers, server: server)
  }

  private static func settled(_ looks: FeedLook...) -> [Int64?] {
    var settlement = FeedSettlement()
    return looks.map { settlement.receive($0)?.journal }
  }

  @Test func `is nothing while a transaction of then still writes, whoever else has ended`() {
    #expect(Self.settled(Self.look(7, ["a", "b"]), Self.look(9, ["a"]), Self.look(9, ["a", "c"])) == [nil, nil, nil])
  }

  @Test func `is what was seen then, once those who wrote then have ended; not what later ones wrote`() {
    #expect(Self.settled(Self.look(7, ["a", "b"]), Self.look(9, ["a", "c"]), Self.look(12, ["c"])) == [nil, nil, 7])
  }

  @Test func `is all that is seen while nobody writes`() {
    #expect(Self.settled(Self.look(7)) == [7])
    #expect(Self.settled(Self.look(.max)) == [.max])
  }

  @Test func `begins anew on another server, and where rows are gone`() {
    #expect(Self.settled(Self.look(7, ["a"]), Self.look(9, ["b"], server: "t"), Self.look(9)) == [nil, nil, 9])
    #expect(Self.settled(Self.look(7, ["a"]), Self.look(6, ["b"]), Self.look(6, ["c"])) == [nil, nil, 6])
    let fewer = Self.look(7, ["a"], deliveries: 1)
    #expect(Self.settled(Self.look(7, ["b"], deliveries: 2), fewer, fewer) == [nil, nil, nil])
  }
}
