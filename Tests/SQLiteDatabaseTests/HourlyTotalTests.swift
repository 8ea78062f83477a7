import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The hourly totals of a database` {
  private static let hour: Int64 = 3_600_000

  private static func total(
    _ hour: Int64, _ what: String = "order.paid", _ currency: String = "CNY", count: Int64 = 1, amount: Int64 = 0,
    in place: AppEnvironment = production
  ) -> HourlyTotal {
    HourlyTotal(
      HourlyTotal.Key(place, hour: hour, what: what, currency: currency), count: count, amount: amount)
  }

  private static func totals(
    _ database: any PaymentDatabase, _ hours: Range<Int64> = 0..<99, in place: AppEnvironment = production
  ) async throws -> [HourlyTotal] {
    try await database.read { try $0.hourlyTotals(in: hours, of: place) }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `never leave 64 bits, however much is added`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      for _ in 0..<3 { try await database.commit { try $0.add([Self.total(1, amount: HourlyTotal.amountMax)]) } }
      #expect(try await Self.totals(database) == [Self.total(1, count: 3, amount: HourlyTotal.amountMax)])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are added up by app, environment, hour, name and currency, and listed in that order`(kind: DatabaseKind)
    async throws
  {
    try await withDatabase(kind) { database, underTest async throws in
      try await database.commit { transaction throws in
        try transaction.add([
          Self.total(2, "payment.held"), Self.total(2, "order.paid", "USD", amount: 990), Self.total(1, amount: 5),
          Self.total(1, in: sandbox), Self.total(1, in: otherApp),
        ])
      }
      try await database.commit { try $0.add([Self.total(1, count: 2, amount: 7), Self.total(2, amount: 6)]) }
      let again = try await underTest.reopen()
      let all = [
        Self.total(1, count: 3, amount: 12), Self.total(2, amount: 6), Self.total(2, "order.paid", "USD", amount: 990),
        Self.total(2, "payment.held"),
      ]
      #expect(try await Self.totals(again) == all)
      #expect(try await Self.totals(again, 2..<3) == Array(all.dropFirst()))
      #expect(try await Self.totals(again, 3..<9) == [])
      #expect(try await Self.totals(again, in: sandbox) == [Self.total(1, in: sandbox)])
    }
  }

  private static func entry(_ event: JournalEvent, _ second: Int64, payment: PaymentKey? = nil) -> JournalEntry {
    JournalEntry(event, in: production, at: at(second * 1000), order: nil, payment: payment)
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are counted from blocks of the journal, which pass over what is not counted and past no end`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let price = StatedPrice(milliunits: 6000, currency: "CNY")
      let empty = try await database.read {
        try $0.countedRows(of: .journal, after: 0, upTo: .max, limit: 9)
      }
      #expect(empty == CountedBlock(rows: [], last: nil, hasMore: false))
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1") { $0.facts.price = price })
        try transaction.insert(Self.entry(.orderCreated, 1))
        try transaction.insert(Self.entry(.payment(.fulfilled), 2, payment: paymentKey("1")))
        try transaction.insert(Self.entry(.orderPaid, 3))
        try transaction.insert(Self.entry(.paymentUpdateKept, 4))
      }
      try await database.read { reader throws in
        let first = try #require(try reader.firstCountedRow(of: .journal, from: 0))
        #expect(first.at == at(1000))
        let block = try reader.countedRows(of: .journal, after: 0, upTo: .max, limit: 2)
        #expect(block.rows == [CountedRow("payment.fulfilled", in: production, at: at(2000), price: price)])
        #expect(block.hasMore)
        let second = try #require(block.last)
        let rest = try reader.countedRows(of: .journal, after: second, upTo: .max, limit: 9)
        #expect(rest.rows == [CountedRow("order.paid", in: production, at: at(3000), price: nil)] && !rest.hasMore)
        let last = try #require(rest.last)
        #expect(try reader.firstCountedRow(of: .journal, from: last)?.at == at(4000))
        #expect(try reader.firstCountedRow(of: .journal, from: last + 1) == nil)
        let none = try reader.countedRows(of: .journal, after: last, upTo: .max, limit: 9)
        #expect(none == CountedBlock(rows: [], last: nil, hasMore: false))
        let upTo = try reader.countedRows(of: .journal, after: 0, upTo: second, limit: 9)
        #expect(upTo.last == second && !upTo.hasMore)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `have beside them the counted deliveries that are not acknowledged now`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let states: [(String, Int64, Delivery.State)] = [
        ("a", 1, .pending), ("b", 1, .acknowledged(at: at(5))), ("c", 1, .parked(at: at(5))), ("d", 2, .pending),
        ("e", 2, .pending), ("f", 9, .pending),
      ]
      try await database.commit { transaction throws in
        for (id, hour, state) in states {
          try transaction.insert(samplePayment(id))
          try transaction.insert(
            sampleDelivery(DeliveryIdentifier(id), of: paymentKey(id), createdAt: at(hour * Self.hour)) {
              $0.state = state
            })
        }
      }
      try await database.read { reader throws in
        let block = try reader.countedRows(of: .deliveries, after: 0, upTo: .max, limit: 4)
        #expect(block.rows.map(\.what) == Array(repeating: "delivery.made", count: 4) && block.hasMore)
        let all = try reader.openDeliveries(in: 1..<9, upTo: .max, of: production)
        let parked = OpenDeliveries(hour: 1, isParked: true, count: 1)
        let first = OpenDeliveries(hour: 1, isParked: false, count: 1)
        #expect(all == [first, OpenDeliveries(hour: 2, isParked: false, count: 2), parked])
        let counted = try reader.openDeliveries(in: 1..<9, upTo: try #require(block.last), of: production)
        #expect(counted == [first, OpenDeliveries(hour: 2, isParked: false, count: 1), parked])
        #expect(try reader.openDeliveries(in: 1..<9, upTo: .max, of: sandbox) == [])
      }
    }
  }
}
