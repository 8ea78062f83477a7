import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The report of a phone` {
  private func report(_ id: UInt64, at moment: Timestamp, _ counts: [String: Int64] = ["orphan": 2]) -> PhoneReport {
    PhoneReport(id: OrderIdentifier(high: 0, low: id), in: production, at: moment, counts: counts)
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is added to the sums of its day, and is unique for as long as it may be repeated`(
    kind: DatabaseKind
  ) async throws {
    let first = at(0)
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(report(1, at: first))
        try transaction.insert(report(2, at: first + .hours(1), ["orphan": 3, "recovered": 1]))
        try transaction.insert(report(3, at: first + .days(2)))
      }
      let days = [first + .days(2), first].map(\.utcDay)
      try await database.read { reading throws in
        func sums(_ from: String = "0000-00-00", _ limit: Int = 9, _ place: AppEnvironment = production) throws
          -> [String]
        {
          try reading.phoneCounts(from: from, to: "9999-99-99", in: place, limit: limit)
            .map { "\($0.day) \($0.kind) \($0.count)" }
        }
        #expect(try sums() == ["\(days[0]) orphan 2", "\(days[1]) orphan 5", "\(days[1]) recovered 1"])
        #expect(try sums("0000-00-00", 1) == ["\(days[0]) orphan 2"] && sums(days[0]).count == 1)
        #expect(try sums("0000-00-00", -1) == [] && sums("0000-00-00", 9, sandbox) == [])
        #expect(try reading.hasPhoneReport(OrderIdentifier(high: 0, low: 1), in: production))
        #expect(try !reading.hasPhoneReport(OrderIdentifier(high: 0, low: 1), in: sandbox))
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is forgotten when no phone repeats it any more, and its counts stay`(kind: DatabaseKind) async throws {
    let first = at(0)
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in try transaction.insert(report(1, at: first)) }
      func knows(_ id: UInt64, after last: TimeSpan) async throws -> Bool {
        try await database.commit { transaction throws in
          try transaction.insert(report(9 + UInt64(last.milliseconds), at: first + last))
        }
        return try await database.read { try $0.hasPhoneReport(OrderIdentifier(high: 0, low: id), in: production) }
      }
      #expect(try await knows(1, after: PhoneReport.remembered))
      #expect(try await !knows(1, after: .milliseconds(PhoneReport.remembered.milliseconds + 1000)))
      let sums = try await database.read {
        try $0.phoneCounts(from: first.utcDay, to: first.utcDay, in: production, limit: 9)
      }
      #expect(sums.map(\.count) == [2])
    }
  }
}
