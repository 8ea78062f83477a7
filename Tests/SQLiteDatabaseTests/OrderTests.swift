import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The orders of a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `are unique by their key, and the sandbox counterpart is another order`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(sampleOrder(1))
        try transaction.insert(sampleOrder(1, sandbox))
        try transaction.insert(sampleOrder(1, otherApp))
      }
      #expect(await database.errorCode { try $0.insert(sampleOrder(1)) } == .contended)
      let apps = try await database.read { reading throws in
        try [production, sandbox, otherApp].map { try reading.order(orderKey(1, $0))?.key.appEnvironment }
      }
      #expect(apps == [production, sandbox, otherApp])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are unique by the backend's reference in the app environment`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func order(_ number: UInt64, _ appEnvironment: AppEnvironment, user: UserIdentifier, text: String)
        -> Order
      {
        sampleOrder(number, appEnvironment, user: user) { $0.reference = Reference(text, from: .backend) }
      }
      try await database.commit { try $0.insert(order(1, production, user: "alice", text: "A-1")) }
      #expect(await database.errorCode { try $0.insert(order(2, production, user: "bob", text: "A-1")) } == .contended)
      try await database.commit { transaction throws in
        try transaction.insert(order(2, sandbox, user: "alice", text: "A-1"))
        try transaction.insert(order(3, production, user: "alice", text: "a-1"))
        try transaction.insert(order(4, production, user: "alice", text: "A-\u{E9}"))
        // Equal to a reader, different to a database: no number of one backend matches another's.
        try transaction.insert(order(5, production, user: "alice", text: "A-e\u{301}"))
      }
      try await database.read { reading throws in
        #expect(try reading.order(referenceFromBackend: "A-1", in: production)?.key == orderKey(1))
        #expect(try reading.order(referenceFromBackend: "A-1", in: sandbox)?.key == orderKey(2, sandbox))
        #expect(try reading.order(referenceFromBackend: "A-e\u{301}", in: production)?.key == orderKey(5))
        #expect(try reading.order(referenceFromBackend: "B", in: production) == nil)
        #expect(try reading.order(referenceFromApp: "A-1", of: "alice", in: production) == nil)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are unique by the app's reference for each user`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func order(_ number: UInt64, _ user: UserIdentifier) -> Order {
        sampleOrder(number, user: user) { $0.reference = Reference("A-1", from: .app) }
      }
      try await database.commit { transaction throws in
        try transaction.insert(order(1, "alice"))
        try transaction.insert(order(2, "bob"))
        try transaction.insert(sampleOrder(3) { $0.reference = Reference("A-1", from: .backend) })
      }
      #expect(await database.errorCode { try $0.insert(order(4, "alice")) } == .contended)
      try await database.read { reading throws in
        #expect(
          try reading.order(referenceFromApp: "A-1", of: "bob", in: production)?.key == orderKey(2))
        #expect(try reading.order(referenceFromApp: "A-1", of: "carol", in: production) == nil)
        #expect(try reading.order(referenceFromBackend: "A-1", in: production)?.key == orderKey(3))
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are unique by the caller's idempotency key`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func order(_ number: UInt64, _ appEnvironment: AppEnvironment, caller: String) -> Order {
        sampleOrder(number, appEnvironment) {
          $0.idempotency = Idempotency(caller: caller, key: "k", requestDigest: "d")
        }
      }
      try await database.commit { transaction throws in
        try transaction.insert(order(1, production, caller: "user:alice"))
        try transaction.insert(order(2, production, caller: "key:sk"))
        try transaction.insert(order(3, sandbox, caller: "user:alice"))
      }
      #expect(await database.errorCode { try $0.insert(order(4, production, caller: "user:alice")) } == .contended)
      try await database.read { reading throws in
        #expect(
          try reading.order(idempotencyKey: "k", of: "key:sk", in: production)?.key == orderKey(2))
        #expect(try reading.order(idempotencyKey: "other", of: "key:sk", in: production) == nil)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `cannot have a quantity of zero or less`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      for quantity in [0, -1, Int.min] {
        let code = await database.errorCode { try $0.insert(sampleOrder(1) { $0.quantity = quantity }) }
        #expect(code == .inconsistent)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `keep their promise, even if an update contains another one`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { try $0.insert(sampleOrder(1)) }
      let changes: [@Sendable (inout Order) -> Void] = [
        { $0.user = "mallory" }, { $0.quantity = 10 }, { $0.product.id = "gems" },
        { $0.product.grant = .units("coin", perPiece: 1000) }, { $0.store = .weChatPay },
        { $0.createdAt = at(1) }, { $0.metadata = "{}" }, { $0.scene = "" }, { $0.platform = "ios" },
        { $0.reference = Reference("A", from: .app) },
        { $0.idempotency = Idempotency(caller: "c", key: "k", requestDigest: "d") },
        {
          $0.derivation = Derivation(
            payment: paymentKey("1"), from: nil, reference: nil, flags: [])
        },
      ]
      for change in changes {
        let code = await database.errorCode { transaction in
          var order = try #require(try transaction.order(orderKey(1)))
          change(&order)
          try transaction.update(order)
        }
        #expect(code == .inconsistent)
      }
      let blind = await database.errorCode { try $0.update(sampleOrder(1, user: "mallory")) }
      #expect(blind == .inconsistent)
      #expect(await database.errorCode { try $0.update(sampleOrder(2)) } == .inconsistent)
      #expect(try await database.read { try $0.order(orderKey(1)) } == sampleOrder(1))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are listed newest first by creation and id, within app environment, user, state and page`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func made(_ number: UInt64) -> Timestamp { at(number == 3 ? -2 : -Int64(number)) }
      try await database.commit { transaction throws in
        for number in [3, 1, 5, 2, 4] as [UInt64] {
          // The creation time decides, and runs against the ids; two of one time are sorted by id.
          try transaction.insert(
            sampleOrder(number, user: number == 4 ? "bob" : "alice", createdAt: made(number)) {
              if number == 2 { $0.state = .closed(.expired, at: at(9)) }
            })
        }
        try transaction.insert(sampleOrder(6, sandbox))
      }
      @Sendable func place(_ number: UInt64) -> OrderPosition {
        OrderPosition(createdAt: made(number), id: orderKey(number).id)
      }
      func list(_ change: @Sendable (inout OrderQuery) -> Void, limit: Int = 10) async throws -> [UInt64] {
        var query = OrderQuery(appEnvironment: production, limit: limit)
        change(&query)
        let asked = query
        return try await database.read { try $0.orders(asked).map(\.key.id.low) }
      }
      #expect(try await list { _ in } == [1, 3, 2, 4, 5])
      #expect(try await list({ _ in }, limit: 2) == [1, 3])
      #expect(try await list({ _ in }, limit: 0) == [])
      #expect(try await list({ _ in }, limit: -1) == [])
      #expect(try await list { $0.user = "alice" } == [1, 3, 2, 5])
      #expect(try await list { $0.openOnly = true } == [1, 3, 4, 5])
      #expect(try await list { $0.before = place(3) } == [2, 4, 5])
      #expect(try await list { $0.before = place(2) } == [4, 5])
      #expect(
        try await list {
          $0.user = "alice"
          $0.openOnly = true
          $0.before = place(1)
        } == [3, 5])
      #expect(try await list { $0.appEnvironment = otherApp } == [])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `that can still be paid are found by user, product, store and time`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(sampleOrder(1, createdAt: at(20)))
        try transaction.insert(sampleOrder(2, createdAt: at(10)))
        try transaction.insert(sampleOrder(3, createdAt: at(10)) { $0.state = .closed(.replaced, at: at(11)) })
        try transaction.insert(
          sampleOrder(4, createdAt: at(10)) { $0.state = .paid(by: paymentKey("1"), at: at(12)) })
        try transaction.insert(sampleOrder(5, createdAt: at(9)))
        try transaction.insert(sampleOrder(6, createdAt: at(21)))
        try transaction.insert(sampleOrder(7, user: "bob", createdAt: at(10)))
        try transaction.insert(sampleOrder(8, product: "gems", createdAt: at(10)))
        try transaction.insert(sampleOrder(9, store: .weChatPay, createdAt: at(10)))
        try transaction.insert(sampleOrder(10, sandbox, createdAt: at(10)))
      }
      let found = try await database.read { reading throws in
        try reading.unpaidOrders(
          of: "alice", for: "coins", at: .appStore, madeIn: at(10)...at(20), in: production)
      }
      #expect(found.map(\.key.id.low) == [2, 3, 1])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `of one user are listed up to the limit, the oldest first`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let count = UInt64(DatabaseLimits.ordersPerUser) + 20
      try await database.commit { transaction throws in
        for number in 1...count {
          try transaction.insert(sampleOrder(number, createdAt: at(Int64(count - number))))
        }
        try transaction.insert(
          sampleOrder(1000, createdAt: at(-1)) { $0.state = .closed(.expired, at: at(0)) })
        try transaction.insert(sampleOrder(1001, user: "bob", createdAt: at(-1)))
      }
      let expected = (0..<UInt64(DatabaseLimits.ordersPerUser)).map { count - $0 }
      try await database.read { reading throws in
        #expect(try reading.openOrders(of: "alice", in: production).map(\.key.id.low) == expected)
        let unpaid = try reading.unpaidOrders(
          of: "alice", for: "coins", at: .appStore, madeIn: at(-1)...at(1000), in: production)
        #expect(unpaid.map(\.key.id.low) == [1000] + expected.dropLast())
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are due for closing at the end of their time, the most overdue first`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(sampleOrder(3, expiresAt: at(100)))
        try transaction.insert(sampleOrder(1, expiresAt: at(100)))
        try transaction.insert(sampleOrder(2, sandbox, expiresAt: at(50)))
        try transaction.insert(sampleOrder(4, expiresAt: at(101)))
        try transaction.insert(sampleOrder(5, expiresAt: at(50)) { $0.state = .closed(.expired, at: at(50)) })
        try transaction.insert(
          sampleOrder(6, expiresAt: at(50)) { $0.state = .paid(by: paymentKey("1"), at: at(1)) })
      }
      try await database.read { reading throws in
        #expect(try reading.ordersToExpire(at: at(100), limit: 9).map(\.key.id.low) == [2, 1, 3])
        #expect(try reading.ordersToExpire(at: at(100), limit: 2).map(\.key.id.low) == [2, 1])
        #expect(try reading.ordersToExpire(at: at(49), limit: 9) == [])
      }
      try await database.commit { transaction throws in
        var order = try #require(try transaction.order(orderKey(1)))
        order.expiresAt = at(500)
        try transaction.update(order)
      }
      #expect(
        try await database.read { try $0.ordersToExpire(at: at(100), limit: 9).map(\.key.id.low) } == [2, 3])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are walked through in key order, page by page`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let keys = [orderKey(1), orderKey(9), orderKey(2, sandbox), orderKey(1, otherApp)]
      try await database.commit { transaction throws in
        for key in keys.reversed() { try transaction.insert(sampleOrder(key.id.low, key.appEnvironment)) }
      }
      var walked: [OrderKey] = []
      while true {
        let last = walked.last
        let page = try await database.read { try $0.orders(after: last, limit: 1) }
        guard let order = page.first else { break }
        walked.append(order.key)
      }
      #expect(walked == keys)
    }
  }
}
