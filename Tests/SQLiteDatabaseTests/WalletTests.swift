import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import TestDatabases
import Testing

/// A booking of alice in production, changed by the closure.
private func booking(
  _ key: String, _ kind: Booking.Kind = .debit, amount: Int64 = 10, of user: UserIdentifier = "alice",
  in appEnvironment: AppEnvironment = production
) -> Booking {
  Booking(
    appEnvironment: appEnvironment, key: key, user: user, unit: "coin", kind: kind, amount: amount, requestDigest: "d",
    at: at(7))
}

/// The error code of a refused booking.
private func errorCode(of booking: Booking, by database: any PaymentDatabase) async -> DatabaseErrorCode? {
  await database.errorCode { try $0.insert(booking) }
}

@Suite struct `The wallets of a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `refuse a booking that moves nothing, and one beyond 64 bits`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      for amount in [0, -1, Int64.min] {
        #expect(await errorCode(of: booking("a", amount: amount), by: database) == .inconsistent)
      }
      try await database.commit { try $0.insert(booking("a", amount: .max)) }
      #expect(await errorCode(of: booking("b", amount: 2), by: database) == .balanceOutOfRange)
      #expect(try await database.read { try $0.booking("b", in: production) } == nil)
      #expect(try await database.read { try $0.balance(of: "alice", unit: "coin", in: production)?.amount } == -.max)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `refuse the posting of a booking without the booking`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      #expect(await database.errorCode { try $0.insert(booking("a").posting) } == .inconsistent)
      #expect(try await database.read { try $0.balances(after: nil, limit: 9) } == [])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `accept each booking once by its key in an app environment, with its posting`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let rows = [
        booking("a", .debtWrittenOff, amount: 30), booking("b"), booking("a", in: sandbox),
        booking("a", .debtWrittenOff, amount: 5, of: "bob", in: otherApp),
      ]
      #expect(try await database.read { try $0.hasBookings(in: production) } == false)
      for row in rows { try await database.commit { try $0.insert(row) } }
      // Another user's booking under the same key is the same booking.
      #expect(await errorCode(of: booking("a", of: "bob"), by: database) == .contended)
      let reopened = try await underTest.reopen()
      try await reopened.read { reading throws in
        for row in rows { #expect(try reading.booking(row.key, in: row.appEnvironment) == row) }
        #expect(try reading.booking("c", in: production) == nil)
        #expect(try reading.hasBookings(in: production))
        #expect(try reading.balances(after: nil, limit: 9).map(\.amount) == [20, -10, 5])
        #expect(try reading.sumOfPostings(of: "alice", unit: "coin", in: production) == 20)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `let no two debits at the same time spend the same units`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { try $0.insert(booking("start", .debtWrittenOff, amount: 100)) }
      let taken = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<40 {
          group.addTask {
            let outcome = await database.transact { transaction throws in
              let balance = try transaction.balance(of: "alice", unit: "coin", in: production)?.amount ?? 0
              guard balance >= 30 else { throw ClosureError(word: "too little") }
              try transaction.insert(booking("debit \(number)", amount: 30))
            }
            if case .committed = outcome { return true } else { return false }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(taken == 3)
      try await database.read { reading throws in
        #expect(try reading.balance(of: "alice", unit: "coin", in: production)?.amount == 10)
        #expect(try reading.sumOfPostings(of: "alice", unit: "coin", in: production) == 10)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `list the postings of a balance newest first, each with its cause, page by page`(kind: DatabaseKind) async throws
  {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      let spent = booking("b", amount: 3)
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(samplePosting(key))
        try transaction.insert(samplePosting(key, "bob's", to: "bob"))
        try transaction.insert(spent)
        try transaction.insert(samplePosting(key, "gems", unit: "gem"))
        try transaction.insert(samplePosting(key, "more", amount: 1))
      }
      try await database.read { reading throws in
        let all = try reading.entries(of: "alice", unit: "coin", in: production, before: nil, limit: 9)
        #expect(all.map(\.posting.cause) == ["more", "debit", "grant"])
        #expect(all.map(\.booking) == [nil, spent, nil])
        #expect(all[1].posting == spent.posting)
        #expect(all[2].posting == samplePosting(key))
        let page = try reading.entries(of: "alice", unit: "coin", in: production, before: nil, limit: 2)
        #expect(page == Array(all.prefix(2)))
        #expect(
          try reading.entries(of: "alice", unit: "coin", in: production, before: nil, limit: 1) == [all[0]])
        let rest = try reading.entries(
          of: "alice", unit: "coin", in: production, before: page.last?.number, limit: 2)
        #expect(rest == [all[2]])
        #expect(try reading.entries(of: "alice", unit: "coin", in: sandbox, before: nil, limit: 9) == [])
        #expect(try reading.entries(of: "alice", unit: "coin", in: production, before: nil, limit: -1) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `freeze a balance below zero alone, until a posting brings it back to zero`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      func frozen() async throws -> Timestamp? {
        try await database.read { try $0.balance(of: "alice", unit: "coin", in: production)?.frozenSince }
      }
      @Sendable func freeze(_ transaction: any DatabaseTransaction) throws {
        try transaction.freezeBalance(of: "alice", unit: "coin", in: production)
      }
      try await database.commit { try freeze($0) }
      #expect(try await database.read { try $0.balances(after: nil, limit: 9) } == [])
      try await database.commit { transaction throws in
        try transaction.insert(booking("a", .debtWrittenOff, amount: 10))
        try freeze(transaction)
      }
      #expect(try await frozen() == nil)
      try await database.commit { transaction throws in
        try transaction.insert(booking("b", amount: 30))
        try freeze(transaction)
      }
      let since = try #require(try await frozen())
      underTest.clock.set(underTest.clock.now + .hours(1))
      try await database.commit { transaction throws in
        try freeze(transaction)
        try transaction.insert(booking("c", .debtWrittenOff, amount: 19))
      }
      #expect(try await frozen() == since)
      try await database.commit { try $0.insert(booking("d", .debtWrittenOff, amount: 1)) }
      #expect(try await frozen() == nil)
      #expect(try await database.read { try $0.balances(of: "alice", in: production).map(\.amount) } == [0])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `sum both sides of each unit, even if a partial sum exceeds 64 bits`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(samplePosting(key, "1", amount: .max))
        try transaction.insert(samplePosting(key, "2", amount: .max, to: "bob"))
        try transaction.insert(samplePosting(key, "3", amount: .max, to: "carol"))
        try transaction.insert(samplePosting(key, "4", amount: 3, unit: "gem"))
        try transaction.insert(booking("a", amount: 40))
        try transaction.insert(booking("a", .debtWrittenOff, amount: 5, in: otherApp))
      }
      try await database.read { reading throws in
        let sums = try reading.ledgerSums(of: nil)
        #expect(sums.map(\.unit) == ["coin", "gem", "coin"])
        #expect(sums.map(\.appEnvironment) == [production, production, otherApp])
        #expect(sums.map(\.isEven) == [true, true, true])
        #expect(sums.map(\.balances) == [Int64.max &* 3 - 40, 3, 5])
        #expect(try reading.ledgerSums(of: "other") == [sums[2]])
        #expect(try reading.ledgerSums(of: "nobody") == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `count the granted and refunded units of a user, per environment`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (name, takenBack, appEnvironment) in [
          ("1", 0, production), ("2", 40, production), ("3", 100, production), ("4", 100, sandbox),
        ] as [(String, Int64, AppEnvironment)] {
          let key = paymentKey(name, appEnvironment)
          try transaction.insert(samplePayment(key))
          var grant = sampleGrant(key)
          grant.takenBack = takenBack
          try transaction.insert(grant)
        }
        try transaction.insert(samplePayment("5"))
        var entitlement = sampleGrant(paymentKey("5"), .entitlement("vip", from: at(0), until: nil))
        entitlement.takenBack = 1
        try transaction.insert(entitlement)
      }
      try await database.read { reading throws in
        let ratio = try reading.refundRatio(of: "alice", in: production)
        #expect(ratio == RefundRatio(granted: 4, refunded: 3, refundedWholly: 2))
        #expect(ratio.permille == 750)
        #expect(try reading.refundRatio(of: "bob", in: production).permille == 0)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `keep the latest consent of each user, per app`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func word(_ isGiven: Bool, _ moment: Int64, appEnvironment: AppEnvironment = production)
        -> ConsumptionConsent
      {
        ConsumptionConsent(appEnvironment: appEnvironment, user: "alice", isGiven: isGiven, at: at(moment))
      }
      try await database.commit { try $0.put(word(true, 1)) }
      try await database.commit { try $0.put(word(true, 1, appEnvironment: otherApp)) }
      try await database.commit { try $0.put(word(false, 2)) }
      try await database.read { reading throws in
        #expect(try reading.consumptionConsent(of: "alice", in: production) == word(false, 2))
        #expect(try reading.consumptionConsent(of: "alice", in: otherApp) == word(true, 1, appEnvironment: otherApp))
        #expect(try reading.consumptionConsent(of: "bob", in: production) == nil)
      }
    }
  }
}
