import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The deliveries of a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `are unique by id, and by payment and sequence`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(samplePayment("2"))
        try transaction.insert(sampleDelivery("a", of: paymentKey("1")))
        try transaction.insert(sampleDelivery("b", of: paymentKey("2")))
      }
      let sameIdentifier = sampleDelivery("a", of: paymentKey("1"), sequence: 2)
      let samePlace = sampleDelivery("c", of: paymentKey("1"))
      let noPlace = sampleDelivery("d", of: paymentKey("1"), sequence: 0)
      #expect(await database.errorCode { try $0.insert(sameIdentifier) } == .contended)
      #expect(await database.errorCode { try $0.insert(samePlace) } == .contended)
      #expect(await database.errorCode { try $0.insert(noPlace) } == .inconsistent)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `never change their content`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      let told = sampleDelivery("a", of: key, order: orderKey(1).id)
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        try transaction.insert(samplePayment("2"))
        try transaction.insert(told)
      }
      func other(
        payment: PaymentKey = key, order: OrderIdentifier? = orderKey(1).id,
        kind: Delivery.Kind = .created, sequence: Int = 1, body: String = "{}", createdAt: Timestamp = at(0)
      ) -> Delivery {
        Delivery(
          id: "a", payment: payment, order: order, kind: kind, sequence: sequence, body: body,
          createdAt: createdAt)
      }
      for changed in [
        other(payment: paymentKey("2")), other(order: nil), other(order: orderKey(2).id),
        other(kind: .reversed), other(sequence: 2), other(body: "[]"), other(createdAt: at(1)),
        sampleDelivery("missing", of: key),
      ] {
        #expect(await database.errorCode { try $0.update(changed) } == .inconsistent)
      }
      #expect(try await database.read { try $0.delivery("a") } == told)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are due at their time and without a lease, the longest ready first`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let deliveries: [(DeliveryIdentifier, Int64, Lease?, Delivery.State)] = [
        ("due-30", 30, nil, .pending), ("due-10b", 10, nil, .pending), ("due-10a", 10, nil, .pending),
        ("later", 101, nil, .pending), ("leased", 10, Lease(until: at(101), fence: 1), .pending),
        ("lease-over", 10, Lease(until: at(100), fence: 1), .pending),
        ("lease-long-over", 20, Lease(until: at(5), fence: 1), .pending),
        ("acknowledged", 10, nil, .acknowledged(at: at(11))), ("parked", 10, nil, .parked(at: at(11))),
      ]
      try await database.commit { transaction throws in
        for (id, due, lease, state) in deliveries {
          let key = paymentKey(id.text)
          try transaction.insert(samplePayment(key))
          try transaction.insert(
            sampleDelivery(id, of: key) {
              $0.nextAttemptAt = at(due)
              $0.lease = lease
              $0.state = state
            })
        }
        let elsewhere = paymentKey("elsewhere", sandbox)
        try transaction.insert(samplePayment(elsewhere))
        try transaction.insert(sampleDelivery("elsewhere", of: elsewhere))
      }
      try await database.read { reading throws in
        func due(_ moment: Int64, limit: Int = 99) throws -> [String] {
          try reading.dueDeliveries(at: at(moment), in: production, limit: limit).map(\.id.text)
        }
        #expect(try due(100) == ["due-10a", "due-10b", "lease-long-over", "due-30", "lease-over"])
        #expect(try due(100, limit: 2) == ["due-10a", "due-10b"])
        #expect(try due(101).suffix(2) == ["later", "leased"])
        #expect(try due(9) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `of one payment leave in sequence, and a parked one holds back the later ones`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let key = paymentKey("1")
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1"))
        // The later ones are older and due for longer: only the sequence holds them back.
        for sequence in [2, 3, 1] {
          try transaction.insert(
            sampleDelivery(
              DeliveryIdentifier("\(sequence)"), of: key, sequence: sequence, createdAt: at(0)
            ) {
              $0.nextAttemptAt = at(Int64(10 - sequence))
            })
        }
      }
      @Sendable func due(_ reading: any DatabaseReader) throws -> [String] {
        try reading.dueDeliveries(at: at(100), in: production, limit: 9).map(\.id.text)
      }
      @Sendable func set(_ id: DeliveryIdentifier, _ state: Delivery.State) async throws {
        try await database.commit { transaction throws in
          var delivery = try #require(try transaction.delivery(id))
          delivery.state = state
          try transaction.update(delivery)
        }
      }
      #expect(try await database.read(due) == ["1"])
      #expect(try await database.read { try $0.nextDeliveryTime(in: production) } == at(9))
      try await set("1", .parked(at: at(50)))
      #expect(try await database.read(due) == [])
      #expect(try await database.read { try $0.nextDeliveryTime(in: production) } == nil)
      try await set("1", .acknowledged(at: at(60)))
      #expect(try await database.read(due) == ["2"])
      try await set("2", .acknowledged(at: at(60)))
      #expect(try await database.read(due) == ["3"])
      #expect(try await database.read { try $0.nextDeliveryTime(in: production) } == at(7))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `report the time of the next attempt: after its lease, in its app environment, never a held one`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func add(
        _ id: DeliveryIdentifier, _ appEnvironment: AppEnvironment, due: Int64, lease: Int64? = nil
      ) async throws {
        try await database.commit { transaction throws in
          let key = paymentKey(id.text, appEnvironment)
          try transaction.insert(samplePayment(key))
          try transaction.insert(
            sampleDelivery(id, of: key) {
              $0.nextAttemptAt = at(due)
              $0.lease = lease.map { Lease(until: at($0), fence: 1) }
            })
        }
      }
      @Sendable func next(in appEnvironment: AppEnvironment = production) async throws -> Timestamp? {
        try await database.read { try $0.nextDeliveryTime(in: appEnvironment) }
      }
      #expect(try await next() == nil)
      try await add("a", production, due: 10, lease: 200)
      #expect(try await next() == at(200))
      try await add("b", otherApp, due: 150)
      try await add("c", sandbox, due: 180)
      #expect(try await next() == at(200))
      #expect(try await next(in: otherApp) == at(150))
      #expect(try await next(in: sandbox) == at(180))
      try await add("d", production, due: -5)
      #expect(try await next() == at(-5))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are listed as they were inserted, whatever their times and ids, by state and page`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let deliveries: [(DeliveryIdentifier, Int64, Delivery.State)] = [
        ("e", 2, .pending), ("d", 1, .parked(at: at(9))), ("c", 1, .pending),
        ("b", 3, .acknowledged(at: at(9))), ("a", 3, .pending),
      ]
      try await database.commit { transaction throws in
        for (id, created, state) in deliveries {
          let key = paymentKey(id.text)
          try transaction.insert(samplePayment(key))
          try transaction.insert(
            sampleDelivery(id, of: key, order: orderKey(1).id, createdAt: at(created)) {
              $0.state = state
            })
        }
        let counterpart = paymentKey("twin", sandbox)
        try transaction.insert(samplePayment(counterpart))
        try transaction.insert(sampleDelivery("twin", of: counterpart, order: orderKey(1).id))
      }
      func list(
        _ selection: DeliveryQuery.Selection, after: DeliveryIdentifier? = nil, limit: Int = 9, upTo: Int64? = nil
      ) async throws -> [String] {
        var query = DeliveryQuery(appEnvironment: production, selection: selection, limit: limit)
        query.after = after
        query.upTo = upTo ?? query.upTo
        let asked = query
        return try await database.read { try $0.deliveries(asked).map(\.id.text) }
      }
      #expect(try await list(.all) == ["e", "d", "c", "b", "a"])
      #expect(try await list(.all, limit: 2) == ["e", "d"])
      #expect(try await list(.all, after: "d") == ["c", "b", "a"])
      #expect(try await list(.all, after: "d", upTo: 4) == ["c", "b"])
      #expect(try await list(.all, upTo: 0) == [])
      #expect(try await list(.all, after: "a") == [])
      #expect(try await list(.all, after: "unknown") == [])
      #expect(try await list(.all, after: "twin") == [])
      #expect(try await list(.pending) == ["e", "c", "a"])
      #expect(try await list(.pending, after: "e") == ["c", "a"])
      #expect(try await list(.pending, after: "e", upTo: 3) == ["c"])
      #expect(try await list(.parked) == ["d"])
      #expect(try await list(.parked, after: "d") == [])
      #expect(try await list(.acknowledged) == ["b"])
      #expect(try await list(.acknowledged, after: "e", limit: 1) == ["b"])
      try await database.read { reading throws in
        #expect(
          try reading.deliveryBacklog(in: production)
            == DeliveryBacklog(pending: 3, parked: 1, oldestPending: at(1)))
        #expect(
          try reading.deliveryBacklog(in: otherApp)
            == DeliveryBacklog(pending: 0, parked: 0, oldestPending: nil))
      }
    }
  }
}
