import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The ledger of a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `refuses rows of a payment that does not exist`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      // A key with evidence is not yet a payment.
      try await database.commit {
        try $0.insert(Evidence(payment: key, text: "jws", origin: .client, receivedAt: at(0)))
      }
      let change = GrantChange(payment: key, kind: .reversal, cause: "0", amount: 1, at: at(0))
      #expect(await database.errorCode { try $0.insert(sampleGrant(key)) } == .inconsistent)
      #expect(await database.errorCode { try $0.insert(change) } == .inconsistent)
      #expect(await database.errorCode { try $0.insert(samplePosting(key)) } == .inconsistent)
      #expect(await database.errorCode { try $0.insert(sampleDelivery("d", of: key)) } == .inconsistent)
      #expect(try await database.read { try $0.balances(after: nil, limit: 9) } == [])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `grants a payment once`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(sampleGrant(paymentKey("1")))
      }
      #expect(await database.errorCode { try $0.insert(sampleGrant(paymentKey("1"))) } == .contended)
      #expect(try await database.read { try $0.grant(paymentKey("1")) } == sampleGrant(paymentKey("1")))
      #expect(try await database.read { try $0.grant(paymentKey("2")) } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `takes back no more than was granted, and grants no less than one part`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      try await database.commit { try $0.insert(samplePayment("1")) }
      for coins in [0, -1, Int64.min] {
        #expect(await database.errorCode { try $0.insert(sampleGrant(key, coins: coins)) } == .inconsistent)
      }
      try await database.commit { try $0.insert(sampleGrant(key, coins: 100)) }
      for takenBack in [-1, 101, Int64.max, .min] {
        let code = await database.errorCode { transaction in
          var grant = try #require(try transaction.grant(key))
          grant.takenBack = takenBack
          try transaction.update(grant)
        }
        #expect(code == .inconsistent)
      }
      for amount in [0, -1] as [Int64] {
        let change = GrantChange(payment: key, kind: .reversal, cause: "c", amount: amount, at: at(0))
        #expect(await database.errorCode { try $0.insert(change) } == .inconsistent)
      }
      #expect(try await database.read { try $0.grant(key) } == sampleGrant(key, coins: 100))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `accepts each change of a grant once by payment, kind and cause, and keeps their order`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func change(_ cause: String, _ kind: GrantChange.Kind) -> GrantChange {
        GrantChange(payment: paymentKey("1"), kind: kind, cause: cause, amount: 1, at: at(0))
      }
      let changes = [change("b", .reversal), change("b", .reinstatement), change("a", .reversal)]
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        for one in changes { try transaction.insert(one) }
      }
      #expect(await database.errorCode { try $0.insert(change("b", .reversal)) } == .contended)
      #expect(try await database.read { try $0.changes(of: paymentKey("1")) } == changes)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `lists a user's entitlements, the newest first, without units`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        let grants: [(String, Int64, GrantContent)] = [
          ("3", 10, .entitlement("vip", from: at(0), until: nil)),
          ("1", 10, .entitlement("vip", from: at(0), until: at(5))),
          ("2", 5, .entitlement("ads", from: at(0), until: nil)),
          ("4", 1, .units("coin", amount: 5)),
        ]
        for (name, moment, content) in grants {
          let key = paymentKey(name)
          try transaction.insert(samplePayment(key))
          try transaction.insert(sampleGrant(key, content, at: at(moment)))
        }
        let theirs = paymentKey("5")
        try transaction.insert(samplePayment(theirs))
        try transaction.insert(
          sampleGrant(theirs, .entitlement("vip", from: at(0), until: nil), to: "bob"))
      }
      try await database.read { reading throws in
        let found = try reading.entitlementSources(of: "alice", in: production)
        #expect(found.map(\.grant.payment.transaction) == ["3", "1", "2"])
        #expect(try reading.entitlementSources(of: "alice", in: sandbox) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `moves both users' balances by a posting, and never twice`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      let gift = Posting(
        appEnvironment: production, unit: "coin", debit: .user("alice"), credit: .user("bob"), amount: 30,
        payment: key, cause: "gift", at: at(0))
      let toHimself = Posting(
        appEnvironment: production, unit: "coin", debit: .user("bob"), credit: .user("bob"), amount: 7,
        payment: key, cause: "himself", at: at(0))
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(samplePosting(key))
        try transaction.insert(samplePosting(key, "gems", amount: 1, unit: "gem"))
        try transaction.insert(gift)
        try transaction.insert(toHimself)
      }
      #expect(await database.errorCode { try $0.insert(samplePosting(key)) } == .contended)
      try await database.read { reading throws in
        let alice = try reading.balances(of: "alice", in: production)
        #expect(alice.map(\.unit) == ["coin", "gem"])
        #expect(alice.map(\.amount) == [70, 1])
        #expect(try reading.balances(of: "bob", in: production).map(\.amount) == [30])
        #expect(try reading.sumOfPostings(of: "alice", unit: "coin", in: production) == 70)
        #expect(try reading.sumOfPostings(of: "bob", unit: "coin", in: production) == 30)
        #expect(try reading.sumOfPostings(of: "carol", unit: "coin", in: production) == 0)
        #expect(try reading.postings(of: key).map(\.cause) == ["grant", "gems", "gift", "himself"])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `goes below zero after a refund of spent units`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(
          Posting(
            appEnvironment: production, unit: "coin", debit: .user("alice"), credit: .issued(.appStore),
            amount: 100, payment: key, cause: "reversal:0", at: at(0)))
      }
      #expect(
        try await database.read { try $0.balances(of: "alice", in: production).map(\.amount) } == [-100])
      #expect(
        try await database.read { try $0.sumOfPostings(of: "alice", unit: "coin", in: production) } == -100)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `refuses a balance beyond 64 bits, in both directions, and writes nothing of it`(kind: DatabaseKind) async throws
  {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      @Sendable func back(_ cause: String, _ amount: Int64) -> Posting {
        Posting(
          appEnvironment: production, unit: "coin", debit: .user("bob"), credit: .issued(.appStore),
          amount: amount, payment: key, cause: cause, at: at(0))
      }
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(samplePosting(key, "1", amount: .max))
        try transaction.insert(back("2", .max))
        try transaction.insert(back("3", 1))
      }
      for amount in [1, 1000, Int64.max] {
        #expect(
          await database.errorCode { try $0.insert(samplePosting(key, "4", amount: amount)) } == .balanceOutOfRange)
        #expect(await database.errorCode { try $0.insert(back("5", amount)) } == .balanceOutOfRange)
      }
      for amount in [0, -1, Int64.min] {
        #expect(
          await database.errorCode { try $0.insert(samplePosting(key, "6", amount: amount)) } == .inconsistent)
      }
      try await database.read { reading throws in
        #expect(try reading.balances(of: "alice", in: production).map(\.amount) == [.max])
        #expect(try reading.balances(of: "bob", in: production).map(\.amount) == [.min])
        #expect(try reading.sumOfPostings(of: "bob", unit: "coin", in: production) == .min)
        #expect(try reading.postings(of: key).count == 3)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `sums postings even if a partial sum exceeds 64 bits`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        for round in 0..<3 {
          try transaction.insert(samplePosting(key, "in\(round)", amount: .max))
          try transaction.insert(
            Posting(
              appEnvironment: production, unit: "coin", debit: .user("alice"), credit: .issued(.appStore),
              amount: .max - 1, payment: key, cause: "out\(round)", at: at(0)))
          try transaction.insert(
            Posting(
              appEnvironment: production, unit: "coin", debit: .user("alice"), credit: .issued(.appStore),
              amount: 1, payment: key, cause: "rest\(round)", at: at(0)))
        }
        try transaction.insert(samplePosting(key, "last", amount: 42))
      }
      #expect(
        try await database.read { try $0.sumOfPostings(of: "alice", unit: "coin", in: production) } == 42)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `walks through balances by app environment, user and unit`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (appEnvironment, user, unit) in [
          (otherApp, "alice", "coin"), (sandbox, "alice", "coin"), (production, "bob", "coin"),
          (production, "alice", "gem"), (production, "alice", "coin"),
        ] as [(AppEnvironment, UserIdentifier, UnitName)] {
          let key = paymentKey("\(user) \(unit)", appEnvironment)
          try transaction.insert(samplePayment(key))
          try transaction.insert(samplePosting(key, to: user, unit: unit))
        }
      }
      var walked: [Balance] = []
      while true {
        let last = walked.last
        let page = try await database.read { try $0.balances(after: last, limit: 2) }
        if page.isEmpty { break }
        walked += page
      }
      #expect(walked.map(\.appEnvironment) == [production, production, production, sandbox, otherApp])
      #expect(walked.map(\.user) == ["alice", "alice", "bob", "alice", "alice"])
      #expect(walked.map(\.unit) == ["coin", "gem", "coin", "coin", "coin"])
    }
  }
}
