import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Synchronization
import TestDatabases
import Testing

/// Counts from several threads.
final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  @discardableResult
  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}

@Suite struct `A transaction of a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `leaves nothing if its closure throws, and passes the error on unchanged`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      try await database.commit { try $0.insert(samplePayment("1")) }
      let key = paymentKey("1")
      let outcome = await database.transact { transaction -> Void in
        try transaction.insert(sampleOrder(1))
        var payment = try #require(try transaction.payment(key))
        payment.state = .fulfilled
        payment.order = orderKey(1).id
        try transaction.update(payment)
        try transaction.insert(sampleGrant(key))
        try transaction.insert(samplePosting(key))
        try transaction.insert(sampleDelivery("dlv_1", of: key))
        try transaction.put(Subscription(key: key, claimant: "alice"))
        try transaction.set("name", to: "value")
        throw ClosureError(word: "no")
      }
      guard case .refused(let error) = outcome else {
        Issue.record("not refused")
        return
      }
      #expect(error as? ClosureError == ClosureError(word: "no"))
      for isReopened in [false, true] {
        let database = isReopened ? try await underTest.reopen() : database
        try await database.read { reading throws in
          #expect(try reading.order(orderKey(1)) == nil)
          #expect(try reading.payment(key) == samplePayment("1"))
          #expect(try reading.payment(paying: orderKey(1)) == nil)
          #expect(try reading.grant(key) == nil)
          #expect(try reading.balances(of: "alice", in: production) == [])
          #expect(try reading.delivery("dlv_1") == nil)
          #expect(try reading.subscription(key) == nil)
          #expect(try reading.setting("name") == nil)
        }
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is not committed if its closure swallows a conflict`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { try $0.insert(sampleOrder(1)) }
      let code = await database.errorCode { transaction in
        try transaction.set("written", to: "before")
        do { try transaction.insert(sampleOrder(1)) } catch is DatabaseConflict {}
      }
      #expect(code == .contended)
      #expect(try await database.read { try $0.setting("written") } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is not committed if its closure swallows a refusal, and reads nothing after it`(kind: DatabaseKind) async throws
  {
    try await withDatabase(kind) { database, _ async throws in
      let readsAfter = Counter()
      let code = await database.errorCode { transaction in
        try transaction.set("written", to: "before")
        do { try transaction.insert(sampleGrant(paymentKey("missing"))) } catch {}
        if (try? transaction.setting("written")) != nil { readsAfter.next() }
      }
      #expect(code == .inconsistent)
      #expect(readsAfter.value == 0)
      #expect(try await database.read { try $0.setting("written") } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is given up as contended after too many conflicts`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { try $0.insert(sampleOrder(1)) }
      let runs = Counter()
      let code = await database.errorCode { transaction in
        runs.next()
        try transaction.insert(sampleOrder(1))
      }
      #expect(code == .contended)
      // It may have run over a snapshot before, and in a batch without savepoints.
      #expect((DatabaseLimits.runsPerTransaction...DatabaseLimits.runsPerTransaction + 2).contains(runs.value))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `runs again after a conflict, without the writes of the first run`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { try $0.insert(sampleOrder(1)) }
      let runs = Counter()
      let found = try await database.commit { transaction -> [Bool] in
        let before = try [transaction.setting("first") != nil, transaction.order(orderKey(1)) != nil]
        if runs.next() == 1 {
          try transaction.set("first", to: "written")
          try transaction.insert(sampleOrder(1))
        }
        return before
      }
      #expect(found == [false, true])
      #expect(runs.value >= 2)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `reads its own writes`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1") { $0.order = orderKey(7).id })
        #expect(try transaction.payment(paying: orderKey(7)) == transaction.payment(paymentKey("1")))
        try transaction.insert(samplePosting(paymentKey("1"), amount: 5))
        #expect(try transaction.balances(of: "alice", in: production).map(\.amount) == [5])
        try transaction.insert(sampleOrder(1))
        #expect(try transaction.openOrders(of: "alice", in: production).map(\.key) == [orderKey(1)])
        try transaction.insert(sampleOrder(2))
        #expect(try transaction.openOrders(of: "alice", in: production).count == 2)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `sees one state from its beginning to its end`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      underTest.clock.set(at(5))
      let moments = try await database.commit { transaction -> [Timestamp] in
        let first = transaction.now
        underTest.clock.set(at(9))
        return [first, transaction.now]
      }
      #expect(moments == [at(5), at(5)])
      #expect(try await database.commit { $0.now } == at(9))
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `that writes nothing is committed with its value`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      #expect(try await database.commit { _ in 17 } == 17)
      let outcome = await database.transact { _ -> Int in throw ClosureError(word: "read only") }
      guard case .refused(let error as ClosureError) = outcome else {
        Issue.record("not refused by its closure")
        return
      }
      #expect(error.word == "read only")
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `alone wins among 200 simultaneous inserts of one key, and the others see its row`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let answers = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
        for caller in 0..<200 {
          group.addTask {
            try await database.commit { transaction throws in
              if let payment = try transaction.payment(paymentKey("1")) {
                return (payment.lastSequence, false)
              }
              try transaction.insert(samplePayment("1") { $0.lastSequence = caller })
              try transaction.insert(samplePosting(paymentKey("1")))
              return (caller, true)
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count == 200)
      #expect(answers.count { $0.1 } == 1)
      #expect(Set(answers.map(\.0)).count == 1)
      #expect(
        try await database.read { try $0.balances(of: "alice", in: production).map(\.amount) } == [100])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `that throws does not affect the 200 that run beside it`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let committed = await withTaskGroup(of: Int?.self) { group in
        for number in 0..<200 {
          group.addTask {
            let outcome = await database.transact { transaction -> Int in
              try transaction.insert(samplePayment("\(number)"))
              try transaction.insert(samplePosting(paymentKey("\(number)"), amount: 1))
              if number % 7 == 0 { throw ClosureError(word: "seventh") }
              if number % 11 == 0 { try transaction.insert(samplePayment("\(number)")) }
              return number
            }
            return try? outcome.get()
          }
        }
        return await group.reduce(into: Set<Int>()) { set, number in
          if let number { set.insert(number) }
        }
      }
      let expected = Set((0..<200).filter { $0 % 7 != 0 && $0 % 11 != 0 })
      #expect(committed == expected)
      try await database.read { reading throws in
        let kept = try reading.payments(after: nil, limit: 1000)
        #expect(Set(kept.map(\.key.transaction.text)) == Set(expected.map { "\($0)" }))
        let balance = try reading.balances(of: "alice", in: production)
        #expect(balance.map(\.amount) == [Int64(expected.count)])
      }
    }
  }
}

@Suite struct `A read of a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `sees what was committed before it started`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      for number in UInt64(1)...20 {
        try await database.commit { try $0.insert(sampleOrder(number)) }
        #expect(try await database.read { try $0.order(orderKey(number)) } != nil)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `sees both rows of a transaction or none, while others write`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            try await database.commit { transaction throws in
              try transaction.set("left", to: "\(number)")
              try transaction.set("right", to: "\(number)")
            }
          }
          group.addTask {
            let pair = try await database.read { [try $0.setting("left"), try $0.setting("right")] }
            #expect(pair[0] == pair[1])
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `passes on the error that its closure throws`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      await #expect(throws: ClosureError(word: "no")) {
        try await database.read { _ in throw ClosureError(word: "no") }
      }
    }
  }
}
