import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What an operator searches for in a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `is no order of another app, and no order with the backend's number`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(sampleOrder(1, otherApp) { $0.reference = Reference("A-1", from: .app) })
        try transaction.insert(sampleOrder(2) { $0.reference = Reference("A-1", from: .backend) })
        for (number, user) in [(3, "alice"), (4, "bob")] as [(UInt64, UserIdentifier)] {
          let order = sampleOrder(number, user: user, createdAt: at(Int64(number))) {
            $0.reference = Reference("A-1", from: .app)
          }
          try transaction.insert(order)
        }
      }
      try await database.read { reading throws in
        let found = { try reading.orders(referenceFromApp: $0, in: production, limit: $1).map(\.key) }
        #expect(try found("a-1", 9) == [] && found("A-1", -1) == [])
        #expect(try found("A-1", 9) == [orderKey(4), orderKey(3)])
        #expect(try found("A-1", 1) == [orderKey(4)])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are the ids of a time, the newest first`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for number in 1...5 as ClosedRange<UInt64> {
          try transaction.insert(sampleOrder(number, createdAt: at(Int64(number) / 2)))
        }
        try transaction.insert(sampleOrder(6, sandbox, createdAt: at(1)))
      }
      try await database.read { reading throws in
        let found = { try reading.orderIdentifiers(madeIn: $0, in: production, limit: $1).map(\.low) }
        #expect(try found(at(3)...at(9), 9) == [])
        #expect(try found(at(1)...at(2), 9) == [5, 4, 3, 2])
        #expect(try found(at(0)...at(2), 2) == [5, 4])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is no granted payment with a token, and none that pays an order`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let token = orderKey(7).id
      try await database.commit { transaction throws in
        try transaction.insert(sampleOrder(7))
        for (id, state, order) in [
          ("1", .fulfilled, nil), ("2", .fulfilled, token), ("3", .unclaimed, nil), ("4", .unclaimed, nil),
        ] as [(String, PaymentState, OrderIdentifier?)] {
          let payment = samplePayment(id) {
            $0.facts.token = id == "4" ? nil : token
            $0.facts.webOrderLineItem = id == "1" ? nil : "W"
            $0.facts.purchaseDate = at(9 - Int64($0.key.transaction.text)!)
            $0.state = state
            $0.order = order
          }
          try transaction.insert(payment)
        }
      }
      try await database.read { reading throws in
        #expect(try reading.payments(withUnmatchedToken: orderKey(8).id, in: production, limit: 9) == [])
        #expect(try reading.payments(withUnmatchedToken: token, in: sandbox, limit: 9) == [])
        let waiting = try reading.payments(withUnmatchedToken: token, in: production, limit: 9)
        #expect(waiting.map(\.key) == [paymentKey("3")])
        #expect(try reading.payments(ofLineItem: "w", in: production, limit: 9) == [])
        let items = try reading.payments(ofLineItem: "W", in: production, limit: 9)
        #expect(items.map(\.key) == [paymentKey("4"), paymentKey("3"), paymentKey("2")])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are a user's payments through their grants, the newest grant first`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (id, user, moment) in [("1", "alice", 5), ("2", "bob", 6), ("3", "alice", 7)]
          as [(String, UserIdentifier, Int64)]
        {
          try transaction.insert(samplePayment(id) { $0.owner = "mallory" })
          let grant = sampleGrant(paymentKey(id), .units("coin", amount: 1), to: user, at: at(moment))
          try transaction.insert(grant)
        }
      }
      try await database.read { reading throws in
        #expect(try reading.payments(grantedTo: "mallory", in: production, limit: 9) == [])
        #expect(try reading.payments(grantedTo: "alice", in: sandbox, limit: 9) == [])
        let mine = try reading.payments(grantedTo: "alice", in: production, limit: 9)
        #expect(mine.map(\.key) == [paymentKey("3"), paymentKey("1")])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is a refund by the store's number`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        let charge = paymentKey("1", store: .weChatPay)
        try transaction.insert(samplePayment(charge))
        var refund = Refund(
          appEnvironment: production, number: "R1", order: nil, payment: charge,
          amount: Money(minorUnits: 1, currency: .cny), total: Money(minorUnits: 6, currency: .cny), reason: nil,
          body: nil, createdAt: at(0))
        refund.storeNumber = "5030"
        try transaction.insert(refund)
      }
      try await database.read { reading throws in
        #expect(try reading.refunds(storeNumber: "R1", in: production, limit: 9) == [])
        #expect(try reading.refunds(storeNumber: "5030", in: otherApp, limit: 9) == [])
        #expect(try reading.refunds(storeNumber: "5030", in: production, limit: 9).map(\.number) == ["R1"])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is no part of a planned transaction`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let reads: [@Sendable (any DatabaseReader) throws -> Int] = [
        { try $0.orders(referenceFromApp: "A", in: production, limit: 9).count },
        { try $0.orderIdentifiers(madeIn: at(0)...at(9), in: production, limit: 9).count },
        { try $0.payments(ofLineItem: "W", in: production, limit: 9).count },
        { try $0.payments(withUnmatchedToken: orderKey(1).id, in: production, limit: 9).count },
        { try $0.payments(grantedTo: "alice", in: production, limit: 9).count },
        { try $0.refunds(storeNumber: "1", in: production, limit: 9).count },
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
