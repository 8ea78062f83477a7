import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What an operator lists from a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `are payments by purchase, the newest first, charges apart, and none of another app`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (id, date, merchant) in [("1", 1, nil), ("2", 3, nil), ("3", 3, nil), ("4", 2, "m")]
          as [(String, Int64, String?)]
        {
          let payment = samplePayment(id) {
            $0.facts.purchaseDate = at(date)
            $0.facts.merchant = merchant
          }
          try transaction.insert(payment)
        }
        try transaction.insert(samplePayment(paymentKey("5", otherApp)))
      }
      try await database.read { reading throws in
        func found(charges: Bool = false, until: Int64 = 9, before: String? = nil, _ limit: Int = 9) throws -> [String]
        {
          var query = PaymentQuery(appEnvironment: production, charges: charges, limit: limit)
          query.boughtUntil = at(until)
          query.before = try before.flatMap { try reading.payment(paymentKey($0)).map { PaymentPosition(of: $0) } }
          return try reading.payments(query).map(\.key.transaction.text)
        }
        #expect(try found(-1) == [] && found(until: 0) == [])
        #expect(try found() == ["3", "2", "1"] && found(charges: true) == ["4"])
        #expect(try found(2) == ["3", "2"] && found(before: "3", 1) == ["2"] && found(before: "2") == ["1"])
        #expect(try found(until: 2) == ["1"])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are payments with a stated time in a range, by that time, and none of another app`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (id, time) in [("1", 4), ("2", 2), ("3", 4), ("4", nil), ("5", 9)] as [(String, Int64?)] {
          let payment = samplePayment(id) {
            $0.facts.revocation = time.map { Revocation(date: at($0)) }
            $0.facts.expiresDate = time.map { at($0) }
          }
          try transaction.insert(payment)
        }
        let foreign = samplePayment(paymentKey("6", otherApp)) {
          $0.facts.revocation = Revocation(date: at(4))
          $0.facts.expiresDate = at(4)
        }
        try transaction.insert(foreign)
      }
      try await database.read { reading throws in
        for time in StatedTime.allCases {
          func found(
            _ from: Int64 = 0, _ to: Int64 = 99, after last: String? = nil, _ limit: Int = 9
          ) throws -> [String] {
            var query = StatedTimeQuery(time, in: at(from)..<at(to), of: production, limit: limit)
            query.last = try last.flatMap { try reading.payment(paymentKey($0)) }
            return try reading.payments(query).map(\.key.transaction.text)
          }
          #expect(try found(0, 99, -1) == [] && found(5, 9) == [] && found(after: "5") == [])
          #expect(try found() == ["2", "1", "3", "5"] && found(4, 9) == ["1", "3"])
          #expect(
            try found(0, 99, 1) == ["2"] && found(after: "1", 1) == ["3"] && found(0, 9, after: "2") == ["1", "3"])
        }
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are subscriptions by their next question, and none without one`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (id, moment) in [("1", 5), ("2", 4), ("3", 5), ("4", nil)] as [(String, Int64?)] {
          var subscription = Subscription(key: paymentKey(id), claimant: nil)
          subscription.askAt = moment.map { at($0) }
          try transaction.put(subscription)
        }
      }
      try await database.read { reading throws in
        func found(_ last: (Int64, String)?, _ limit: Int = 9) throws -> [String] {
          try reading.subscriptions(
            after: last.map { (at($0.0), paymentKey($0.1)) }, in: production, limit: limit
          ).map(\.key.transaction.text)
        }
        #expect(try found(nil, 0) == [] && found((5, "3")) == [])
        #expect(try found(nil) == ["2", "1", "3"] && found((4, "2"), 1) == ["1"] && found((5, "1")) == ["3"])
        #expect(try reading.subscriptions(after: nil, in: sandbox, limit: 9) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are the days that were compared, and what Apple asks`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for day in ["2025-10-08", "2025-10-09", "2025-10-10"] {
          try transaction.put(
            ReconciliationRecord(appEnvironment: production, store: .weChatPay, day: day, triedAt: at(1)))
        }
        for (id, purpose, moment) in [("1", .consumption, 7), ("2", .consumption, 6), ("3", .ask, 1)]
          as [(String, AppStoreTask.Purpose, Int64)]
        {
          try transaction.put(
            AppStoreTask(payment: paymentKey(id), purpose: purpose, createdAt: at(moment), dueAt: at(0)))
        }
      }
      try await database.read { reading throws in
        func days(_ first: String, _ last: String, _ limit: Int = 9) throws -> [String] {
          try reading.reconciliations(from: first, to: last, at: .weChatPay, in: production, limit: limit).map(\.day)
        }
        #expect(try days("2025-10-11", "2025-12-01") == [] && days("2025-10-09", "2025-10-08") == [])
        #expect(try days("2025-10-09", "2025-10-10") == ["2025-10-10", "2025-10-09"])
        #expect(try days("2025-10-01", "2025-10-31", 1) == ["2025-10-10"])
        #expect(try reading.reconciliations(from: "0", to: "9", at: .appStore, in: production, limit: 9) == [])
        let asked = try reading.consumptionRequests(in: production, limit: 9).map(\.payment.transaction.text)
        #expect(asked == ["2", "1"])
        #expect(try reading.consumptionRequests(in: sandbox, limit: 9) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are the events that are listed, the newest first, and no other event`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let events: [JournalEvent] = [.chargeContradicted, .consumptionAnswered, .orderPaid, .chargeContradicted]
      try await database.commit { transaction throws in
        for (number, event) in events.enumerated() {
          try transaction.insert(
            JournalEntry(
              event, in: production, at: at(Int64(number)), order: nil, payment: paymentKey("\(number)"),
              details: "{}"))
        }
      }
      try await database.read { reading throws in
        func found(_ event: JournalEvent, since: Int64 = 0, _ limit: Int = 9) throws -> [Int64] {
          try reading.journal(telling: event, since: at(since), in: production, limit: limit).map(\.at.milliseconds)
        }
        #expect(try found(.orderPaid) == [] && found(.consumptionRefused) == [] && found(.chargeContradicted, 0) == [])
        #expect(try found(.chargeContradicted) == [3, 0] && found(.chargeContradicted, since: 1) == [3])
        #expect(try found(.consumptionAnswered) == [1])
        #expect(try reading.journal(telling: .chargeContradicted, since: at(0), in: sandbox, limit: 9) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are refunds that are stuck, frozen orders and frozen balances`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        let charge = paymentKey("1", store: .weChatPay)
        try transaction.insert(samplePayment(charge))
        for (number, state) in [("R1", Refund.State.stuck), ("R2", .asked)] {
          var refund = Refund(
            appEnvironment: production, number: number, order: nil, payment: charge,
            amount: Money(minorUnits: 1, currency: .cny), total: Money(minorUnits: 6, currency: .cny), reason: nil,
            body: nil, createdAt: at(0))
          refund.state = state
          try transaction.insert(refund)
        }
        for (number, reason) in [(3, "broken"), (2, "broken"), (1, nil)] as [(UInt64, String?)] {
          try transaction.insert(sampleOrder(number, createdAt: at(Int64(number))) { $0.frozenBecause = reason })
        }
        try transaction.insert(samplePosting(charge, "grant", amount: 5))
        try transaction.insert(
          Posting(
            appEnvironment: production, unit: "coin", debit: .user("alice"), credit: .issued(.weChatPay), amount: 9,
            payment: charge, cause: "reversal:1", at: at(0)))
        try transaction.freezeBalance(of: "alice", unit: "coin", in: production)
      }
      try await database.read { reading throws in
        #expect(try reading.refundsStuck(in: production, limit: 9).map(\.number) == ["R1"])
        #expect(try reading.frozenOrders(in: production, limit: 9).map(\.key) == [orderKey(2), orderKey(3)])
        let frozen = try reading.frozenBalances(in: production, limit: 9)
        #expect(frozen.map(\.user) == ["alice"] && frozen.map(\.amount) == [-4])
        #expect(try reading.refundsStuck(in: otherApp, limit: 9) == [])
        #expect(
          try reading.frozenOrders(in: sandbox, limit: 9) == [] && reading.frozenBalances(in: sandbox, limit: 9) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are the newest hundred failed attempts of a delivery, each once`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let payment = paymentKey("1")
      @Sendable func attempt(_ number: Int, of delivery: DeliveryIdentifier = "dlv_1") -> DeliveryAttempt {
        var attempt = DeliveryAttempt(
          delivery, of: payment, number: number, at: at(Int64(number)), endpoint: "backend", milliseconds: 7)
        (attempt.status, attempt.problem, attempt.answer) = (500, "HTTP status 500", [0xFF, 0x00])
        return attempt
      }
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment(payment))
        try transaction.insert(sampleDelivery("dlv_1", of: payment))
        try transaction.insert(attempt(1))
        try transaction.insert(attempt(2))
      }
      #expect(await database.errorCode { try $0.insert(attempt(2)) } == .contended)
      #expect(await database.errorCode { try $0.insert(attempt(0)) } == .inconsistent)
      #expect(await database.errorCode { try $0.insert(attempt(1, of: "dlv_2")) } == .inconsistent)
      try await database.commit { try $0.insert(attempt(102)) }
      try await database.read { reading throws in
        #expect(try reading.attempts(of: "dlv_1", about: payment) == [attempt(102)])
        #expect(try reading.attempts(of: "dlv_1", about: paymentKey("2")) == [])
        #expect(try reading.attempts(of: "dlv_2", about: payment) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are the payments of an order number, by purchase`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (id, date) in [("1", 2), ("2", 1)] as [(String, Int64)] {
          try transaction.insert(samplePayment(id) { $0.facts.purchaseDate = at(date) })
          for _ in 0..<2 { try transaction.noteOrderNumber("MK5TTT123H", of: paymentKey(id), at: at(5)) }
        }
        try transaction.noteOrderNumber("MK5TTT123H", of: paymentKey("3"), at: at(5))
      }
      try await database.read { reading throws in
        let found = { try reading.payments(ofOrderNumber: $0, in: $1, limit: 9).map(\.key.transaction.text) }
        #expect(try found("mk5ttt123h", production) == [] && found("MK5TTT123H", sandbox) == [])
        #expect(try found("MK5TTT123H", production) == ["2", "1"])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is no part of a planned transaction`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let reads: [@Sendable (any DatabaseReader) throws -> Int] = [
        { try $0.payments(PaymentQuery(appEnvironment: production, charges: true, limit: 9)).count },
        { try $0.payments(StatedTimeQuery(.takenBack, in: at(0)..<at(9), of: production, limit: 9)).count },
        { try $0.subscriptions(after: nil, in: production, limit: 9).count },
        { try $0.reconciliations(from: "0", to: "9", at: .weChatPay, in: production, limit: 9).count },
        { try $0.consumptionRequests(in: production, limit: 9).count },
        { try $0.journal(telling: .chargeContradicted, since: at(0), in: production, limit: 9).count },
        { try $0.refundsStuck(in: production, limit: 9).count },
        { try $0.frozenOrders(in: production, limit: 9).count },
        { try $0.frozenBalances(in: production, limit: 9).count },
        { try $0.attempts(of: "dlv_1", about: paymentKey("1")).count },
        { try $0.payments(ofOrderNumber: "M", in: production, limit: 9).count },
      ]
      for read in reads {
        try await database.read { reading throws in
          let planning = RecordingTransaction(planningOver: reading, now: at(0))
          #expect(throws: (any Error).self) { try read(planning) }
          #expect(planning.plan == nil)
        }
      }
    }
  }
}
